// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"
)

// stepTakes is how long something may take to come true.
const stepTakes = 15 * time.Second

// teller is a story that is being told.
type teller struct {
	*cluster
	ctx   context.Context
	out   *screen
	board *board
	pause time.Duration
}

// shows waits until the table is as wanted, and holds that it stays so for a moment.
func (t *teller) shows(wanted ...row) error {
	end := time.Now().Add(stepTakes)
	for {
		seen, _ := t.board.now()
		if slices.Equal(seen, wanted) {
			break
		}
		if time.Now().After(end) {
			return notAsTold(fmt.Sprintf("this did not come true in %s", stepTakes), wanted, seen)
		}
		if err := t.wait(time.Until(end)); err != nil {
			return err
		}
	}
	for end := time.Now().Add(t.pause / 2); time.Now().Before(end); {
		if err := t.wait(time.Until(end)); err != nil {
			return err
		}
		if seen, _ := t.board.now(); !slices.Equal(seen, wanted) {
			return notAsTold("this did not stay true", wanted, seen)
		}
	}
	return nil
}

// wait waits for a change, for so long at most.
func (t *teller) wait(most time.Duration) error {
	select {
	case <-t.ctx.Done():
		return t.ctx.Err()
	case <-t.sluice.Done():
		return errors.New("sluice-scheduler has ended")
	case <-t.API().Done():
		return fmt.Errorf("kube-apiserver has ended; the end of its log:\n%s", t.API().Tail(20))
	case <-t.board.changed:
	case <-time.After(most):
	}
	return nil
}

func notAsTold(what string, wanted, seen []row) error {
	var text strings.Builder
	fmt.Fprintf(&text, "%s:\n\n           %s\n", what, line(titles))
	for _, part := range []struct {
		name string
		rows []row
	}{{"wanted", wanted}, {"seen", seen}} {
		for _, r := range part.rows {
			fmt.Fprintf(&text, "  %-8s %s\n", part.name, line(r))
		}
		if len(part.rows) == 0 {
			fmt.Fprintf(&text, "  %-8s no pods\n", part.name)
		}
	}
	return errors.New(strings.TrimRight(text.String(), "\n"))
}

// holds is what must be true of everything that was seen.
func holds(what string, seen, wanted any) error {
	if seen, wanted := fmt.Sprint(seen), fmt.Sprint(wanted); seen != wanted {
		return fmt.Errorf("%s: wanted %s, seen %s", what, wanted, seen)
	}
	return nil
}

const (
	queueFile = "t/cluster/cmd/demo/queue.yaml"
	podsFile  = "t/cluster/cmd/demo/pods.yaml"
)

// pods are those of the story, as its file has them.
func (c *cluster) pods() ([]*corev1.Pod, error) {
	text, err := os.ReadFile(filepath.Join(c.root, podsFile))
	if err != nil {
		return nil, fmt.Errorf("the pods of the story: %w", err)
	}
	var pods []*corev1.Pod
	for document := range strings.SplitSeq(string(text), "\n---\n") {
		pod := &corev1.Pod{}
		if err := yaml.UnmarshalStrict([]byte(document), pod); err != nil {
			return nil, fmt.Errorf("%s: %w", podsFile, err)
		}
		pods = append(pods, pod)
	}
	return pods, nil
}

// create creates the pods of the story, and returns what the API server made of them. The time of
// creation is in whole seconds, and of pods of the same one any may be first: so each gets its own.
func (t *teller) create(namespace, scheduler string) ([]*corev1.Pod, error) {
	pods, err := t.pods()
	if err != nil {
		return nil, err
	}
	for i, pod := range pods {
		if err := t.read(nextSecond(i)); err != nil {
			return nil, err
		}
		pod.Spec.SchedulerName = scheduler
		pods[i], err = t.Client.CoreV1().Pods(namespace).Create(t.ctx, pod, metav1.CreateOptions{})
		if err != nil {
			return nil, fmt.Errorf("create %s: %w", pod.Name, err)
		}
	}
	return pods, nil
}

// nextSecond is how long it is until the second changes; for the first pod any will do.
func nextSecond(pod int) time.Duration {
	if pod == 0 {
		return 0
	}
	now := time.Now()
	return now.Truncate(time.Second).Add(time.Second + 10*time.Millisecond).Sub(now)
}

// read stops for who reads what has just been said.
func (t *teller) read(pause time.Duration) error {
	select {
	case <-t.ctx.Done():
		return t.ctx.Err()
	case <-time.After(pause):
		return nil
	}
}

// complete says what a kubelet says when a pod's work is done.
func (t *teller) complete(name string) error {
	_, err := t.Client.CoreV1().Pods(metav1.NamespaceDefault).Patch(t.ctx, name,
		types.MergePatchType, []byte(`{"status": {"phase": "Succeeded"}}`), metav1.PatchOptions{},
		"status")
	return err
}

// explain prints what the scheduler says about a pod, as soon as that is what is wanted.
func (t *teller) explain(name, state, reason string) error {
	for end := time.Now().Add(stepTakes); ; {
		view, err := t.why.pod(t.ctx, metav1.NamespaceDefault, name)
		if err == nil && (view.State != state || view.Reason != reason) {
			err = fmt.Errorf("the scheduler says of %s: wanted %s for %q, seen %s for %q",
				name, state, reason, view.State, view.Reason)
		}
		if err == nil {
			t.out.note("GET %s: %s", podPath(metav1.NamespaceDefault, name), view)
			return nil
		}
		if time.Now().After(end) {
			return err
		}
		if err := t.wait(100 * time.Millisecond); err != nil {
			return err
		}
	}
}
