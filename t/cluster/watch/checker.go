// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"fmt"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"sluice/cluster/faults"
)

// Rules are the names of what is held.
const (
	Capacity  = "capacity"
	Condition = "condition"
	Twice     = "twice"
	Foreign   = "foreign"
	Gang      = "gang"
	Duplicate = "duplicate"
	Orphan    = "orphan"
)

// Grace is how long what looks wrong may be two events of one thing.
const Grace = time.Second

// Violation is a rule that was broken.
type Violation struct {
	Rule  string
	Pod   string // namespace/name; of some rules that of a PodGroup
	Queue string
	Have  string
	Limit string
	Text  string
}

func (v Violation) String() string {
	kind := "pod"
	if v.Rule == Gang || v.Rule == Duplicate || v.Rule == Orphan {
		kind = "podgroup"
	}
	return fmt.Sprintf("%s: %s %s: %s", v.Rule, kind, v.Pod, v.Text)
}

// Config is what a checker must know of the scheduler's configuration.
type Config struct {
	Schedulers  []string          // whose pods are ours
	ManageAll   bool              // pods that did not opt in obey too
	Root        map[string]string // ceiling of Volcano's tree; nil: none
	RootCluster bool              // it is the sum of the nodes
	Undeclared  bool              // what a ClusterQueue does not declare is unlimited
	ObserveOnly bool              // nothing is held
	Grace       time.Duration     // 0: Grace
	Now         func() time.Time  // nil: time.Now
}

// Checker counts. It may be told of events by any goroutine.
type Checker struct {
	config Config

	mu         sync.Mutex
	tree       *tree
	pods       map[types.UID]*podState
	own        map[id]vector     // what the pods of a queue themselves use
	groups     map[string]*group // by namespace/name
	namespaces map[string]string
	locals     map[string]string // namespace/name of a LocalQueue: its ClusterQueue
	nodes      map[string]corev1.ResourceList
	suspects   []*suspect
	written    map[types.UID]map[string]bool // versions that the scheduler wrote
	underWay   map[*faults.Request]time.Time // its writes to pods that are not answered
	removals   map[types.UID]int
	excused    bool

	longestHalf time.Duration
	violations  []Violation
}

// podState is the latest state of a pod, and what it counts for.
type podState struct {
	pod     *corev1.Pod
	had     bool // our gate
	lost    bool // our gate
	counts  bool
	waits   bool // somebody who knows has said so
	queue   id
	uses    vector
	touched map[string][2][]string // by version: foreign gates before and after
}

// suspect is what is wrong if it lasts.
type suspect struct {
	what  Violation
	since time.Time
	still func() bool
}

// A gang is bound by two writes for each member. While one of them is under way nothing is wrong
// (the API server may be slow), and one that fails is tried again after the scheduler's own
// backoff.
const gangTakes = 2

// grace is how long a suspect may last: while things move, a gang's bindings may take longer.
func (s *suspect) grace(usual time.Duration) time.Duration {
	if s.what.Rule == Gang && usual > moment {
		return gangTakes * usual
	}
	return usual
}

// New makes a checker.
func New(config Config) *Checker {
	if len(config.Schedulers) == 0 {
		config.Schedulers = []string{corev1.DefaultSchedulerName}
	}
	if config.Grace == 0 {
		config.Grace = Grace
	}
	if config.Now == nil {
		config.Now = time.Now
	}
	c := &Checker{
		config: config, tree: newTree(), pods: map[types.UID]*podState{}, own: map[id]vector{},
		groups: map[string]*group{}, namespaces: map[string]string{}, locals: map[string]string{},
		nodes: map[string]corev1.ResourceList{}, written: map[types.UID]map[string]bool{},
		removals: map[types.UID]int{}, underWay: map[*faults.Request]time.Time{},
	}
	c.tree.unlimited = config.Undeclared
	if config.Root != nil {
		c.tree.root = map[string]amount{}
		for name, text := range config.Root {
			c.tree.root[name] = parse(text)
		}
	}
	return c
}

// AtRest tells that nothing is under way any more, so that all that is wrong for more than a moment
// stays so: a story's time is jumped over, and a grace in real time could last for minutes of it.
func (c *Checker) AtRest() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.recheck(moment)
}

// moment is what the news of what is done may take to come here.
const moment = Grace / 8

// Violations is what was wrong so far.
func (c *Checker) Violations() []Violation {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.recheck(c.config.Grace)
	return slices.Clone(c.violations)
}

