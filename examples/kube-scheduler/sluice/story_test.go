// SPDX-License-Identifier: Apache-2.0

package sluice

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

// drain takes all that is pending, and ticks while there is work.
func drain(t *testing.T, e *Engine) (all []Effect) {
	t.Helper()
	tail, err := e.Tick()
	must(t, err)
	for tail.More || tail.Pending > 0 {
		var effects []Effect
		if tail.More {
			tail, err = e.Tick()
			must(t, err)
		}
		effects, tail, err = e.Drain(64)
		must(t, err)
		all = append(all, effects...)
	}
	return all
}

func acknowledge(t *testing.T, e *Engine, effects []Effect, result string) {
	t.Helper()
	var acks []Ack
	for _, effect := range effects {
		acks = append(acks, Ack{ID: effect.ID, Result: result})
	}
	unknown, _, err := e.Ack(acks)
	must(t, err)
	if unknown != 0 {
		t.Errorf("%d of %d effects are unknown when they are acknowledged", unknown, len(acks))
	}
}

func TestRemovalOnBind(t *testing.T) {
	e, clock := leading(t, Config{Removal: OnBind}, 1)
	id, _, err := e.ObserveNode(&Node{Name: "small", Labels: [][2]string{{"zone", "a"}},
		Allocatable: []Amount{{"cpu", 1000}}})
	must(t, err)
	first, last := gated("pod-1", 1), gated("pod-2", 2)
	for _, pod := range []*Pod{first, last} {
		_, err := e.ObservePod(pod)
		must(t, err)
	}
	drain(t, e)

	verdict, _, err := e.PreEnqueue(first, true)
	must(t, err)
	if want := (Verdict{Pass: true, Would: true}); verdict != want {
		t.Errorf("the first pod gets %+v, want %+v", verdict, want)
	}
	verdict, _, err = e.PreEnqueue(last, true)
	must(t, err)
	if verdict.Pass || verdict.Would || verdict.Reason != ReasonQueueCapacity ||
		!strings.Contains(verdict.Message, "q") {
		t.Errorf("the second pod gets %+v, want a hold for want of room in q", verdict)
	}
	verdict, _, err = e.PreEnqueue(last, false)
	must(t, err)
	if verdict.Pass || verdict.Reason != ReasonQueueCapacity || verdict.Message != "" {
		t.Errorf("unexplained, the second pod gets %+v, want a hold without a message", verdict)
	}

	verdict, nodes, _, err := e.PreFilter(first.UID)
	must(t, err)
	if !verdict.Pass || nodes {
		t.Errorf("pre_filter says %+v, nodes %v; want a pass, and that nodes do not matter",
			verdict, nodes)
	}
	bits, _, err := e.Filter(first.UID, []uint32{id, id + 1000}, nil)
	must(t, err)
	if len(bits) != 1 || !Has(bits, 0) || Has(bits, 1) || Has(bits, 8) {
		t.Errorf("filter says %08b, want the node that is there and not the other", bits)
	}
	bits, _, err = e.Filter(first.UID, nil, bits)
	must(t, err)
	if !Has(bits, id) {
		t.Errorf("filter of every node says %08b, want the bit of node %d", bits, id)
	}
	bits, _, err = e.Filter(first.UID, []uint32{}, bits)
	must(t, err)
	if len(bits) != 0 {
		t.Errorf("filter of no node says %08b", bits)
	}

	verdict, _, err = e.Reserve(first.UID, "small")
	must(t, err)
	if !verdict.Pass {
		t.Errorf("reserve says %+v, want a pass", verdict)
	}
	_, err = e.Unreserve(first.UID, "small")
	must(t, err)
	verdict, _, err = e.Reserve(first.UID, "small")
	must(t, err)
	if !verdict.Pass {
		t.Errorf("reserve after unreserve says %+v, want a pass", verdict)
	}
	allow, _, _, err := e.Permit(first.UID, "small")
	must(t, err)
	if !allow {
		t.Error("permit does not allow a lone pod")
	}
	patch, _, err := e.Bind(first.UID, "small")
	must(t, err)
	if !slices.Equal(patch.Gates, []string{gateName}) || patch.Generation != 1 {
		t.Errorf("bind patches %+v, want the gate away from generation 1", patch)
	}
	stamp := [][2]string{{"sluice.sh/granted", strconv.FormatInt(epoch, 10)},
		{"sluice.sh/queue", "queue/q"}}
	if !slices.Equal(patch.Annotations, stamp) {
		t.Errorf("bind writes %v, want time and queue of the grant, %v", patch.Annotations, stamp)
	}
	_, err = e.PostBind(first.UID, "small")
	must(t, err)

	bound := *first
	bound.Gates, bound.Node, bound.Generation, bound.ResourceVersion = nil, "small", 2, 2
	bound.Annotations = append(slices.Clone(bound.Annotations), patch.Annotations...)
	_, err = e.ObservePod(&bound)
	must(t, err)
	if effects := drain(t, e); len(effects) != 0 {
		t.Errorf("with the queue full there is something to do: %+v", effects)
	}

	clock.advance(second)
	tail, err := e.ForgetPod(first.UID)
	must(t, err)
	if tail.Pending == 0 && !tail.More {
		t.Error("the room that came free is nobody's")
	}
	effects := drain(t, e)
	if len(effects) != 1 || effects[0].Kind != Activate || effects[0].UID != last.UID ||
		effects[0].Namespace != "default" || effects[0].Name != "pod-2" ||
		effects[0].Attempt != 1 {
		t.Fatalf("what is to be done is %+v, want the second pod activated", effects)
	}
	acknowledge(t, e, effects, Done)
	unknown, _, err := e.Ack([]Ack{{ID: effects[0].ID, Result: Done}})
	must(t, err)
	if unknown != 1 {
		t.Errorf("acknowledged twice: %d unknown, want 1", unknown)
	}
	verdict, _, err = e.PreEnqueue(last, true)
	must(t, err)
	if !verdict.Pass {
		t.Errorf("with room, the second pod gets %+v", verdict)
	}
	tail, err = e.PostFilter(last.UID)
	must(t, err)
	if tail.Pending == 0 {
		t.Error("no node fits, and the autoscaler will not hear of it")
	}
	effects = drain(t, e)
	if len(effects) != 1 || effects[0].Kind != RemoveGates ||
		!slices.Equal(effects[0].Patch.Gates, []string{gateName}) {
		t.Errorf("what is to be done is %+v, want the gate removed", effects)
	}
	acknowledge(t, e, effects, Gone)
}

