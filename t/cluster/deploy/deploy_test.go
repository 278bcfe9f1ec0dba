// SPDX-License-Identifier: Apache-2.0

// Package deploy tests the manifests of examples/deploy on a real API server.
package deploy

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"sluice/cluster/plane"
)

const manifests = "../../../examples/deploy/"

var (
	scheduler = plane.ServiceAccountUser("kube-system", "sluice-scheduler")
	releaser  = plane.ServiceAccountUser("kube-system", "sluice-release-gates")
	asker     = plane.ServiceAccountUser("kube-system", "sluice-viewer")
	editor    = plane.User{Name: "editor"}
	viewer    = plane.User{Name: "viewer"}
	operator  = plane.User{Name: "operator"}
	commander = plane.User{Name: "commander"}
	kubelet   = plane.User{Name: "system:node:n", Groups: []string{"system:nodes"}}
)

func TestManifests(t *testing.T) {
	p, err := plane.Start(t.Context(), plane.Options{
		Name: "deploy", Users: []plane.User{scheduler, releaser, asker, editor, viewer,
			operator, commander, kubelet}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
	c := &cluster{T: t, Plane: p}
	c.must("create", "clusterrole", "pod-editor", "--verb=*", "--resource=pods")
	c.must("create", "clusterrolebinding", "pod-editor", "--clusterrole=pod-editor", "--user=editor",
		"--group=system:nodes")
	for _, step := range []struct {
		name string
		test func(*cluster)
	}{
		{"crds", testCRDs},
		{"nobody may do anything yet", testNoRights},
		{"on-bind", func(c *cluster) { c.apply("overlays/on-bind") }},
		{"the gate is added", testGate},
		{"the stamp is guarded", testStamp},
		{"a pod that runs stays where it counts", testPlace},
		{"mirror pods are made by kubelets", testMirror},
		{"a minimum is a number above 0", testMinimum},
		{"a pod that is created is looked at once", testMark},
		{"webhooks that are asked later", testLaterWebhook},
		{"rights of the scheduler", testSchedulerRights},
		{"rights of people", testPeoplesRights},
		{"a command needs a right on its queue", testCommandRights},
		{"pods keep the restricted standard", testPodSecurity},
		{"observe-only adds no gate", testObserveOnly},
		{"on-admission adds it again", testOnAdmission},
		{"instead is for the pods of the default scheduler", testInstead},
		{"volcano is for the pods of that name, and makes two queues", testVolcano},
		{"the webhook in its place, too", testInsteadWebhook},
		{"webhook", testWebhook},
		{"release-gates", testReleaseGates},
		{"all of it can be deleted", testDelete},
	} {
		if !t.Run(step.name, func(t *testing.T) { step.test(c.on(t)) }) {
			return
		}
	}
}

// Long and short are the names of our gate, and of the annotations that ask for it.
const (
	long      = "scheduling.volcano.sh/queue-allocation-gate"
	short     = "volcano.sh/queue-allocation-gate"
	group     = "scheduling.k8s.io/group-name"
	minimum   = "scheduling.volcano.sh/group-min-member"
	foreign   = "example.com/quota"
	granted   = "sluice.sh/granted"
	grantedIn = "sluice.sh/queue"
	flavors   = "sluice.sh/flavors"
)

var numbered int

// pod is one that opted in by each of the names.
func pod(optedIn ...string) *corev1.Pod {
	numbered++
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: fmt.Sprintf("pod-%d", numbered), Namespace: "default", Annotations: map[string]string{}},
		Spec: corev1.PodSpec{
			SchedulerName: "sluice-scheduler",
			Containers:    []corev1.Container{{Name: "c", Image: "none"}},
		},
	}
	for _, name := range optedIn {
		pod.Annotations[name] = "true"
	}
	return pod
}

func with(pod *corev1.Pod, change func(*corev1.Pod)) *corev1.Pod {
	change(pod)
	return pod
}

func gatesOf(pod *corev1.Pod) []string {
	gates := []string{}
	for _, gate := range pod.Spec.SchedulingGates {
		gates = append(gates, gate.Name)
	}
	return gates
}

func (c *cluster) awaitGates(scheduler string, want ...string) {
	c.Helper()
	c.await(fmt.Sprintf("an opted-in pod of %s gets the gates %q", scheduler, want), func() bool {
		asked := with(pod(long), func(p *corev1.Pod) { p.Spec.SchedulerName = scheduler })
		made, err := c.create(asked, metav1.DryRunAll)
		return err == nil && slices.Equal(gatesOf(made), want)
	})
}

