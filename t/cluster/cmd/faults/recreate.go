// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"sluice/cluster/faults"
)

const (
	recreatedPods = 3
	patchHangs    = 2 * time.Second
)

// recreate deletes pods whose patch is on its way, and makes others of the same name before it
// arrives. It must not find them.
func recreate(t *trial, round int) error {
	if err := t.flows(beforeOutage + round); err != nil {
		return err
	}
	r := t.only()
	names, late := make(chan string, crowdSize), make(chan *faults.Request, crowdSize)
	rule := removals.rule()
	rule.Hang, rule.Times = patchHangs, recreatedPods
	caught := map[string]bool{} // guarded by the proxy, which asks one request after the other
	rule.If = func(request *faults.Request) bool {
		if !removals.is(request) || caught[request.Name] || len(caught) == recreatedPods {
			return false
		}
		caught[request.Name] = true
		names <- request.Name
		return true
	}
	r.hear(func(request *faults.Request) {
		if removals.is(request) && request.Verb == "patch" && request.Resource == "pods" {
			late <- request
		}
	})
	defer r.hear(nil)
	t.rules(rule)
	defer t.rules()
	made := map[string]time.Time{}
	for range recreatedPods {
		select {
		case name := <-names:
			if err := t.replace(name); err != nil {
				return err
			}
			made[name] = time.Now()
		case <-time.After(patience):
			return &stuck{"no patch that removes a gate was seen: " + t.crowd.left()}
		}
	}
	return t.judgeLate(made, late)
}

// replace deletes a pod, and makes another one of its name.
func (t *trial) replace(name string) error {
	old, err := t.crowd.remove(t.ctx, name)
	if err != nil {
		return err
	}
	if err := t.crowd.create(t.ctx, newPod(name, queueName)); err != nil {
		return err
	}
	pod, err := t.crowd.client.CoreV1().Pods(space).Get(t.ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if pod.UID == old {
		return fmt.Errorf("pod %s is still the one of UID %s, and was to be another", name, old)
	}
	t.say("%s is another pod now", name)
	return nil
}

// judgeLate waits for the held patches, and looks what the API server said to them.
func (t *trial) judgeLate(made map[string]time.Time, late <-chan *faults.Request) error {
	for len(made) > 0 {
		select {
		case request := <-late:
			anew, is := made[request.Name]
			switch {
			case !is || request.At.After(anew):
				continue // the new pod's own patch
			case request.Done():
				t.result.blame("the patch for the old pod %s was carried out on the new one",
					request.Name)
			}
			delete(made, request.Name)
			t.say("the old patch of %s was answered %d", request.Name, request.Status)
		case <-time.After(patchHangs + patience):
			return &stuck{fmt.Sprintf("held patches did not arrive: %v", made)}
		}
	}
	return nil
}
