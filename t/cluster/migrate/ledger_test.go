// SPDX-License-Identifier: Apache-2.0

package migrate

import (
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
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
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
	theirs bool                   // Kueue decides again, whose books are its own between its writes
	most   map[string]int64       // that a queue was seen to use
	broken []string
	looked int // events
}

type holding struct {
	queue string
	cpu   int64
}

func newLedger(limits map[string]int64) *ledger {
	return &ledger{limits: limits, pods: map[string]*corev1.Pod{}, held: map[string]holding{},
		ofJobs: map[string]string{}, ends: map[string]bool{}, most: map[string]int64{}}
}

// follow watches until the test ends, which fails if anything was wrong.
func (l *ledger) follow(c *cluster, custom ...schema.GroupVersionResource) {
	c.Helper()
	c.books = l
	typed := informers.NewSharedInformerFactory(c.Client, 0)
	objects, err := dynamic.NewForConfig(c.REST("admin"))
	if err != nil {
		c.Fatal(err)
	}
	untyped := dynamicinformer.NewDynamicSharedInformerFactory(objects, 0)
	all := []cache.SharedIndexInformer{typed.Core().V1().Pods().Informer()}
	for _, resource := range custom {
		all = append(all, untyped.ForResource(resource).Informer())
	}
	for _, informer := range all {
		_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    func(object any) { l.look(object, false) },
			UpdateFunc: func(_, object any) { l.look(object, false) },
			DeleteFunc: func(object any) {
				if last, is := object.(cache.DeletedFinalStateUnknown); is {
					object = last.Obj
				}
				l.look(object, true)
			},
		})
		if err != nil {
			c.Fatal(err)
		}
	}
	typed.Start(c.Context().Done())
	untyped.Start(c.Context().Done())
	typed.WaitForCacheSync(c.Context().Done())
	untyped.WaitForCacheSync(c.Context().Done())
	c.Cleanup(func() { l.close(c.T) })
}

func (l *ledger) close(t *testing.T) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for _, one := range l.broken {
		t.Error(one)
	}
	t.Logf("%d events; the most that was used, of %v: %v", l.looked, l.limits, l.most)
}

func (l *ledger) look(object any, gone bool) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	switch one := object.(type) {
	case *corev1.Pod:
		l.lookAtPod(one, gone)
	case *unstructured.Unstructured:
		l.lookAtWorkload(one, gone)
	}
	l.looked++
	l.add()
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
		count, _, _ := unstructured.NestedInt64(set, "count")
		if amount, err := resource.ParseQuantity(text); err == nil && count > 0 {
			cpu += amount.MilliValue() * (count - reclaimable(w, set["name"])) / count
		}
	}
	l.held[uid] = holding{queue, cpu}
}

// reclaimable are the pods of a set that need nothing any more: Kueue gives their quota to others
// before it says that the Workload is finished.
func reclaimable(w *unstructured.Unstructured, set any) int64 {
	list, _, _ := unstructured.NestedSlice(w.Object, "status", "reclaimablePods")
	for _, one := range list {
		if pods, _ := one.(map[string]any); pods["name"] == set {
			count, _, _ := unstructured.NestedInt64(pods, "count")
			return count
		}
	}
	return 0
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
			judged := what == "pods" || !l.theirs
			if limit, has := l.limits[queue]; has && judged && sum > limit {
				l.accuse("the %s of queue %q hold %dm of %dm", what, queue, sum, limit)
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

// handBack lets Kueue decide: from now on only what runs is judged.
func (l *ledger) handBack() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.theirs = true
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
			l.look(pod("a", "one", "Running"), false)
			l.look(pod("b", "one", "Running"), false)
		},
		"stopped": func(l *ledger) {
			l.look(pod("a", "one", "Running"), false)
			l.look(pod("a", "one", "Running"), true)
		},
		"two workloads": func(l *ledger) {
			for _, uid := range []string{"a", "b"} {
				w := &unstructured.Unstructured{Object: map[string]any{}}
				w.SetUID(types.UID(uid))
				w.SetOwnerReferences([]metav1.OwnerReference{{Name: "one"}})
				l.look(w, false)
			}
		},
	} {
		l := newLedger(map[string]int64{"q": 1000})
		if tell(l); len(l.broken) == 0 {
			t.Errorf("%s: it finds nothing: %s", name, l)
		}
	}
	l := newLedger(map[string]int64{"q": 1000})
	l.look(pod("a", "one", "Running"), false)
	l.look(pod("a", "one", "Succeeded"), false)
	l.look(pod("b", "two", "Running"), false)
	if len(l.broken) > 0 {
		t.Errorf("it finds what is not: %v", l.broken)
	}
}
