// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
)

const gate = "example.com/gate"

func TestMutatingAdmissionPolicyAddsAGate(t *testing.T) {
	p := startPlane(t, Options{Audit: auditv1.LevelMetadata})
	policies := p.Client.AdmissionregistrationV1()
	policy := &admissionv1.MutatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: "gates"},
		Spec: admissionv1.MutatingAdmissionPolicySpec{
			ReinvocationPolicy: admissionv1.NeverReinvocationPolicy,
			MatchConstraints: &admissionv1.MatchResources{
				ResourceRules: []admissionv1.NamedRuleWithOperations{{
					RuleWithOperations: admissionv1.RuleWithOperations{
						Operations: []admissionv1.OperationType{admissionv1.Create},
						Rule: admissionv1.Rule{
							APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"pods"},
						},
					},
				}},
			},
			Mutations: []admissionv1.Mutation{{
				PatchType: admissionv1.PatchTypeApplyConfiguration,
				ApplyConfiguration: &admissionv1.ApplyConfiguration{Expression: fmt.Sprintf(
					`Object{spec: Object.spec{schedulingGates: [`+
						`Object.spec.schedulingGates{name: %q}]}}`, gate)},
			}},
		},
	}
	ctx := t.Context()
	_, err := policies.MutatingAdmissionPolicies().Create(ctx, policy, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	binding := &admissionv1.MutatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "gates"},
		Spec:       admissionv1.MutatingAdmissionPolicyBindingSpec{PolicyName: "gates"},
	}
	_, err = policies.MutatingAdmissionPolicyBindings().Create(ctx, binding, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	created := 0
	eventually(t, "a new pod has the policy's gate", func() error {
		// A try that fails is in the audit, too, and may have made its pod.
		created++
		pod, err := createPod(ctx, p, Admin, fmt.Sprintf("gated-%d", created))
		if err != nil {
			return err
		}
		if gates := pod.Spec.SchedulingGates; len(gates) != 1 || gates[0].Name != gate {
			return fmt.Errorf("its gates are %v", gates)
		}
		return nil
	})
	events, err := p.Audit()
	if err != nil {
		t.Fatal(err)
	}
	counts := CountWrites(events)
	if got := counts[Write{Admin, "create", "pods", ""}]; got != created {
		t.Errorf("the audit has %d created pods, want %d: %v", got, created, counts)
	}
}

func TestNodesAndDefinitions(t *testing.T) {
	p := startPlane(t, Options{})
	ctx := t.Context()
	taint := corev1.Taint{Key: "gpu", Value: "yes", Effect: corev1.TaintEffectNoSchedule}
	_, err := p.CreateNode(ctx, Node{
		Name:        "big",
		Labels:      map[string]string{"kind": "gpu"},
		Taints:      []corev1.Taint{taint},
		Allocatable: map[string]string{"cpu": "7500m", "example.com/gpu": "8"},
	})
	if err != nil {
		t.Fatal(err)
	}
	node, err := p.Client.CoreV1().Nodes().Get(ctx, "big", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for name, amount := range node.Status.Allocatable {
		got[string(name)] = amount.String()
	}
	want := map[string]string{"cpu": "7500m", "example.com/gpu": "8", "pods": "110"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("allocatable %v, want %v", got, want)
	}
	if !reflect.DeepEqual(node.Spec.Taints, []corev1.Taint{taint}) {
		t.Errorf("taints %v, want only %v", node.Spec.Taints, taint)
	}
	if node.Labels["kind"] != "gpu" || node.Labels[corev1.LabelHostname] != "big" {
		t.Errorf("labels %v", node.Labels)
	}
	if c := node.Status.Conditions; len(c) != 1 || c[0].Status != corev1.ConditionTrue {
		t.Errorf("conditions %v, want Ready", c)
	}
	bad := Node{Name: "bad", Allocatable: map[string]string{"cpu": "many"}}
	if _, err := p.CreateNode(ctx, bad); err == nil || !strings.Contains(err.Error(), `"many"`) {
		t.Errorf("a quantity that is none: %v", err)
	}

	if err := p.ApplyCRDs(ctx, []byte(widgets)); err != nil {
		t.Fatal(err)
	}
	if err := p.ApplyCRDs(ctx, []byte(widgets)); err != nil {
		t.Errorf("applied a second time: %v", err)
	}
	if out, err := p.Kubectl(ctx, "get", "widgets", "-o", "name"); err != nil || out != "" {
		t.Errorf("widgets are not served at once: %q (%v)", out, err)
	}
	wrong := strings.ReplaceAll(widgets, "plural: widgets", "plural: gadgets")
	if err := p.ApplyCRDs(ctx, []byte(wrong)); err == nil {
		t.Error("a definition whose name is not its plural was applied")
	}
	if err := p.ApplyCRDDir(ctx, t.TempDir()); err == nil {
		t.Error("an empty directory of definitions was applied")
	}
}

const widgets = `# a comment alone
---
apiVersion: v1
kind: ConfigMap
metadata: {name: passed-over}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
`

func TestControllerManagerMakesPodsOfAJob(t *testing.T) {
	p := startPlane(t, Options{ControllerManager: true, Audit: auditv1.LevelMetadata})
	job := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: "two"},
		Spec: batchv1.JobSpec{
			Parallelism: new(int32(2)),
			Completions: new(int32(2)),
			Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
				RestartPolicy: corev1.RestartPolicyNever,
				Containers:    []corev1.Container{{Name: "c", Image: "none"}},
			}},
		},
	}
	ctx := t.Context()
	jobs := p.Client.BatchV1().Jobs("default")
	if _, err := jobs.Create(ctx, job, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the Job has two pods", func() error {
		pods, err := p.Client.CoreV1().Pods("default").List(ctx, metav1.ListOptions{})
		if err == nil && len(pods.Items) != 2 {
			err = fmt.Errorf("it has %d", len(pods.Items))
		}
		return err
	})
	events, err := p.Audit()
	if err != nil {
		t.Fatal(err)
	}
	write := Write{ControllerManager, "create", "pods", ""}
	if counts := CountWrites(events); counts[write] != 2 {
		t.Errorf("the audit has %v, want 2 of %v", counts, write)
	}
	for _, verb := range []string{"create", "delete"} {
		out, err := p.Kubectl(ctx, verb, "namespace", "passing")
		if err != nil {
			t.Errorf("%s a namespace: %q, %v", verb, out, err)
		}
	}
}

func TestAuditReadsWhatIsComplete(t *testing.T) {
	log := `{"verb":"patch","user":{"username":"a"},"objectRef":{"resource":"pods"}}
{"verb":"create","user":{"username":"a"},"objectRef":{"resource":"pods","subresource":"binding"}}
{"verb":"post","user":{"username":"a"}}
{"verb":"patch","user":{"userna`
	events, err := readAudit(strings.NewReader(log))
	if err != nil || len(events) != 3 {
		t.Fatalf("%d events (%v), want the 3 complete ones", len(events), err)
	}
	want := map[Write]int{{"a", "patch", "pods", ""}: 1, {"a", "create", "pods", "binding"}: 1}
	if got := CountWrites(events); !reflect.DeepEqual(got, want) {
		t.Errorf("counted %v, want %v", got, want)
	}
	if _, err := readAudit(strings.NewReader("{}\nnonsense\n")); err == nil ||
		!strings.Contains(err.Error(), "line 2") {
		t.Errorf("a line that is no JSON: %v", err)
	}
	none := &Plane{Name: "none"}
	if _, err := none.Audit(); err == nil || !errors.Is(err, errNoAudit) {
		t.Errorf("a plane without an audit: %v", err)
	}
}
