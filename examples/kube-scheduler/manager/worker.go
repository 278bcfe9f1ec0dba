// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"sluice/kube-scheduler/sluice"
)

// worker is one worker cluster: it is connected by a session, and when that ends by another one,
// after a while.
//
//	new ──▶ connecting ──▶ connected ──▶ lost ──▶ connecting ...
//
// The engine is told of every copy before it is told that the cluster is connected, and of those
// that are gone since the last session. Of a cluster that does not answer it hears nothing else.
type worker struct {
	manager *Manager
	name    string
	ctx     context.Context
	stop    context.CancelFunc
	changed chan struct{} // something of how it is reached

	looked     chan struct{} // closed when the first attempt has ended
	lookedOnce sync.Once

	mutex   sync.Mutex
	source  kueue.ClusterSource
	since   time.Time                       // it is not active since then, its object says
	session *session                        // nil: not connected
	trouble error                           // then: why
	told    map[types.NamespacedName]string // copies that the engine knows of, and their uids
	ended   bool
}

func newWorker(m *Manager, cluster *kueue.MultiKueueCluster) *worker {
	w := &worker{
		manager: m, name: cluster.Name,
		changed: make(chan struct{}, 1),
		looked:  make(chan struct{}),
		trouble: because(connectionFailed, "it has not answered yet"),
		told:    map[types.NamespacedName]string{},
		source:  cluster.Spec.ClusterSource,
	}
	w.ctx, w.stop = context.WithCancel(m.running)
	active := apimeta.FindStatusCondition(cluster.Status.Conditions, kueue.MultiKueueClusterActive)
	if active != nil && active.Status == metav1.ConditionFalse {
		w.since = active.LastTransitionTime.Time
	}
	w.tell(false)
	return w
}

// is takes what the cluster's object says now.
func (w *worker) is(cluster *kueue.MultiKueueCluster) {
	w.mutex.Lock()
	same := sameSource(&w.source, &cluster.Spec.ClusterSource)
	w.source = cluster.Spec.ClusterSource
	w.mutex.Unlock()
	if !same {
		w.poke()
	}
}

func sameSource(a, b *kueue.ClusterSource) bool {
	if a.KubeConfig == nil || b.KubeConfig == nil {
		return a.KubeConfig == b.KubeConfig
	}
	return *a.KubeConfig == *b.KubeConfig
}

func (w *worker) poke() {
	select {
	case w.changed <- struct{}{}:
	default:
	}
}

const (
	firstBackoff = time.Second
	mostBackoff  = time.Minute
)

// run keeps the worker connected until it is stopped.
func (w *worker) run() {
	backoff := firstBackoff
	for w.ctx.Err() == nil {
		began := time.Now()
		err := w.connect(w.ctx)
		w.lost(err)
		w.lookedOnce.Do(func() { close(w.looked) })
		if time.Since(began) > mostBackoff {
			backoff = firstBackoff
		}
		// Some of it by chance, so that not all workers come at once after a fault of the network.
		wait := backoff/2 + rand.N(backoff/2)
		if errors.Is(err, errChanged) {
			wait = 0
		}
		select {
		case <-w.ctx.Done():
		case <-w.changed:
			backoff = firstBackoff
			continue
		case <-time.After(wait):
		}
		backoff = min(2*backoff, mostBackoff)
	}
}

var errChanged = errors.New("how it is reached has changed")

// lost notes that there is no session (any more), and why.
func (w *worker) lost(why error) {
	w.mutex.Lock()
	was := w.session != nil
	w.session, w.trouble = nil, why
	ended := w.ended
	w.mutex.Unlock()
	if ended {
		return
	}
	if was {
		w.tell(false)
		w.manager.log.Info("Lost a worker", "cluster", w.name, "why", why)
	}
	w.manager.chores.Add(chore{ofCluster, types.NamespacedName{Name: w.name}})
}

// joined notes that the session shows all that is there.
func (w *worker) joined(s *session) {
	w.mutex.Lock()
	ended := w.ended
	if !ended {
		w.session, w.trouble, w.since = s, nil, time.Time{}
	}
	w.mutex.Unlock()
	if ended {
		return
	}
	w.tell(true)
	w.lookedOnce.Do(func() { close(w.looked) })
	w.manager.log.Info("A worker is connected", "cluster", w.name, "server", s.server)
	w.manager.allChores()
}

func (w *worker) tell(connected bool) {
	cluster := sluice.WorkerCluster{Name: w.name, Connected: connected}
	if !connected && !w.since.IsZero() && w.since.UnixNano() > 0 {
		cluster.Since = w.since.UnixNano()
	}
	tail, err := w.manager.eng.ObserveCluster(&cluster)
	w.manager.toldOf("cluster", w.name, tail, err, w.tellAgain)
}

func (w *worker) tellAgain() {
	w.mutex.Lock()
	connected, ended := w.session != nil, w.ended
	w.mutex.Unlock()
	if !ended {
		w.tell(connected)
	}
}

// end takes the worker out of the configuration.
func (w *worker) end() {
	w.stop()
	w.mutex.Lock()
	w.ended, w.session = true, nil
	w.mutex.Unlock()
	tail, err := w.manager.eng.ForgetCluster(w.name)
	w.manager.told(tail, err, "cluster", w.name)
}

// connected is the session, or why there is none.
func (w *worker) connected() (*session, error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.session, w.trouble
}

// copySeen tells the engine of a copy, if the session is still the one that sees for it.
func (w *worker) copySeen(s *session, object *unstructured.Unstructured) {
	read, err := readWorkload(object)
	if err != nil {
		metrics.refused.Inc()
		w.manager.log.Error(err, "A copy cannot be read", "cluster", w.name, "copy", keyOf(object))
		return
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if s.over() {
		return
	}
	key := keyOf(object)
	tail, err := w.manager.eng.ObserveReplica(read.replica(w.name))
	w.manager.toldOf("replica", w.name+"/"+key.String(), tail, err, func() {
		if now := s.copy(key); now != nil {
			w.copySeen(s, now)
		}
	})
	if err == nil {
		w.told[key] = string(read.UID)
	}
	w.manager.chores.Add(chore{ofWorkload, key})
}

func (w *worker) copyGone(s *session, key types.NamespacedName, uid string) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if !s.over() {
		w.forget(key, uid)
	}
}

// forget tells the engine that the copy is not there. [mutex]
func (w *worker) forget(key types.NamespacedName, uid string) {
	if w.told[key] != uid {
		return
	}
	tail, err := w.manager.eng.ForgetReplica(w.name, uid, key.Namespace, key.Name)
	w.manager.told(tail, err, "replica", w.name+"/"+key.String())
	delete(w.told, key)
	w.manager.chores.Add(chore{ofWorkload, key})
}

// forgetOthers ends the copies that the session has not found.
func (w *worker) forgetOthers(s *session) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	for key, uid := range w.told {
		if copy := s.copy(key); copy == nil || string(copy.GetUID()) != uid {
			w.forget(key, uid)
		}
	}
}

// session of a worker by name, or why there is none.
func (m *Manager) session(cluster string) (*session, error) {
	m.mutex.Lock()
	w := m.workers[cluster]
	m.mutex.Unlock()
	if w == nil {
		return nil, fmt.Errorf("there is no MultiKueueCluster %q", cluster)
	}
	return w.connected()
}
