// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"sluice/cluster/watch"
)

// telling is one story as it is told on a cluster. All of it happens in one goroutine.
type telling struct {
	ctx     context.Context
	s       *Scenario
	cluster *Cluster
	clock   *Clock
	world   *world
	host    *host
	store   *store
	timers  timers
	checker *watch.Checker
	standby bool // another scheduler leads
	dropped bool // some deletions were not told
	notes   []string
	out     io.Writer // what happens, for who wants to read it

	autoscaler autoscaler
	faults     Faults
	faultEpoch int
	policies   removedPolicies
	lives      map[types.UID]*podlife
	children   map[string][]string  // the pods of a Job and the like
	edited     map[string]edited    // those whose template was changed
	objects    map[string]bool      // what the story has made, but for pods
	workloads  map[string]*workload // the jobs behind its Workloads
	// The newest version of a Workload that was heard of, or written here.
	workloadVersion int64
	latest          string          // the pod that was written last
	touched         map[string]bool // pods that may be other than they were last seen
	refusals        map[string]*refusal
	uids            int64

	expectations expectations
	acted        time.Time // when this program last did something
	wrote        time.Time // when it last wrote something that is no pod
	restless     time.Time // since when there was no rest
	engineNext   int64     // the engine's next deadline, by its clock
	err          error
	warned       map[string]bool
}

// refusal is what a story wants refused.
type refusal struct {
	says     *Tree
	happened bool
}

// Result is how a story went.
type Result struct {
	Failures []Failure
	Notes    []string // what else is worth to be known
	Took     time.Duration
}

// Failure is something that was not as wanted.
type Failure struct {
	Where              string
	At                 time.Duration
	What, Wanted, Seen string
	Since              time.Duration // it had been as wanted from then on
	WasTrue            bool
}

// Tell tells a story on a cluster. An error is a story that cannot be told.
func Tell(ctx context.Context, c *Cluster, s *Scenario, out io.Writer) (*Result, error) {
	began := time.Now()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c.stories++
	if err := c.Reset(ctx); err != nil {
		return nil, fmt.Errorf("the cluster cannot be emptied: %w", err)
	}
	if err := c.mayHaveWorkloads(ctx, s.Workloads); err != nil {
		return nil, fmt.Errorf("the scheduler's rights: %w", err)
	}
	dir := filepath.Join(c.Dir, fmt.Sprintf("story-%d", c.stories))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	t := &telling{
		ctx: ctx, s: s, cluster: c, out: out,
		lives: map[types.UID]*podlife{}, children: map[string][]string{},
		edited:  map[string]edited{},
		objects: map[string]bool{}, workloads: map[string]*workload{}, touched: map[string]bool{},
		refusals: map[string]*refusal{},
		warned:   map[string]bool{},
	}
	defer t.leave()
	if err := t.begin(dir); err != nil {
		return nil, err
	}
	if err := t.tellAll(); err != nil {
		return nil, err
	}
	return &Result{
		Failures: t.expectations.failures, Notes: t.notes, Took: time.Since(began),
	}, nil
}

func (t *telling) begin(dir string) (err error) {
	if t.world, err = newWorld(t.ctx, t.cluster); err != nil {
		return err
	}
	if t.s.Workloads {
		if err = t.world.followWorkloads(t.ctx); err != nil {
			return err
		}
	}
	kubelet, err := asKubelet(t.cluster.Admin)
	if err != nil {
		return err
	}
	t.store = &store{client: t.world.dynamic, kubelet: kubelet, etcd: t.cluster.Etcd,
		http: http.DefaultClient}
	if t.clock, err = NewClock(filepath.Join(dir, "clock")); err != nil {
		return err
	}
	t.clock.Hold(0)
	t.checker = watch.New(checkerConfig(t.s))
	if err = t.checker.Follow(t.ctx, t.cluster.Admin); err != nil {
		return err
	}
	if t.host, err = newHost(t, dir); err != nil {
		return err
	}
	// Where nothing is held nobody gets a gate: so the manifests are, too.
	if observe, _ := t.s.Config.TextOf("observeOnly", ""); observe == "true" {
		if err := t.webhookOff(); err != nil {
			return err
		}
	}
	return t.startHost(true)
}

// startHost starts the scheduler, and waits until the API server asks it.
func (t *telling) startHost(leads bool) error {
	if err := t.host.start(t.ctx, leads); err != nil {
		return err
	}
	return awaitChecks(t.ctx, t.world.dynamic, t.policies.checks == nil)
}

