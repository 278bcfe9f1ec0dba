// SPDX-License-Identifier: Apache-2.0

package autoscalers

import (
	"maps"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

// sightings are what was seen at any time of the pods that are there, by namespace and name.
type sightings struct {
	mutex sync.Mutex
	pods  map[string]*sighting
}

type sighting struct {
	pod           *corev1.Pod
	unschedulable bool // at any time
}

func reasonOf(pod *corev1.Pod) string {
	for _, one := range pod.Status.Conditions {
		if one.Type == corev1.PodScheduled {
			return one.Reason
		}
	}
	return ""
}

func (s *sightings) see(pod *corev1.Pod) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	key := pod.Namespace + "/" + pod.Name
	if s.pods[key] == nil {
		s.pods[key] = &sighting{}
	}
	s.pods[key].pod = pod
	s.pods[key].unschedulable = s.pods[key].unschedulable ||
		reasonOf(pod) == corev1.PodReasonUnschedulable
}

func (s *sightings) forget(key string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	delete(s.pods, key)
}

// watchPods sees every version of every pod that a watch tells of.
func (c *cluster) watchPods() {
	c.Helper()
	factory := informers.NewSharedInformerFactory(c.Client, 0)
	_, err := factory.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(pod any) { c.seen.see(pod.(*corev1.Pod)) },
		UpdateFunc: func(_, pod any) { c.seen.see(pod.(*corev1.Pod)) },
		DeleteFunc: func(pod any) {
			if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(pod); err == nil {
				c.seen.forget(key)
			}
		},
	})
	if err != nil {
		c.Fatal(err)
	}
	factory.Start(c.Context().Done())
}

// all are the story's pods that have not ended, as they are now.
func (s *tale) all() []sighting {
	s.seen.mutex.Lock()
	defer s.seen.mutex.Unlock()
	var all []sighting
	for _, name := range slices.Sorted(maps.Keys(s.seen.pods)) {
		if one := s.seen.pods[name]; one.pod.Namespace == s.name &&
			one.pod.Status.Phase != corev1.PodSucceeded {
			all = append(all, *one)
		}
	}
	return all
}

func (s *tale) tellPods() {
	for _, one := range s.all() {
		s.Logf("%s: node %q, gates %v, %q, Unschedulable at any time: %t", one.pod.Name,
			one.pod.Spec.NodeName, one.pod.Spec.SchedulingGates, reasonOf(one.pod), one.unschedulable)
	}
}

// finish lets those end who have a node.
func (s *tale) finish() {
	s.Helper()
	for _, one := range s.all() {
		if one.pod.Spec.NodeName == "" {
			continue
		}
		_, err := s.Client.CoreV1().Pods(s.name).Patch(s.Context(), one.pod.Name,
			types.StrategicMergePatchType, []byte(`{"status": {"phase": "Succeeded", "conditions":
				[{"type": "Ready", "status": "False"}]}}`), metav1.PatchOptions{}, "status")
		if err != nil {
			s.Fatal(err)
		}
		s.asked--
	}
}
