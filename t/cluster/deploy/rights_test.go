// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"sluice/cluster/plane"
)

// A right, as one line: verbs, resource[.group][/subresource][:name], and the namespace, - for all.
type right struct {
	verbs, resource, namespace string
}

var needed = []right{
	{"get list watch patch delete", "pods", "-"},
	{"patch update", "pods/status", "-"},
	{"create", "pods/binding", "-"},
	{"get list watch", "nodes", "-"},
	{"get list watch", "namespaces", "-"},
	{"get list watch", "persistentvolumeclaims", "-"},
	{"get list watch", "persistentvolumes", "-"},
	{"update patch", "persistentvolumeclaims", "-"},
	{"get list watch", "services", "-"},
	{"get list watch", "replicasets.apps", "-"},
	{"get list watch", "statefulsets.apps", "-"},
	{"get list watch", "poddisruptionbudgets.policy", "-"},
	{"get list watch", "storageclasses.storage.k8s.io", "-"},
	{"get list watch", "csinodes.storage.k8s.io", "-"},
	{"get list watch", "csidrivers.storage.k8s.io", "-"},
	{"get list watch", "csistoragecapacities.storage.k8s.io", "-"},
	{"get list watch", "volumeattachments.storage.k8s.io", "-"},
	{"get list watch", "resourceslices.resource.k8s.io", "-"},
	{"get list watch update", "resourceclaims.resource.k8s.io", "-"},
	{"create patch update", "events.events.k8s.io", "-"},
	{"create patch update", "events", "-"},
	{"get list watch patch", "queues.scheduling.volcano.sh", "-"},
	{"update", "queues.scheduling.volcano.sh/status", "-"},
	{"get list watch delete", "commands.bus.volcano.sh", "-"},
	{"get list watch create update", "podgroups.scheduling.volcano.sh", "-"},
	{"update", "podgroups.scheduling.volcano.sh/status", "-"},
	{"get list watch", "priorityclasses.scheduling.k8s.io", "-"},
	{"get list watch", "podgroups.scheduling.k8s.io", "-"},
	{"patch", "podgroups.scheduling.k8s.io/status", "-"},
	{"get list watch", "workloads.scheduling.k8s.io", "-"},
	{"get list watch", "deployments.apps", "-"},
	{"get list watch", "daemonsets.apps", "-"},
	{"get list watch", "jobs.batch", "-"},
	{"get", "jobsets.jobset.x-k8s.io", "-"},
	{"get list watch", "clusterqueues.kueue.x-k8s.io", "-"},
	{"get list watch", "cohorts.kueue.x-k8s.io", "-"},
	{"get list watch", "localqueues.kueue.x-k8s.io", "-"},
	{"get list watch", "resourceflavors.kueue.x-k8s.io", "-"},
	{"create", "tokenreviews.authentication.k8s.io", "-"},
	{"create", "subjectaccessreviews.authorization.k8s.io", "-"},
	{"write", "stamps.sluice.sh", "-"},
	{"create", "leases.coordination.k8s.io", "kube-system"},
	{"get update", "leases.coordination.k8s.io:sluice-scheduler", "kube-system"},
	{"get update", "leases.coordination.k8s.io:sluice-grants", "kube-system"},
	{"get list watch", "configmaps:extension-apiserver-authentication", "kube-system"},
}

var forbidden = []right{
	{"create update", "pods", "-"},
	{"create", "pods/exec", "-"},
	{"get", "pods/log", "-"},
	{"create update patch delete", "nodes", "-"},
	{"get list watch create update patch delete", "secrets", "-"},
	{"get list watch create update patch delete", "secrets", "kube-system"},
	{"get list create update patch delete", "configmaps", "kube-system"},
	{"create", "serviceaccounts/token", "kube-system"},
	{"impersonate", "users", "-"},
	{"create update patch delete", "namespaces", "-"},
	{"create update delete", "queues.scheduling.volcano.sh", "-"},
	{"patch", "queues.scheduling.volcano.sh/status", "-"},
	{"create update patch", "commands.bus.volcano.sh", "-"},
	{"create update patch delete", "clusterqueues.kueue.x-k8s.io", "-"},
	{"get list watch create update patch", "customresourcedefinitions.apiextensions.k8s.io", "-"},
	{"get update", "leases.coordination.k8s.io:another", "kube-system"},
	{"get update", "leases.coordination.k8s.io:sluice-scheduler", "default"},
	{"delete", "leases.coordination.k8s.io:sluice-scheduler", "kube-system"},
	{"create update patch delete", "clusterroles.rbac.authorization.k8s.io", "-"},
	{"bind escalate", "clusterroles.rbac.authorization.k8s.io", "-"},
	{"get list watch patch", mutating, "-"},
	{"get list watch patch", validating, "-"},
	{"get list patch", "mutatingadmissionpolicies.admissionregistration.k8s.io", "-"},
	{"create update patch delete", "deployments.apps", "-"},
	{"create update patch delete", "jobs.batch", "-"},
	{"create update patch delete", "replicasets.apps", "-"},
	{"create update patch delete", "statefulsets.apps", "-"},
	{"patch delete", "podgroups.scheduling.volcano.sh", "-"},
	{"create patch", "podgroups.scheduling.volcano.sh/status", "-"},
	{"create update patch delete", "priorityclasses.scheduling.k8s.io", "-"},
	{"create update patch delete", "podgroups.scheduling.k8s.io", "-"},
	{"create update patch delete", "workloads.scheduling.k8s.io", "-"},
}

