// SPDX-License-Identifier: Apache-2.0

package workloads

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"sluice/cluster/plane"
	"sluice/cluster/shipped"
)

// Who writes, in the audit.
const (
	us         = "sluice-scheduler"
	tester     = "the test"
	manager    = "controller manager"
	theKubelet = "kubelet"
)

func who(event *auditv1.Event) string {
	switch event.User.Username {
	case plane.ServiceAccountUser(shipped.Namespace, shipped.Name).Name:
		return us
	case plane.ControllerManager:
		return manager
	case plane.Admin:
		return tester
	case kubelets:
		return theKubelet
	}
	return event.User.Username
}

// written is what was written into the namespace after the first so many writes, by whom: "who:
// verb resource", and how often. Refused writes count as others.
func (c *cluster) written(after int) map[string]int {
	c.Helper()
	events, err := c.Audit()
	if err != nil {
		c.Fatal(err)
	}
	counts := map[string]int{}
	for i := range events[after:] {
		event := &events[after+i]
		of := event.ObjectRef
		// Service accounts are made for every namespace.
		if of == nil || of.Namespace != space || of.Resource == "serviceaccounts" ||
			of.Resource == "configmaps" {
			continue
		}
		what := fmt.Sprintf("%s: %s %s", who(event), event.Verb, of.Resource)
		if of.Subresource != "" {
			what += "/" + of.Subresource
		}
		if status := event.ResponseStatus; status != nil && status.Code >= 300 {
			what += fmt.Sprintf(" (answered %d)", status.Code)
		}
		counts[what]++
	}
	return counts
}

// soFar is how many writes the audit has.
func (c *cluster) soFar() int {
	c.Helper()
	events, err := c.Audit()
	if err != nil {
		c.Fatal(err)
	}
	return len(events)
}

// atRest waits until nothing was written into the namespace for a while.
func (c *cluster) atRest(after int) map[string]int {
	c.Helper()
	const quiet = 3 * time.Second
	before, since := c.written(after), time.Now()
	for time.Since(since) < quiet {
		time.Sleep(lookTurn)
		if now := c.written(after); !maps.Equal(now, before) {
			before, since = now, time.Now()
		}
	}
	return before
}

// between is how often something may be written.
type between struct{ least, most int }

func (b between) String() string {
	if b.least == b.most {
		return fmt.Sprint(b.least)
	}
	return fmt.Sprintf("%d to %d", b.least, b.most)
}

func exactly(n int) between { return between{n, n} }

// tooLate is what the API server answers to a write that it was too busy for. It may be done all
// the same, and is tried again.
const tooLate = " (answered 504)"

// logLast logs the last of what we wrote in this way, for whoever finds one too many.
func (c *cluster) logLast(verb, resource string) {
	const last = 20
	events, err := c.Audit()
	if err != nil {
		c.Fatal(err)
	}
	var lines []string
	for i := range events {
		of := events[i].ObjectRef
		if of == nil || of.Resource != resource || who(&events[i]) != us || events[i].Verb != verb {
			continue
		}
		said := ""
		if events[i].RequestObject != nil {
			said = string(events[i].RequestObject.Raw)
		}
		lines = append(lines, fmt.Sprintf("%s %s/%s %s",
			events[i].StageTimestamp.Format("05.000"), of.Name, of.Subresource, said))
	}
	c.Logf("the last %s of %s, ours:\n%s", verb, resource,
		strings.Join(lines[max(0, len(lines)-last):], "\n"))
}

// compare wants this list, and nothing else. On a machine that is so busy that writes come too
// late, there may be as many others.
func (c *cluster) compare(got map[string]int, want map[string]between) {
	c.Helper()
	var lines []string
	wrong, late := false, 0
	all := maps.Clone(want)
	for what, n := range got {
		all[what] = want[what]
		if strings.HasSuffix(what, tooLate) {
			late += n
		}
	}
	for _, what := range slices.Sorted(maps.Keys(all)) {
		n, allowed := got[what], between{want[what].least - late, want[what].most + late}
		line := fmt.Sprintf("%6d %s", n, what)
		if n < allowed.least || n > allowed.most {
			line += fmt.Sprintf("   <-- want %s", allowed)
			wrong = true
		}
		lines = append(lines, line)
	}
	c.Logf("written:\n%s", strings.Join(lines, "\n"))
	if wrong {
		c.logLast("patch", "pods")
		c.logLast("create", "events")
		c.Error("these are other writes than wanted")
	}
}

