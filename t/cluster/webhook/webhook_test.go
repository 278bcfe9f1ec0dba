// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	byQueues   = "queues.sluice.sh"
	byCommands = "commands.sluice.sh"
	byPods     = "pods.sluice.sh"
	byGroups   = "groups.sluice.sh"
	invalid    = http.StatusUnprocessableEntity
	forbidden  = http.StatusForbidden
)

func TestWebhook(t *testing.T) {
	c := start(t)
	for _, step := range []struct {
		name string
		test func(*cluster)
	}{
		{"before anybody answers", testNobodyYet},
		{"with two replicas", testReplicas},
		{"a tree is written", testTree},
		{"queues", testQueues},
		{"deletions", testDeletions},
		{"commands", testCommands},
		{"pods for closed queues", testClosed},
		{"pods of ordered StatefulSets", testOrdered},
		{"what is nobody's business", testUnasked},
		{"another authority", testAuthority},
		{"metrics", testMetrics},
		{"when all are down", testDown},
	} {
		if !t.Run(step.name, func(t *testing.T) { step.test(c.on(t)) }) {
			return
		}
	}
}

func queue(name, spec string) string {
	return fmt.Sprintf("{kind: Queue, metadata: {name: %s}, spec: {%s}}", name, spec)
}

const wrong = "capability: {cpu: 4}, guarantee: {resource: {cpu: 9}}"

// awaitAnswers waits until the API server asks, and is answered.
func (c *cluster) awaitAnswers() {
	c.Helper()
	c.await("the API server asks about queues", func() error {
		_, err := c.create(queue("probe", wrong), metav1.DryRunAll)
		if err == nil || !strings.Contains(err.Error(), "which is more than") {
			return fmt.Errorf("a wrong queue: %w", err)
		}
		return nil
	})
}

// Nobody can look anything up: queues are refused, and say that it is not their fault.
func testNobodyYet(c *cluster) {
	c.await("the webhooks are known", func() error {
		_, err := c.create(queue("early", "reclaimable: true"), metav1.DryRunAll)
		if err == nil || !strings.Contains(err.Error(), `failed calling webhook "`+byQueues+`"`) {
			return fmt.Errorf("a queue: %w", err)
		}
		return nil
	})
	c.mustCreate(pod("early", "default", ""))
}

func testReplicas(c *cluster) {
	c.run("a")
	c.run("b")
	if err := c.AwaitLeader(c.Context()); err != nil {
		c.Fatal(err)
	}
	c.awaitAnswers()
}

func testTree(c *cluster) {
	c.mustCreate(
		queue("company", "capability: {cpu: 8}, deserved: {cpu: 8}, guarantee: {resource: {cpu: 4}}"),
		queue("team", "parent: company, guarantee: {resource: {cpu: 3}}, deserved: {cpu: 6}"),
		queue("squad", "parent: team"),
		queue("level-1", "weight: 1"),
		`{kind: Queue, metadata: {name: later, annotations: {sluice.sh/create-suspended: "true"}},
			spec: {parent: company}}`)
	for level := 2; level <= 8; level++ {
		c.mustCreate(queue(fmt.Sprintf("level-%d", level), fmt.Sprintf("parent: level-%d", level-1)))
	}
}

