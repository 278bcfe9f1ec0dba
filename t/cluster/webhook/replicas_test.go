// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// The Secret is emptied behind the replicas' backs: they make it anew, agree, and are trusted.
func testAuthority(c *cluster) {
	secrets := c.Client.CoreV1().Secrets("kube-system")
	before, err := secrets.Get(c.Context(), "sluice-webhook-certs", metav1.GetOptions{})
	if err != nil {
		c.Fatal(err)
	}
	if _, err := secrets.Patch(c.Context(), before.Name, types.JSONPatchType,
		[]byte(`[{"op": "remove", "path": "/data"}]`), metav1.PatchOptions{}); err != nil {
		c.Fatal(err)
	}
	c.await("the API server trusts another authority", func() error {
		now, err := secrets.Get(c.Context(), before.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		hooks, err := c.Client.AdmissionregistrationV1().ValidatingWebhookConfigurations().
			Get(c.Context(), "sluice", metav1.GetOptions{})
		if err != nil {
			return err
		}
		for _, hook := range hooks.Webhooks {
			if trusted := string(hook.ClientConfig.CABundle); len(now.Data["ca.crt"]) == 0 ||
				trusted != string(now.Data["ca.crt"]) || trusted == string(before.Data["ca.crt"]) {
				return errors.New(hook.Name + " does not yet")
			}
		}
		return nil
	})
	c.awaitAnswers()
}

// One replica answers for the other. Without both, queues are not written, and all else goes on.
func testDown(c *cluster) {
	replicas := c.Replicas()
	kill := func(i int) {
		if err := replicas[i].Kill(); err != nil {
			c.Fatal(err)
		}
		if err := c.Refresh(c.Context()); err != nil {
			c.Fatal(err)
		}
	}
	kill(0)
	c.awaitAnswers()
	kill(1)
	c.await("nobody answers", func() error {
		_, err := c.create(queue("q", "weight: 1"), metav1.DryRunAll)
		if !apierrors.IsInternalError(err) ||
			!strings.Contains(err.Error(), `failed calling webhook "`+byQueues+`"`) {
			return fmt.Errorf("a queue: %w", err)
		}
		return nil
	})
	if err := c.patchQueue(c.Context(), "squad", `{"metadata": {"labels": {"c": "d"}}}`); err != nil {
		c.Errorf("a label: %v", err)
	}
	c.mustCreate(pod("meanwhile", "default", "team"), pod("meanwhile", "kube-system", "team"),
		command("SuspendQueue", "Queue", "squad"))
	c.run("c")
	c.awaitAnswers()
	c.await("the command is carried out", func() error {
		squad, err := c.client.Resource(resources["Queue"]).Get(c.Context(), "squad",
			metav1.GetOptions{})
		if err != nil {
			return err
		}
		state, _, _ := unstructured.NestedString(squad.Object, "status", "state")
		if state != "Suspended" {
			return errors.New("squad is " + state)
		}
		return nil
	})
}
