// SPDX-License-Identifier: Apache-2.0

package native

import (
	"fmt"
	"net/http"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"sluice/cluster/plane"
	"sluice/cluster/shipped"
)

// spec is that of a group below another one ("": of the topmost), with a gang's minimum.
func (s *tale) spec(parent, minimum string, count int) object {
	spec := object{
		"workloadRef":      object{"workloadName": "w", "templateName": "t"},
		"schedulingPolicy": object{"gang": object{minimum: int64(count)}},
	}
	if parent != "" {
		spec["parentCompositePodGroupName"] = parent
	}
	return spec
}

func (s *tale) composite(name, parent string, minimum int) {
	s.Helper()
	s.create(s.groups.CompositeResource(), s.name, object{"kind": "CompositePodGroup",
		"metadata": object{"name": name}, "spec": s.spec(parent, "minGroupCount", minimum)})
}

func (s *tale) below(parent, name string, minimum int) {
	s.Helper()
	s.create(s.groups.Resource(), s.name, object{"kind": "PodGroup", "metadata": object{"name": name},
		"spec": s.spec(parent, "minCount", minimum)})
}

// Two replicas of a leader and two workers are one claim: no pod of them is seen by an autoscaler
// before all of them have room, and then all of them run.
func TestComposite(t *testing.T) {
	c := leading(t, plan{overlay: "on-bind", server: true, scheduler: true, composites: true})
	t.Run("replicas", func(t *testing.T) {
		s := c.in(t, 4, 6)
		s.pods("leader-0", "l0")
		s.pods("workers-0", "w0", "w1")
		s.held("l0", "w0", "w1")
		for _, replica := range []string{"0", "1"} {
			s.below("replica-"+replica, "leader-"+replica, 1)
			s.below("replica-"+replica, "workers-"+replica, 2)
			s.composite("replica-"+replica, "top", 2)
		}
		s.composite("top", "", 2)
		s.held("l0", "w0", "w1")
		s.pods("leader-1", "l1")
		s.pods("workers-1", "w2", "w3")
		s.held("l0", "l1", "w0", "w1", "w2", "w3")
		s.ceiling(6)
		s.bound("l0", "l1", "w0", "w1", "w2", "w3")
		s.neverSpurious("l0", "l1", "w0", "w1", "w2", "w3")
		s.allSay("True", "QuotaReserved")
		s.writtenAlike("top")
	})
	// Before there is room all of it says what it waits for; so does a group that comes late.
	t.Run("told", func(t *testing.T) {
		s := c.in(t, 1, 2)
		s.composite("top", "", 1)
		s.below("top", "a", 2)
		s.pods("a", "a0", "a1")
		s.allSay("False", "NeverFits")
		s.below("top", "b", 1)
		s.allSay("False", "NeverFits")
		s.ceiling(2)
		s.bound("a0", "a1")
		s.allSay("True", "QuotaReserved")
		s.writtenAlike("top")
	})
	t.Run("nonodes", func(t *testing.T) {
		s := c.in(t, 2, 1)
		s.composite("top", "", 2)
		s.below("top", "a", 1)
		s.below("top", "b", 1)
		s.pods("a", "a0")
		s.pods("b", "b0")
		s.allUnschedulable("a0", "b0")
		s.addNode()
		s.bound("a0", "b0")
	})
}

// allSay waits until our condition says this in every group of the story.
func (s *tale) allSay(status, reason string) {
	s.Helper()
	s.until("all groups say "+reason, func() error {
		for _, resource := range []schema.GroupVersionResource{s.groups.Resource(),
			s.groups.CompositeResource()} {
			list, err := s.custom.Resource(resource).Namespace(s.name).List(s.Context(),
				metav1.ListOptions{})
			if err != nil {
				return err
			}
			for i := range list.Items {
				one := ours(&list.Items[i])
				if one["status"] != status || one["reason"] != reason {
					return fmt.Errorf("%s says %v", list.Items[i].GetName(), one)
				}
			}
		}
		return nil
	})
}

// writtenAlike: no status of a group was written more often than that of the topmost one, which
// comes last: where one of them has changed meanwhile, the next attempt may have something else to
// say. Into a PodGroup the stock scheduler, whose account is the same, writes once that it was
// scheduled.
func (s *tale) writtenAlike(top string) {
	s.Helper()
	events, err := s.Audit()
	if err != nil {
		s.Fatal(err)
	}
	conflicts, counts, resources := 0, map[string]int{}, map[string]string{}
	account := plane.ServiceAccountUser(shipped.Namespace, shipped.Name).Name
	for i := range events {
		of := events[i].ObjectRef
		if of == nil || of.APIGroup != "scheduling.k8s.io" || of.Subresource != "status" ||
			of.Namespace != s.name || events[i].User.Username != account {
			continue
		}
		switch is := events[i].ResponseStatus; {
		case is == nil || is.Code < 400:
			counts[of.Name]++
			resources[of.Name] = of.Resource
		case is.Code == http.StatusConflict: // its scheduler had written it meanwhile
			conflicts++
		default:
			s.Errorf("the status of %s could not be written: %s", of.Name, is.Message)
		}
	}
	s.Logf("the statuses of groups were written so often: %v, and %d times in vain", counts,
		conflicts)
	for name, count := range counts {
		most := counts[top] + conflicts
		if resources[name] == s.groups.Resource().Resource {
			most++
		}
		if count > most {
			s.Errorf("that of %s was written %d times, and that of %s %d times", name, count, top,
				counts[top])
		}
	}
}
