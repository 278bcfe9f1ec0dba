// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
)

var jobs = schema.GroupKind{Group: "batch", Kind: "Job"}

// The hash was computed by sha1sum of kind, group, name and uid, a line each.
func TestName(t *testing.T) {
	const uid = "8c1b6e0a-0000-4000-8000-000000000001"
	if name := Name("sample", uid, jobs); name != "job-sample-748c3" {
		t.Errorf("the name is %q", name)
	}
	long := Name(strings.Repeat("a", 253), uid, jobs)
	if len(long) != 253 || long[247] != '-' {
		t.Errorf("a long name has %d bytes: %q", len(long), long)
	}
}

func list(pairs ...string) v1.ResourceList {
	list := v1.ResourceList{}
	for i := 0; i < len(pairs); i += 2 {
		list[v1.ResourceName(pairs[i])] = resource.MustParse(pairs[i+1])
	}
	return list
}

func podSet(requests, limits v1.ResourceList) *kueue.PodSet {
	return &kueue.PodSet{Name: "main", Count: 3, Template: v1.PodTemplateSpec{Spec: v1.PodSpec{
		Containers: []v1.Container{{Name: "c", Resources: v1.ResourceRequirements{
			Requests: requests, Limits: limits}}}}}}
}

func TestRequests(t *testing.T) {
	class := "gvisor"
	ranges := []*v1.LimitRange{{Spec: v1.LimitRangeSpec{Limits: []v1.LimitRangeItem{{
		Type: v1.LimitTypeContainer, DefaultRequest: list("cpu", "100m"),
		Default: list("cpu", "3", "memory", "1Gi"), Max: list("cpu", "4"), Min: list("cpu", "50m"),
	}}}}}
	defaults := &Defaults{Ranges: ranges, Overhead: func(name string) v1.ResourceList {
		if name != class {
			t.Errorf("asked for class %q", name)
		}
		return list("cpu", "250m")
	}}
	near := &Defaults{Ranges: []*v1.LimitRange{{Spec: v1.LimitRangeSpec{Limits: []v1.LimitRangeItem{{
		Type: v1.LimitTypeContainer, MaxLimitRequestRatio: list("cpu", "2")}}}}}}
	for name, one := range map[string]struct {
		defaults         *Defaults
		requests, limits v1.ResourceList
		class            *string
		want             v1.ResourceList
		wrong            string
	}{
		"what is written": {&Defaults{}, list("cpu", "2"), nil, nil, list("cpu", "2"), ""},
		"limits serve as requests": {&Defaults{}, list("cpu", "1"), list("cpu", "2", "memory", "1Gi"),
			nil, list("cpu", "1", "memory", "1Gi"), ""},
		"a range gives both": {defaults, nil, nil, nil, list("cpu", "100m", "memory", "1Gi"), ""},
		"a range fills the gaps": {defaults, list("cpu", "2"), nil, nil,
			list("cpu", "2", "memory", "1Gi"), ""},
		"overhead": {defaults, list("cpu", "2"), nil, &class, list("cpu", "2250m", "memory", "1Gi"), ""},
		"above the range": {defaults, list("cpu", "5"), list("cpu", "6"), nil,
			list("cpu", "5", "memory", "1Gi"), "more cpu than a LimitRange allows"},
		"below the range": {defaults, list("cpu", "10m"), nil, nil,
			list("cpu", "10m", "memory", "1Gi"), "less cpu than a LimitRange wants"},
		"twice is near enough": {near, list("cpu", "1"), list("cpu", "2"), nil, list("cpu", "1"), ""},
		"just twice": {near, list("cpu", "1100m"), list("cpu", "2200m"), nil,
			list("cpu", "1100m"), ""},
		"too far from its limit": {near, list("cpu", "1"), list("cpu", "2100m"), nil,
			list("cpu", "1"), "its limit of cpu is further above"},
		"no limit at all": {near, list("cpu", "1"), nil, nil, list("cpu", "1"),
			"its limit of cpu is further above"},
		"above its own limit": {&Defaults{}, list("cpu", "3"), list("cpu", "2"), nil,
			list("cpu", "3"), "above its limit"},
	} {
		t.Run(name, func(t *testing.T) {
			set := podSet(one.requests, one.limits)
			set.Template.Spec.RuntimeClassName = one.class
			before := set.DeepCopy()
			spec := one.defaults.Spec(set)
			got := Requests(spec)
			if len(got) != len(one.want) {
				t.Errorf("requests %v, want %v", got, one.want)
			}
			for key, want := range one.want {
				if is := got[key]; is.Cmp(want) != 0 {
					t.Errorf("%s: %s, want %s", key, is.String(), want.String())
				}
			}
			if wrong := one.defaults.Wrong(spec); !strings.Contains(wrong, one.wrong) ||
				(wrong == "") != (one.wrong == "") {
				t.Errorf("wrong is %q, want %q", wrong, one.wrong)
			}
			if !reflect.DeepEqual(set, before) {
				t.Error("the pod set was changed")
			}
		})
	}
}