// The webhook's configurations.
const (
	mutating   = "mutatingwebhookconfigurations.admissionregistration.k8s.io"
	validating = "validatingwebhookconfigurations.admissionregistration.k8s.io"
)

var webhookNeeded = []right{
	{"get list watch update", "secrets:sluice-webhook-certs", "kube-system"},
	{"get list watch patch", mutating + ":sluice", "-"},
	{"get list watch patch", validating + ":sluice", "-"},
}

var webhookForbidden = []right{
	{"create", "secrets", "kube-system"},
	{"get list watch update", "secrets", "kube-system"},
	{"delete", "secrets:sluice-webhook-certs", "kube-system"},
	{"get update", "secrets:sluice-webhook-certs", "default"},
	{"get patch", mutating + ":other", "-"},
	{"get patch", validating + ":other", "-"},
	{"create update delete", validating + ":sluice", "-"},
	{"create update delete", mutating + ":sluice", "-"},
}

// check asks the API server as the user himself. It learns of new rights by a watch, of each kind
// of object apart, so what should be allowed may take a moment.
func (c *cluster) check(user plane.User, rights []right, want bool) {
	c.Helper()
	client := c.as(user).AuthorizationV1().SelfSubjectAccessReviews()
	for _, r := range rights {
		rest, name, _ := strings.Cut(r.resource, ":")
		rest, subresource, _ := strings.Cut(rest, "/")
		resource, group, _ := strings.Cut(rest, ".")
		namespace := strings.TrimPrefix(r.namespace, "-")
		for verb := range strings.FieldsSeq(r.verbs) {
			review := &authorizationv1.SelfSubjectAccessReview{}
			review.Spec.ResourceAttributes = &authorizationv1.ResourceAttributes{
				Namespace: namespace, Verb: verb, Group: group, Resource: resource,
				Subresource: subresource, Name: name,
			}
			var answer *authorizationv1.SelfSubjectAccessReview
			for end := time.Now().Add(5 * time.Second); ; time.Sleep(50 * time.Millisecond) {
				var err error
				if answer, err = client.Create(c.Context(), review, metav1.CreateOptions{}); err != nil {
					c.Fatal(err)
				}
				if answer.Status.Allowed == want || time.Now().After(end) {
					break
				}
			}
			if answer.Status.Allowed != want {
				c.Errorf("%s: %s %s in %q: allowed %t, want %t", user.Name, verb, r.resource,
					namespace, answer.Status.Allowed, want)
			}
		}
	}
}

func testNoRights(c *cluster) {
	c.check(scheduler, needed, false)
	c.check(releaser, []right{{"list patch", "pods", "-"}}, false)
}

func testSchedulerRights(c *cluster) {
	c.check(scheduler, needed, true)
	c.check(scheduler, forbidden, false)
	c.check(scheduler, webhookNeeded, false)
}

// People get what the roles have, by the bindings that README.md of examples/kubectl-sluice names.
func testPeoplesRights(c *cluster) {
	looking := []right{
		{"get list watch", "queues.scheduling.volcano.sh", "-"},
		{"get", "services/proxy:https:sluice-scheduler:https", "kube-system"},
		{"create", "serviceaccounts/token:sluice-viewer", "kube-system"},
	}
	acting := []right{
		{"get list watch create", "commands.bus.volcano.sh", "default"},
		{"operate", "queues.scheduling.volcano.sh", "-"},
		{"get list", "events", "default"},
	}
	more := []right{
		{"create update patch", "services/proxy:https:sluice-scheduler:https", "kube-system"},
		{"get", "services/proxy", "kube-system"},
		{"get", "services/proxy:https:other:https", "kube-system"},
		{"get", "services/proxy:https:sluice-scheduler:https", "default"},
		{"get", "pods/proxy", "kube-system"},
		{"create", "serviceaccounts/token", "kube-system"},
		{"create", "serviceaccounts/token:sluice-scheduler", "kube-system"},
		{"create", "serviceaccounts/token:sluice-viewer", "default"},
		{"create update patch delete", "queues.scheduling.volcano.sh", "-"},
		{"update patch", "queues.scheduling.volcano.sh/status", "-"},
		{"update patch delete", "commands.bus.volcano.sh", "default"},
		{"get list", "pods", "default"},
		{"get list", "secrets", "kube-system"},
	}
	for _, user := range []plane.User{viewer, operator} {
		c.check(user, append(looking, acting...), false)
		c.must("create", "clusterrolebinding", user.Name, "--clusterrole=sluice-viewer",
			"--user="+user.Name)
		c.must("create", "rolebinding", user.Name, "-n", "kube-system", "--role=sluice-viewer",
			"--user="+user.Name)
	}
	c.must("create", "clusterrolebinding", "operators", "--clusterrole=sluice-operator",
		"--user=operator")
	c.check(viewer, looking, true)
	c.check(viewer, append(acting, more...), false)
	c.check(operator, append(looking, acting...), true)
	c.check(operator, more, false)
	// The account whose tokens the questions carry is good for nothing else.
	c.check(asker, append(append(looking, acting...), more...), false)
}

