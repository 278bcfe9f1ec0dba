// SPDX-License-Identifier: Apache-2.0

package check

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sluice/kube-scheduler/sluice"
)

// run checks files of testdata by the real library.
func run(t *testing.T, setup *Setup, files ...string) *Report {
	t.Helper()
	path := os.Getenv("SLUICE_LIB")
	if path == "" {
		path = "../../../build/sluice.so"
	}
	library, err := sluice.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	engine, err := library.Open(Configure(setup))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = engine.Close() }()
	for i := range files {
		files[i] = filepath.Join("testdata", files[i])
	}
	objects, err := ReadFiles(files, nil)
	if err != nil {
		t.Fatal(err)
	}
	report, err := Run(engine, setup, objects)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// TestEachRule shows each rule something to say it of.
func TestEachRule(t *testing.T) {
	report := run(t, Shipped(), "volcano.yaml", "kueue.yaml")
	said := map[string]bool{}
	of := func(r *rule) string { return r.Code + r.Page + r.Row + r.Why }
	for _, one := range report.Findings {
		t.Logf("%s %s %s=%s: %s; %s", one.Verdict, one.Objects, one.Field, one.Value, one.Why, one.Do)
		said[of(one.by)] = true
	}
	book, err := loadRules()
	if err != nil {
		t.Fatal(err)
	}
	for i := range book.Rules {
		if !said[of(&book.Rules[i])] {
			t.Errorf("nothing is said by the rule %q of %s, %q", book.Rules[i].Code,
				book.Rules[i].Page, book.Rules[i].Row)
		}
	}
}

func TestNothingToSay(t *testing.T) {
	for _, one := range run(t, Shipped(), "nothing.yaml").Findings {
		t.Errorf("%s %s %s=%s: %s", one.Verdict, one.Objects, one.Field, one.Value, one.Why)
	}
}

// has finds what is said of an object and a field.
func (r *Report) has(verdict Verdict, object, field, value, why string) bool {
	for _, one := range r.Findings {
		if one.Verdict == verdict && slices.Contains(one.Objects, object) && one.Field == field &&
			one.Value == value && strings.Contains(one.Why, why) {
			return true
		}
	}
	return false
}

// TestWords looks at findings in full: those of the engine, of the packages, and of rules.yaml.
func TestWords(t *testing.T) {
	report := run(t, Shipped(), "volcano.yaml", "kueue.yaml")
	for _, want := range []struct {
		verdict                   Verdict
		object, field, value, why string
	}{
		{Refused, "Queue/small", "", "", "capability"},
		{Refused, "Queue/negative", "spec.deserved[cpu]", "-1", "want an amount that is not negative"},
		{Refused, "PodGroup/default/below-zero", "", "", "minMember"},
		{Refused, "Job/default/train", "", "", "group-min-member"},
		{Refused, "ClusterQueue/team", "", "", "spec.admissionScope"},
		{Refused, "Workload/default/spread", "", "", "topology-aware scheduling"},
		{Refused, "Job/default/elastic", "", "", "workload slices"},
		{Ignored, "Queue/weighed", "spec.weight", "3", "shares are amounts (deserved)"},
		{Otherwise, "Queue/large", "cpu/default", "5", "above the limit of 4"},
		{Otherwise, "SchedulerConfiguration/volcano-system/volcano-scheduler-configmap",
			"plugins.drf", "drf", "nobody's share"},
		{Otherwise, "Job/default/elsewhere-", "spec.schedulerName", "other", "our profiles"},
		{Otherwise, "Deployment/default/web", "spec.schedulerName", "other", "our profiles"},
	} {
		if !report.has(want.verdict, want.object, want.field, want.value, want.why) {
			t.Errorf("it is not said: %v", want)
		}
	}
}

// TestSetup lets another configuration say otherwise.
func TestSetup(t *testing.T) {
	setup, err := ReadSetup([]byte(`{profiles: [{schedulerName: other,
		pluginConfig: [{name: Sluice, args: {preempt: true}}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	report := run(t, setup, "volcano.yaml")
	for _, one := range report.Findings {
		if one.Field == "actions.reclaim" {
			t.Errorf("with preempt: true it is said: %v", one)
		}
	}
	if report.has(Otherwise, "Deployment/default/web", "spec.schedulerName", "other", "") {
		t.Error("the profile's own scheduler is none of ours")
	}
	if _, err := ReadSetup([]byte("{profiles: [{schedulerName: other}]}")); err == nil ||
		!strings.Contains(err.Error(), "pluginConfig") {
		t.Errorf("a configuration without the plugin is read: %v", err)
	}
}