// What a pod asks for as a whole stands above what its containers do.
func TestRequestsOfAWholePod(t *testing.T) {
	for wrong, whole := range map[string]v1.ResourceRequirements{
		"": {Limits: list("cpu", "2")},
		"the pod: its request of cpu is above its limit": {Requests: list("cpu", "2"),
			Limits: list("cpu", "1")},
	} {
		set := podSet(list("cpu", "500m", "memory", "1Gi"), nil)
		set.Template.Spec.Resources = &whole
		spec := (&Defaults{}).Spec(set)
		got := Requests(spec)
		if cpu, memory := got["cpu"], got["memory"]; cpu.Value() != 2 || memory.Value() != 1<<30 {
			t.Errorf("requests are %v", got)
		}
		if is := (&Defaults{}).Wrong(spec); is != wrong {
			t.Errorf("wrong is %q, want %q", is, wrong)
		}
	}
}

// An init container that goes on beside the others counts with them, any other one before them.
func TestRequestsOfInitContainers(t *testing.T) {
	always := v1.ContainerRestartPolicyAlways
	of := func(cpu string, policy *v1.ContainerRestartPolicy) v1.Container {
		return v1.Container{RestartPolicy: policy,
			Resources: v1.ResourceRequirements{Limits: list("cpu", cpu)}}
	}
	for want, first := range map[string]v1.Container{"3": of("3", nil), "1500m": of("1", &always)} {
		set := podSet(list("cpu", "500m"), nil)
		set.Template.Spec.InitContainers = []v1.Container{first}
		got := Requests((&Defaults{}).Spec(set))["cpu"]
		if got.String() != want {
			t.Errorf("with %v it asks for %s, want %s", first, got.String(), want)
		}
	}
}

func admitted() *kueue.Workload {
	count := int32(2)
	return &kueue.Workload{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "job-sample"},
		Spec: kueue.WorkloadSpec{QueueName: "user", PodSets: []kueue.PodSet{
			*podSet(list("cpu", "1"), nil)}},
		Status: kueue.WorkloadStatus{Admission: &kueue.Admission{ClusterQueue: "team",
			PodSetAssignments: []kueue.PodSetAssignment{{Name: "main", Count: &count,
				Flavors: map[v1.ResourceName]kueue.ResourceFlavorReference{
					"cpu": "spot", "memory": "spot"}}}}},
	}
}

func spot(name string) *kueue.ResourceFlavor {
	if name != "spot" {
		return nil
	}
	return &kueue.ResourceFlavor{Spec: kueue.ResourceFlavorSpec{
		NodeLabels: map[string]string{"kind": "spot"},
		Tolerations: []v1.Toleration{{Key: "spot", Operator: v1.TolerationOpExists,
			Effect: v1.TaintEffectNoSchedule}}}}
}

func TestPlacement(t *testing.T) {
	w := admitted()
	w.Status.AdmissionChecks = []kueue.AdmissionCheckState{{Name: "check",
		PodSetUpdates: []kueue.PodSetUpdate{{Name: "main", Annotations: map[string]string{"a": "b"}}}}}
	placements, err := Placements(w, spot)
	if err != nil || len(placements) != 1 || placements[0].Count != 2 {
		t.Fatalf("%v, %v", placements, err)
	}
	template := podSet(list("cpu", "1"), nil).Template
	template.Spec.Tolerations = []v1.Toleration{{Key: "mine", Operator: v1.TolerationOpExists}}
	original := Original("main", 3, &template)
	before := template.DeepCopy()
	if err := placements[0].Into(&template); err != nil {
		t.Fatal(err)
	}
	wantLabels := map[string]string{"kueue.x-k8s.io/podset": "main",
		"kueue.x-k8s.io/local-queue-name": "user", "kueue.x-k8s.io/cluster-queue-name": "team"}
	wantNotes := map[string]string{"kueue.x-k8s.io/workload": "job-sample", "a": "b"}
	if !reflect.DeepEqual(template.Labels, wantLabels) ||
		!reflect.DeepEqual(template.Annotations, wantNotes) ||
		!reflect.DeepEqual(template.Spec.NodeSelector, map[string]string{"kind": "spot"}) ||
		len(template.Spec.Tolerations) != 2 || template.Spec.Tolerations[0].Key != "mine" {
		t.Errorf("the template has %v, %v, %v, %v", template.Labels, template.Annotations,
			template.Spec.NodeSelector, template.Spec.Tolerations)
	}
	again := template.DeepCopy()
	if err := placements[0].Into(again); err != nil || !reflect.DeepEqual(again, &template) {
		t.Errorf("written twice it is another: %v", err)
	}
	original.Restore(&template)
	if !reflect.DeepEqual(&template, before) {
		t.Errorf("restored it is %v, want %v", template, before)
	}
}

