// SPDX-License-Identifier: Apache-2.0

package jobs

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// room is what a flavor of a queue has for who asks.
type room int

const (
	fits room = iota
	preempts
	never
)

func (r room) String() string { return [...]string{"fits", "preempts", "never"}[r] }

// outcome is what becomes of who asks: the flavor, and whether somebody goes for it.
type outcome struct {
	flavor  string
	preempt bool
}

// table is that of KEP-8303: two flavors, by what they have room for; both columns.
var table = []struct {
	a, b       room
	stop, next outcome // whenCanPreempt: MayStopSearch, TryNextFlavor
}{
	{fits, fits, outcome{"kep-a", false}, outcome{"kep-a", false}},
	{fits, never, outcome{"kep-a", false}, outcome{"kep-a", false}},
	{fits, preempts, outcome{"kep-a", false}, outcome{"kep-a", false}},
	{preempts, fits, outcome{"kep-a", true}, outcome{"kep-b", false}},
	{preempts, never, outcome{"kep-a", true}, outcome{"kep-a", true}},
	{preempts, preempts, outcome{"kep-a", true}, outcome{"kep-a", true}},
	{never, fits, outcome{"kep-b", false}, outcome{"kep-b", false}},
	{never, never, outcome{}, outcome{}},
	{never, preempts, outcome{"kep-b", true}, outcome{"kep-b", true}},
}

// cell is one row in one column, with a closed gate or with none, in a namespace and a ClusterQueue
// of its own.
type cell struct {
	name   string
	rooms  map[string]room // by flavor
	policy string
	gated  bool
	want   outcome
}

func cells() (all []*cell) {
	for i, row := range table {
		for policy, want := range map[string]outcome{"MayStopSearch": row.stop,
			"TryNextFlavor": row.next} {
			for _, gated := range []bool{true, false} {
				all = append(all, &cell{policy: policy, gated: gated, want: want,
					rooms: map[string]room{"kep-a": row.a, "kep-b": row.b},
					name: strings.ToLower(fmt.Sprintf("kep-%d-%s-%s-%s-%t", i+1, row.a, row.b, policy,
						gated))})
			}
		}
	}
	return all
}

// tableOfKEP plays all rows at the same time: what every flavor would be full of runs, then
// somebody asks, then all gates are opened.
func tableOfKEP(c *cluster) {
	for flavor, kind := range map[string]string{"kep-a": "spot", "kep-b": "reserved"} {
		c.create(fmt.Sprintf(`apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: %s}
spec: {nodeLabels: {kind: %s}}
`, flavor, kind))
	}
	all := cells()
	for _, one := range all {
		one.fill(c.at(one.name))
	}
	c.each(all, "whoever fills it runs", (*cell).isFull)
	for _, one := range all {
		one.ask(c.at(one.name))
	}
	c.each(all, "it is as the table says, without gates and with them", (*cell).isAsTold)
	c.stays("nobody goes for who has a closed gate", func() error {
		return c.look(all, (*cell).isAsTold)
	})
	for _, one := range all {
		if one.gated {
			c.at(one.name).open("asker", "example.com/mine")
		}
	}
	c.each(all, "it is as the table says with open gates", (*cell).isOver)
	for _, one := range all {
		one.leave(c.at(one.name))
	}
}

func (k *cell) fill(c *cluster) {
	c.Helper()
	if _, err := c.Client.CoreV1().Namespaces().Create(c.Context(), &corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{Name: k.name}}, metav1.CreateOptions{}); err != nil {
		c.Fatal(err)
	}
	quota := map[room]int{fits: 2, preempts: 2, never: 1}
	c.create(fmt.Sprintf(`apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: %[1]s}
spec:
  namespaceSelector: {}
  preemption: {withinClusterQueue: LowerPriority}
  flavorFungibility: {whenCanPreempt: %[2]s}
  resourceGroups:
  - coveredResources: [cpu]
    flavors:
    - {name: kep-a, resources: [{name: cpu, nominalQuota: %[3]d}]}
    - {name: kep-b, resources: [{name: cpu, nominalQuota: %[4]d}]}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: q, namespace: %[1]s}
spec: {clusterQueue: %[1]s}
`, k.name, k.policy, quota[k.rooms["kep-a"]], quota[k.rooms["kep-b"]]))
	for flavor, kind := range map[string]string{"kep-a": "spot", "kep-b": "reserved"} {
		if k.rooms[flavor] == preempts {
			c.create(strings.Replace(sample("low-"+flavor, "q", "", 1, "2"), "      restartPolicy:",
				"      nodeSelector: {kind: "+kind+"}\n      restartPolicy:", 1))
		}
	}
}

func (k *cell) ask(c *cluster) {
	c.Helper()
	gates := ""
	if k.gated {
		gates = "  preemptionGates: [{name: example.com/mine}]\n"
	}
	c.create(fmt.Sprintf(`apiVersion: kueue.x-k8s.io/v1beta2
kind: Workload
metadata: {name: asker, namespace: %s}
spec:
  queueName: q
  priority: 1
%s  podSets:
  - name: main
    count: 1
    template:
      spec:
        restartPolicy: Never
        containers: [{name: c, image: none, resources: {requests: {cpu: "2"}}}]
`, k.name, gates))
}

// leave takes away what holds quota: what it was is over.
func (k *cell) leave(c *cluster) {
	c.Helper()
	c.delete("Workload", "asker")
	for flavor := range k.rooms {
		if k.rooms[flavor] == preempts {
			c.delete("Job", "low-"+flavor)
		}
	}
}

// seen is all there is in the namespaces of cells: workloads by namespace, then by their own name
// or that of their Job; and how many pods of a Job run.
type seen struct {
	workloads map[string]map[string]*unstructured.Unstructured
	running   map[string]int // NAMESPACE/JOB
}