func TestRemovalOnAdmission(t *testing.T) {
	e, clock := leading(t, Config{Removal: OnAdmission}, 1)
	first, last := gated("pod-1", 1), gated("pod-2", 2)
	for _, pod := range []*Pod{first, last} {
		_, err := e.ObservePod(pod)
		must(t, err)
	}
	effects := drain(t, e)
	if len(effects) != 1 || effects[0].Kind != RemoveGates || effects[0].UID != first.UID ||
		effects[0].Patch.Generation != 1 {
		t.Fatalf("what is to be done is %+v, want the first pod's gate removed", effects)
	}
	acknowledge(t, e, effects, Retry)
	clock.advance(second)
	effects = drain(t, e)
	if len(effects) != 1 || effects[0].Attempt != 2 {
		t.Fatalf("after a retry there is %+v, want the second attempt", effects)
	}
	acknowledge(t, e, effects, Conflict)

	stale := *last
	stale.Unschedulable, stale.ResourceVersion = true, 7
	_, err := e.ObservePod(&stale)
	must(t, err)
	clock.advance(second)
	var condition Effect
	for _, effect := range drain(t, e) {
		if effect.Kind == SetCondition {
			condition = effect
		}
	}
	if condition.UID != last.UID || condition.ResourceVersion != 7 ||
		condition.Reason != ReasonQueueCapacity || condition.Message == "" || !condition.Gated {
		t.Errorf("the condition to be written is %+v, want that of version 7 overwritten", condition)
	}
}