// command tries to create a Command for a queue, as somebody who may create Commands.
func (c *cluster) command(kind, queue string) error {
	c.Helper()
	client, err := dynamic.NewForConfig(c.REST(commander.Name))
	if err != nil {
		c.Fatal(err)
	}
	numbered++
	command := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "bus.volcano.sh/v1alpha1", "kind": "Command",
		"metadata": map[string]any{"name": fmt.Sprintf("command-%d", numbered)},
		"action":   "CloseQueue", "target": map[string]any{"apiVersion": "x/v1", "kind": kind,
			"name": queue, "uid": ""}}}
	_, err = client.Resource(schema.GroupVersionResource{Group: "bus.volcano.sh",
		Version: "v1alpha1", Resource: "commands"}).Namespace("default").
		Create(c.Context(), command, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	return err
}

// Who may create Commands commands no queue by that alone.
func testCommandRights(c *cluster) {
	c.must("create", "role", "commanders", "--verb=create,update",
		"--resource=commands.bus.volcano.sh")
	c.must("create", "rolebinding", "commanders", "--role=commanders", "--user="+commander.Name)
	c.must("apply", "-f", c.file("operate.yaml", `{apiVersion: rbac.authorization.k8s.io/v1,
		kind: ClusterRole, metadata: {name: operate-mine}, rules: [{verbs: [operate],
		apiGroups: [scheduling.volcano.sh], resources: [queues], resourceNames: [mine]}]}`))
	c.must("create", "clusterrolebinding", "operate-mine", "--clusterrole=operate-mine",
		"--user="+commander.Name)
	c.await("his own queue", func() bool { return c.command("Queue", "mine") == nil })
	if err := c.command("Queue", "theirs"); !apierrors.IsForbidden(err) ||
		!strings.Contains(err.Error(), "who commands queue theirs needs the verb operate") {
		c.Errorf("another queue: %v", err)
	}
	if err := c.command("", "theirs"); !apierrors.IsForbidden(err) {
		c.Errorf("another queue, without its kind: %v", err)
	}
	if err := c.command("Job", "theirs"); err != nil {
		c.Errorf("what is no queue is not for us to refuse: %v", err)
	}
}

func testWebhook(c *cluster) {
	c.must("delete", "-k", manifests+"overlays/on-bind")
	c.apply("overlays/webhook")
	c.check(scheduler, needed, true)
	c.check(scheduler, webhookNeeded, true)
	c.check(scheduler, webhookForbidden, false)

	// Nobody listens: pods come all the same, and get their gate from the policy.
	c.awaitGates("sluice-scheduler", long)
	// In its place nobody listens, either: they come without.
	c.must("delete", "mutatingadmissionpolicy,mutatingadmissionpolicybinding", "sluice-gate")
	c.apply("overlays/webhook-gate")
	c.awaitGates("sluice-scheduler")
	c.awaitGuard("sluice-scheduler")

	// What the replicas write is theirs: who applies the manifests again does not take it away.
	c.must("patch", "-n", "kube-system", "secret", "sluice-webhook-certs", "--type=merge",
		"-p", `{"data": {"ca.crt": "eA=="}}`)
	c.apply("overlays/webhook-gate")
	if got := c.must("get", "-n", "kube-system", "secret", "sluice-webhook-certs",
		"-o", "jsonpath={.data.ca\\.crt}"); got != "eA==" {
		c.Errorf("applied again, the Secret's ca.crt is %q", got)
	}
}

func testReleaseGates(c *cluster) {
	c.apply("release-gates")
	c.check(releaser, []right{{"list patch", "pods", "-"}}, true)
	c.check(releaser, []right{
		{"create update delete watch", "pods", "-"}, {"update patch", "pods/status", "-"},
		{"create", "pods/binding", "-"}, {"get list", "secrets", "-"}, {"get list", "nodes", "-"},
		{"write", "stamps.sluice.sh", "-"},
	}, false)
}

// What a build of the image copies must be there.
func TestDockerfileCopiesWhatThereIs(t *testing.T) {
	sources := copied(t)
	if len(sources) < 5 {
		t.Errorf("only %q are copied", sources)
	}
	for _, source := range sources {
		if !exists("../../../" + source) {
			t.Errorf("Dockerfile: COPY %s: there is none", source)
		}
	}
}

func copied(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(manifests + "Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	var sources []string
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) > 2 && words[0] == "COPY" && !strings.HasPrefix(words[1], "--from") {
			sources = append(sources, words[1:len(words)-1]...)
		}
	}
	return sources
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
