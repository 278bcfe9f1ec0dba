// SPDX-License-Identifier: Apache-2.0

package migrate

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
)

// Labels of pods: the job that they are of, and the queue that this is in.
const (
	jobLabel   = "job"
	queueLabel = "queue"
)

// ledger counts for itself, at every event of a watch of its own, what the pods of the queues use
// and what the Workloads hold, whoever decides at the moment. It holds that
//
//   - no queue is above its limit, nor all of them above theirs, by the pods that are bound and by
//     the Workloads that hold quota;
//   - no pod that runs is stopped or goes before it is told that it may end;
//   - no job has two Workloads, or another one than before.
type ledger struct {
	limits map[string]int64 // of queues, in thousandths of cpu; of "" all together

	mutex  sync.Mutex
	pods   map[string]*corev1.Pod // that are bound and not over, by uid
	held   map[string]holding     // of Workloads, by uid
	ofJobs map[string]string      // the Workload of a job
	ends   map[string]bool        // jobs that may end
	most   map[string]int64       // that a queue was seen to use
	broken []string
	looked int // events
}

type holding struct {
	workload, queue string
	cpu             int64
}

func newLedger(limits map[string]int64) *ledger {
	return &ledger{limits: limits, pods: map[string]*corev1.Pod{}, held: map[string]holding{},
		ofJobs: map[string]string{}, ends: map[string]bool{}, most: map[string]int64{}}
}

// follow watches until the test ends, which fails if anything was wrong.
func (l *ledger) follow(c *cluster, custom ...schema.GroupVersionResource) {
	c.Helper()
	c.books = l
	objects, err := dynamic.NewForConfig(c.REST("admin"))
	if err != nil {
		c.Fatal(err)
	}
	for _, resource := range append(custom, corev1.SchemeGroupVersion.WithResource("pods")) {
		listed := make(chan struct{})
		go l.followOne(c.Context(), objects.Resource(resource), sync.OnceFunc(func() { close(listed) }))
		select {
		case <-listed:
		case <-time.After(patience):
			c.Fatalf("%s are not listed after %s", resource.Resource, patience)
		}
	}
	c.Cleanup(func() { l.close(c.T) })
}

// followOne looks at a list as a whole, and then at each change of it. An informer tells of a list
// one object after the other: where much changed while a watch was broken, as it is when a
// definition is applied, the sums between two of them never were.
func (l *ledger) followOne(ctx context.Context, from dynamic.ResourceInterface, listed func()) {
	seen := map[types.UID]*unstructured.Unstructured{}
	for ; ctx.Err() == nil; time.Sleep(lookTurn) {
		list, err := from.List(ctx, metav1.ListOptions{})
		if err != nil {
			continue
		}
		l.lookAtAll(seen, list.Items)
		listed()
		changes, err := from.Watch(ctx, metav1.ListOptions{ResourceVersion: list.GetResourceVersion()})
		if err != nil {
			continue
		}
		for change := range changes.ResultChan() {
			object, is := change.Object.(*unstructured.Unstructured)
			if !is || change.Type == watch.Error {
				break
			}
			gone := change.Type == watch.Deleted
			if seen[object.GetUID()] = object; gone {
				delete(seen, object.GetUID())
			}
			l.look(func() { l.lookAt(object, gone) })
		}
		changes.Stop()
	}
}

// lookAtAll takes a list for what there is: what is not in it any more is gone.
func (l *ledger) lookAtAll(seen map[types.UID]*unstructured.Unstructured,
	list []unstructured.Unstructured) {
	before := maps.Clone(seen)
	clear(seen)
	for i := range list {
		seen[list[i].GetUID()] = &list[i]
	}
	l.look(func() {
		for uid, last := range before {
			if seen[uid] == nil {
				l.lookAt(last, true)
			}
		}
		for _, object := range seen {
			l.lookAt(object, false)
		}
	})
}

func (l *ledger) close(t *testing.T) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for _, one := range l.broken {
		t.Error(one)
	}
	t.Logf("%d events; the most that was used, of %v: %v", l.looked, l.limits, l.most)
}

// look takes notice, and then makes the sums.
func (l *ledger) look(notice func()) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	notice()
	l.add()
}