func testGate(c *cluster) {
	c.awaitGates("sluice-scheduler", long)
	gates := func(names ...string) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			for _, name := range names {
				p.Spec.SchedulingGates = append(p.Spec.SchedulingGates, corev1.PodSchedulingGate{Name: name})
			}
		}
	}
	owned := func(kind string, controls bool) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: kind, Name: "o",
				UID: "e5c4e8a0-0000-4000-8000-000000000000", Controller: &controls}}
		}
	}
	annotated := func(key, value string) func(*corev1.Pod) {
		return func(p *corev1.Pod) { p.Annotations[key] = value }
	}
	for _, one := range []struct {
		what string
		pod  *corev1.Pod
		want []string
	}{
		{"the long name", pod(long), []string{long}},
		{"the short name", pod(short), []string{short}},
		{"both names", pod(long, short), []string{long}},
		{"not opted in", pod(), nil},
		{"no annotations at all", with(pod(), func(p *corev1.Pod) { p.Annotations = nil }), nil},
		{"another value", with(pod(), annotated(long, "True")), nil},
		{"a minimum alone", with(pod(), annotated(minimum, "3")), []string{long}},
		{"a group's name alone", with(pod(), annotated(group, "g")), []string{long}},
		{"a group without a name", with(pod(), annotated(group, "")), nil},
		{"the short name and a minimum", with(pod(short), annotated(minimum, "3")), []string{short}},
		{"one name true, one not", with(pod(short), annotated(long, "false")), []string{short}},
		{"beside foreign gates", with(pod(long), gates(foreign, "x.io/y")),
			[]string{foreign, "x.io/y", long}},
		{"foreign gates, not opted in", with(pod(), gates(foreign)), []string{foreign}},
		{"gated already", with(pod(long), gates(long)), []string{long}},
		{"gated under the other name", with(pod(long), gates(short)), []string{short}},
		{"another scheduler's", with(pod(long), func(p *corev1.Pod) {
			p.Spec.SchedulerName = "other"
		}), nil},
		{"no scheduler named", with(pod(long), func(p *corev1.Pod) { p.Spec.SchedulerName = "" }), nil},
		{"names its node", with(pod(long), func(p *corev1.Pod) { p.Spec.NodeName = "n" }), nil},
		{"of a DaemonSet", with(pod(long), owned("DaemonSet", true)), nil},
		{"only mentions a DaemonSet", with(pod(long), owned("DaemonSet", false)), []string{long}},
		{"of a ReplicaSet", with(pod(long), owned("ReplicaSet", true)), []string{long}},
		{"in kube-system", with(pod(long), func(p *corev1.Pod) { p.Namespace = "kube-system" }), nil},
		{"of a generated name", with(pod(long), func(p *corev1.Pod) {
			p.Name, p.GenerateName = "", "generated-"
		}), []string{long}},
	} {
		made, err := c.create(one.pod)
		if err != nil {
			c.Errorf("%s: %v", one.what, err)
		} else if got := gatesOf(made); !slices.Equal(got, append([]string{}, one.want...)) {
			c.Errorf("%s: gates %q, want %q", one.what, got, one.want)
		}
	}
}

func testMinimum(c *cluster) {
	// What is no plain text is not shown.
	const wide = "\x1b[31m3"
	for text, refused := range map[string]bool{
		"4": false, "0004": false, "1000000000": false, "2147483647": false, "0": true, "-1": true,
		"several": true, "": true, "2147483648": true, "99999999999": true, "1.5": true, " 1": true,
		wide: true, strings.Repeat("9", 1000): true,
	} {
		_, err := c.create(with(pod(long), func(p *corev1.Pod) {
			p.Annotations[minimum] = text
		}), metav1.DryRunAll)
		said := fmt.Sprintf("%s is %q: it says how many", minimum, text)
		if len(text) > 40 || text == wide {
			said = minimum + " says how many"
		}
		if (err != nil) != refused || refused && !(apierrors.IsInvalid(err) &&
			strings.Contains(err.Error(), said) && strings.Contains(err.Error(), "above 0")) {
			c.Errorf("a minimum of %q: %v, want refused %t", text, err, refused)
		}
	}
}

func testObserveOnly(c *cluster) {
	c.apply("overlays/observe-only")
	c.awaitGates("sluice-scheduler")
	c.await("Commands are for others to judge", func() bool {
		return c.command("Queue", "theirs") == nil
	})
	c.await("so are minimums", func() bool {
		_, err := c.create(with(pod(), func(p *corev1.Pod) { p.Annotations[minimum] = "several" }),
			metav1.DryRunAll)
		return err == nil
	})
	c.awaitGuard("sluice-scheduler")
}

func testOnAdmission(c *cluster) {
	c.apply("overlays/on-admission")
	c.awaitGates("sluice-scheduler", long)
}

