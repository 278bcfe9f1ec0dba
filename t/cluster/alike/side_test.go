// SPDX-License-Identifier: Apache-2.0

package alike

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"

	"sluice/cluster/plane"
	"sluice/cluster/shipped"
	"sluice/cluster/upstream"
)

func kueue(resource string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "kueue.x-k8s.io", Version: "v1beta2",
		Resource: resource}
}

var resources = map[string]schema.GroupVersionResource{
	"Event":         {Group: "events.k8s.io", Version: "v1", Resource: "events"},
	"Job":           {Group: "batch", Version: "v1", Resource: "jobs"},
	"LimitRange":    {Version: "v1", Resource: "limitranges"},
	"Namespace":     {Version: "v1", Resource: "namespaces"},
	"PriorityClass": {Group: "scheduling.k8s.io", Version: "v1", Resource: "priorityclasses"},
	"RuntimeClass":  {Group: "node.k8s.io", Version: "v1", Resource: "runtimeclasses"},

	"AdmissionCheck":        kueue("admissionchecks"),
	"ClusterQueue":          kueue("clusterqueues"),
	"Cohort":                kueue("cohorts"),
	"LocalQueue":            kueue("localqueues"),
	"ResourceFlavor":        kueue("resourceflavors"),
	"Workload":              kueue("workloads"),
	"WorkloadPriorityClass": kueue("workloadpriorityclasses"),
}

// compared are the kinds of which every field is looked at. Others only tell names for UIDs.
var compared = []string{"AdmissionCheck", "ClusterQueue", "Cohort", "Event", "Job", "LocalQueue",
	"ResourceFlavor", "Workload", "WorkloadPriorityClass"}

var namespaced = []string{"Event", "Job", "LimitRange", "LocalQueue", "Workload"}

// side is a control plane with one of the two, and all that is seen there.
type side struct {
	*plane.Plane
	name    string
	objects dynamic.Interface
	tail    func(lines int) string // of the log of the one that runs there

	mutex sync.Mutex
	seen  map[string]map[string]*unstructured.Unstructured // by story, and kind and name
	names map[string]string                                // of each UID: kind and name
	last  map[string]time.Time                             // of each story: when something changed
	flat  map[string]map[string]string                     // of each story: its fields
}

// raise starts a control plane with Kueue's definitions.
func raise(t *testing.T, name string) (*side, error) {
	s := &side{name: name, seen: map[string]map[string]*unstructured.Unstructured{},
		names: map[string]string{}, last: map[string]time.Time{},
		flat: map[string]map[string]string{}}
	var err error
	s.Plane, err = plane.Start(t.Context(), plane.Options{Name: name, ControllerManager: true,
		Ready: patience, Users: []plane.User{upstream.User},
		APIFlags: []string{"--enable-aggregator-routing=true"}})
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	if s.objects, err = dynamic.NewForConfig(s.REST(plane.Admin)); err != nil {
		return nil, err
	}
	return s, shipped.ApplyKueueCRDs(t.Context(), s.Plane)
}

// raiseKueue is a plane with Kueue itself.
func raiseKueue(t *testing.T, program string) (*side, error) {
	s, err := raise(t, "kueue")
	if err != nil {
		return nil, err
	}
	k, err := upstream.Start(t.Context(), s.Plane, program, map[string]bool{
		"VisibilityOnDemand": false, "MultiKueue": false, "MultiKueueOrchestratedPreemption": true})
	if err != nil {
		return nil, err
	}
	s.tail = k.Tail
	return s, errors.Join(k.AwaitReady(t.Context(), patience), s.watch(t))
}

// raiseSluice is a plane with sluice as its overlay for Workloads ships it.
func raiseSluice(t *testing.T) (*side, error) {
	s, err := raise(t, "sluice")
	if err != nil {
		return nil, err
	}
	scheduler, err := shipped.Apply(t.Context(), s.Plane, "overlays/workloads-webhook")
	if err != nil {
		return nil, err
	}
	scheduler.Args = shipped.ReasonsAtOnce()     // when Kueue says it
	scheduler.Args["queueStatusesPerSecond"] = 0 // as Kueue, which writes each count
	replica, err := scheduler.Run(t.Context(), "a")
	if err != nil {
		return nil, err
	}
	s.tail = replica.Tail
	return s, errors.Join(scheduler.AwaitLeader(t.Context()), s.watch(t))
}

// watch keeps what there is, of all stories, until the test ends.
func (s *side) watch(t *testing.T) error {
	factory := dynamicinformer.NewDynamicSharedInformerFactory(s.objects, 0)
	for kind, resource := range resources {
		_, err := factory.ForResource(resource).Informer().AddEventHandler(
			cache.ResourceEventHandlerFuncs{
				AddFunc:    func(object any) { s.look(kind, object, false) },
				UpdateFunc: func(_, object any) { s.look(kind, object, false) },
				DeleteFunc: func(object any) { s.look(kind, object, true) },
			})
		if err != nil {
			return err
		}
	}
	factory.Start(t.Context().Done())
	for resource, synced := range factory.WaitForCacheSync(t.Context().Done()) {
		if !synced {
			return fmt.Errorf("%s: the %s cannot be seen", s.name, resource)
		}
	}
	return nil
}

func (s *side) look(kind string, it any, gone bool) {
	if last, ok := it.(cache.DeletedFinalStateUnknown); ok {
		it = last.Obj
	}
	object, ok := it.(*unstructured.Unstructured)
	if !ok {
		return
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	key := kind + "/" + object.GetName()
	s.names[string(object.GetUID())] = key
	story := storyOf(object)
	s.last[story] = time.Now()
	delete(s.flat, story)
	if s.seen[story] == nil {
		s.seen[story] = map[string]*unstructured.Unstructured{}
	}
	switch {
	case !slices.Contains(compared, kind):
	case gone && kind != "Event": // what was said once was said
		delete(s.seen[story], key)
	default:
		s.seen[story][key] = object
	}
}

// storyOf is the namespace of an object, or begins its name.
func storyOf(object *unstructured.Unstructured) string {
	if space := object.GetNamespace(); space != "" {
		return space
	}
	story, _, _ := strings.Cut(object.GetName(), "-")
	return story
}

// fields are those of all objects of a story, and since when they are as they are. Nobody changes
// them.
func (s *side) fields(story string) (fields map[string]string, since time.Time) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if known := s.flat[story]; known != nil {
		return known, s.last[story]
	}
	fields = map[string]string{}
	for key, object := range s.seen[story] {
		kind, _, _ := strings.Cut(key, "/")
		if kind == "Event" {
			fields[s.event(object)] = "said"
			continue
		}
		s.flatten(fields, s.plain(key), stripped(object))
	}
	s.flat[story] = fields
	return fields, s.last[story]
}

func (s *side) in(kind, story string) dynamic.ResourceInterface {
	if slices.Contains(namespaced, kind) {
		return s.objects.Resource(resources[kind]).Namespace(story)
	}
	return s.objects.Resource(resources[kind])
}

// makeSpace makes the namespace of a story.
func (s *side) makeSpace(t *testing.T, story string) {
	t.Helper()
	_, err := s.Client.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{Name: story}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
}