func (l *ledger) lookAt(object *unstructured.Unstructured, gone bool) {
	l.looked++
	if object.GetKind() != "Pod" {
		l.lookAtWorkload(object, gone)
		return
	}
	var pod corev1.Pod
	err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &pod)
	if err != nil {
		l.accuse("pod %s: %v", object.GetName(), err)
		return
	}
	l.lookAtPod(&pod, gone)
}

func (l *ledger) accuse(format string, words ...any) {
	said := fmt.Sprintf("%s: %s", time.Now().Format("15:04:05.000"), fmt.Sprintf(format, words...))
	l.broken = append(l.broken, said)
}

func (l *ledger) lookAtPod(pod *corev1.Pod, gone bool) {
	job, uid := pod.Labels[jobLabel], string(pod.UID)
	if job == "" || pod.Spec.NodeName == "" {
		return
	}
	over := pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
	if !over && !l.ends[job] && (gone || pod.DeletionTimestamp != nil) {
		l.accuse("pod %s of %s was stopped", pod.Name, job)
	}
	if gone || over {
		delete(l.pods, uid)
		return
	}
	l.pods[uid] = pod
}

func (l *ledger) lookAtWorkload(w *unstructured.Unstructured, gone bool) {
	uid := string(w.GetUID())
	delete(l.held, uid)
	owners := w.GetOwnerReferences()
	if len(owners) == 1 {
		job := owners[0].Name
		if before := l.ofJobs[job]; before != "" && before != uid {
			l.accuse("job %s has the Workload %s, and had another one", job, w.GetName())
		}
		l.ofJobs[job] = uid
	}
	if gone || conditionIs(w, "Finished") || !conditionIs(w, "QuotaReserved") {
		return
	}
	if conditionIs(w, "Evicted") && len(owners) == 1 && !l.ends[owners[0].Name] {
		l.accuse("workload %s is evicted", w.GetName())
	}
	queue, _, _ := unstructured.NestedString(w.Object, "status", "admission", "clusterQueue")
	sets, _, _ := unstructured.NestedSlice(w.Object, "status", "admission", "podSetAssignments")
	cpu := int64(0)
	for _, one := range sets {
		set, _ := one.(map[string]any)
		text, _, _ := unstructured.NestedString(set, "resourceUsage", "cpu")
		if amount, err := resource.ParseQuantity(text); err == nil {
			cpu += amount.MilliValue()
		}
	}
	l.held[uid] = holding{w.GetName(), queue, cpu}
}

func conditionIs(w *unstructured.Unstructured, kind string) bool {
	list, _, _ := unstructured.NestedSlice(w.Object, "status", "conditions")
	return slices.ContainsFunc(list, func(one any) bool {
		condition, _ := one.(map[string]any)
		return condition["type"] == kind && condition["status"] == "True"
	})
}

// add makes the sums anew, and compares them with the limits.
func (l *ledger) add() {
	byPods, byWorkloads := map[string]int64{}, map[string]int64{}
	for _, pod := range l.pods {
		for i := range pod.Spec.Containers {
			cpu := pod.Spec.Containers[i].Resources.Requests.Cpu().MilliValue()
			byPods[pod.Labels[queueLabel]] += cpu
			byPods[""] += cpu
		}
	}
	for _, held := range l.held {
		byWorkloads[held.queue] += held.cpu
		byWorkloads[""] += held.cpu
	}
	for what, sums := range map[string]map[string]int64{"pods": byPods, "workloads": byWorkloads} {
		for queue, sum := range sums {
			if limit, has := l.limits[queue]; has && sum > limit {
				l.accuse("the %s of queue %q hold %dm of %dm; of Workloads hold %v", what, queue, sum,
					limit, slices.Collect(maps.Values(l.held)))
			}
			l.most[queue] = max(l.most[queue], sum)
		}
	}
}

func (l *ledger) mayEnd(job string) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.ends[job] = true
}

// runs are how many pods of each job are bound and run.
func (l *ledger) runs() map[string]int {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	count := map[string]int{}
	for _, pod := range l.pods {
		if pod.Status.Phase == corev1.PodRunning {
			count[pod.Labels[jobLabel]]++
		}
	}
	return count
}

