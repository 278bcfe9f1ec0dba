// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"sluice/cluster/faults"
)

type action func(t *telling, value *Tree) error

var actions = map[string]action{
	"apply": func(t *telling, value *Tree) error {
		return t.forEach(value, func(where *Tree, doc, ref string) error {
			return t.apply(where, t.s.Documents[doc], ref)
		})
	},
	"delete": func(t *telling, value *Tree) error {
		return t.forEach(value, func(where *Tree, _, ref string) error {
			return t.delete(where, ref)
		})
	},
	"complete": func(t *telling, value *Tree) error {
		return t.forEach(value, func(where *Tree, _, ref string) error {
			return t.end(where, ref, corev1.PodSucceeded)
		})
	},
	"fail": func(t *telling, value *Tree) error {
		return t.forEach(value, func(where *Tree, _, ref string) error {
			return t.end(where, ref, corev1.PodFailed)
		})
	},
	"patch": func(t *telling, value *Tree) error {
		for _, pair := range value.Pairs {
			if err := t.patch(pair.Value, pair.Key); err != nil {
				return err
			}
		}
		return nil
	},
	"command": func(t *telling, value *Tree) error {
		for _, pair := range value.Pairs {
			if err := t.command(pair); err != nil {
				return err
			}
		}
		return nil
	},
	"refuse":  (*telling).refuse,
	"restart": (*telling).restart,
	"leader":  (*telling).leader,
	"clock": func(t *telling, value *Tree) error {
		by, err := value.AsDuration()
		t.clock.Skew(by)
		t.tell("every clock jumps by %v", by)
		return err
	},
	"fault": (*telling).startFault,
	"gate":  (*telling).gate,
	"check": (*telling).check,
	"say": func(t *telling, value *Tree) error {
		t.tell("-- %s", strings.Join(strings.Fields(value.Text), " "))
		return nil
	},
}

// do does what a step says, in the order in which it says it; expectations apart.
func (t *telling) do(step *Step) error {
	for _, pair := range step.Tree.Pairs {
		act := actions[pair.Key]
		if act == nil {
			continue
		}
		if err := act(t, pair.Value); err != nil {
			return err
		}
		t.acted = time.Now()
		t.hearAll()
	}
	return t.err
}

// forEach visits the objects of a list: each copy under its own name, with its document's.
func (t *telling) forEach(list *Tree, visit func(where *Tree, doc, ref string) error) error {
	for _, pair := range list.Pairs {
		target, err := targetOf(pair.Value)
		if err != nil {
			return err
		}
		if target.Copies == 0 {
			if err := visit(pair.Value, target.Ref, target.Ref); err != nil {
				return err
			}
		}
		for i := range target.Copies {
			err := visit(pair.Value, target.Ref, fmt.Sprintf("%s-%d", target.Ref, i))
			if err != nil {
				return err
			}
		}
	}
	return t.err
}

// refuse applies what must be refused: by the API server, which asks the engine; or, where it does
// not, by the engine itself, which then does not know it.
func (t *telling) refuse(value *Tree) error {
	for _, pair := range value.Pairs {
		t.refusals[pair.Key] = &refusal{says: pair.Value}
		if err := t.apply(pair.Value, t.s.Documents[pair.Key], pair.Key); err != nil {
			return err
		}
		asked := t.policies.checks == nil && (isOf(pair.Key, "queue") || isOf(pair.Key, "command"))
		if asked && !t.refusals[pair.Key].happened {
			t.expectations.failed(t, difference{pair.Value, pair.Key, "refused", "created"})
		}
	}
	return nil
}

// Who refuses for the form of a value, before sluice is asked, says it in his own words.
var ownWords = []string{
	"Invalid value", "must be of type", "quantities must match", "Unsupported value",
}

// refused compares the reason of a refusal with the wanted.
func (t *telling) refused(ref, why string) error {
	refusal := t.refusals[ref]
	refusal.happened = true
	t.tell("%s is refused: %s", ref, why)
	if strings.Contains(why, refusal.says.Text) {
		return nil
	}
	for _, words := range ownWords {
		if strings.Contains(why, words) {
			return nil
		}
	}
	t.expectations.failed(t, difference{refusal.says, ref, refusal.says.Text, why})
	return nil
}