// leave leaves nothing of the story running.
func (t *telling) leave() {
	if t.host != nil {
		_ = t.host.close()
	}
	if t.clock != nil {
		_ = t.clock.Close()
	}
	_ = t.webhookOn()
}

// tell says what happens.
func (t *telling) tell(format string, args ...any) {
	if t.out != nil {
		fmt.Fprintf(t.out, "%10s  %s\n", ShowTime(t.clock.Now()), fmt.Sprintf(format, args...))
	}
}

func (t *telling) note(format string, args ...any) {
	t.notes = append(t.notes, fmt.Sprintf(format, args...))
	t.tell("%s", t.notes[len(t.notes)-1])
}

// fail ends the story.
func (t *telling) fail(err error) {
	if t.err == nil {
		t.err = err
	}
}

// warn says once what could not be looked at.
func (t *telling) warn(err error) {
	if text := err.Error(); !t.warned[text] && len(t.warned) < 20 && t.ctx.Err() == nil {
		t.warned[text] = true
		fmt.Fprintf(os.Stderr, "%s at %s: %s\n", t.s.File, ShowTime(t.clock.Now()), text)
	}
}

func (t *telling) touch(ref string) {
	t.touched[ref] = true
	t.latest = ref
	t.acted = time.Now()
}

// podNow is a pod as the API server has it, also right after it was written.
func (t *telling) podNow(ref string) *corev1.Pod {
	if !t.touched[ref] {
		return t.world.pods[ref]
	}
	_, namespace, name := SplitRef(ref)
	pod, err := t.world.client.CoreV1().Pods(namespace).Get(t.ctx, name, metav1.GetOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		t.fail(err)
		return t.world.pods[ref]
	}
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); {
		t.hearAll()
		seen := t.world.pods[ref]
		if err != nil && seen == nil || err == nil && seen != nil && seen.UID == pod.UID &&
			version(seen) >= version(pod) {
			break
		}
		time.Sleep(time.Millisecond)
	}
	delete(t.touched, ref)
	return t.world.pods[ref]
}

func version(pod *corev1.Pod) int64 {
	n, _ := strconv.ParseInt(pod.ResourceVersion, 10, 64)
	return n
}

// hearAll looks at all changes that have come, in order.
func (t *telling) hearAll() {
	for {
		var before *corev1.Pod
		t.world.peek(func(pod *corev1.Pod) { before = t.world.pods[podRef(pod)] })
		one, ok := t.world.next()
		if !ok {
			return
		}
		if one.node != nil {
			t.autoscaler.stale = true
			continue
		}
		if one.workload != nil {
			t.hearWorkload(one)
			continue
		}
		t.tellPod(before, one)
		t.sawPod(one.pod, one.gone)
		t.hearPod(one.pod)
		if !one.gone {
			t.expectations.sawPod(t, one.pod)
		}
	}
}

// tellPod says what is new about a pod.
func (t *telling) tellPod(before *corev1.Pod, one news) {
	if t.out == nil {
		return
	}
	pod := one.pod
	ref := podRef(pod)
	if one.gone {
		t.tell("%s is gone", ref)
		return
	}
	if before == nil || before.UID != pod.UID {
		t.tell("%s is created%s", ref, gatesOf(pod))
		before = &corev1.Pod{Spec: corev1.PodSpec{SchedulingGates: pod.Spec.SchedulingGates}}
	}
	if gates := gatesOf(pod); gates != gatesOf(before) {
		t.tell("%s loses a gate%s", ref, gates)
	}
	if pod.Spec.NodeName != before.Spec.NodeName {
		t.tell("%s is bound to %s", ref, pod.Spec.NodeName)
	}
	old, _ := unscheduled(before)
	if reason, message := unscheduled(pod); reason != old && reason != "" {
		t.tell("%s PodScheduled=False, %s: %s", ref, reason, message)
	}
	if pod.Status.Phase != before.Status.Phase && pod.Status.Phase != corev1.PodPending {
		t.tell("%s is %s", ref, pod.Status.Phase)
	}
}

func gatesOf(pod *corev1.Pod) string {
	var names []string
	for _, gate := range pod.Spec.SchedulingGates {
		names = append(names, gate.Name)
	}
	if len(names) == 0 {
		return ""
	}
	return ", gated by " + strings.Join(names, ", ")
}