func TestFlavorIsWrittenIntoThePod(t *testing.T) {
	e, _ := open(t, Config{})
	borrowing, lending, seconds := int64(0), int64(1000), int64(60)
	for _, step := range []func() (Tail, error){
		func() (Tail, error) {
			return e.ObserveFlavor(&Flavor{Name: "spot", NodeLabels: [][2]string{{"type", "spot"}},
				Tolerations: []Toleration{{Key: "spot", Operator: "Exists", Effect: "NoExecute",
					Seconds: &seconds}}})
		},
		func() (Tail, error) { return e.ObserveQueue(&Queue{Kind: KindCohort, Name: "team"}) },
		func() (Tail, error) {
			return e.ObserveQueue(&Queue{Kind: KindClusterQueue, Name: "science", Parent: "team",
				Strategy: "StrictFIFO", Groups: []ResourceGroup{{Resources: []string{"cpu", "memory"},
					Flavors: []FlavorQuotas{{Name: "spot", Quotas: []Quota{
						{Resource: "cpu", Nominal: 2000, Borrowing: &borrowing, Lending: &lending},
						{Resource: "memory", Nominal: 4 << 30}}}}}}})
		},
		e.Synced,
		func() (Tail, error) { return e.Lead(true) },
	} {
		_, err := step()
		must(t, err)
	}
	spot, _, err := e.ObserveNode(&Node{Name: "spot-1", Labels: [][2]string{{"type", "spot"}}})
	must(t, err)
	other, _, err := e.ObserveNode(&Node{Name: "other-1", Labels: [][2]string{{"type", "other"}}})
	must(t, err)
	pod := gated("pod-1", 1)
	pod.QueueKind = KindClusterQueue
	pod.Annotations[1][1] = "science"
	_, err = e.ObservePod(pod)
	must(t, err)
	effects := drain(t, e)
	if len(effects) != 1 || effects[0].Kind != RemoveGates {
		t.Fatalf("what is to be done is %+v, want the gate removed: a toleration is to be written",
			effects)
	}
	patch := effects[0].Patch
	if !slices.Equal(patch.NodeSelector, [][2]string{{"type", "spot"}}) {
		t.Errorf("the patch selects %v, want the flavor's nodes", patch.NodeSelector)
	}
	if len(patch.Tolerations) != 1 || patch.Tolerations[0].Key != "spot" ||
		patch.Tolerations[0].Operator != "Exists" || patch.Tolerations[0].Effect != "NoExecute" ||
		patch.Tolerations[0].Seconds == nil || *patch.Tolerations[0].Seconds != 60 {
		t.Errorf("the patch tolerates %+v, want what the flavor asks for", patch.Tolerations)
	}
	if !slices.Contains(patch.Annotations,
		[2]string{"sluice.sh/flavors", "cpu=spot,memory=spot"}) {
		t.Errorf("the patch writes %v, want the flavors", patch.Annotations)
	}
	acknowledge(t, e, effects, Done)
	pod.Gates, pod.Generation, pod.ResourceVersion = nil, 2, 2
	pod.Annotations = append(pod.Annotations, patch.Annotations...)
	_, err = e.ObservePod(pod)
	must(t, err)
	verdict, nodes, _, err := e.PreFilter(pod.UID)
	must(t, err)
	if !verdict.Pass {
		t.Errorf("with its gate gone the pod gets %+v", verdict)
	}
	bits, _, err := e.Filter(pod.UID, []uint32{other, spot}, nil)
	must(t, err)
	if !nodes || Has(bits, 0) || !Has(bits, 1) {
		t.Errorf("nodes matter: %v, and may be used: %08b; want the second only", nodes, bits)
	}
	for _, step := range []func() (Tail, error){
		func() (Tail, error) { return e.ForgetNode("spot-1") },
		func() (Tail, error) { return e.ForgetFlavor("spot") },
		func() (Tail, error) { return e.ForgetQueue(KindClusterQueue, "science") },
	} {
		_, err := step()
		must(t, err)
	}
	bits, _, err = e.Filter(pod.UID, []uint32{spot}, nil)
	must(t, err)
	if Has(bits, 0) {
		t.Error("a node that is gone may be used")
	}
}

func TestAdmit(t *testing.T) {
	e, _ := leading(t, Config{}, 1)
	opted := gated("pod-1", 1)
	opted.UID, opted.Name, opted.Created, opted.Gates = "", "", 0, nil
	admission, _, err := e.Admit(Create, opted)
	must(t, err)
	if !admission.Allow || !slices.Equal(admission.Gates, []string{gateName}) {
		t.Errorf("a pod that opts in gets %+v, want our gate", admission)
	}
	admission, _, err = e.Admit(Update, opted)
	must(t, err)
	if !admission.Allow || len(admission.Gates) != 0 {
		t.Errorf("an update gets %+v, want no gate", admission)
	}
	opted.Annotations = append(opted.Annotations, [2]string{"sluice.sh/granted", "1"})
	admission, _, err = e.Admit(Create, opted)
	must(t, err)
	if admission.Allow || !strings.Contains(admission.Reason, "sluice.sh/granted") {
		t.Errorf("a pod that grants itself gets %+v, want a refusal that names the stamp", admission)
	}
	if _, _, err = e.Admit("CONNECT", opted); !isCode(err, CodeField) {
		t.Errorf("an operation that is none: %v, want FIELD", err)
	}
}