func TestPlacementThatClashes(t *testing.T) {
	placements, err := Placements(admitted(), spot)
	if err != nil {
		t.Fatal(err)
	}
	template := podSet(nil, nil).Template
	template.Spec.NodeSelector = map[string]string{"kind": "reserved"}
	before := template.DeepCopy()
	var clash *Clash
	if err := placements[0].Into(&template); !errors.As(err, &clash) || clash.Key != "kind" {
		t.Errorf("the error is %v", err)
	}
	if !reflect.DeepEqual(&template, before) {
		t.Error("after an error the template is another")
	}
	none := func(string) *kueue.ResourceFlavor { return nil }
	if _, err := Placements(admitted(), none); err == nil {
		t.Error("a flavor that does not exist places pods")
	}
}

// Who is gated is supported, and says who gates it.
func TestWhoGates(t *testing.T) {
	w := admitted()
	if said := Gates(w); said != "" {
		t.Errorf("nobody gates it, and it says %q", said)
	}
	w.Annotations = map[string]string{AdmissionGatedBy: "a,b"}
	if said := Gates(w); said != "Admission is gated by: a,b" || Unsupported(w) != "" {
		t.Errorf("it says %q and %q", said, Unsupported(w))
	}
}

func TestScope(t *testing.T) {
	yes, level, index := true, "rack", "batch.kubernetes.io/job-completion-index"
	for name, one := range map[string]struct {
		change func(*kueue.Workload)
		want   string
	}{
		"plain": {func(*kueue.Workload) {}, ""},
		"only a label": {func(w *kueue.Workload) {
			w.Spec.PodSets[0].TopologyRequest = &kueue.PodSetTopologyRequest{PodIndexLabel: &index}
		}, ""},
		"topology": {func(w *kueue.Workload) {
			w.Spec.PodSets[0].TopologyRequest = &kueue.PodSetTopologyRequest{Required: &level}
		}, "topology-aware"},
		"anywhere": {func(w *kueue.Workload) {
			w.Spec.PodSets[0].TopologyRequest = &kueue.PodSetTopologyRequest{Unconstrained: &yes}
		}, "topology-aware"},
		"a group of two pod sets": {func(w *kueue.Workload) {
			w.Spec.PodSets = append(w.Spec.PodSets, w.Spec.PodSets[0])
			for i := range w.Spec.PodSets {
				w.Spec.PodSets[i].TopologyRequest = &kueue.PodSetTopologyRequest{
					PodSetGroupName: &level}
			}
		}, "podSetGroupName"},
		"a group of one": {func(w *kueue.Workload) {
			w.Spec.PodSets[0].TopologyRequest = &kueue.PodSetTopologyRequest{
				PodSetGroupName: &level}
		}, ""},
		"slices": {func(w *kueue.Workload) {
			w.Annotations = map[string]string{ElasticAnnotation: "true"}
		}, "slices"},
		"devices": {func(w *kueue.Workload) {
			w.Spec.PodSets[0].Template.Spec.ResourceClaims = []v1.PodResourceClaim{
				{Name: "gpu", ResourceClaimTemplateName: new("gpu")}}
		}, ""},
		"a claim that is shared": {func(w *kueue.Workload) {
			w.Spec.PodSets[0].Template.Spec.ResourceClaims = []v1.PodResourceClaim{
				{Name: "gpu", ResourceClaimName: new("gpu")}}
		}, "resourceClaimTemplateName"},
	} {
		t.Run(name, func(t *testing.T) {
			w := admitted()
			one.change(w)
			if got := Unsupported(w); !strings.Contains(got, one.want) || (got == "") != (one.want == "") {
				t.Errorf("it says %q, want %q", got, one.want)
			}
		})
	}
}
