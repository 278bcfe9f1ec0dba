// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"sluice/cluster/plane"
)

const (
	patience  = 75 * time.Second // how long nothing may happen while something should
	lookTurn  = 10 * time.Millisecond
	oneWrite  = 5 * time.Second // how long a write of the test may take before it is tried again
	creators  = 8
	usualLife = 300 * time.Millisecond
)

// crowd is the pods that go through the queue, and what a watch of its own has seen of them. It is
// their kubelet, too.
type crowd struct {
	client kubernetes.Interface
	lasts  time.Duration // each pod runs so long
	ctx    context.Context

	mu       sync.Mutex
	lives    map[types.UID]*life
	bound    int // so far
	ended    int
	holding  int       // pods that count against the queue
	most     int       // the most at any revision
	progress time.Time // a pod was bound, or there was nothing to bind before
	gap      time.Duration
}

// life is what is known of one pod.
type life struct {
	name                              string
	isBound, isOver, isGone, hasPlace bool
	boundAt                           time.Time
}

func newCrowd(ctx context.Context, client kubernetes.Interface, lasts time.Duration) *crowd {
	c := &crowd{client: client, lasts: lasts, ctx: ctx, lives: map[types.UID]*life{},
		progress: time.Now()}
	go follow(ctx, client.CoreV1().Pods(space), c.see)
	return c
}

// come creates pods, also while the API server does not answer. It returns when they are there.
func (c *crowd) come(ctx context.Context, names []string) error {
	c.mu.Lock()
	c.progress = time.Now()
	c.mu.Unlock()
	queue := make(chan string, len(names))
	for _, name := range names {
		queue <- name
	}
	close(queue)
	problems := make([]error, creators)
	var work sync.WaitGroup
	for i := range creators {
		work.Go(func() {
			for name := range queue {
				if err := c.create(ctx, newPod(name, queueName)); err != nil {
					problems[i] = err
				}
			}
		})
	}
	work.Wait()
	for _, problem := range problems {
		if problem != nil {
			return problem
		}
	}
	return nil
}

func (c *crowd) create(ctx context.Context, pod *corev1.Pod) error {
	return insist(ctx, func(ctx context.Context) error {
		_, err := c.client.CoreV1().Pods(pod.Namespace).Create(ctx, pod, metav1.CreateOptions{})
		return plane.Made(err)
	})
}

// remove deletes a pod at once, and returns who it was.
func (c *crowd) remove(ctx context.Context, name string) (types.UID, error) {
	pods := c.client.CoreV1().Pods(space)
	var old types.UID
	err := insist(ctx, func(ctx context.Context) error {
		pod, err := pods.Get(ctx, name, metav1.GetOptions{})
		if err == nil {
			old = pod.UID
			err = pods.Delete(ctx, name, *metav1.NewDeleteOptions(0))
		}
		if old != "" {
			err = plane.Gone(err)
		}
		return err
	})
	return old, err
}

// insist does something again and again while a fault prevents it.
func insist(ctx context.Context, do func(context.Context) error) error {
	end := time.Now().Add(patience)
	for {
		once, cancel := context.WithTimeout(ctx, oneWrite)
		err := do(once)
		cancel()
		if err == nil || ctx.Err() != nil || time.Now().After(end) || apierrors.IsForbidden(err) ||
			apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) {
			return err
		}
		pause(ctx, retryFault)
	}
}

// see takes in what the watch has seen.
func (c *crowd) see(s sight) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.all {
		there := map[types.UID]bool{}
		for _, pod := range s.pods {
			there[pod.UID] = true
		}
		for uid, l := range c.lives {
			if !there[uid] {
				c.lose(l)
			}
		}
	}
	for _, pod := range s.pods {
		if pod.Annotations[queueAnnotation] != queueName {
			continue
		}
		l := c.lives[pod.UID]
		if l == nil {
			l = &life{name: pod.Name}
			c.lives[pod.UID] = l
		}
		c.take(l, pod)
		if s.gone {
			c.lose(l)
		}
	}
	c.most = max(c.most, c.holding)
}

