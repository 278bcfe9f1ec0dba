// SPDX-License-Identifier: Apache-2.0

package facts

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"sluice/kube-scheduler/sluice"
)

func compositeOf(spec map[string]any) *unstructured.Unstructured {
	group := native(spec)
	group.SetAPIVersion(NativeGroups + "/v1alpha3")
	group.SetKind(KindCompositeGroup)
	return group
}

func policy(kind string, spec map[string]any) map[string]any {
	return map[string]any{"schedulingPolicy": map[string]any{kind: spec}}
}

func TestCompositeGroup(t *testing.T) {
	var got sluice.Group
	least := policy("gang", map[string]any{"minGroupCount": int64(2)})
	if err := CompositeGroup(compositeOf(least), &got); err != nil {
		t.Fatal(err)
	}
	if !got.Native || !got.Composite || got.MinMember != 2 || !got.GoesWhole {
		t.Errorf("a gang of groups is %+v", got)
	}
	if err := CompositeGroup(compositeOf(policy("basic", map[string]any{})), &got); err != nil {
		t.Fatal(err)
	}
	if got.MinMember != 0 || got.GoesWhole {
		t.Errorf("a basic one is %+v", got)
	}
	wrong := policy("gang", map[string]any{"minGroupCount": "two"})
	err := CompositeGroup(compositeOf(wrong), &got)
	if err == nil || !strings.Contains(err.Error(), "CompositePodGroup.scheduling.k8s.io/ns/g") ||
		!strings.Contains(err.Error(), "two") {
		t.Errorf("of what cannot be read is said %v", err)
	}
}

func TestGroupPart(t *testing.T) {
	part, whole := GroupPart(native(gang(int64(3))), 2)
	same(t, part, sluice.GroupPart{Name: "g", Depth: 2, MinMember: 3})
	if !whole {
		t.Error("a gang may be evicted in part")
	}
	part, whole = GroupPart(native(policy("basic", map[string]any{})), 1)
	same(t, part, sluice.GroupPart{Name: "g", Depth: 1})
	if whole {
		t.Error("a basic one goes whole")
	}
	all := policy("basic", map[string]any{})
	all["disruptionMode"] = map[string]any{"all": map[string]any{}}
	part, whole = GroupPart(compositeOf(all), 1)
	same(t, part, sluice.GroupPart{Name: "g", Depth: 1, Composite: true})
	if !whole {
		t.Error("disruptionMode all is not seen")
	}
}

func TestParentGroup(t *testing.T) {
	group := native(gang(int64(1)))
	if parent := ParentGroup(group); parent != "" {
		t.Errorf("it is below %q", parent)
	}
	group.Object["spec"].(map[string]any)["parentCompositePodGroupName"] = "top"
	if parent := ParentGroup(group); parent != "top" {
		t.Errorf("it is below %q", parent)
	}
}
