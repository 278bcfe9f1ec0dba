// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fakediscovery "k8s.io/client-go/discovery/fake"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	"sluice/kube-scheduler/config"
	"sluice/kube-scheduler/facts"
)

// changing is an API server that serves whichever version it is told to.
type changing struct {
	*fakediscovery.FakeDiscovery
	version atomic.Value
}

func (c *changing) ServerGroups() (*metav1.APIGroupList, error) {
	version := c.version.Load().(string)
	if version == "" {
		return &metav1.APIGroupList{}, nil
	}
	return &metav1.APIGroupList{Groups: []metav1.APIGroup{{Name: facts.NativeGroups,
		Versions: []metav1.GroupVersionForDiscovery{{Version: version,
			GroupVersion: facts.NativeGroups + "/" + version}}}}}, nil
}

func (c *changing) ServerResourcesForGroupVersion(string) (*metav1.APIResourceList, error) {
	return &metav1.APIResourceList{APIResources: []metav1.APIResource{{Name: "podgroups"}}}, nil
}

func (c *changing) to(version string) func(*Host) {
	c.version.Store(version)
	return func(h *Host) {
		c.FakeDiscovery = h.native.discoverer.(*fakediscovery.FakeDiscovery)
		h.native.discoverer = c
		h.native.scheduler.follows = true
		h.native.look = 20 * time.Millisecond
	}
}

// An upgrade of the API server takes a version away, and brings another one later. What was known
// stays known in between; what went meanwhile is forgotten then.
func TestAVersionOfNativeGroupsThatDisappears(t *testing.T) {
	ours, theirs := nativeVersions()
	server := &changing{}
	w := newWorld(t, config.Args{Removal: config.OnBind}, server.to(ours),
		nativeGroup(ours, "stays", 1), nativeGroup(ours, "goes", 1),
		nativeGroup(theirs, "stays", 1), nativeGroup(theirs, "comes", 1))
	known := func(name string) bool { return w.nativeGroup(name) != nil }
	if !known("stays") || !known("goes") || known("comes") {
		t.Fatal("they are not known when the first listing is complete")
	}
	server.version.Store("")
	w.native.lost <- struct{}{}
	amiss := func() string {
		w.native.amiss.mutex.Lock()
		defer w.native.amiss.mutex.Unlock()
		return w.native.amiss.what
	}
	w.until("it is said", func() bool { return strings.Contains(amiss(), "no more") })
	if !known("stays") || !known("goes") {
		t.Error("they are forgotten while no version is served")
	}
	server.version.Store(theirs)
	w.until("the new one is known", func() bool { return known("comes") && !known("goes") })
	if !known("stays") {
		t.Error("the one that stays is forgotten")
	}
	// This tree's scheduler was built for another version.
	w.until("it is said", func() bool { return strings.Contains(amiss(), "another version") })
	w.native.lost <- struct{}{} // one of several API servers did not know it
	if err := w.dynamic.Resource(nativeOf(theirs, "podgroups")).Namespace("default").Delete(
		context.Background(), "comes", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	w.until("it is followed still", func() bool { return !known("comes") })
}

func TestNativeGroupsThatMayNotBeRead(t *testing.T) {
	server := &changing{}
	may := atomic.Bool{}
	w := newWorld(t, config.Args{Removal: config.OnBind}, func(h *Host) {
		server.to("v1alpha2")(h)
		reactionsOf(&h.clients.custom.(*dynamicfake.FakeDynamicClient).Fake).to("list", "podgroups",
			func(action clienttesting.Action) (bool, runtime.Object, error) {
				if may.Load() || action.GetResource().Group != facts.NativeGroups {
					return false, nil, nil
				}
				return true, nil, apierrors.NewForbidden(action.GetResource().GroupResource(), "",
					nil)
			})
	}, nativeGroup("v1alpha2", "g", 1))
	if w.nativeGroup("g") != nil {
		t.Error("what may not be read is known")
	}
	may.Store(true)
	w.until("it is known once it may be read", func() bool { return w.nativeGroup("g") != nil })
}

func TestWhatIsAmiss(t *testing.T) {
	ours, theirs := nativeVersions()
	for name, one := range map[string]struct {
		follows bool
		served  string
		before  bool
		says    string
	}{
		"neither knows them":              {false, "", false, ""},
		"both do":                         {true, ours, false, ""},
		"only the scheduler":              {true, "", false, "schedules nothing at all until"},
		"only the API server":             {false, ours, false, "may run in part"},
		"each another version":            {true, theirs, false, "another version"},
		"the API server did, a while ago": {true, "", true, "no more"},
	} {
		s := thisScheduler()
		s.follows = one.follows
		got := s.amiss(one.served, one.before)
		if (got == "") != (one.says == "") || !strings.Contains(got, one.says) {
			t.Errorf("%s: %q", name, got)
		}
	}
	s := thisScheduler()
	s.follows = true
	if s.takesOneByOne() != s.reads("v1alpha2") {
		t.Error("the release that reads v1alpha2 takes members one by one, and no later one does")
	}
}

// Who has pods in such a group hears of it by an event, once.
func TestWhatIsAmissIsSaidOfAGroup(t *testing.T) {
	w := newWorld(t, config.Args{Removal: config.OnBind}, func(h *Host) {
		serving("v1alpha2")(h)
		h.native.scheduler.follows = false
	}, nativeGroup("v1alpha2", "g", 1), nativeGroup("v1alpha2", "h", 1))
	w.until("both are known", func() bool {
		return w.nativeGroup("g") != nil && w.nativeGroup("h") != nil
	})
	w.until("it is said", func() bool { return w.said("SluiceNativeGroups") })
	w.mutex.Lock()
	defer w.mutex.Unlock()
	count := 0
	for _, event := range w.events {
		if strings.HasPrefix(event, "SluiceNativeGroups") {
			count++
		}
	}
	if count != 1 {
		t.Errorf("it is said %d times: %q", count, w.events)
	}
}
