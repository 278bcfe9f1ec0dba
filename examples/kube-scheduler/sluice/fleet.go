// SPDX-License-Identifier: Apache-2.0

package sluice

import "time"

// MultiKueue makes an engine a manager of worker clusters. Zero values are the library's defaults.
type MultiKueue struct {
	// Orchestrated: copies of workloads get a gate, and are opened one after the other. Else they
	// get none, and gates that are left are opened.
	Orchestrated bool
	// PreemptionTimeout is how long after an opening no other cluster is opened.
	PreemptionTimeout time.Duration
	// WorkerLostTimeout is how long a workload stays in a cluster that cannot be reached.
	WorkerLostTimeout time.Duration
	// PreferNoPreemption is how long the first gate stays closed after the oldest signal.
	PreferNoPreemption time.Duration
}

// WorkerCluster is one that workloads are dispatched to.
type WorkerCluster struct {
	Name string
	// Connected: it answers, and every copy in it has been shown.
	Connected bool
	// Since: not connected since then, by the manager's clock; 0: since it is first said.
	Since int64
}

// Workload is one of this manager's, which it dispatches.
type Workload struct {
	UID, Namespace, Name string
	ResourceVersion      int64
	Conditions           [][2]string // type and status, no type twice
	ChecksReady          bool        // every admission check but ours is
	Inactive, Deleted    bool
	Nominated            []string
	Cluster              string // where it is for good
	Gates                []string
	Annotations          [][2]string // of which the library reads those that are its own
}

// Replica is the copy of a workload in a worker cluster.
type Replica struct {
	Cluster, UID, Namespace, Name string
	ResourceVersion               int64
	Origin                        string // uid of the workload that it was made for; "": of its name's
	Gates                         []string
	GateStatus                    [][2]string // gate and position, no gate twice
	Conditions                    [][2]string
	Deleted                       bool
}

// FleetEffect is what belongs to the effects of a manager.
type FleetEffect struct {
	Cluster     string
	Workload    string      // uid of the manager's workload [CreateReplica, DeleteReplica, OpenGate]
	Annotations [][2]string // to be written [WriteMemory, CreateReplica]
	Gates       []string    // of the copy [CreateReplica]
	Gate        string      // [OpenGate]
	Until       int64       // not after this time; 0: at any time [OpenGate]
}

// The kinds of effects of a manager.
const (
	CreateReplica = "createReplica" // clone the workload into the cluster
	DeleteReplica = "deleteReplica" // delete the copy
	WriteMemory   = "writeMemory"   // write Annotations to the workload, under ResourceVersion
	OpenGate      = "openGate"      // set the Gate of the copy to Open, under ResourceVersion
	SetCluster    = "setCluster"    // clusterName, and our check Ready, under ResourceVersion
	RetryCheck    = "retryCheck"    // our check to Retry, with Message, under ResourceVersion
)

// ObserveCluster: the worker cluster was seen, for the first time or again. Before it is said to be
// connected, its copies have been.
func (e *Engine) ObserveCluster(o *WorkerCluster) (Tail, error) {
	c := e.beginObserve("cluster", false, true)
	defer c.done()
	c.req.workerCluster(o)
	return e.observe(c)
}

// ForgetCluster: the cluster is no longer one of this manager's.
func (e *Engine) ForgetCluster(name string) (Tail, error) {
	return e.forget("cluster", "name", name)
}

// ObserveWorkload: the manager's workload was seen, for the first time or again.
func (e *Engine) ObserveWorkload(o *Workload) (Tail, error) {
	c := e.beginObserve("workload", false, true)
	defer c.done()
	c.req.workload(o)
	return e.observe(c)
}

// ForgetWorkload: the manager's workload is gone. Another one of its name stays.
func (e *Engine) ForgetWorkload(uid, namespace, name string) (Tail, error) {
	c := e.beginObserve("workload", true, true)
	defer c.done()
	c.req.putMap(4)
	c.req.text("role", managerRole)
	c.req.lost(uid, namespace, name)
	return e.observe(c)
}