func testInstead(c *cluster) {
	c.apply("overlays/instead")
	c.awaitGates("default-scheduler", long)
	c.awaitGates("sluice-scheduler")
	c.awaitGuard("")
}

// In the place of Volcano's scheduler, whose queues `root` and `default` its webhook looks for.
func testVolcano(c *cluster) {
	c.apply("overlays/volcano")
	c.awaitGates("volcano", long)
	c.awaitGates("default-scheduler")
	parent := c.must("get", "queue", "default", "-o", "jsonpath={.spec.parent}")
	if parent != "root" {
		c.Errorf("the queue default is below %q", parent)
	}
	c.must("delete", "queue", "root", "default")
}

// In the place of the stock scheduler the webhook, too, is asked about pods that name none.
func testInsteadWebhook(c *cluster) {
	c.apply("overlays/instead-webhook")
	c.awaitGates("default-scheduler", long)
	condition := c.must("get", "validatingwebhookconfiguration", "sluice", "-o",
		"jsonpath={.webhooks[0].matchConditions[0].expression}")
	if !strings.Contains(condition, "in ['default-scheduler']") {
		c.Errorf("it is asked about pods where %s", condition)
	}
}

// The pods as the manifests would make them, in a namespace that enforces the strictest standard.
func testPodSecurity(c *cluster) {
	c.must("create", "namespace", "strict")
	c.must("label", "namespace", "strict", "pod-security.kubernetes.io/enforce=restricted")
	for folder, kind := range map[string]string{
		"overlays/webhook": "Deployment", "overlays/webhook-gate": "Deployment",
		"overlays/on-bind": "Deployment", "release-gates": "Job",
	} {
		var found bool
		for _, document := range strings.Split(c.must("kustomize", manifests+folder), "\n---\n") {
			var object struct {
				Kind string
				Spec struct{ Template corev1.PodTemplateSpec }
			}
			if err := yaml.Unmarshal([]byte(document), &object); err != nil {
				c.Fatal(err)
			}
			if object.Kind != kind {
				continue
			}
			found = true
			asked := &corev1.Pod{Spec: object.Spec.Template.Spec, ObjectMeta: metav1.ObjectMeta{
				Name: "p", Namespace: "strict"}}
			if _, err := c.create(asked, metav1.DryRunAll); err != nil {
				c.Errorf("%s: %v", folder, err)
			}
			weak := asked.DeepCopy()
			weak.Spec.Containers[0].SecurityContext = nil
			if _, err := c.create(weak, metav1.DryRunAll); !apierrors.IsForbidden(err) {
				c.Errorf("without its security context the pod of %s is let in: %v", folder, err)
			}
		}
		if !found {
			c.Errorf("%s has no %s", folder, kind)
		}
	}
}

func testCRDs(c *cluster) {
	c.apply("crds")
	c.must("wait", "--for=condition=Established", "crd/queues.scheduling.volcano.sh")
	c.await("queues are served", func() bool {
		_, err := c.Kubectl(c.Context(), "create", "-f", c.file("queue.yaml", `
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: q}
spec: {capability: {cpu: 500m, memory: 1Gi}, parent: root, dequeueStrategy: fifo}
`))
		return err == nil
	})
	state := func(state string) error {
		_, err := c.Kubectl(c.Context(), "patch", "queue", "q", "--subresource=status", "--type=merge",
			"-p", fmt.Sprintf(`{"status": {"state": %q}}`, state))
		return err
	}
	for _, good := range []string{"Suspended", "Closing", "Open"} {
		if err := state(good); err != nil {
			c.Errorf("%s: %v", good, err)
		}
	}
	if err := state("Asleep"); err == nil || !strings.Contains(err.Error(), "Suspended") {
		c.Errorf("a state that there is not: %v", err)
	}
}

func testDelete(c *cluster) {
	for _, folder := range []string{"release-gates", "overlays/webhook-gate", "overlays/on-bind",
		"crds"} {
		c.must("delete", "--ignore-not-found", "-k", manifests+folder)
	}
	out := c.must("get", "-l", "app.kubernetes.io/part-of=sluice", "--all-namespaces", "-o", "name",
		strings.Join([]string{"clusterroles", "clusterrolebindings", "roles", "rolebindings",
			"deployments", "serviceaccounts", "secrets", "services", "poddisruptionbudgets", "jobs",
			"mutatingadmissionpolicies", "validatingadmissionpolicies",
			"mutatingadmissionpolicybindings", "validatingadmissionpolicybindings",
			"mutatingwebhookconfigurations", "validatingwebhookconfigurations"}, ","))
	if out = strings.TrimSpace(out); out != "" {
		c.Errorf("left behind: %s", out)
	}
	testNoRights(c)
}