func (c *crowd) take(l *life, pod *corev1.Pod) {
	now := time.Now()
	if pod.Spec.NodeName != "" && !l.isBound {
		l.isBound, l.boundAt = true, now
		c.bound++
		c.gap = max(c.gap, now.Sub(c.progress))
		c.progress = now
		time.AfterFunc(c.lasts, func() { c.finish(pod.Name, pod.UID) })
	}
	if hasEnded(pod) && !l.isOver {
		l.isOver = true
		c.ended++
	}
	c.place(l, !l.isOver && !l.isGone && (l.isBound || !hasGate(pod)))
}

func (c *crowd) lose(l *life) {
	l.isGone = true
	c.place(l, false)
}

func (c *crowd) place(l *life, has bool) {
	switch {
	case has && !l.hasPlace:
		c.holding++
	case !has && l.hasPlace:
		c.holding--
	}
	l.hasPlace = has
}

// finish does what a kubelet does when the pod's containers have ended well.
func (c *crowd) finish(name string, uid types.UID) {
	patch := fmt.Appendf(nil, `{"metadata":{"uid":%q},"status":{"phase":"Succeeded"}}`, uid)
	for c.ctx.Err() == nil {
		once, cancel := context.WithTimeout(c.ctx, oneWrite)
		_, err := c.client.CoreV1().Pods(space).Patch(once, name, types.MergePatchType, patch,
			metav1.PatchOptions{}, "status")
		cancel()
		if err == nil || apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
			return
		}
		pause(c.ctx, retryFault)
	}
}

// await waits until so many pods were bound since the beginning.
func (c *crowd) await(ctx context.Context, bound int) error {
	what := fmt.Sprintf("%d pods are bound", bound)
	return c.until(ctx, what, func() bool { return c.bound >= bound })
}

// pass waits until every pod that is there has ended, and they are so many.
func (c *crowd) pass(ctx context.Context, pods int) error {
	return c.until(ctx, fmt.Sprintf("%d pods have ended", pods), func() bool {
		return c.ended >= pods && c.holding == 0
	})
}

func (c *crowd) until(ctx context.Context, what string, true func() bool) error {
	for {
		c.mu.Lock()
		is, since := true(), time.Since(c.progress)
		c.mu.Unlock()
		switch {
		case is:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case since > patience:
			return &stuck{fmt.Sprintf("nothing was bound for %s, and it is not so that %s: %s",
				since.Round(time.Second), what, c.left())}
		}
		pause(ctx, lookTurn)
	}
}

// stuck is that pods do not go on: what a fault does at worst.
type stuck struct{ text string }

func (s *stuck) Error() string { return s.text }

// left names the pods that have not ended.
func (c *crowd) left() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var names []string
	for _, l := range c.lives {
		if !l.isOver && !l.isGone {
			names = append(names, fmt.Sprintf("%s (bound %t, gate gone %t)", l.name, l.isBound,
				l.hasPlace))
		}
	}
	slices.Sort(names)
	return fmt.Sprintf("%d pods are left: %s", len(names), strings.Join(names, ", "))
}

// nextBound is how long after that time the next pod was bound; 0: none was.
func (c *crowd) nextBound(after time.Time) (next time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, l := range c.lives {
		since := l.boundAt.Sub(after)
		if l.isBound && since > 0 && (next == 0 || since < next) {
			next = since
		}
	}
	return next
}

// lostPods are those that were not bound, or not finished.
func (c *crowd) lostPods() (lost []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, l := range c.lives {
		if !l.isGone && !(l.isBound && l.isOver) {
			lost = append(lost, l.name)
		}
	}
	slices.Sort(lost)
	return lost
}

// figures are what came of it all.
func (c *crowd) figures() (bound, most int, gap time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bound, c.most, c.gap
}
