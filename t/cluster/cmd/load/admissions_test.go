// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
)

// workloadText is a workload of two pods of 500m each, with these conditions.
func workloadText(name string, conditions ...string) string {
	said := make([]string, len(conditions))
	for i, one := range conditions {
		said[i] = fmt.Sprintf(`{"type": %q, "status": "True"}`, one)
	}
	return fmt.Sprintf(`{"metadata": {"uid": %q, "resourceVersion": "7", "labels": {%q: "small"}},
		"spec": {"podSets": [{"count": 2, "template": {"spec": {"containers": [
			{"resources": {"requests": {"cpu": "500m"}}}]}}}]},
		"status": {"conditions": [%s]}}`, name, classLabel, strings.Join(said, ", "))
}

func workloadOf(t *testing.T, name string, conditions ...string) *watchedWorkload {
	t.Helper()
	var workload watchedWorkload
	if err := json.Unmarshal([]byte(workloadText(name, conditions...)), &workload); err != nil {
		t.Fatal(err)
	}
	return &workload
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
		a.see(workloadOf(t, step.name, step.conditions...), false,
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
	a.see(workloadOf(t, "a", "Admitted"), false, a.began)
	a.see(workloadOf(t, "a", "Admitted"), true, a.began.Add(time.Second))
	if a.running != 0 || a.haveEnded() != 0 {
		t.Errorf("%d thousandths run, %d ended", a.running, a.haveEnded())
	}
}

// A server that has forgotten what came next says so in the stream: the watch begins with all that
// there is. One that is busy is asked again for what came next.
func TestAdmissionsOfAWatchThatEnds(t *testing.T) {
	answers := []struct {
		code  int
		text  string
		asked string // version
	}{
		{200, `{"type": "ADDED", "object": ` + workloadText("a") + `}
			{"type": "ERROR", "object": {"kind": "Status", "status": "Failure", "code": 410,
				"reason": "Expired", "message": "too old resource version: 7 (9)"}}`, "0"},
		{200, `{"type": "ADDED", "object": ` + workloadText("a", "Admitted") + `}`, "0"},
		{429, `{"kind": "Status", "status": "Failure", "code": 429,
			"reason": "TooManyRequests"}`, "7"},
		{200, `{"type": "MODIFIED", "object": ` + workloadText("a", "Admitted", "Finished") + `}`,
			"7"},
	}
	var next atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i := int(next.Add(1)) - 1
		if i >= len(answers) {
			<-r.Context().Done()
			return
		}
		if version := r.URL.Query().Get("resourceVersion"); version != answers[i].asked {
			t.Errorf("watch %d is from %q, not from %q", i, version, answers[i].asked)
		}
		w.WriteHeader(answers[i].code)
		_, _ = w.Write([]byte(answers[i].text))
	}))
	defer server.Close()
	ctx, end := context.WithTimeout(t.Context(), time.Minute)
	defer end()
	failed := make(chan error, 1)
	a, err := watchAdmissions(ctx, &rest.Config{Host: server.URL}, failed)
	if err != nil {
		t.Fatal(err)
	}
	for a.haveEnded() == 0 {
		select {
		case err := <-failed:
			t.Fatal(err)
		case <-ctx.Done():
			t.Fatalf("%d watches, and no end of the workload", next.Load())
		case <-time.After(10 * time.Millisecond):
		}
	}
	if of := a.byClass()["small"]; of.count != 1 || a.timesBegunAnew() != 1 {
		t.Errorf("one workload, and one gap: %+v, %d", of, a.timesBegunAnew())
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