func TestWrites(t *testing.T) {
	bothWays(t, func(c *cluster) {
		c.T.Run("of 500 plain pods", func(t *testing.T) { testPlain(c.on(t)) })
		c.T.Run("of a Deployment of five", func(t *testing.T) { testFive(c.on(t)) })
	})
}

// Plain pods are groups of their own, of which nothing is written: one patch, one binding and
// one event for each, no PodGroup, no annotation but the stamp of its grant, which comes with
// the patch.
func testPlain(c *cluster) {
	const count, name = 500, "plain"
	c.createQueue(name, 100)
	before := c.soFar()
	pods := c.Client.CoreV1().Pods(space)
	c.parallel(count, func(i int) error {
		pod := template(name, name, 0)
		delete(pod.Annotations, minMember)
		pod.Labels[ends] = "well"
		pod.Name = fmt.Sprintf("%s-%d", name, i)
		_, err := pods.Create(c.Context(), &corev1.Pod{ObjectMeta: pod.ObjectMeta, Spec: pod.Spec},
			metav1.CreateOptions{})
		return err
	})
	left := count
	for since := time.Now(); left > 0; time.Sleep(lookTurn) {
		now := 0
		for _, pod := range c.pods(name) {
			if pod.Status.Phase != corev1.PodSucceeded {
				now++
			}
		}
		if now < left {
			left, since = now, time.Now()
		}
		if time.Since(since) > patience {
			c.Fatalf("%d pods have not ended, and for %s none did", left, patience)
		}
	}
	c.compare(c.atRest(before), map[string]between{
		tester + ": create pods":           exactly(count),
		us + ": patch pods":                exactly(count),
		us + ": create pods/binding":       exactly(count),
		us + ": create events":             exactly(count),
		theKubelet + ": patch pods/status": exactly(count),
	})
	if groups := c.groups(); len(groups) > 0 {
		c.Errorf("there are %d PodGroups, want none", len(groups))
	}
	wanted := []string{gateName, queueName, granted, grantedIn}
	slices.Sort(wanted)
	for _, pod := range c.pods(name) {
		if keys := slices.Sorted(maps.Keys(pod.Annotations)); !slices.Equal(keys, wanted) {
			c.Fatalf("pod %s has the annotations %q, want %q", pod.Name, keys, wanted)
		}
	}
}

// A minimum costs one PodGroup, the group's name in each pod, and the status of the PodGroup.
// Where all but the last member wait in Permit, the stock scheduler writes for each of them
// where it goes.
func testFive(c *cluster) {
	// None of it has a node; each of them has; and so many run: most of that falls together, unless
	// the machine is slow.
	const count, name, statuses = 5, "five", 2 + 5
	c.createQueue(name, count)
	before := c.soFar()
	must(c, func(ctx context.Context) (*appsv1.Deployment, error) {
		return c.Client.AppsV1().Deployments(space).Create(ctx, &appsv1.Deployment{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: appsv1.DeploymentSpec{Replicas: new(int32(count)), Selector: selector(name),
				Template: template(name, name, count)},
		}, metav1.CreateOptions{})
	})
	c.runs(name, count, count)
	got := c.atRest(before)
	// What the controller manager counts, it writes as often as it likes; and the kubelet tries again
	// where the name of its group came into a pod meanwhile.
	for what := range got {
		if strings.HasPrefix(what, manager) && strings.Contains(what, "/status") ||
			strings.HasPrefix(what, theKubelet) && strings.HasSuffix(what, "(answered 409)") {
			delete(got, what)
		}
	}
	c.compare(got, map[string]between{
		tester + ": create deployments":    exactly(1),
		manager + ": create replicasets":   exactly(1),
		manager + ": create pods":          exactly(count),
		manager + ": create events":        exactly(1 + count),
		us + ": create podgroups":          exactly(1),
		us + ": patch pods":                exactly(count + count), // its name; its gate
		us + ": patch pods/status":         exactly(count - 1),
		us + ": create pods/binding":       exactly(count),
		us + ": create events":             exactly(count),
		us + ": update podgroups/status":   {1, statuses},
		theKubelet + ": patch pods/status": exactly(count),
	})
}
