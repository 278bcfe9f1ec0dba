// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	volcano "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"sluice/kube-scheduler/config"
	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/sluice"
)

// devices is a world with a queue that may have so many devices of the class gpu.
func devices(t *testing.T, most string, args config.Args) *world {
	w := newWorld(t, args, nil)
	w.deviceQueue("q", most)
	return w
}

func (w *world) deviceQueue(name, most string) {
	w.t.Helper()
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": volcano.SchemeGroupVersion.String(), "kind": "Queue",
		"metadata": map[string]any{"name": name},
		"spec": map[string]any{"capability": map[string]any{
			facts.DeviceClass + "gpu": most}},
	}}
	_, err := w.dynamic.Resource(queues).Create(context.Background(), object,
		metav1.CreateOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
}

// claim makes a ResourceClaim for so many devices; 0: for all of them.
func (w *world) claim(name string, count int64) {
	w.t.Helper()
	mode := resourcev1.DeviceAllocationModeExactCount
	if count == 0 {
		mode = resourcev1.DeviceAllocationModeAll
	}
	_, err := w.client.ResourceV1().ResourceClaims("default").Create(context.Background(),
		&resourcev1.ResourceClaim{
			ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default",
				UID: types.UID("uid-" + name)},
			Spec: resourcev1.ResourceClaimSpec{Devices: resourcev1.DeviceClaim{
				Requests: []resourcev1.DeviceRequest{{Name: "r",
					Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: "gpu",
						AllocationMode: mode, Count: count}}}}}}, metav1.CreateOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
}

