// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"sluice/kube-scheduler/sluice"
	"sluice/plain/hostile"
)

// longestUID is the most bytes that the library takes for one.
const longestUID = 64

// Whatever a pod calls its queue, its group and its gates: what the engine words of it, and what is
// served of it, does no more than to be seen; and names are told exactly.
func TestAnyName(t *testing.T) {
	h := running(t, "1Mi")
	chance := rand.New(rand.NewPCG(7, 8))
	short := func() string {
		for {
			if name := hostile.UTF8(chance); len(name) <= 253 {
				return name
			}
		}
	}
	for range hostile.Names(t, 3000) / 3 {
		queue, group, gate := short(), short(), short()
		pod := waiting("p", queue)
		switch chance.IntN(3) {
		case 0:
			pod.Gates = append(pod.Gates, gate)
		case 1:
			pod.Annotations = append(pod.Annotations, [2]string{"scheduling.k8s.io/group-name", group})
		}
		ok(t)(h.Engine().ObservePod(pod))
		admission, _, err := h.Engine().AdmitQueue(sluice.Create, &sluice.Queue{Kind: sluice.KindQueue,
			Name: "q", Parent: queue})
		if err != nil || admission.Allow {
			t.Fatalf("a queue below %q: %+v %v", queue, admission, err)
		}
		answer, err := h.Engine().Inspect(sluice.Query{What: "pod", UID: pod.UID})
		if err != nil || answer["queue"] != queue {
			t.Fatalf("%v: %q is in the queue %q", err, queue, answer["queue"])
		}
		message, _ := answer["message"].(string)
		for _, sentence := range []string{admission.Reason, message} {
			if why := hostile.Hurts(sentence, 0); why != "" || sentence == "" {
				t.Fatalf("the engine says %q: %s", sentence, why)
			}
		}
		uid, none := gate+"x", http.StatusNotFound
		if len(uid) > longestUID {
			none = http.StatusBadRequest
		}
		for path, status := range map[string]int{"pod?uid=" + pod.UID: http.StatusOK,
			"queues": http.StatusOK, "groups": http.StatusOK,
			"queue?kind=Queue&name=" + url.QueryEscape(queue): http.StatusOK,
			"pod?uid=" + url.QueryEscape(uid):                 none} {
			text := get(t, h, path, status).Body.String()
			if why := hostile.Hurts(text, strings.Count(text, "\n")); why != "" {
				t.Fatalf("%s: %s", path, why)
			}
			if !json.Valid([]byte(text)) {
				t.Fatalf("%s is no JSON: %s", path, text)
			}
		}
		ok(t)(h.Engine().ForgetPod(pod.UID))
	}
}

// Whoever makes pods, groups or Commands is told which queue refuses, and no amount of any.
func TestRefusalsOfTenantsHoldNoAmounts(t *testing.T) {
	h := running(t, "1Mi")
	eng := h.Engine()
	for _, queue := range []sluice.Queue{
		{Kind: sluice.KindQueue, Name: "all", Capability: []sluice.Amount{{Name: "cpu", Value: 7777}}},
		{Kind: sluice.KindQueue, Name: "closed", Parent: "all", State: "Closed",
			Capability: []sluice.Amount{{Name: "cpu", Value: 4444}}},
	} {
		ok(t)(eng.ObserveQueue(&queue))
	}
	bound := waiting("there", "all")
	bound.Gates, bound.Node = nil, "node-1"
	bound.Requests = []sluice.Amount{{Name: "cpu", Value: 5555}}
	ok(t)(eng.ObservePod(bound))
	ask := func(what string, admission sluice.Admission, _ sluice.Tail, err error) {
		t.Helper()
		if err != nil || admission.Allow || admission.Reason == "" {
			t.Fatalf("%s: %+v %v", what, admission, err)
		}
		if strings.ContainsAny(admission.Reason, "0123456789") {
			t.Errorf("%s: %q", what, admission.Reason)
		}
	}
	pod := waiting("p", "closed")
	pod.UID = ""
	admission, tail, err := eng.Admit(sluice.Create, pod)
	ask("a pod", admission, tail, err)
	admission, tail, err = eng.AdmitGroup(sluice.Create, &sluice.Group{UID: "uid-g",
		Namespace: "default", Name: "g", Queue: "closed"})
	ask("a group", admission, tail, err)
	admission, tail, err = eng.AdmitCommand(sluice.Create, &sluice.Command{UID: "c",
		Namespace: "default", Name: "c", Action: "SuspendQueue", TargetKind: "Queue",
		TargetName: "unknown"})
	ask("a Command", admission, tail, err)
}