func testQueues(c *cluster) {
	for spec, says := range map[string]string{
		wrong: "spec.guarantee.resource.cpu is 9, which is more than spec.capability.cpu, 4",
		"deserved: {cpu: 1500m}, guarantee: {resource: {cpu: 2}}": "spec.guarantee.resource.cpu is 2, " +
			"which is more than spec.deserved.cpu, 1500m",
		"capability: {memory: 1Gi}, deserved: {memory: 2Gi}": "spec.deserved.memory is 2Gi, which is " +
			"more than spec.capability.memory, 1Gi",
		"parent: team, capability: {cpu: 9}": "spec.capability.cpu is 9, which is more than " +
			"spec.capability.cpu of queue company, 8",
		"parent: squad, deserved: {cpu: 10}": "spec.deserved.cpu is 10, which is more than " +
			"spec.capability.cpu of queue company, 8",
		"parent: later, guarantee: {resource: {cpu: 8500m}}": "spec.guarantee.resource.cpu is 8500m, " +
			"which is more than spec.capability.cpu of queue company, 8",
		"parent: company, guarantee: {resource: {cpu: 2}}": "the sum of the children's " +
			"spec.guarantee.resource.cpu is 5, which is more than spec.guarantee.resource.cpu of queue " +
			"company, 4",
		"parent: company, deserved: {cpu: 2500m}": "the sum of the children's spec.deserved.cpu is " +
			"8500m, which is more than spec.deserved.cpu of queue company, 8",
		"parent: nowhere": "spec.parent is nowhere, which does not exist",
		"parent: level-8": "spec.parent is level-8, which makes 9 levels of queues, more than 8",
		`capability: {cpu: "-1"}`: `Queue/q: spec.capability[cpu] is "-1": want an amount that is not ` +
			"negative",
	} {
		_, err := c.create(queue("q", spec))
		c.refused("to create {"+spec+"}", err, byQueues, invalid, says)
	}
	for _, edit := range []struct{ name, patch, says string }{
		{"company", `{"spec": {"guarantee": {"resource": {"cpu": 2}}}}`, "the sum of the children's " +
			"spec.guarantee.resource.cpu is 3, which is more than spec.guarantee.resource.cpu, 2"},
		{"company", `{"spec": {"deserved": {"cpu": 5}}}`, "the sum of the children's " +
			"spec.deserved.cpu is 6, which is more than spec.deserved.cpu, 5"},
		{"company", `{"spec": {"parent": "squad"}}`, "spec.parent is squad, which is this queue or " +
			"below it: parents must not go round"},
		{"team", `{"spec": {"parent": "team"}}`, "spec.parent is team, which is this queue or below it"},
		{"level-1", `{"spec": {"parent": "company"}}`, "spec.parent is company, which makes 9 levels"},
		{"team", `{"spec": {"guarantee": {"resource": {"cpu": 5}}}}`, "the sum of the children's " +
			"spec.guarantee.resource.cpu is 5, which is more than spec.guarantee.resource.cpu of queue " +
			"company, 4"},
	} {
		c.refused(edit.name+" "+edit.patch, c.patchQueue(c.Context(), edit.name, edit.patch), byQueues,
			invalid, edit.says)
	}
	// What is right goes through, also in a hurry.
	if err := c.patchQueue(c.Context(), "company", `{"spec": {"guarantee": {"resource":
		{"cpu": 5}}}}`); err != nil {
		c.Error(err)
	}
	c.mustCreate(
		queue("hurried", "parent: company, guarantee: {resource: {cpu: 2}}, deserved: {cpu: 2}"),
		queue("hurried-child", "parent: hurried"))
}

func testDeletions(c *cluster) {
	for _, name := range []string{"root", "default", "in-use"} {
		c.mustCreate(queue(name, "weight: 1"))
	}
	c.mustCreate(pod("user", "default", "in-use"))
	for name, says := range map[string]string{
		"root":    "queue root is built in: it cannot be deleted",
		"default": "queue default is built in: it cannot be deleted",
		"team":    "queue team has queues below it, as squad: delete those first",
	} {
		c.refused("to delete "+name, c.deleteQueue(name), byQueues, forbidden, says)
	}
	c.await("the pod is known", func() error {
		says := "queue in-use has 1 pod in it: close it, and wait until it is Closed"
		if err := c.client.Resource(resources["Queue"]).Delete(c.Context(), "in-use",
			metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}}); err == nil ||
			!strings.Contains(err.Error(), says) {
			return fmt.Errorf("to delete in-use: %w", err)
		}
		return nil
	})
	for _, name := range []string{"hurried-child", "hurried"} {
		if err := c.deleteQueue(name); err != nil {
			c.Error(err)
		}
	}
}

func testCommands(c *cluster) {
	_, err := c.create(command("Fly", "Queue", "team"))
	c.refused("Fly", err, byCommands, invalid,
		"action Fly is not known: use OpenQueue, CloseQueue, SuspendQueue or ResumeQueue")
	_, err = c.create(command("OpenQueue", "Queue", "nobody"))
	c.refused("nobody", err, byCommands, invalid,
		"queue nobody does not exist: create it, and send the command again")
	_, err = c.create(command("AbortJob", "Job", "j"), metav1.DryRunAll)
	if err != nil {
		c.Errorf("a command for a Job: %v", err)
	}
}

func pod(name, namespace, queue string) string {
	return fmt.Sprintf(`{kind: Pod, metadata: {name: %s, namespace: %s, annotations: {
		scheduling.volcano.sh/queue-allocation-gate: "true",
		scheduling.volcano.sh/queue-name: %q}}, spec: {schedulerName: sluice-scheduler,
		containers: [{name: c, image: none}]}}`, name, namespace, queue)
}