// allocate gives a claim so many devices.
func (w *world) allocate(name string, count int) {
	w.t.Helper()
	claims := w.client.ResourceV1().ResourceClaims("default")
	claim, err := claims.Get(context.Background(), name, metav1.GetOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	claim.Status.Allocation = &resourcev1.AllocationResult{}
	for i := range count {
		claim.Status.Allocation.Devices.Results = append(claim.Status.Allocation.Devices.Results,
			resourcev1.DeviceRequestAllocationResult{Request: "r", Device: fmt.Sprint(i)})
	}
	if _, err = claims.UpdateStatus(context.Background(), claim, metav1.UpdateOptions{}); err != nil {
		w.t.Fatal(err)
	}
}

// claiming is a pod that names these claims.
func claiming(pod string, claims ...string) *v1.Pod {
	made := gatedPod(pod)
	for _, name := range claims {
		made.Spec.ResourceClaims = append(made.Spec.ResourceClaims,
			v1.PodResourceClaim{Name: name, ResourceClaimName: &name})
	}
	return made
}

// change writes into a pod, as its next version.
func (w *world) change(name string, how func(*v1.Pod)) {
	w.t.Helper()
	pod := w.seen(name).DeepCopy()
	how(pod)
	pod.ResourceVersion = fmt.Sprint(facts.Version(pod.ResourceVersion) + 1)
	_, err := w.client.CoreV1().Pods("default").Update(context.Background(), pod,
		metav1.UpdateOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) bind(name string) {
	w.change(name, func(pod *v1.Pod) {
		pod.Spec.NodeName = "n"
		pod.Spec.SchedulingGates = nil
		pod.Annotations[facts.Granted] = "1"
		pod.Annotations[facts.GrantedIn] = "queue/q"
	})
}

func (w *world) remove(name string) {
	err := w.client.CoreV1().Pods("default").Delete(context.Background(), name,
		metav1.DeleteOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
}

// holds is how many devices a queue has given away.
func (w *world) holds(queue string, want int64) func() bool {
	return func() bool {
		answer, err := w.Engine().Inspect(sluice.Query{What: "queue", Kind: sluice.KindQueue,
			Name: queue})
		if err != nil {
			return false
		}
		for _, each := range answer["quota"].([]any) {
			row := each.(map[string]any)
			if row["resource"] == facts.DeviceClass+"gpu" {
				return row["usage"] == want
			}
		}
		return false
	}
}

func TestAClaimThatComesLate(t *testing.T) {
	w := devices(t, "1", config.Args{Removal: config.OnBind})
	w.create(claiming("late", "c"))
	w.until("it waits for its claim", func() bool {
		return w.reason("late") == sluice.ReasonClaimMissing
	})
	w.create(claiming("none"))
	w.until("others do not wait", w.is("none", "reserved"))
	w.claim("c", 1)
	w.until("it is granted when its claim comes", w.is("late", "reserved"))
	w.claim("d", 1)
	w.create(claiming("next", "d"))
	w.until("the next waits for room", func() bool {
		return w.reason("next") == sluice.ReasonQueueCapacity
	})
	if err := w.client.ResourceV1().ResourceClaims("default").Delete(context.Background(), "c",
		metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	w.until("who has lost its claim gives its room back", w.is("next", "reserved"))
	w.until("and is held", w.is("late", "held"))
}

func TestAClaimMadeFromATemplate(t *testing.T) {
	w := devices(t, "1", config.Args{Removal: config.OnBind})
	pod := gatedPod("p")
	pod.Spec.ResourceClaims = []v1.PodResourceClaim{{Name: "gpu", ResourceClaimTemplateName: new("t")}}
	w.create(pod)
	w.until("it waits for its claim", func() bool {
		return w.reason("p") == sluice.ReasonClaimMissing
	})
	w.claim("p-gpu-x7", 1)
	w.change("p", func(pod *v1.Pod) {
		pod.Status.ResourceClaimStatuses = []v1.PodResourceClaimStatus{
			{Name: "gpu", ResourceClaimName: new("p-gpu-x7")}}
	})
	w.until("it is granted", w.is("p", "reserved"))
	w.until("and counts", w.holds("q", 1))
}

func TestASharedClaimCountsOnce(t *testing.T) {
	w := devices(t, "3", config.Args{Removal: config.OnBind})
	w.claim("c", 2)
	w.claim("one", 1)
	w.create(claiming("a", "c"))
	w.until("the first is granted", w.is("a", "reserved"))
	w.create(claiming("b", "c"))
	w.until("nobody bears the claim yet, so the second asks for it, too", func() bool {
		return w.reason("b") == sluice.ReasonQueueCapacity
	})
	w.bind("a")
	w.until("a bears it, so b asks for nothing", w.is("b", "reserved"))
	w.bind("b")
	w.until("it counts once", w.holds("q", 2))

	w.create(claiming("other", "one"))
	w.until("another has room", w.is("other", "reserved"))
	w.create(claiming("last", "one"))
	w.remove("a")
	w.until("b bears it now", func() bool { return w.state("a") == "unknown" && w.holds("q", 3)() })
	w.remove("b")
	w.until("nobody does", w.is("last", "reserved"))
}

func TestAGangSharesAClaim(t *testing.T) {
	w := devices(t, "1", config.Args{Removal: config.OnBind})
	w.claim("c", 1)
	group := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": volcano.SchemeGroupVersion.String(), "kind": "PodGroup",
		"metadata": map[string]any{"namespace": "default", "name": "g", "uid": "uid-g"},
		"spec":     map[string]any{"minMember": int64(2), "queue": "q"},
	}}
	_, err := w.dynamic.Resource(podGroups).Namespace("default").Create(context.Background(), group,
		metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "b"} {
		pod := claiming(name, "c")
		pod.Annotations[facts.GroupName] = "g"
		w.create(pod)
	}
	w.until("both are granted with room for one claim", func() bool {
		return w.state("a") == "reserved" && w.state("b") == "reserved" && w.holds("q", 1)()
	})
	w.bind("b")
	w.until("who is bound first bears it", w.holds("q", 1))
	w.bind("a")
	w.remove("b")
	w.until("the other one after it", func() bool {
		return w.state("a") == "allocated" && w.holds("q", 1)()
	})
}

// The PodGroups below one CompositePodGroup are granted as one, whenever that is known.
func TestACompositeGroupSharesAClaim(t *testing.T) {
	w := newWorld(t, config.Args{Removal: config.OnBind}, servingComposites)
	w.deviceQueue("q", "1")
	w.claim("c", 1)
	for name, group := range map[string]string{"a": "one", "b": "two"} {
		pod := claiming(name, "c")
		pod.Spec.SchedulingGroup = memberOf(group, "").Spec.SchedulingGroup
		w.create(pod)
	}
	w.until("they wait for their groups", func() bool {
		return w.reason("a") == sluice.ReasonGroupMissing && w.reason("b") == sluice.ReasonGroupMissing
	})
	w.makeNative("v1beta1", "podgroups", groupBelow("top", "one", 1))
	w.makeNative("v1beta1", "podgroups", groupBelow("top", "two", 1))
	w.makeNative("v1alpha3", "compositepodgroups", compositeGroup("top", "", 2))
	w.until("both are granted with room for one claim", func() bool {
		return w.state("a") == "reserved" && w.state("b") == "reserved" && w.holds("q", 1)()
	})
	w.bind("b")
	w.bind("a")
	w.remove("b")
	w.until("it counts once when they run, too", func() bool {
		return w.state("a") == "allocated" && w.holds("q", 1)()
	})
}

func TestAllDevicesCountWhenTheyAreKnown(t *testing.T) {
	w := devices(t, "5", config.Args{Removal: config.OnBind})
	w.queue("free", "4")
	w.claim("all", 0)
	pod := claiming("p", "all")
	w.create(pod)
	w.until("no quota has room for what is not known", func() bool {
		return w.reason("p") == sluice.ReasonQueueCapacity
	})
	other := claiming("other", "all")
	other.Annotations[facts.QueueName] = "free"
	w.create(other)
	w.until("a queue without such quota does not care", w.is("other", "reserved"))
	w.allocate("all", 4)
	w.until("it has", func() bool { return w.state("p") == "reserved" && w.holds("q", 4)() })
}

// Exempt pods count nowhere, so they bear no claim for others.
func TestWhoDoesNotCountBearsNothing(t *testing.T) {
	w := devices(t, "1", config.Args{Removal: config.OnBind})
	w.claim("c", 2)
	stranger := claiming("stranger", "c")
	stranger.Spec.SchedulerName, stranger.Spec.NodeName = "another", "n"
	stranger.Spec.SchedulingGates = nil
	w.create(stranger)
	w.create(claiming("p", "c"))
	w.until("it asks for the claim", func() bool {
		return w.reason("p") == sluice.ReasonQueueCapacity
	})
}

// Nobody moves devices out of a queue by naming their claim in another one.
func TestAClaimCountsInEachQueue(t *testing.T) {
	w := devices(t, "1", config.Args{Removal: config.OnBind})
	w.deviceQueue("large", "9")
	w.claim("c", 2)
	past := claiming("past", "c") // it names its node, and the scheduler never sees it
	past.Annotations[facts.QueueName] = "large"
	past.Spec.NodeName, past.Spec.SchedulingGates = "n", nil
	w.create(past)
	w.until("it counts", w.holds("large", 2))
	w.create(claiming("p", "c"))
	w.until("in its queue the claim has no room", func() bool {
		return w.reason("p") == sluice.ReasonQueueCapacity
	})
	w.change("past", func(pod *v1.Pod) { pod.Annotations[facts.QueueName] = "q" })
	w.until("it is told that it counts as before", func() bool {
		w.mutex.Lock()
		defer w.mutex.Unlock()
		return slices.ContainsFunc(w.events, func(event string) bool {
			return strings.HasPrefix(event, "SluiceCountsAsBefore")
		})
	})
	if w.reason("p") != sluice.ReasonQueueCapacity || !w.holds("large", 2)() {
		t.Errorf("p is %s", w.state("p"))
	}
}

func TestSharedClaimsFindTheirBearer(t *testing.T) {
	s := newSharedClaims(func(*v1.Pod) bool { return true },
		func(pod *v1.Pod) string { return pod.Annotations[facts.QueueName] },
		func(pod *v1.Pod) string { return pod.Annotations["above"] })
	pod := func(name, node string) *v1.Pod {
		made := claiming(name, "c", "d")
		made.CreationTimestamp = metav1.Time{}
		made.Spec.NodeName = node
		return made
	}
	in := func(of string, made *v1.Pod) *v1.Pod {
		made.Annotations[facts.GroupName] = of
		return made
	}
	check := func(what string, news sharedNews, more, less string) {
		t.Helper()
		names := func(pods []*v1.Pod) string {
			var all []string
			for _, one := range pods {
				all = append(all, one.Name)
			}
			slices.Sort(all)
			return strings.Join(slices.Compact(all), "") // once for both claims
		}
		if names(news.more) != more || names(news.less) != less {
			t.Errorf("%s: %q ask for more, %q for less; want %q, %q", what, names(news.more),
				names(news.less), more, less)
		}
	}
	check("the first", s.seen(pod("a", "")), "", "")
	check("a gang", s.seen(in("g", pod("c", ""))), "", "")
	check("its second member", s.seen(in("g", pod("d", ""))), "", "")
	check("one that comes before", s.seen(in("g", pod("b", ""))), "", "c")
	check("the same again", s.seen(in("g", pod("b", ""))), "", "")
	check("and leaves the group", s.seen(pod("b", "")), "c", "")
	below := func(of, top string, made *v1.Pod) *v1.Pod {
		made.Spec.SchedulingGroup = &v1.PodSchedulingGroup{PodGroupName: &of}
		made.Annotations["above"] = top
		return made
	}
	check("one of a native group", s.seen(below("m", "", pod("y", ""))), "", "")
	check("one of another", s.seen(below("n", "", pod("z", ""))), "", "")
	check("that comes to be below a composite one", s.seen(below("m", "top", pod("y", ""))), "", "")
	check("as does the other", s.seen(below("n", "top", pod("z", ""))), "", "")
	check("the first of them goes", s.gone(below("m", "top", pod("y", ""))), "z", "")
	check("and the other", s.gone(below("n", "top", pod("z", ""))), "", "")
	check("the second of the gang is bound", s.seen(in("g", pod("d", "n"))), "", "abc")
	for _, one := range []string{"a", "b", "c", "d", "e"} {
		// Whoever was not seen yet counts: e.
		asks := s.asks(types.UID("uid-"+one), types.NamespacedName{Namespace: "default", Name: "c"})
		if asks != (one == "d" || one == "e") {
			t.Errorf("%s asks: %t", one, asks)
		}
	}
	check("another is bound", s.seen(pod("a", "n")), "", "")
	elsewhere := pod("a", "n")
	elsewhere.Annotations[facts.QueueName] = "other"
	check("and says that it is elsewhere", s.seen(elsewhere), "", "")
	check("one of another queue", s.seen(func() *v1.Pod {
		made := pod("x", "")
		made.Annotations[facts.QueueName] = "other"
		return made
	}()), "", "")
	if !s.asks("uid-x", types.NamespacedName{Namespace: "default", Name: "c"}) {
		t.Error("one of another queue does not ask")
	}
	s.gone(pod("x", ""))
	check("the bearer goes", s.gone(pod("d", "")), "a", "")
	ended := pod("a", "n")
	ended.Status.Phase = v1.PodSucceeded
	check("the next one ends", s.seen(ended), "bc", "")
	s.gone(pod("b", ""))
	s.gone(pod("c", ""))
	if len(s.of) != 0 || len(s.all) != 0 {
		t.Errorf("%v, %v is left of nobody", s.of, s.all)
	}
}
