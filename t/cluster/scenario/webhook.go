// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	admission "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
)

// The shipped names of what makes the API server ask.
const (
	webhookService       = "sluice-webhook"
	webhookConfiguration = "sluice"
)

// pointWebhooksAt leads the API server to a port of this machine: there is no network of Services.
// It still wants the Service's own name in the certificate.
func pointWebhooksAt(ctx context.Context, client kubernetes.Interface, port int) error {
	_, err := client.CoreV1().Services(accountNamespace).Patch(ctx, webhookService,
		types.MergePatchType, []byte(`{"spec": {"type": "ExternalName",
			"externalName": "localhost", "clusterIP": null, "clusterIPs": null, "ipFamilies": null,
			"ipFamilyPolicy": null, "internalTrafficPolicy": null}}`), metav1.PatchOptions{})
	if err != nil {
		return err
	}
	configurations := client.AdmissionregistrationV1().ValidatingWebhookConfigurations()
	shipped, err := configurations.Get(ctx, webhookConfiguration, metav1.GetOptions{})
	if err != nil {
		return err
	}
	var steps []object
	for i := range shipped.Webhooks {
		steps = append(steps, object{
			"op": "replace", "value": port,
			"path": fmt.Sprintf("/webhooks/%d/clientConfig/service/port", i),
		})
	}
	patch, err := json.Marshal(steps)
	if err != nil {
		return err
	}
	_, err = configurations.Patch(ctx, webhookConfiguration, types.JSONPatchType, patch,
		metav1.PatchOptions{})
	return err
}

// contradictory is a queue that keeps more than it may use.
func contradictory() *unstructured.Unstructured {
	k := kinds["queue"]
	return &unstructured.Unstructured{Object: object{
		"apiVersion": k.resource.GroupVersion().String(), "kind": k.name,
		"metadata": object{"name": "sluice-probe"},
		"spec": object{
			"capability": object{"cpu": "1"},
			"guarantee":  object{"resource": object{"cpu": "2"}},
		},
	}}
}

const checksTake = 30 * time.Second

// awaitChecks waits until the API server asks the scheduler about queues, or does no longer. An
// answer of the scheduler tells it from a call that fails.
func awaitChecks(ctx context.Context, client dynamic.Interface, on bool) error {
	ctx, cancel := context.WithTimeout(ctx, checksTake)
	defer cancel()
	dry := metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}
	for {
		_, err := client.Resource(kinds["queue"].resource).Create(ctx, contradictory(), dry)
		if on && err != nil && strings.Contains(err.Error(), "which is more than") ||
			!on && err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the API server does not come to ask about queues = %t: %w", on, err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// byPods is the shipped webhook that is asked about pods.
const byPods = "pods.sluice.sh"

// removeChecks takes the webhooks away, but for one that is named.
func (t *telling) removeChecks(but string) error {
	configurations := t.world.client.AdmissionregistrationV1().ValidatingWebhookConfigurations()
	shipped, err := configurations.Get(t.ctx, webhookConfiguration, metav1.GetOptions{})
	if err != nil {
		return err
	}
	t.policies.checks = shipped.DeepCopy()
	shipped.Webhooks = slices.DeleteFunc(shipped.Webhooks,
		func(one admission.ValidatingWebhook) bool { return one.Name != but })
	_, err = configurations.Update(t.ctx, shipped, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	return awaitChecks(t.ctx, t.world.dynamic, false)
}

// restoreChecks puts them back, as they were.
func (t *telling) restoreChecks(ctx context.Context) error {
	if t.policies.checks == nil {
		return nil
	}
	configurations := t.world.client.AdmissionregistrationV1().ValidatingWebhookConfigurations()
	now, err := configurations.Get(ctx, webhookConfiguration, metav1.GetOptions{})
	if err != nil {
		return err
	}
	now.Webhooks = t.policies.checks.Webhooks
	_, err = configurations.Update(ctx, now, metav1.UpdateOptions{})
	return err
}