func (c *cluster) see() (*seen, error) {
	s := &seen{map[string]map[string]*unstructured.Unstructured{}, map[string]int{}}
	list, err := c.objects.Resource(resources["Workload"]).List(c.Context(), metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	for i := range list.Items {
		w := &list.Items[i]
		name := w.GetName()
		if owner := metav1.GetControllerOf(w); owner != nil {
			name = owner.Name
		}
		if s.workloads[w.GetNamespace()] == nil {
			s.workloads[w.GetNamespace()] = map[string]*unstructured.Unstructured{}
		}
		s.workloads[w.GetNamespace()][name] = w
	}
	pods, err := c.Client.CoreV1().Pods("").List(c.Context(), metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	for i := range pods.Items {
		pod := &pods.Items[i]
		if pod.DeletionTimestamp == nil && pod.Status.Phase == corev1.PodRunning {
			s.running[pod.Namespace+"/"+pod.Labels["batch.kubernetes.io/job-name"]]++
		}
	}
	return s, nil
}

// look is what is wrong with the first cell with which something is.
func (c *cluster) look(all []*cell, wrong func(*cell, *seen) error) error {
	s, err := c.see()
	for i := 0; err == nil && i < len(all); i++ {
		if err = wrong(all[i], s); err != nil {
			err = fmt.Errorf("%s: %w\nits workload says %v\nsluice says %s", all[i].name, err,
				conditions(s.workloads[all[i].name]["asker"]),
				c.asked("workload", all[i].name, "asker"))
		}
	}
	return err
}

// each waits until nothing is wrong with any cell.
func (c *cluster) each(all []*cell, what string, wrong func(*cell, *seen) error) {
	c.Helper()
	c.until(what, func() error { return c.look(all, wrong) })
}

func conditions(w *unstructured.Unstructured) []any {
	if w == nil {
		return nil
	}
	list, _, _ := unstructured.NestedSlice(w.Object, "status", "conditions")
	return list
}

func (k *cell) isFull(s *seen) error {
	for flavor, room := range k.rooms {
		low := s.workloads[k.name]["low-"+flavor]
		if room != preempts {
			continue
		}
		if said := says(low, "Admitted"); said != "True/Admitted" {
			return fmt.Errorf("low-%s says Admitted=%q", flavor, said)
		}
		if s.running[k.name+"/low-"+flavor] != 1 {
			return fmt.Errorf("the pod of low-%s does not run", flavor)
		}
	}
	return nil
}

// isAsTold: closed gates signal where somebody would have to go, and nobody does.
func (k *cell) isAsTold(s *seen) error {
	if !k.gated || !k.want.preempt {
		return k.isOver(s)
	}
	asker := s.workloads[k.name]["asker"]
	if said := says(asker, "BlockedOnPreemptionGates"); said != "True/PreemptionGated" {
		return fmt.Errorf("it says BlockedOnPreemptionGates=%q", said)
	}
	if said := says(asker, "QuotaReserved"); said != "False/Pending" {
		return fmt.Errorf("it says QuotaReserved=%q", said)
	}
	if flavor := granted(asker); flavor != "" {
		return fmt.Errorf("it is granted %s", flavor)
	}
	if err := k.isFull(s); err != nil {
		return err
	}
	for flavor := range k.rooms {
		if said := says(s.workloads[k.name]["low-"+flavor], "Evicted"); said != "" &&
			said != "no object" {
			return fmt.Errorf("low-%s says Evicted=%q", flavor, said)
		}
	}
	return nil
}

// isOver: it has its flavor, and whoever had to go for it is gone, and nobody else.
func (k *cell) isOver(s *seen) error {
	asker := s.workloads[k.name]["asker"]
	if flavor := granted(asker); flavor != k.want.flavor {
		return fmt.Errorf("it is granted %q, want %q", flavor, k.want.flavor)
	}
	admitted := "True/Admitted"
	if k.want.flavor == "" {
		admitted = ""
	}
	if said := says(asker, "Admitted"); said != admitted {
		return fmt.Errorf("it says Admitted=%q, want %q", said, admitted)
	}
	signal := ""
	if k.gated && k.want.preempt {
		signal = "False"
	}
	if said, _, _ := strings.Cut(says(asker, "BlockedOnPreemptionGates"), "/"); said != signal {
		return fmt.Errorf("it says BlockedOnPreemptionGates=%q, want %q", said, signal)
	}
	for flavor, room := range k.rooms {
		if room != preempts {
			continue
		}
		low := s.workloads[k.name]["low-"+flavor]
		want := map[string]string{"Evicted": "", "Preempted": "", "Admitted": "True/Admitted"}
		running := 1
		if k.want.preempt && k.want.flavor == flavor {
			want = map[string]string{"Evicted": "True/Preempted", "Preempted": "True/InClusterQueue",
				"Admitted": "False/NoReservation", "QuotaReserved": "False/Pending"}
			running = 0
		}
		for condition, want := range want {
			if said := says(low, condition); said != want {
				return fmt.Errorf("low-%s says %s=%q, want %q", flavor, condition, said, want)
			}
		}
		if is := s.running[k.name+"/low-"+flavor]; is != running {
			return fmt.Errorf("%d pods of low-%s run, want %d", is, flavor, running)
		}
	}
	return nil
}

// granted is the flavor of a workload's cpu; "": it has no quota.
func granted(w *unstructured.Unstructured) string {
	if w == nil {
		return ""
	}
	sets, _, _ := unstructured.NestedSlice(w.Object, "status", "admission", "podSetAssignments")
	if len(sets) != 1 {
		return ""
	}
	flavor, _, _ := unstructured.NestedString(sets[0].(map[string]any), "flavors", "cpu")
	return flavor
}