// Settle waits until nothing is suspected any more, or excused, and tells what was wrong.
func (c *Checker) Settle() []Violation {
	for {
		found := c.Violations()
		c.mu.Lock()
		open := len(c.suspects) > 0 && !c.excused
		c.mu.Unlock()
		if !open {
			return found
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// Excuse is called with true while the scheduler cannot write: it is dead, does not lead, or a test
// refuses its writes. What is wrong only for want of a write is not held against it.
func (c *Checker) Excuse(excused bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.recheck(c.config.Grace)
	c.excused = excused
	for _, each := range c.suspects {
		each.since = c.config.Now()
	}
}

// Waits tells what is known of a pod otherwise: it is held or waiting, although its gate is gone.
// Such a pod has no place; if it is bound all the same, it has to fit then.
func (c *Checker) Waits(uid types.UID, waits bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if state := c.pods[uid]; state != nil {
		state.waits = waits
		if waits && state.counts && state.pod.Spec.NodeName == "" {
			c.count(state, -1)
			state.counts = false
		}
		c.checkCondition(state)
	}
	c.recheck(c.config.Grace)
}

func (c *Checker) accuse(v Violation) { c.violations = append(c.violations, v) }

// suspect notes what is wrong if it is so for longer than the grace.
func (c *Checker) suspect(v Violation, still func() bool) {
	for _, each := range c.suspects {
		if each.what.Rule == v.Rule && each.what.Pod == v.Pod && each.what.Queue == v.Queue {
			return
		}
	}
	c.suspects = append(c.suspects, &suspect{v, c.config.Now(), still})
}

// recheck looks at the suspects again. [mu is held]
func (c *Checker) recheck(grace time.Duration) {
	kept := c.suspects[:0]
	writing := c.writing()
	for _, each := range c.suspects {
		if each.what.Rule == Gang && writing[each.what.Pod] {
			each.since = c.config.Now()
		}
		switch {
		case !each.still():
		case c.excused || c.config.Now().Sub(each.since) < each.grace(grace):
			kept = append(kept, each)
		default:
			c.accuse(each.what)
		}
	}
	c.suspects = kept
}

// Queue tells of a Queue, ClusterQueue, Cohort or LocalQueue.
func (c *Checker) Queue(of *unstructured.Unstructured, gone bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if of.GetKind() == "LocalQueue" {
		key := of.GetNamespace() + "/" + of.GetName()
		target, _, _ := unstructured.NestedString(of.Object, "spec", "clusterQueue")
		if gone {
			target = ""
		}
		c.locals[key] = target
	} else if q := readQueue(of); gone {
		delete(c.tree.queues, q.id)
	} else {
		c.tree.queues[q.id] = q
	}
	c.recount()
	c.recheck(c.config.Grace)
}

// Namespace tells of a namespace, whose annotation may name a queue.
func (c *Checker) Namespace(name string, annotations map[string]string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.namespaces[name] = annotations[queueName]
	c.recount()
	c.recheck(c.config.Grace)
}

// Node tells of a node.
func (c *Checker) Node(node *corev1.Node, gone bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if gone {
		delete(c.nodes, node.Name)
	} else {
		c.nodes[node.Name] = node.Status.Allocatable
	}
	if c.config.RootCluster {
		c.tree.root = map[string]amount{}
		for _, allocatable := range c.nodes {
			for name, quantity := range allocatable {
				before := c.tree.root[string(name)]
				if before == nil {
					before = zero()
				}
				c.tree.root[string(name)] = sum(before, exact(quantity))
			}
		}
	}
	c.recheck(c.config.Grace)
}

// recount finds the queue of every pod anew: a LocalQueue, a namespace or a queue's flavors are
// others.
func (c *Checker) recount() {
	c.own = map[id]vector{}
	for _, state := range c.pods {
		state.queue = c.queueOf(state.pod)
		state.uses = vectorOf(state.pod, state.queue, c.tree.queues[state.queue])
		if state.counts {
			c.count(state, 1)
		}
	}
}

func (c *Checker) count(state *podState, sign int64) {
	if c.own[state.queue] == nil {
		c.own[state.queue] = vector{}
	}
	c.own[state.queue].add(state.uses, sign)
}

func (c *Checker) queueOf(pod *corev1.Pod) id {
	if granted, is := grantedIn(pod); is && c.groupOf(pod) == nil {
		return granted
	}
	if local := pod.Labels[localQueueName]; local != "" {
		return id{clusterQueue, c.locals[pod.Namespace+"/"+local]}
	}
	groups := ""
	if of := c.groupOf(pod); of != nil {
		groups = of.queue
	}
	for _, name := range []string{groups, pod.Annotations[queueName], c.namespaces[pod.Namespace]} {
		if name != "" {
			return id{volcanoQueue, name}
		}
	}
	return id{volcanoQueue, "default"}
}
