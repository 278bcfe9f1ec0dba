// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	volcano "volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	"sluice/kube-scheduler/facts"
	"sluice/kube-scheduler/sluice"
)

const (
	queueText = `{"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue",
		"metadata": {"name": "q", "uid": "uid-q", "resourceVersion": "7", "annotations":
			{"sluice.sh/create-suspended": "true", "other": "x"}},
		"spec": {"parent": "p", "priority": 3, "capability": {"cpu": "2500m", "memory": 5},
			"deserved": {"cpu": 2}, "guarantee": {"resource": {"cpu": "1"}}},
		"status": {"state": "Open"}}`
	commandText = `{"apiVersion": "bus.volcano.sh/v1alpha1", "kind": "Command",
		"metadata": {"generateName": "c-", "namespace": "team"}, "action": "CloseQueue",
		"target": {"kind": "Queue", "name": "q"}}`
	groupText = `{"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup",
		"metadata": {"name": "g", "uid": "uid-g", "creationTimestamp": "2026-01-02T03:04:05Z"},
		"spec": {"queue": "root", "minMember": 3, "minResources": {"cpu": "4"}}}`
)

func check(t *testing.T, asked *answers, resource metav1.GroupVersionResource,
	operation admissionv1.Operation, text string) *admissionv1.AdmissionResponse {
	t.Helper()
	return answerAt(t, Checks, optionsFor(asked), reviewOf(resource, operation, text))
}

// A queue is told to the engine as the observers tell it: here from the same text.
func TestAQueueIsShownAsItIsObserved(t *testing.T) {
	object := &unstructured.Unstructured{}
	if err := object.UnmarshalJSON([]byte(queueText)); err != nil {
		t.Fatal(err)
	}
	var typed volcano.Queue
	var want sluice.Queue
	if err := facts.Read(object, &typed); err != nil {
		t.Fatal(err)
	}
	if err := facts.Queue(&typed, &want); err != nil {
		t.Fatal(err)
	}
	for _, operation := range []admissionv1.Operation{admissionv1.Create, admissionv1.Update} {
		asked := &answers{admission: sluice.Admission{Allow: true}}
		response := check(t, asked, queues, operation, queueText)
		if !response.Allowed || asked.operation != string(operation) || len(asked.queues) != 1 ||
			!reflect.DeepEqual(asked.queues[0], want) {
			t.Errorf("%s: %+v, asked about %+v, want %+v", operation, response, asked.queues, want)
		}
	}
	asked := &answers{admission: sluice.Admission{Allow: true}}
	check(t, asked, queues, admissionv1.Delete, queueText)
	want = sluice.Queue{Kind: "Queue", Name: "q"}
	if asked.operation != sluice.Delete || len(asked.queues) != 1 ||
		!reflect.DeepEqual(asked.queues[0], want) {
		t.Errorf("to delete: asked about %+v, want %+v", asked.queues, want)
	}
}

func TestACommandIsShown(t *testing.T) {
	asked := &answers{admission: sluice.Admission{Allow: true}}
	response := check(t, asked, commands, admissionv1.Create, commandText)
	want := sluice.Command{Namespace: "team", Action: "CloseQueue", TargetKind: "Queue",
		TargetName: "q"}
	if !response.Allowed || len(asked.commands) != 1 || asked.commands[0] != want {
		t.Errorf("%+v, asked about %+v, want %+v", response, asked.commands, want)
	}
}

func TestAGroupIsShown(t *testing.T) {
	asked := &answers{admission: sluice.Admission{Allow: true}}
	response := check(t, asked, groups, admissionv1.Create, groupText)
	if !response.Allowed || len(asked.groups) != 1 {
		t.Fatalf("%+v, asked about %+v", response, asked.groups)
	}
	if got := asked.groups[0]; got.Namespace != "team" || got.Name != "g" || got.Queue != "root" ||
		got.MinMember != 3 ||
		!slices.Equal(got.MinResources, []sluice.Amount{{Name: "cpu", Value: 4000}}) {
		t.Errorf("asked about %+v", got)
	}
}

// A validating webhook may not change what it checks.
func TestAChecksPodGetsNoGate(t *testing.T) {
	asked := &answers{admission: sluice.Admission{Allow: true, Gates: []string{gate}}}
	response := check(t, asked, pods, admissionv1.Create, `{"spec": {}}`)
	if !response.Allowed || response.Patch != nil || response.PatchType != nil {
		t.Errorf("got %+v", response)
	}
}

