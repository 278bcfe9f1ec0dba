// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const (
	workloadTexts = "reserved admitted evicted finished signal active running count flavor " +
		"evictions writes requeues state hold why position priority victims clusterQueue backoff"
	workloadMaps = "flavors gates checks retries reasons"
	localTexts   = "active reason waiting reserving admitted"
	// What only the scheduler's process can tell.
	workloadEngineKeys = "state hold why position priority victims clusterQueue"
)

func isWorkload(ref string) bool { return isOf(ref, "workload", "localqueue") }

func commas(words string) string { return strings.Join(strings.Fields(words), ", ") }

func checkWorkloadField(ofLocal bool, field Pair) error {
	texts, maps := workloadTexts, workloadMaps
	if ofLocal {
		texts, maps = localTexts, ""
	}
	isMap := contains(maps, field.Key)
	switch {
	case !isMap && !contains(texts, field.Key):
		return field.Value.Say("%s cannot be expected, want one of %s", field.Key,
			commas(texts+" "+maps))
	case !isMap && field.Value.Type != Text:
		return field.Value.At("text, \"*\" or \"!text\" (a list is \"a, b\")")
	case isMap && field.Value.Type != Map:
		return field.Value.At("a map")
	case isMap:
		return checkTexts(field.Value)
	}
	return nil
}

// conditions that an expectation names by a word.
var workloadConditions = map[string]string{
	"reserved": "QuotaReserved", "admitted": "Admitted", "evicted": "Evicted",
	"finished": "Finished", "signal": "BlockedOnPreemptionGates",
}

// ofWorkload is what is seen of a Workload where an expectation names it.
func (l *sight) ofWorkload(one *workload, key, inner string) string {
	if kind := workloadConditions[key]; kind != "" {
		return strconv.FormatBool(conditionIs(one.now, kind))
	}
	status := child(one.now.Object, "status")
	switch key {
	case "reasons":
		return conditionOf(one.now, inner, "reason")
	case "flavors":
		return one.flavors(inner)
	case "gates":
		position, _ := named(list(status, "preemptionGates"), "name", inner)["position"].(string)
		return position
	case "checks":
		state, _ := named(list(status, "admissionChecks"), "name", inner)["state"].(string)
		return state
	case "retries":
		if count, is := named(list(status, "admissionChecks"), "name",
			inner)["retryCount"].(int64); is {
			return number(count)
		}
		return ""
	case "active":
		return strconv.FormatBool(one.isActive())
	case "running":
		return strconv.FormatBool(one.job == jobRuns || one.job == jobStops)
	case "count":
		return number(one.count())
	case "flavor":
		return one.flavors("")
	case "evictions":
		return number(one.evictions)
	case "writes":
		return number(l.t.host.writesTo(one.ref))
	case "requeues":
		count, _, _ := unstructured.NestedInt64(status, "requeueState", "count")
		return number(count)
	case "backoff":
		at, _, _ := unstructured.NestedString(status, "requeueState", "requeueAt")
		return strconv.FormatBool(at != "")
	}
	return ofWorkloadsEngine(l.engineOfWorkload(one), key)
}

func (l *sight) engineOfWorkload(one *workload) answer {
	found, ok := l.workloads[one.ref]
	if !ok {
		_, namespace, name := SplitRef(one.ref)
		found = l.ask("workload", url.Values{"namespace": {namespace}, "name": {name}})
		l.workloads[one.ref] = found
	}
	return found
}

func ofWorkloadsEngine(seen answer, key string) string {
	switch key {
	case "position", "priority":
		return number(seen.number(key))
	case "victims":
		var names []string
		rows, _ := seen["victims"].([]any)
		for _, each := range rows {
			victim, _ := each.(map[string]any)
			names = append(names, answer(victim).text("name", ""))
		}
		return strings.Join(names, ", ")
	case "hold":
		key = "reason"
	case "why":
		key = "message"
	}
	return seen.text(key, "unknown")
}

// ofLocal is what is seen of a LocalQueue.
func (l *sight) ofLocal(ref, key string) string {
	found, ok := l.workloads[ref]
	if !ok {
		_, namespace, name := SplitRef(ref)
		found = l.ask("localQueue", url.Values{"namespace": {namespace}, "name": {name}})
		l.workloads[ref] = found
	}
	switch {
	case found == nil:
		return "gone"
	case key == "active":
		return strconv.FormatBool(found.truth(key))
	case key == "reason":
		return found.text(key, "")
	}
	return number(found.number(key))
}

// workload compares what an expectation says of one Workload or LocalQueue.
func (c *comparison) workload(ref string, want *Tree) {
	one := c.sight.t.workloads[ref]
	ofLocal := isOf(ref, "localqueue")
	isThere := one != nil && one.now != nil || ofLocal && c.sight.t.objects[ref]
	if want.Type == Text {
		if isThere {
			c.add(want, ref, "", "gone", "there")
		}
		return
	}
	see := func(key, inner string) string {
		switch {
		case ofLocal:
			return c.sight.ofLocal(ref, key)
		case !isThere:
			return "gone"
		}
		return c.sight.ofWorkload(one, key, inner)
	}
	for _, field := range want.Pairs {
		if field.Value.Type != Map {
			if seen := see(field.Key, ""); !isLike(field.Value.Text, seen) {
				c.add(field.Value, ref, field.Key, field.Value.Text, seen)
			}
			continue
		}
		for _, inner := range field.Value.Pairs {
			if seen := see(field.Key, inner.Key); !isLike(inner.Value.Text, seen) {
				c.add(inner.Value, ref, fmt.Sprintf("%s %s", field.Key, inner.Key),
					inner.Value.Text, seen)
			}
		}
	}
}

// sawWorkloadState looks for what must never be in a state of a Workload that the API server tells.
func (e *expectations) sawWorkloadState(t *telling, ref string) {
	for _, step := range t.s.Steps {
		if step.Never == nil || e.nevers[step] != "" {
			continue
		}
		for _, entry := range step.Never.Pairs {
			if entry.Key != ref || entry.Value.Type != Map || asksEngineOfWorkload(entry.Value) {
				continue
			}
			c := comparison{sight: t.newSight()}
			if c.workload(ref, entry.Value); len(c.differ) == 0 {
				e.noteNever(step, ref, t.clock.Now())
			}
		}
	}
}

func asksEngineOfWorkload(want *Tree) bool {
	for _, field := range want.Pairs {
		if contains(workloadEngineKeys, field.Key) {
			return true
		}
	}
	return false
}
