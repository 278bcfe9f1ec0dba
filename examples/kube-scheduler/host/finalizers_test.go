// SPDX-License-Identifier: Apache-2.0

package host

import (
	"maps"
	"slices"
	"testing"

	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
)

func TestFinalizers(t *testing.T) {
	const mark, other = kueue.ResourceInUseFinalizerName, "example.com/other"
	for name, one := range map[string]struct {
		has         []string
		going, used bool
		want        []string
	}{
		"new":                   {nil, false, false, []string{mark}},
		"new, of others too":    {[]string{other}, false, true, []string{other, mark}},
		"known":                 {[]string{mark, other}, false, false, []string{mark, other}},
		"deleted in use":        {[]string{mark}, true, true, []string{mark}},
		"deleted":               {[]string{mark, other}, true, false, []string{other}},
		"deleted, not for long": {[]string{other}, true, true, []string{other}},
	} {
		got := finalizers(one.has, one.going, func() bool { return one.used })
		if !slices.Equal(got, one.want) {
			t.Errorf("%s: %v, want %v", name, got, one.want)
		}
	}
}

func TestWhatAQueueNames(t *testing.T) {
	flavors, checks := map[string]bool{}, map[string]bool{}
	named(&kueue.ClusterQueue{Spec: kueue.ClusterQueueSpec{
		ResourceGroups: []kueue.ResourceGroup{
			{Flavors: []kueue.FlavorQuotas{{Name: "a"}, {Name: "b"}}},
			{Flavors: []kueue.FlavorQuotas{{Name: "c"}}}},
		AdmissionChecksStrategy: &kueue.AdmissionChecksStrategy{
			AdmissionChecks: []kueue.AdmissionCheckStrategyRule{{Name: "k"}}},
	}}, flavors, checks)
	if got := slices.Sorted(maps.Keys(flavors)); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("flavors: %v", got)
	}
	if got := slices.Sorted(maps.Keys(checks)); !slices.Equal(got, []string{"k"}) {
		t.Errorf("checks: %v", got)
	}
}