func testClosed(c *cluster) {
	c.order("CloseQueue", "level-7", "Closed")
	for _, one := range []struct{ queue, says string }{
		{"level-7", "queue level-7 is Closed: it takes no new pods until it is opened"},
		{"level-8", "is Closed: it takes no new pods until it is opened"},
	} {
		_, err := c.create(pod("p", "default", one.queue))
		c.refused("a pod for "+one.queue, err, byPods, forbidden, one.says)
	}
	_, err := c.create(`{kind: PodGroup, metadata: {name: g}, spec: {queue: level-8, minMember: 2}}`)
	c.refused("a group", err, byGroups, invalid,
		"is Closed: it takes no new groups until it is opened")
	gatedOnly := strings.Replace(strings.Replace(pod("p", "default", "level-7"),
		`scheduling.volcano.sh/queue-allocation-gate: "true",`, "", 1), "containers:",
		"schedulingGates: [{name: volcano.sh/queue-allocation-gate}], containers:", 1)
	_, err = c.create(gatedOnly)
	c.refused("a pod that brings its gate", err, byPods, forbidden, "queue level-7 is Closed")

	for what, text := range map[string]string{
		"and a group":     `{kind: PodGroup, metadata: {name: g}, spec: {queue: level-6, minMember: 2}}`,
		"in kube-system":  pod("p", "kube-system", "level-7"),
		"of another's":    strings.Replace(pod("p", "default", "level-7"), "sluice-scheduler", "x", 1),
		"not opted in":    strings.Replace(pod("p", "default", "level-7"), `"true"`, `"no"`, 1),
		"for open queues": pod("p", "default", "level-6"),
		"of no queue":     pod("p", "default", "unheard-of"),
		"on its node": strings.Replace(pod("p", "default", "level-7"), "containers:",
			"nodeName: its-node, containers:", 1),
	} {
		if _, err := c.create(text, metav1.DryRunAll); err != nil {
			c.Errorf("a pod %s: %v", what, err)
		}
	}
	c.order("OpenQueue", "level-7", "Open")
	if _, err := c.create(pod("p", "default", "level-7"), metav1.DryRunAll); err != nil {
		c.Errorf("a pod right after the queue was opened: %v", err)
	}
}

// Who controls a pod is looked up when the pod is created.
func testOrdered(c *cluster) {
	for policy, refused := range map[string]bool{"OrderedReady": true, "Parallel": false} {
		name := strings.ToLower(policy)
		set, err := c.create(fmt.Sprintf(`{kind: StatefulSet, metadata: {name: %s}, spec: {
			podManagementPolicy: %s, replicas: 3, selector: {matchLabels: {a: b}}, template: {
			metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: none}]}}}}`, name, policy))
		if err != nil {
			c.Fatal(err)
		}
		member := c.read(pod(name+"-0", "default", "team"))
		annotations := member.GetAnnotations()
		annotations["scheduling.volcano.sh/group-min-member"] = "3"
		member.SetAnnotations(annotations)
		controls := true
		member.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "StatefulSet",
			Name: name, UID: set.GetUID(), Controller: &controls}})
		_, err = c.of(member).Create(c.Context(), member,
			metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		if refused {
			c.refused(policy, err, byPods, forbidden, "scheduling.volcano.sh/group-min-member is above 1, "+
				"but the StatefulSet makes its next pod only when this one runs")
		} else if err != nil {
			c.Errorf("%s: %v", policy, err)
		}
	}
}

// Labels, annotations, finalizers and the status of a queue are not looked at, not even where the
// queue itself would be refused today.
func testUnasked(c *cluster) {
	before := c.answers()
	for _, one := range []struct{ patch, sub string }{
		{`{"metadata": {"labels": {"a": "b"}}}`, ""},
		{`{"metadata": {"finalizers": ["example.com/x"]}}`, ""},
		{`{"metadata": {"finalizers": null}}`, ""},
		{`{"status": {"state": "Open"}}`, "status"},
	} {
		var sub []string
		if one.sub != "" {
			sub = []string{one.sub}
		}
		if err := c.patchQueue(c.Context(), "squad", one.patch, sub...); err != nil {
			c.Errorf("%s: %v", one.patch, err)
		}
	}
	if _, err := c.create(`{kind: Pod, metadata: {name: plain}, spec: {containers: [
		{name: c, image: none}]}}`, metav1.DryRunAll); err != nil {
		c.Error(err)
	}
	if after := c.answers(); after != before {
		c.Errorf("it was asked %d times", after-before)
	}
}

// answers is how many questions the replicas have answered, by their metrics.
func (c *cluster) answers() (sum int) {
	c.Helper()
	for _, text := range c.metrics() {
		for line := range strings.Lines(text) {
			var count int
			if strings.HasPrefix(line, "sluice_admission_duration_seconds_count") {
				if _, err := fmt.Sscan(line[strings.LastIndex(line, " ")+1:], &count); err != nil {
					c.Fatalf("%v: %s", err, line)
				}
				sum += count
			}
		}
	}
	return sum
}

func (c *cluster) metrics() []string {
	c.Helper()
	texts, err := c.Metrics(c.Context())
	if err != nil {
		c.Fatal(err)
	}
	return texts
}

func testMetrics(c *cluster) {
	all := strings.Join(c.metrics(), "")
	for _, labels := range []string{
		`{answer="allowed",kind="queue"}`, `{answer="refused",kind="queue"}`,
		`{answer="refused",kind="command"}`, `{answer="refused",kind="pod"}`,
	} {
		if !strings.Contains(all, "sluice_admission_duration_seconds_count"+labels) {
			c.Errorf("no sluice_admission_duration_seconds%s", labels)
		}
	}
}
