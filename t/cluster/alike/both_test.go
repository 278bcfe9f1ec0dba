// SPDX-License-Identifier: Apache-2.0

package alike

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"
)

// both is a story on both sides. In what it creates and changes, `$` is its name: that of its
// namespace, and what the names of objects without a namespace begin with.
type both struct {
	*testing.T
	story string
	began time.Time
	sides []*side // Kueue's, sluice's
}

// sluice is the story on its side alone.
func (b *both) sluice() *both {
	alone := *b
	alone.sides = b.sides[1:]
	return &alone
}

// create makes the objects of a manifest.
func (b *both) create(manifest string) {
	b.Helper()
	for _, text := range strings.Split(strings.ReplaceAll(manifest, "$", b.story), "\n---\n") {
		object := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(text), &object.Object); err != nil {
			b.Fatalf("%v in\n%s", err, text)
		}
		for _, s := range b.sides {
			if _, err := s.in(object.GetKind(), b.story).Create(b.Context(), object.DeepCopy(),
				metav1.CreateOptions{}); err != nil {
				b.Fatalf("%s: %v\n%s", s.name, err, text)
			}
		}
	}
}

// patch merges something into the object of this name, or into the workload of a Job: `job-NAME`.
func (b *both) patch(kind, name, patch string, subresources ...string) {
	b.Helper()
	name = strings.ReplaceAll(name, "$", b.story)
	patch = strings.ReplaceAll(strings.ReplaceAll(patch, "$", b.story), "NOW",
		time.Now().UTC().Format(time.RFC3339))
	for _, s := range b.sides {
		_, err := s.in(kind, b.story).Patch(b.Context(), s.real(b.story, kind, name),
			types.MergePatchType, []byte(patch), metav1.PatchOptions{}, subresources...)
		if err != nil {
			b.Fatalf("%s: %v", s.name, err)
		}
	}
}

func (b *both) delete(kind, name string) {
	b.Helper()
	background := metav1.DeletePropagationBackground
	name = strings.ReplaceAll(name, "$", b.story)
	for _, s := range b.sides {
		if err := s.in(kind, b.story).Delete(b.Context(), s.real(b.story, kind, name),
			metav1.DeleteOptions{PropagationPolicy: &background}); err != nil {
			b.Fatalf("%s: %v", s.name, err)
		}
	}
}

// real is the name with its hash of a workload that is called job-NAME here.
func (s *side) real(story, kind, name string) string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if kind != "Workload" || !strings.HasPrefix(name, "job-") {
		return name
	}
	for key := range s.seen[story] {
		if s.plain(key) == kind+"/"+name+"-HASH" {
			return strings.TrimPrefix(key, kind+"/")
		}
	}
	return name
}

// team makes a ClusterQueue of one flavor and a LocalQueue, both of the story's name.
func (b *both) team(cpu int, rest string) {
	b.Helper()
	b.create(clusterQueue("$", cpu, rest) + "---\n" + localQueue("$"))
}

func clusterQueue(name string, cpu int, rest string) string {
	return fmt.Sprintf(`apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: %s}
spec:
  namespaceSelector: {}
%s  resourceGroups:
  - coveredResources: [cpu]
    flavors:
    - name: spot
      resources: [{name: cpu, nominalQuota: %d}]
`, name, rest, cpu)
}

func localQueue(name string) string {
	return fmt.Sprintf(`apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: %s, namespace: $}
spec: {clusterQueue: %[1]s}
`, name)
}

// check makes an admission check that is active.
func (b *both) check(name string) {
	b.Helper()
	b.create(fmt.Sprintf(`apiVersion: kueue.x-k8s.io/v1beta2
kind: AdmissionCheck
metadata: {name: %s}
spec: {controllerName: example.com/check}
`, name))
	b.patch("AdmissionCheck", name, `{"status": {"conditions": [{"type": "Active", "status": "True",
		"reason": "Active", "message": "", "lastTransitionTime": "NOW"}]}}`, "status")
}