func TestRefusalsHaveTheirStatus(t *testing.T) {
	field := &sluice.Error{Code: sluice.CodeField, Key: "object.capability", Value: "33",
		Want: "at most 32"}
	long := &sluice.Error{Code: sluice.CodeMessage, Key: "message", Value: "2000000"}
	for _, c := range []struct {
		resource  metav1.GroupVersionResource
		operation admissionv1.Operation
		text      string
		err       error
		code      int32
		says      string
	}{
		{queues, admissionv1.Create, queueText, nil, 422, "9, which is more than 4"},
		{queues, admissionv1.Update, queueText, nil, 422, "9, which is more than 4"},
		{queues, admissionv1.Delete, queueText, nil, 403, "9, which is more than 4"},
		{commands, admissionv1.Create, commandText, nil, 422, "9, which is more than 4"},
		{groups, admissionv1.Create, groupText, nil, 422, "9, which is more than 4"},
		{groups, admissionv1.Create, strings.Replace(groupText, `"4"`, `"-4"`, 1), nil, 422,
			`PodGroup/team/g: spec.minResources[cpu] is "-4"`},
		{pods, admissionv1.Create, `{}`, nil, 403, "9, which is more than 4"},
		{queues, admissionv1.Create, queueText, field, 422,
			`this queue: object.capability: "33", want at most 32`},
		{commands, admissionv1.Create, commandText, long, 422, "2000000"},
		{pods, admissionv1.Create, `{}`, long, 403, "2000000"},
		{queues, admissionv1.Create, strings.Replace(queueText, "2500m", "many", 1), nil, 422,
			`Queue/q: spec.capability[cpu] is "many": want a quantity`},
		{queues, admissionv1.Create, strings.Replace(queueText, "2500m", "-1", 1), nil, 422,
			`Queue/q: spec.capability[cpu] is "-1": want an amount that is not negative`},
		{queues, admissionv1.Update, `{"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue",
			"metadata": {"name": "q", "annotations": {"sluice.sh/namespaces": "a b"}}}`, nil, 422,
			`Queue/q: metadata.annotations[sluice.sh/namespaces]: "a b", want names of namespaces`},
		{queues, admissionv1.Create, strings.Replace(queueText, `"p"`, `["p"]`, 1), nil, 422, "parent"},
		{commands, admissionv1.Create, strings.Replace(commandText, `"CloseQueue"`, `{}`, 1), nil, 422,
			"action"},
	} {
		asked := &answers{err: c.err, admission: sluice.Admission{Reason: "9, which is more than 4"}}
		response := check(t, asked, c.resource, c.operation, c.text)
		if response.Allowed || response.Result == nil || response.Result.Code != c.code ||
			response.Result.Status != metav1.StatusFailure ||
			!strings.Contains(response.Result.Message, c.says) {
			t.Errorf("%s %s: got %+v, want %d and %q", c.operation, c.resource.Resource,
				response.Result, c.code, c.says)
		}
	}
}

// What could never be used can at least be deleted.
func TestABadQueueCanBeDeleted(t *testing.T) {
	asked := &answers{admission: sluice.Admission{Allow: true}}
	bad := strings.Replace(queueText, "2500m", "many", 1)
	if response := check(t, asked, queues, admissionv1.Delete, bad); !response.Allowed {
		t.Errorf("got %+v", response.Result)
	}
}

func TestNewsIsWaitedFor(t *testing.T) {
	for _, before := range [][]sluice.Admission{
		{{Reason: "its parent does not exist"}},
		slices.Repeat([]sluice.Admission{{Reason: "its parent does not exist"}}, 4),
	} {
		asked := &answers{before: before, admission: sluice.Admission{Allow: true}}
		o := optionsFor(asked)
		o.Patience = 0 // the default
		response := answerAt(t, Checks, o, reviewOf(queues, admissionv1.Create, queueText))
		if !response.Allowed || len(asked.queues) != len(before)+1 {
			t.Errorf("%+v after %d questions", response, len(asked.queues))
		}
	}
}

func TestWhoKnowsNothingYetAnswersNoChecks(t *testing.T) {
	for text, resource := range map[string]metav1.GroupVersionResource{
		queueText: queues, commandText: commands, groupText: groups, `{}`: pods,
	} {
		asked := &answers{admission: sluice.Admission{Allow: true}}
		o := optionsFor(asked)
		o.Complete = func(aboutQueues bool) error {
			if aboutQueues != (resource != pods) {
				t.Errorf("%s: asked for queues: %t", resource.Resource, aboutQueues)
			}
			return errors.New("the first listing is not complete")
		}
		status, said := askAt(t, Checks, o, "POST", "application/json",
			reviewOf(resource, admissionv1.Create, text))
		if status != http.StatusServiceUnavailable || asked.questions() != 0 ||
			!strings.Contains(said, "cannot answer yet: the first listing is not complete") {
			t.Errorf("%s: %d %s", resource.Resource, status, said)
		}
		// Gates need no listing.
		if status, said = askAt(t, Gates, o, "POST", "application/json",
			review(admissionv1.Create, `{}`)); status != http.StatusOK {
			t.Errorf("a gate: %d %s", status, said)
		}
	}
}