// ObserveReplica: the copy was seen, for the first time or again.
func (e *Engine) ObserveReplica(o *Replica) (Tail, error) {
	c := e.beginObserve("replica", false, true)
	defer c.done()
	c.req.replica(o)
	return e.observe(c)
}

// ForgetReplica: the copy is gone from its cluster. Another one of its name stays.
func (e *Engine) ForgetReplica(cluster, uid, namespace, name string) (Tail, error) {
	c := e.beginObserve("replica", true, true)
	defer c.done()
	c.req.putMap(4)
	c.req.text("cluster", cluster)
	c.req.lost(uid, namespace, name)
	return e.observe(c)
}

const managerRole = "manager"

func (w *writer) lost(uid, namespace, name string) {
	w.text("uid", uid)
	w.text("namespace", namespace)
	w.text("name", name)
}

func (w *writer) workerCluster(o *WorkerCluster) {
	place := w.putMapLater()
	keys := 1
	w.text("name", o.Name)
	keys += w.boolIf("connected", o.Connected)
	keys += w.intIf("since", o.Since)
	w.setCount(place, keys)
}

func (w *writer) workload(o *Workload) {
	place := w.putMapLater()
	keys := 4
	w.text("role", managerRole)
	w.lost(o.UID, o.Namespace, o.Name)
	keys += w.intIf("resourceVersion", o.ResourceVersion)
	keys += w.pairsIf("conditions", o.Conditions)
	keys += w.boolIf("checksReady", o.ChecksReady)
	if o.Inactive {
		w.bool("active", false)
		keys++
	}
	keys += w.boolIf("deleted", o.Deleted)
	keys += w.textsIf("nominated", o.Nominated)
	keys += w.textIf("cluster", o.Cluster)
	keys += w.textsIf("gates", o.Gates)
	keys += w.pairsIf("annotations", o.Annotations)
	w.setCount(place, keys)
}

func (w *writer) replica(o *Replica) {
	place := w.putMapLater()
	keys := 4
	w.text("cluster", o.Cluster)
	w.lost(o.UID, o.Namespace, o.Name)
	keys += w.intIf("resourceVersion", o.ResourceVersion)
	keys += w.textIf("origin", o.Origin)
	keys += w.textsIf("gates", o.Gates)
	keys += w.pairsIf("gateStatus", o.GateStatus)
	keys += w.pairsIf("conditions", o.Conditions)
	keys += w.boolIf("deleted", o.Deleted)
	w.setCount(place, keys)
}

// multiKueueIf writes how this engine manages clusters, if it does. An engine that does gets the
// key also where all has its default.
func (w *writer) multiKueueIf(m *MultiKueue) int {
	if m == nil {
		return 0
	}
	w.putKey("multiKueue")
	place := w.putMapLater()
	keys := w.boolIf("orchestratedPreemption", m.Orchestrated)
	keys += w.intIf("singleClusterPreemptionTimeout", int64(m.PreemptionTimeout))
	keys += w.intIf("workerLostTimeout", int64(m.WorkerLostTimeout))
	keys += w.intIf("preferNoPreemption", int64(m.PreferNoPreemption))
	w.setCount(place, keys)
	return 1
}

// isFleet tells whether effects of this kind are a manager's.
func isFleet(kind string) bool {
	switch kind {
	case CreateReplica, DeleteReplica, WriteMemory, OpenGate, SetCluster, RetryCheck:
		return true
	}
	return false
}

// readFleet takes the value of the key if it belongs to a manager's effect.
func (r *reader) readFleet(key []byte, f *FleetEffect) bool {
	switch string(key) {
	case "cluster":
		f.Cluster = r.text()
	case "workload":
		f.Workload = r.text()
	case "annotations":
		f.Annotations = r.pairs()
	case "gates":
		f.Gates = r.texts()
	case "gate":
		f.Gate = r.text()
	case "until":
		f.Until = r.int()
	default:
		return false
	}
	return true
}