func TestObserveOnly(t *testing.T) {
	e, _ := leading(t, Config{ObserveOnly: true, Manage: All, Ceiling: Cluster}, 0)
	pod := gated("pod-1", 1)
	pod.Annotations, pod.Gates = [][2]string{{queueName, "nowhere"}}, nil
	verdict, _, err := e.PreEnqueue(pod, false)
	must(t, err)
	if !verdict.Pass || verdict.Would {
		t.Errorf("who only observes says %+v, want a pass that would have been none", verdict)
	}
}

func TestShortFormOfPreEnqueue(t *testing.T) {
	e, _ := leading(t, Config{}, 1)
	first, last := gated("pod-1", 1), gated("pod-2", 2)
	for _, pod := range []*Pod{first, last} {
		pod.ResourceVersion = 5
		_, err := e.ObservePod(pod)
		must(t, err)
	}
	drain(t, e)
	for _, c := range []struct {
		name    string
		uid     string
		version int64
		known   bool
		want    Verdict
	}{
		{"granted", first.UID, 5, true, Verdict{Pass: true, Would: true}},
		{"waiting", last.UID, 5, true, Verdict{Reason: ReasonQueueCapacity}},
		{"an older version", last.UID, 4, true, Verdict{Reason: ReasonQueueCapacity}},
		{"a newer version", last.UID, 6, false, Verdict{}},
		{"never seen", "uid-other", 1, false, Verdict{}},
	} {
		verdict, known, _, err := e.PreEnqueueKnown(c.uid, c.version)
		must(t, err)
		if known != c.known || known && verdict != c.want {
			t.Errorf("%s: known %v, %+v; want known %v, %+v", c.name, known, verdict, c.known, c.want)
		}
	}
}

func TestInspect(t *testing.T) {
	e, _ := leading(t, Config{Record: 1 << 20}, 1)
	for i, name := range []string{"pod-1", "pod-2", "pod-3"} {
		_, err := e.ObservePod(gated(name, int64(i)))
		must(t, err)
	}
	ask := func(q Query) map[string]any {
		t.Helper()
		answer, err := e.Inspect(q)
		must(t, err)
		return answer
	}
	queue := ask(Query{What: "queue", Kind: KindQueue, Name: "q"})
	if queue["waiting"] != int64(2) || queue["leaf"] != true {
		t.Errorf("the queue is %v, want two claims that wait in a leaf", queue)
	}
	quota := queue["quota"].([]any)[0].(map[string]any)
	if quota["resource"] != "cpu" || quota["ceiling"] != int64(1000) {
		t.Errorf("its quota is %v, want 1000 of cpu", quota)
	}
	pod := ask(Query{What: "pod", Namespace: "default", Name: "pod-3"})
	if pod["position"] != int64(2) || pod["uid"] != "uid-pod-3" {
		t.Errorf("the pod is %v, want the second in line", pod)
	}
	if other := ask(Query{What: "pod", UID: "uid-pod-3"}); other["name"] != "pod-3" {
		t.Errorf("by its uid the pod is %v", other)
	}
	page := ask(Query{What: "pending", Kind: KindQueue, Name: "q", Max: 1})
	rest := ask(Query{What: "pending", Kind: KindQueue, Name: "q", Max: 1,
		From: page["from"].(int64)})
	if name := rest["pods"].([]any)[0].(map[string]any)["name"]; name != "pod-3" {
		t.Errorf("the second page has %v, want pod-3", name)
	}
	with, without := ask(Query{What: "digest"}), ask(Query{What: "digest", WithoutTimers: true})
	if len(with["digest"].(string)) != 16 || len(without["digest"].(string)) != 16 {
		t.Errorf("digests are %v and %v, want 16 digits each", with, without)
	}
	if bytes := ask(Query{What: "recording"})["bytes"].([]byte); len(bytes) < 100 {
		t.Errorf("the recording has %d bytes", len(bytes))
	}
	if _, err := e.Inspect(Query{What: "queue", Kind: KindQueue, Name: "x"}); !isCode(err, CodeField) {
		t.Errorf("a queue that nobody knows: %v, want FIELD", err)
	}
}
