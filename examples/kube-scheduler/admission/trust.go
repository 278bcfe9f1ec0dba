// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	certutil "k8s.io/client-go/util/cert"
	"k8s.io/klog/v2"
)

// configuration is what one of the API server's lists of webhooks says: whom each of them trusts.
type configuration struct {
	kind, name string
	hooks      []hook
	patch      func(ctx context.Context, patch []byte) error
}

type hook struct {
	name   string
	bundle []byte
}

// configurations reads the validating and the mutating one of this name. One of them is enough.
func configurations(ctx context.Context, client kubernetes.Interface, name string) (
	[]*configuration, error) {
	var found []*configuration
	var problems []error
	for _, read := range []func(context.Context, kubernetes.Interface, string) (
		*configuration, error){validating, mutating} {
		one, err := read(ctx, client, name)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		found = append(found, one)
	}
	if len(found) > 0 {
		problems = slices.DeleteFunc(problems, apierrors.IsNotFound)
	}
	return found, errors.Join(problems...)
}

func validating(ctx context.Context, client kubernetes.Interface, name string) (
	*configuration, error) {
	api := client.AdmissionregistrationV1().ValidatingWebhookConfigurations()
	read, err := api.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	c := &configuration{kind: "ValidatingWebhookConfiguration", name: name,
		patch: func(ctx context.Context, patch []byte) error {
			_, err := api.Patch(ctx, name, types.JSONPatchType, patch, metav1.PatchOptions{})
			return err
		}}
	for i := range read.Webhooks {
		c.hooks = append(c.hooks, hook{read.Webhooks[i].Name, read.Webhooks[i].ClientConfig.CABundle})
	}
	return c, nil
}

func mutating(ctx context.Context, client kubernetes.Interface, name string) (
	*configuration, error) {
	api := client.AdmissionregistrationV1().MutatingWebhookConfigurations()
	read, err := api.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	c := &configuration{kind: "MutatingWebhookConfiguration", name: name,
		patch: func(ctx context.Context, patch []byte) error {
			_, err := api.Patch(ctx, name, types.JSONPatchType, patch, metav1.PatchOptions{})
			return err
		}}
	for i := range read.Webhooks {
		c.hooks = append(c.hooks, hook{read.Webhooks[i].Name, read.Webhooks[i].ClientConfig.CABundle})
	}
	return c, nil
}

// trusts says whether every webhook of all configurations trusts a CA.
func trusts(all []*configuration, ca *x509.Certificate) bool {
	count := 0
	for _, c := range all {
		for _, hook := range c.hooks {
			trusted, err := certutil.ParseCertsPEM(hook.bundle)
			if err != nil || !slices.ContainsFunc(trusted, ca.Equal) {
				return false
			}
			count++
		}
	}
	return count > 0
}

// trust writes the CAs into the configuration, where they are not there yet.
func (c *configuration) trust(ctx context.Context, a *authority) error {
	bundle, err := a.bundle()
	if err != nil {
		return err
	}
	var steps []patchStep
	for i, hook := range c.hooks {
		if bytes.Equal(hook.bundle, bundle) {
			continue
		}
		at := fmt.Sprintf("/webhooks/%d/", i)
		steps = append(steps, patchStep{"test", at + "name", hook.name},
			patchStep{"add", at + "clientConfig/caBundle", bundle})
	}
	if len(steps) == 0 {
		return nil
	}
	patch, err := json.Marshal(steps)
	if err != nil {
		return err
	}
	if err := c.patch(ctx, patch); err != nil {
		return err
	}
	klog.FromContext(ctx).Info("Told the API server whom to trust", "kind", c.kind,
		"configuration", c.name, "trusted", len(a.cas))
	return nil
}