// uids are those of the pods that are bound.
func (l *ledger) uids() []string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return slices.Sorted(maps.Keys(l.pods))
}

// String is what the ledger has.
func (l *ledger) String() string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	var lines []string
	for _, pod := range l.pods {
		lines = append(lines, fmt.Sprintf("%s of %s: %s", pod.Name, pod.Labels[jobLabel],
			pod.Status.Phase))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n") + fmt.Sprintf("\nheld: %v", l.held)
}

// TestLedger shows it what it has to find.
func TestLedger(t *testing.T) {
	pod := func(uid, job, phase string) *corev1.Pod {
		one := &corev1.Pod{}
		one.UID, one.Name = types.UID(uid), uid
		one.Labels = map[string]string{jobLabel: job, queueLabel: "q"}
		one.Spec.NodeName = "node"
		one.Spec.Containers = []corev1.Container{{Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{"cpu": resource.MustParse("1")}}}}
		one.Status.Phase = corev1.PodPhase(phase)
		return one
	}
	for name, tell := range map[string]func(l *ledger){
		"above its limit": func(l *ledger) {
			l.look(func() { l.lookAtPod(pod("a", "one", "Running"), false) })
			l.look(func() { l.lookAtPod(pod("b", "one", "Running"), false) })
		},
		"stopped": func(l *ledger) {
			l.look(func() { l.lookAtPod(pod("a", "one", "Running"), false) })
			l.look(func() { l.lookAtPod(pod("a", "one", "Running"), true) })
		},
		"two workloads": func(l *ledger) {
			for _, uid := range []string{"a", "b"} {
				w := &unstructured.Unstructured{Object: map[string]any{}}
				w.SetUID(types.UID(uid))
				w.SetOwnerReferences([]metav1.OwnerReference{{Name: "one"}})
				l.look(func() { l.lookAt(w, false) })
			}
		},
	} {
		l := newLedger(map[string]int64{"q": 1000})
		if tell(l); len(l.broken) == 0 {
			t.Errorf("%s: it finds nothing: %s", name, l)
		}
	}
	l := newLedger(map[string]int64{"q": 1000})
	l.look(func() { l.lookAtPod(pod("a", "one", "Running"), false) })
	l.look(func() { l.lookAtPod(pod("a", "one", "Succeeded"), false) })
	l.look(func() { l.lookAtPod(pod("b", "two", "Running"), false) })
	if len(l.broken) > 0 {
		t.Errorf("it finds what is not: %v", l.broken)
	}
}

// TestLedgerOfAList: of two that had the same room, one after the other, a list has the later one
// first.
func TestLedgerOfAList(t *testing.T) {
	workload := func(uid string, conditions ...string) unstructured.Unstructured {
		var list []any
		for _, kind := range conditions {
			list = append(list, map[string]any{"type": kind, "status": "True"})
		}
		w := unstructured.Unstructured{Object: map[string]any{"status": map[string]any{
			"conditions": list, "admission": map[string]any{"clusterQueue": "q",
				"podSetAssignments": []any{map[string]any{"resourceUsage": map[string]any{
					"cpu": "1"}}}}}}}
		w.SetUID(types.UID(uid))
		return w
	}
	l, seen := newLedger(map[string]int64{"q": 1000}), map[types.UID]*unstructured.Unstructured{}
	l.lookAtAll(seen, []unstructured.Unstructured{workload("first", "QuotaReserved")})
	for range 20 { // in whatever order
		l.lookAtAll(seen, []unstructured.Unstructured{workload("second", "QuotaReserved"),
			workload("first", "QuotaReserved", "Finished")})
		l.lookAtAll(seen, []unstructured.Unstructured{workload("first", "QuotaReserved")})
	}
	if len(l.broken) > 0 {
		t.Errorf("it finds what never was: %v", l.broken)
	}
	l.lookAtAll(seen, []unstructured.Unstructured{workload("first", "QuotaReserved"),
		workload("second", "QuotaReserved")})
	if len(l.broken) == 0 {
		t.Errorf("two that hold it at once are not found: %s", l)
	}
}
