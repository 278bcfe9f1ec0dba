// SPDX-License-Identifier: Apache-2.0

package tenants

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"sluice/cluster/plane"
	"sluice/cluster/shipped"
)

// queue makes one of Volcano's, with so many cpu.
func (w *world) queue(name, cpu string) {
	w.Helper()
	w.create("scheduling.volcano.sh/v1beta1", "queues", "", fmt.Sprintf(
		`{kind: Queue, metadata: {name: %s}, spec: {capability: {cpu: %s}}}`, name, cpu))
}

// create makes an object as an administrator.
func (w *world) create(version, plural, space, text string) *unstructured.Unstructured {
	w.Helper()
	object := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &object.Object); err != nil {
		w.Fatalf("%v in\n%s", err, text)
	}
	object.SetAPIVersion(version)
	var in dynamic.ResourceInterface = w.objects.Resource(object.GroupVersionKind().GroupVersion().
		WithResource(plural))
	if space != "" {
		in = w.objects.Resource(object.GroupVersionKind().GroupVersion().
			WithResource(plural)).Namespace(space)
	}
	var made *unstructured.Unstructured
	w.until("there is "+object.GetKind()+" "+object.GetName(), func() (err error) {
		made, err = in.Create(w.Context(), object, metav1.CreateOptions{})
		return plane.Made(err)
	})
	return made
}

// pod is one of the tenant's of 1 cpu, which opted in.
func (w *world) pod(name string, change ...func(*corev1.Pod)) *corev1.Pod {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: name, Labels: map[string]string{},
			Annotations: map[string]string{gate: "true"}},
		Spec: corev1.PodSpec{SchedulerName: shipped.Name,
			Containers: []corev1.Container{{Name: "c", Image: "none",
				Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
					"cpu": resource.MustParse("1")}}}}},
	}
	for _, each := range change {
		each(pod)
	}
	return pod
}

func in(queue string) func(*corev1.Pod) {
	return func(pod *corev1.Pod) { pod.Annotations[queueName] = queue }
}

// ungated is one that did not opt in.
func ungated(pod *corev1.Pod) { delete(pod.Annotations, gate) }

func says(pairs map[string]string) func(*corev1.Pod) {
	return func(pod *corev1.Pod) { maps.Copy(pod.Annotations, pairs) }
}

// submit creates a pod as the tenant.
func (w *world) submit(pod *corev1.Pod) {
	w.Helper()
	if err := w.try(pod); err != nil {
		w.Fatal(err)
	}
}

func (w *world) try(pod *corev1.Pod) error {
	_, err := w.user.CoreV1().Pods(space).Create(w.Context(), pod, metav1.CreateOptions{})
	return err
}

// patch is what the tenant writes into a pod of his.
func (w *world) patch(name, patch string) error {
	_, err := w.user.CoreV1().Pods(space).Patch(w.Context(), name, types.MergePatchType,
		[]byte(patch), metav1.PatchOptions{})
	return err
}

func (w *world) get(name string) *corev1.Pod {
	w.Helper()
	pod, err := w.Client.CoreV1().Pods(space).Get(w.Context(), name, metav1.GetOptions{})
	if err != nil {
		w.Fatal(err)
	}
	return pod
}

func (w *world) delete(names ...string) {
	w.Helper()
	for _, name := range names {
		if err := w.user.CoreV1().Pods(space).Delete(w.Context(), name,
			metav1.DeleteOptions{}); err != nil {
			w.Fatal(err)
		}
	}
}

func (w *world) isBound(name string) error {
	pod, err := w.Client.CoreV1().Pods(space).Get(w.Context(), name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if pod.Spec.NodeName == "" {
		return fmt.Errorf("it has no node: %v", pod.Status.Conditions)
	}
	return nil
}

func (w *world) bound(names ...string) {
	w.Helper()
	for _, name := range names {
		w.until(name+" runs", func() error { return w.isBound(name) })
	}
}

var probes int

// reacts waits until the scheduler has done what it does of what was there before.
func (w *world) reacts() {
	w.Helper()
	probes++
	probe := fmt.Sprintf("probe-%d", probes)
	w.queue(probe, "1")
	w.submit(w.pod(probe, in(probe)))
	w.bound(probe)
	w.delete(probe)
}

// waits looks whether pods get no node: whatever the scheduler does it has done, and for a while.
func (w *world) waits(names ...string) {
	w.Helper()
	w.reacts()
	for end := time.Now().Add(nothing); time.Now().Before(end); time.Sleep(lookTurn) {
		for _, name := range names {
			if w.isBound(name) == nil {
				w.Fatalf("%s runs", name)
			}
		}
	}
}

// until waits until nothing is wrong any more.
func (w *world) until(what string, wrong func() error) {
	w.Helper()
	problem := errors.New("not looked at yet")
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(lookTurn) {
		if problem = wrong(); problem == nil {
			return
		}
		if errors.Is(problem, context.Canceled) {
			break
		}
	}
	w.Fatalf("after %s it is not so that %s: %v", patience, what, problem)
}
