// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"

	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"sluice/cluster/plane"
)

// judgeWrites reads the audit of the API server: no pod lost its gate by two patches, or got two
// bindings. (A write whose asker was killed before the answer may be done, and none in the audit:
// that each was done once at least is what the crowd has seen.)
func (t *trial) judgeWrites() error {
	events, err := t.bench.plane.Audit()
	if err != nil {
		return err
	}
	patches, bindings := map[string]int{}, map[string]int{}
	user := plane.ServiceAccountUser("kube-system", "sluice-scheduler").Name
	for i := range events[t.earlier:] {
		event := &events[t.earlier+i]
		if !isDone(event) || event.User.Username != user || event.ObjectRef.Resource != "pods" ||
			event.ObjectRef.Namespace != space {
			continue
		}
		switch event.Verb + " " + event.ObjectRef.Subresource {
		case "patch ":
			patches[event.ObjectRef.Name]++
		case "create binding":
			bindings[event.ObjectRef.Name]++
		}
	}
	t.judgeLives(patches, bindings)
	return nil
}

func isDone(event *auditv1.Event) bool {
	return event.ObjectRef != nil && event.ResponseStatus != nil && event.ResponseStatus.Code < 300
}

func (t *trial) judgeLives(patches, bindings map[string]int) {
	// A name that the test has used again has more than one life.
	lives := map[string]int{}
	t.crowd.mu.Lock()
	for _, l := range t.crowd.lives {
		lives[l.name]++
	}
	t.crowd.mu.Unlock()
	var wrong []string
	for name, most := range lives {
		if patches[name] > most {
			wrong = append(wrong, fmt.Sprintf("pod %s: the audit shows %d removals of its gate, "+
				"want %d", name, patches[name], most))
		}
		if bindings[name] > most {
			wrong = append(wrong, fmt.Sprintf("pod %s: the audit shows %d bindings, want %d", name,
				bindings[name], most))
		}
	}
	slices.Sort(wrong)
	for _, one := range wrong {
		t.result.blame("%s", one)
	}
}
