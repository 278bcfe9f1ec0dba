// SPDX-License-Identifier: Apache-2.0

// Package price holds the shipped policies to what they may cost the API server: for each pod that
// is created, and for each patch of the scheduler's. The bytes are counted that it allocates: they
// do not change with what else the machine has to do.
package price

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// The kinds of pods that are created.
var (
	plain   = kind{"did not opt in", func(*corev1.Pod) {}}
	brings  = kind{"brings its gate", func(p *corev1.Pod) { optIn(p); bring(p) }}
	optsIn  = kind{"gets its gate by a policy", optIn}
	foreign = kind{"is another scheduler's", func(p *corev1.Pod) { p.Spec.SchedulerName = "other" }}
)

// budgets are how many times the bytes may be allocated that it takes without policies: a seventh
// above what was measured at most, and less than it would be with one more look. Where a policy
// adds the gate, the API server makes the pod anew, and goes through all of its admission once
// more: there a look is within what the figures are apart.
var budgets = []struct {
	pod, control kind
	creation     float64
	patch        float64 // that takes the gate off; 0: there is none
}{
	{optsIn, brings, 2.3, 1.3},
	{brings, brings, 1.4, 1.3},
	{plain, plain, 1.4, 0},
	{foreign, plain, 1.4, 0},
}

func TestPolicies(t *testing.T) {
	c := start(t)
	var with []price
	for _, b := range budgets {
		with = append(with, c.price(b.pod))
	}
	c.withdraw()
	without := map[string]price{brings.what: c.price(brings), plain.what: c.price(plain)}
	for i, b := range budgets {
		control := without[b.control.what]
		c.judge("the creation of a pod that "+b.pod.what, with[i].creation, control.creation,
			b.creation)
		if b.patch > 0 {
			c.judge("our patch of a pod that "+b.pod.what, with[i].patch, control.patch, b.patch)
		}
	}
}

// kind is pods that say the same.
type kind struct {
	what string
	say  func(*corev1.Pod)
}

// price is what one pod takes, in bytes.
type price struct{ creation, patch float64 }

func (c *cluster) price(k kind) (p price) {
	c.Helper()
	pods := make([]*corev1.Pod, warm+counted)
	for i := range pods {
		pods[i] = c.pod(k.say)
	}
	p.creation = c.bytes(func(i int) (err error) {
		pods[i], err = c.create(pods[i])
		return err
	})
	if hasGate(pods[0]) {
		p.patch = c.bytes(func(i int) error { return c.removeGate(pods[i]) })
	}
	c.clear()
	return p
}

func (c *cluster) judge(what string, with, without, most float64) {
	c.Helper()
	ratio := with / without
	c.Logf("%-58s %4.0f KiB, without policies %4.0f: %.2f times, at most %.2f", what, with/1024,
		without/1024, ratio, most)
	if ratio > most {
		c.Errorf("%s takes %.2f times the bytes that it takes without policies, want %.2f at most",
			what, ratio, most)
	}
}

// removeGate is the patch of the scheduler, in its words.
func (c *cluster) removeGate(pod *corev1.Pod) error {
	if !hasGate(pod) {
		return fmt.Errorf("pod %s has no gate to take off", pod.Name)
	}
	text := fmt.Appendf(nil, `[{"op":"test","path":"/metadata/uid","value":%q},`+
		`{"op":"test","path":"/metadata/generation","value":%d},`+
		`{"op":"replace","path":"/spec/schedulingGates","value":[]},`+
		`{"op":"add","path":"/metadata/annotations/sluice.sh~1granted","value":"1764262523000000000"},`+
		`{"op":"add","path":"/metadata/annotations/sluice.sh~1queue","value":"queue/load"}]`,
		pod.UID, pod.Generation)
	_, err := c.scheduler.CoreV1().Pods(space).Patch(c.Context(), pod.Name, types.JSONPatchType, text,
		metav1.PatchOptions{})
	return err
}