// answers is what the controller of a check says of the workload of a Job.
func (b *both) answers(job, check, state, message, more string) {
	b.Helper()
	b.patch("Workload", "job-"+job, fmt.Sprintf(`{"status": {"admissionChecks": [{"name": %q,
		"state": %q, "message": %q, "lastTransitionTime": "NOW"%s}]}}`, check, state, message, more),
		"status")
}

// job is one whose controller is the test: what becomes of it is the same on both sides. rest is
// what follows the story's name in its labels: the rest of the queue's name, and other labels.
func job(name, rest string, pods int, cpu string) string {
	return fmt.Sprintf(`apiVersion: batch/v1
kind: Job
metadata:
  name: %s
  namespace: $
  labels: {kueue.x-k8s.io/queue-name: $%s}
spec:
  managedBy: example.com/played
  parallelism: %d
  completions: %[3]d
  template:
    spec:
      restartPolicy: Never
      containers:
      - {name: c, image: none, resources: {requests: {cpu: %q}}}
`, name, rest, pods, cpu)
}

const ofClass = ", kueue.x-k8s.io/priority-class: "

// submit makes a Job of the story's queue.
func (b *both) submit(name, labels string, pods int) {
	b.Helper()
	b.create(job(name, labels, pods, "1"))
}

// plays says how many pods of a Job there are, and have succeeded.
func (b *both) plays(job string, active, succeeded int) {
	b.Helper()
	b.patch("Job", job, fmt.Sprintf(`{"status": {"startTime": "2026-01-01T00:00:00Z", "active": %d,
		"ready": %[1]d, "succeeded": %d}}`, active, succeeded), "status")
}

// ends says that all pods of a Job have succeeded, or that it has failed.
func (b *both) ends(job string, pods int, well bool) {
	b.Helper()
	if well {
		b.patch("Job", job, fmt.Sprintf(`{"status": {"active": 0, "ready": 0, "succeeded": %d,
			"startTime": "2026-01-01T00:00:00Z", "completionTime": "NOW", "conditions": [
			{"type": "SuccessCriteriaMet", "status": "True", "reason": "CompletionsReached", "message":
			"Reached expected number of succeeded pods", "lastTransitionTime": "NOW"},
			{"type": "Complete", "status": "True", "reason": "CompletionsReached", "message":
			"Reached expected number of succeeded pods", "lastTransitionTime": "NOW"}]}}`, pods), "status")
		return
	}
	b.patch("Job", job, fmt.Sprintf(`{"status": {"active": 0, "ready": 0, "failed": %d,
		"startTime": "2026-01-01T00:00:00Z", "conditions": [
		{"type": "FailureTarget", "status": "True", "reason": "BackoffLimitExceeded", "message":
		"Job has reached the specified backoff limit", "lastTransitionTime": "NOW"},
		{"type": "Failed", "status": "True", "reason": "BackoffLimitExceeded", "message":
		"Job has reached the specified backoff limit", "lastTransitionTime": "NOW"}]}}`, pods), "status")
}

// is waits for a condition of the workload of a Job, on both sides; "": there is none.
func (b *both) is(job, condition, status string) {
	b.Helper()
	b.says("Workload/job-"+job+"-HASH", "status.conditions["+condition+"].status", status)
}

// runs waits until a Job is started.
func (b *both) runs(job string) {
	b.Helper()
	b.is(job, "Admitted", "True")
	b.says("Job/"+job, "spec.suspend", "false")
}

// stops waits until a Job is suspended, and lets its pods go.
func (b *both) stops(job string) {
	b.Helper()
	b.says("Job/"+job, "spec.suspend", "true")
	b.patch("Job", job, `{"status": {"active": 0, "ready": 0}}`, "status")
}

// all are the fields of an object, for whoever reads of a failure.
func all(fields map[string]string, object string) string {
	var text strings.Builder
	for _, path := range slices.Sorted(maps.Keys(fields)) {
		if rest, is := strings.CutPrefix(path, object); is {
			fmt.Fprintf(&text, "  %s = %s\n", rest, fields[path])
		}
	}
	return text.String()
}