func TestWhatCannotBeAskedIsNotAllowed(t *testing.T) {
	queue, command := reviewOf(queues, admissionv1.Create, queueText),
		reviewOf(commands, admissionv1.Create, commandText)
	for name, c := range map[string]struct {
		body   string
		err    error
		status int
		says   string
	}{
		"no object":       {strings.Replace(queue, `"object"`, `"obj"`, 1), nil, 400, "no object"},
		"null":            {reviewOf(queues, admissionv1.Create, "null"), nil, 400, "no object"},
		"nothing to lose": {reviewOf(queues, admissionv1.Delete, "null"), nil, 400, "no object"},
		"no map":          {reviewOf(queues, admissionv1.Create, `[1]`), nil, 400, "not a Queue"},
		"no kind":         {reviewOf(commands, admissionv1.Create, `{}`), nil, 400, "not a Command"},
		"another kind":    {reviewOf(queues, admissionv1.Create, commandText), nil, 400, "want a Queue"},
		"an old library": {queue, &sluice.Error{Code: sluice.CodeUnsupported, Value: "queue"}, 501,
			"UNSUPPORTED"},
		"no memory":  {command, &sluice.Error{Code: sluice.CodeNoMemory}, 500, "cannot answer"},
		"closed":     {queue, &sluice.Error{Code: sluice.CodeNoHandle}, 500, "cannot answer"},
		"any other":  {command, errors.New("away"), 500, "away"},
		"no quality": {queue[:len(queue)/2], nil, 400, "not an AdmissionReview"},
	} {
		status, said := askAt(t, Checks, optionsFor(&answers{err: c.err}), "POST", "application/json",
			c.body)
		if status != c.status || !strings.Contains(said, c.says) {
			t.Errorf("%s: %d %.200s, want %d with %q", name, status, said, c.status, c.says)
		}
	}
	o := optionsFor(&answers{})
	o.Describe = func(context.Context, *corev1.Pod) (*sluice.Pod, error) {
		return nil, errors.New("its controller cannot be read")
	}
	if status, said := askAt(t, Checks, o, "POST", "application/json",
		review(admissionv1.Create, `{}`)); status != http.StatusServiceUnavailable ||
		!strings.Contains(said, "its controller cannot be read") {
		t.Errorf("a pod of which not enough is known: %d %s", status, said)
	}
}

// With the library itself: what it refuses to read is refused, and says where.
func TestTheLibrarysOwnRefusals(t *testing.T) {
	path := os.Getenv("SLUICE_LIB")
	if path == "" {
		path, _ = filepath.Abs("../../../build/sluice.so")
	}
	library, err := sluice.Load(path)
	if err != nil {
		t.Fatalf("%v: build it (meson setup build && ninja -C build), or name one in SLUICE_LIB", err)
	}
	e, err := library.Open(sluice.Config{Effects: []string{sluice.QueueStatus}})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	o := optionsFor(nil)
	o.Engine = e
	var many strings.Builder
	for i := range 40 {
		many.WriteString(`, "example.com/` + strings.Repeat("x", i+1) + `": 1`)
	}
	queue := strings.NewReplacer(`"p"`, `"root"`, `"memory": 5`, `"memory": 5`)
	good := queue.Replace(queueText)
	for name, c := range map[string]struct {
		resource metav1.GroupVersionResource
		text     string
		says     string // empty: it is allowed
	}{
		"good": {queues, good, ""},
		"guarantee": {queues, strings.Replace(good, `{"cpu": "1"}`, `{"cpu": 9}`, 1),
			"spec.guarantee.resource.cpu is 9, which is more than spec.deserved.cpu, 2"},
		"orphan": {queues, queueText, "spec.parent is p, which does not exist"},
		"forty resources": {queues,
			strings.Replace(good, `"memory": 5`, `"memory": 5`+many.String(), 1), "capability"},
		"a long name": {queues, strings.Replace(good, `"name": "q"`,
			`"name": "`+strings.Repeat("q", 300)+`"`, 1), "name"},
		"a huge parent": {queues, strings.Replace(good, `"root"`,
			`"`+strings.Repeat("p", 2<<20)+`"`, 1), "message"},
		"no such action": {commands, strings.Replace(commandText, "CloseQueue", "Fly", 1),
			"action Fly is not known"},
		"no such queue": {commands, commandText, "queue q does not exist"},
		"no target": {commands, strings.Replace(commandText, `"target"`, `"other"`, 1),
			"target"},
		"a group": {groups, groupText, ""},
		"a minimum of none": {groups, strings.Replace(groupText, `r": 3`, `r": -3`, 1),
			"spec.minMember is -3"},
		"another's target": {commands, strings.Replace(commandText, `"kind": "Queue"`,
			`"kind": "Job"`, 1), ""},
		"a huge annotation": {pods, `{"metadata": {"annotations": {"` + facts.QueueName + `": "` +
			strings.Repeat("q", 2<<20) + `"}}}`, "message"},
	} {
		response := answerAt(t, Checks, o, reviewOf(c.resource, admissionv1.Create, c.text))
		if response.Allowed != (c.says == "") {
			t.Errorf("%s: allowed %t: %+v", name, response.Allowed, response.Result)
		}
		if c.says != "" && response.Result != nil &&
			!strings.Contains(response.Result.Message, c.says) {
			t.Errorf("%s: %.300s, want %q in it", name, response.Result.Message, c.says)
		}
	}
}