// checkRefusals looks for what should have been refused, and was not.
func (t *telling) checkRefusals() {
	sight := t.newSight()
	for ref, refusal := range t.refusals {
		if refusal.happened {
			continue
		}
		if isOf(ref, "command") && sight.refusesCommand(ref, refusal.says.Text) {
			continue
		}
		if isQueue(ref) {
			if known, _ := sight.ofQueue(ref, "known", ""); known != "true" {
				continue
			}
		}
		t.expectations.failed(t, difference{refusal.says, ref, "refused", "accepted"})
	}
}

func (t *telling) restart(*Tree) error {
	t.tell("the scheduler is killed, and starts anew")
	t.excuse(true)
	defer func() {
		t.standby = false
		t.excuse(false)
	}()
	if err := t.host.kill(); err != nil {
		return err
	}
	if t.s.NeedsLease {
		if err := t.host.setLease(t.ctx, ""); err != nil {
			return err
		}
	}
	return t.startHost(true)
}

const leavesWithin = 15 * time.Second

// leader gives the lease to another scheduler, or sets it free. A scheduler that has lost its lease
// ends, as the stock one does, and is started again, as a Deployment would.
func (t *telling) leader(value *Tree) error {
	if leads, _ := value.IsBool(); leads {
		t.tell("the lease is free")
		if err := t.host.setLease(t.ctx, ""); err != nil {
			return err
		}
		t.standby = false
		defer t.excuse(false)
		return t.host.await(t.ctx, "lead", func(ctx context.Context) error {
			if !t.host.isLeader(ctx) {
				return errors.New("another one has the lease")
			}
			return nil
		})
	}
	t.tell("another scheduler has the lease")
	t.standby = true
	t.excuse(true)
	if err := t.host.setLease(t.ctx, another); err != nil {
		return err
	}
	for deadline := time.Now().Add(leavesWithin); t.host.process.Running(); {
		if time.Now().After(deadline) {
			return value.Say("the scheduler lost its lease %v ago, and runs still", leavesWithin)
		}
		time.Sleep(10 * time.Millisecond)
	}
	return t.startHost(false)
}

func (t *telling) startFault(value *Tree) error {
	lasts := t.faults.add(value)
	t.tell("fault: %+v", t.faults)
	if err := t.setWebhook(t.faults.Webhook); err != nil {
		return err
	}
	if err := t.setBudget(t.faults.Evictions != ""); err != nil {
		return err
	}
	t.dropped = t.dropped || t.faults.Observe == "drop-deletes"
	t.setFaults()
	t.faultEpoch++
	epoch := t.faultEpoch
	if lasts == 0 {
		return nil
	}
	t.timers.at(t.clock.Now()+lasts, func() error {
		if epoch != t.faultEpoch {
			return nil
		}
		t.faults = Faults{}
		t.setFaults()
		t.tell("all goes well again")
		if err := t.setBudget(false); err != nil {
			return err
		}
		return t.setWebhook("")
	})
	return nil
}

// The scheduler's own words about a pod; what else it writes to pods, sluice does.
var ownCondition = regexp.MustCompile(`"reason":\s*"(Unschedulable|SchedulerError)"`)

func isOurPatch(r *faults.Request) bool {
	if contains("queues commands workloads", r.Resource) {
		return r.Writes()
	}
	if r.Resource != "pods" || r.Verb != "patch" && r.Verb != "update" {
		return false
	}
	return r.Subresource == "" || r.Subresource == "status" && !ownCondition.Match(r.Body)
}

// excuse tells the checker whether the scheduler is kept from writing, or from seeing what to
// write.
func (t *telling) excuse(more bool) {
	f := t.faults
	t.checker.Excuse(more || t.standby || f.Patches != "" || f.Watch > 0 ||
		f.Observe == "drop-deletes")
}

func (t *telling) setFaults() {
	t.excuse(false)
	var rules []*faults.Rule
	switch t.faults.Patches {
	case "conflict":
		rules = append(rules, &faults.Rule{If: isOurPatch, Answer: http.StatusConflict})
	case "fail":
		rules = append(rules, &faults.Rule{If: isOurPatch, Answer: http.StatusInternalServerError})
	case "lost":
		rules = append(rules, &faults.Rule{If: isOurPatch, Lose: true})
	}
	if t.faults.Binds == "fail" {
		rules = append(rules, &faults.Rule{
			Verb: "create", Resource: "pods", Subresource: "binding",
			Answer: http.StatusInternalServerError,
		})
	}
	t.host.proxy.SetRules(rules...)
	t.host.proxy.SetWatch(faults.Watch{
		Delay:       t.faults.Watch,
		Twice:       t.faults.Observe == "duplicate",
		DropDeletes: t.faults.Observe == "drop-deletes",
	})
}
