// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"context"
	"fmt"
	"strings"
	"time"

	admission "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// removedPolicies are the bindings of the shipped policies, and the webhooks, that a story has
// taken away for a while.
type removedPolicies struct {
	adds    []*admission.MutatingAdmissionPolicyBinding
	refuses []*admission.ValidatingAdmissionPolicyBinding
	checks  *admission.ValidatingWebhookConfiguration
	fault   string // that they are away for
}

// What the API server is asked about to see whether our gate is added to a pod that opts in.
func probe() *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: "sluice-probe", Namespace: "default",
			Annotations: map[string]string{"scheduling.volcano.sh/queue-allocation-gate": "true"},
		},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "story"}}},
	}
}

// stamped is a pod that says of itself that it was granted.
func stamped() *corev1.Pod {
	pod := probe()
	pod.Annotations["sluice.sh/granted"] = "1"
	return pod
}

// senseless is a pod that wants a group of a minimum that is no number.
func senseless() *corev1.Pod {
	pod := probe()
	pod.Annotations["scheduling.volcano.sh/group-min-member"] = "several"
	return pod
}

// awaitPolicies waits until the API server adds our gate to pods that opt in and refuses our stamp
// and a senseless minimum, or does no longer.
func awaitPolicies(ctx context.Context, client kubernetes.Interface, on bool) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	dry := metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}
	for {
		pods := client.CoreV1().Pods("default")
		pod, err := pods.Create(ctx, probe(), dry)
		if err == nil && (len(pod.Spec.SchedulingGates) > 0) == on {
			_, stamp := pods.Create(ctx, stamped(), dry)
			_, minimum := pods.Create(ctx, senseless(), dry)
			if (stamp != nil) == on && (minimum != nil) == on {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the shipped policies do not come to be in force = %t: %w", on, err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// setWebhook takes away what a fault of the webhook names: all that is asked, or only what is asked
// about queues and commands. An empty one gives it back.
func (t *telling) setWebhook(fault string) error {
	if fault == t.policies.fault {
		return nil
	}
	if err := t.webhookOn(); err != nil {
		return err
	}
	switch fault {
	case "off":
		if err := t.webhookOff(); err != nil {
			return err
		}
	case "pods":
		if err := t.removeChecks(byPods); err != nil {
			return err
		}
	default:
		if err := awaitChecks(t.ctx, t.world.dynamic, true); err != nil {
			return err
		}
	}
	t.policies.fault = fault
	return nil
}

const shippedPolicies = "sluice-"

// webhookOff takes away what adds our gate and guards our stamp, as before sluice was installed.
func (t *telling) webhookOff() error {
	client := t.world.client.AdmissionregistrationV1()
	adding := client.MutatingAdmissionPolicyBindings()
	refusing := client.ValidatingAdmissionPolicyBindings()
	adds, err := adding.List(t.ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for i := range adds.Items {
		each := &adds.Items[i]
		if !strings.HasPrefix(each.Name, shippedPolicies) {
			continue
		}
		t.policies.adds = append(t.policies.adds, each)
		if err := adding.Delete(t.ctx, each.Name, metav1.DeleteOptions{}); err != nil {
			return err
		}
	}
	refuses, err := refusing.List(t.ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for i := range refuses.Items {
		each := &refuses.Items[i]
		if !strings.HasPrefix(each.Name, shippedPolicies) {
			continue
		}
		t.policies.refuses = append(t.policies.refuses, each)
		if err := refusing.Delete(t.ctx, each.Name, metav1.DeleteOptions{}); err != nil {
			return err
		}
	}
	if err := t.removeChecks(""); err != nil {
		return err
	}
	return awaitPolicies(t.ctx, t.world.client, false)
}

func (t *telling) webhookOn() error {
	if len(t.policies.adds)+len(t.policies.refuses) == 0 && t.policies.checks == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.ctx), time.Minute)
	defer cancel()
	client := t.world.client.AdmissionregistrationV1()
	adding := client.MutatingAdmissionPolicyBindings()
	refusing := client.ValidatingAdmissionPolicyBindings()
	for _, each := range t.policies.adds {
		each.ResourceVersion, each.UID = "", ""
		if _, err := adding.Create(ctx, each, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	for _, each := range t.policies.refuses {
		each.ResourceVersion, each.UID = "", ""
		if _, err := refusing.Create(ctx, each, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	if err := t.restoreChecks(ctx); err != nil {
		return err
	}
	t.policies = removedPolicies{}
	return awaitPolicies(ctx, t.world.client, true)
}
