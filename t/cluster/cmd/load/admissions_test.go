// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// eventOf is one of a workload of two pods of 500m each, with these conditions.
func eventOf(t *testing.T, kind, name string, conditions ...string) *workloadEvent {
	t.Helper()
	said := make([]string, len(conditions))
	for i, one := range conditions {
		said[i] = fmt.Sprintf(`{"type": %q, "status": "True"}`, one)
	}
	var event workloadEvent
	if err := json.Unmarshal(fmt.Appendf(nil, `{"type": %q, "object": {
		"metadata": {"uid": %q, "resourceVersion": "7", "labels": {%q: "small"}},
		"spec": {"podSets": [{"count": 2, "template": {"spec": {"containers": [
			{"resources": {"requests": {"cpu": "500m"}}}]}}}]},
		"status": {"conditions": [%s]}}}`, kind, name, classLabel, strings.Join(said, ", ")),
		&event); err != nil {
		t.Fatal(err)
	}
	return &event
}

// One of two is evicted after 10 s and runs again; what was in use counts while it ran.
func TestAdmissions(t *testing.T) {
	began := time.Now()
	a := &admissions{began: began, workloads: map[types.UID]*workloadLife{}}
	for _, step := range []struct {
		second     int
		name       string
		conditions []string
	}{
		{0, "a", nil},
		{1, "a", []string{"Admitted"}},
		{2, "b", nil},
		{11, "a", []string{"Admitted", "Evicted"}},
		{12, "a", []string{"Evicted"}},
		{13, "b", []string{"Admitted"}},
		{14, "a", []string{"Admitted"}},
		{20, "b", []string{"Admitted", "Finished"}},
		{24, "a", []string{"Admitted", "Finished"}},
	} {
		a.see(eventOf(t, "MODIFIED", step.name, step.conditions...),
			began.Add(time.Duration(step.second)*time.Second))
	}
	of := a.byClass()["small"]
	if of.count != 2 || of.evictions != 1 || of.toAdmitted != (14+11)*time.Second/2 {
		t.Errorf("two workloads, one of them evicted: %+v", of)
	}
	// a: 11 s and 10 s, b: 7 s, of one cpu each.
	if use := a.meanUse(); use < 1166 || use > 1167 || a.haveEnded() != 2 {
		t.Errorf("28 cpu seconds in 24 s: %.1f thousandths; %d ended", use, a.haveEnded())
	}
}

// Who is deleted while it runs uses nothing any more.
func TestAdmissionsOfADeletedOne(t *testing.T) {
	a := &admissions{began: time.Now(), workloads: map[types.UID]*workloadLife{}}
	a.see(eventOf(t, "ADDED", "a", "Admitted"), a.began)
	a.see(eventOf(t, "DELETED", "a", "Admitted"), a.began.Add(time.Second))
	if a.running != 0 || a.haveEnded() != 0 {
		t.Errorf("%d thousandths run, %d ended", a.running, a.haveEnded())
	}
}

func TestSizeOf(t *testing.T) {
	if size, err := sizeOf("one-cohort.yaml"); err != nil || size.workloads != 3000 ||
		size.quota != 6*20*1000 {
		t.Errorf("one cohort of six queues of 20 cpu, 3,000 workloads: %+v, %v", size, err)
	}
	none := filepath.Join(t.TempDir(), "none.yaml")
	if err := os.WriteFile(none, []byte("cohorts: [{count: 2}]"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := sizeOf(none); err == nil || !strings.Contains(err.Error(), "0 workloads") {
		t.Errorf("of a configuration that makes none: %v", err)
	}
}
