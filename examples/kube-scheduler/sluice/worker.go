// SPDX-License-Identifier: Apache-2.0

package sluice

// WorkerWorkload is a workload that gets its quota in this cluster, with its status as it stands.
type WorkerWorkload struct {
	UID, Namespace, Name string
	Created              int64
	ResourceVersion      int64
	Queue                string // its LocalQueue
	Priority             int32
	Inactive, Deleted    bool
	PodSets              []PodSet
	Gates                []string
	GateStatus           [][2]string        // gate and position, no gate twice
	Conditions           []KnownCondition   // no type twice
	Admission            *WorkloadAdmission // nil: none
	Checks               []CheckState
	RequeueAt            int64
	RequeueCount         int64
	JobStopped           bool
	CannotPreempt        bool
	JobUID               string // of the Job that it is of; "": of none
	Unsupported          string // why it gets no quota; "": it may
	AdmissionGated       bool   // that says what its admission waits for
}

// KnownCondition is one that is there, since when.
type KnownCondition struct {
	Type, Status, Reason string
	Since                int64
}

// PodSet is a set of pods of one kind.
type PodSet struct {
	Name         string
	Count        int32
	MinCount     *int32   // nil: all or nothing
	Requests     []Amount // of one pod, without `pods`
	NodeSelector [][2]string
	Affinity     [][]Expression // one of the terms must hold
	Tolerations  []Toleration
}

// Expression is one of a term of node affinity; all of a term must hold.
type Expression struct {
	Key, Operator string
	Values        []string
}

// WorkloadAdmission is what a workload was given.
type WorkloadAdmission struct {
	ClusterQueue string
	PodSets      []Assignment
}

// Assignment is what a pod set was given.
type Assignment struct {
	Name     string
	Count    int32
	Flavors  [][2]string // resource and flavor
	Requests []Amount    // of all its pods [in an effect]
}

// CheckState is that of an admission check of a workload.
type CheckState struct {
	Name, State string
	RetryAfter  int64 // it wants to be asked again then; 0: it did not say
}

// LocalQueue is a way into a ClusterQueue.
type LocalQueue struct {
	UID, Namespace, Name string
	ResourceVersion      int64
	ClusterQueue         string
	StopPolicy           string
	NotSelected          bool // the ClusterQueue does not want workloads of its namespace
}

// QueueCheck is an admission check of a ClusterQueue.
type QueueCheck struct {
	Name    string
	Flavors []string // only of workloads with one of these; none: of all
}

// WriteWorkload is the kind of effect that writes into a workload. It must be asked for.
const WriteWorkload = "writeWorkload"

// WorkloadWrite is what is to be written into a workload; Reason and Message are the effect's.
type WorkloadWrite struct {
	Write         string // which of the writes it is, as PROTOCOL.md lists them
	Gates         [][2]string
	Admission     *WorkloadAdmission
	Checks        []string
	Admitted      bool
	Clear         bool // the signal
	Cause         string
	ForgetRequeue bool
	Requeued      bool
	At            int64
}

// ObserveWorkerWorkload: the workload was seen, for the first time or again.
func (e *Engine) ObserveWorkerWorkload(o *WorkerWorkload) (Tail, error) {
	c := e.beginObserve("workload", false, true)
	defer c.done()
	c.req.workerWorkload(o)
	return e.observe(c)
}

// ForgetWorkerWorkload: the workload is gone. Another one of its name stays.
func (e *Engine) ForgetWorkerWorkload(uid, namespace, name string) (Tail, error) {
	c := e.beginObserve("workload", true, true)
	defer c.done()
	c.req.putMap(4)
	c.req.text("role", workerRole)
	c.req.lost(uid, namespace, name)
	return e.observe(c)
}

// ObserveLocalQueue: the LocalQueue was seen, for the first time or again.
func (e *Engine) ObserveLocalQueue(o *LocalQueue) (Tail, error) {
	c := e.beginObserve("localQueue", false, true)
	defer c.done()
	c.req.localQueue(o)
	return e.observe(c)
}

// ForgetLocalQueue: the LocalQueue is gone.
func (e *Engine) ForgetLocalQueue(namespace, name string) (Tail, error) {
	c := e.beginObserve("localQueue", true, true)
	defer c.done()
	c.req.putMap(2)
	c.req.text("namespace", namespace)
	c.req.text("name", name)
	return e.observe(c)
}

// ObserveCheck: the AdmissionCheck was seen, for the first time or again.
func (e *Engine) ObserveCheck(name string, active bool) (Tail, error) {
	c := e.beginObserve("check", false, true)
	defer c.done()
	c.req.putMap(2)
	c.req.text("name", name)
	c.req.bool("active", active)
	return e.observe(c)
}

// ForgetCheck: the AdmissionCheck is gone.
func (e *Engine) ForgetCheck(name string) (Tail, error) { return e.forget("check", "name", name) }

const workerRole = "worker"

func (w *writer) workerWorkload(o *WorkerWorkload) {
	place := w.putMapLater()
	keys := 6
	w.text("role", workerRole)
	w.lost(o.UID, o.Namespace, o.Name)
	w.int("created", o.Created)
	keys += w.intIf("resourceVersion", o.ResourceVersion)
	keys += w.textIf("queue", o.Queue)
	keys += w.intIf("priority", int64(o.Priority))
	if o.Inactive {
		w.bool("active", false)
		keys++
	}
	keys += w.boolIf("deleted", o.Deleted)
	w.putKey("podSets")
	w.putArray(len(o.PodSets))
	for i := range o.PodSets {
		w.podSet(&o.PodSets[i])
	}
	keys += w.textsIf("gates", o.Gates)
	keys += w.pairsIf("gateStatus", o.GateStatus)
	keys += w.knownConditionsIf(o.Conditions)
	if o.Admission != nil {
		w.putKey("admission")
		w.admission(o.Admission)
		keys++
	}
	keys += w.checkStatesIf(o.Checks)
	keys += w.intIf("requeueAt", o.RequeueAt)
	keys += w.intIf("requeueCount", o.RequeueCount)
	keys += w.boolIf("jobStopped", o.JobStopped)
	keys += w.textIf("jobUid", o.JobUID)
	keys += w.boolIf("cannotPreempt", o.CannotPreempt)
	keys += w.textIf("unsupported", o.Unsupported)
	keys += w.boolIf("admissionGated", o.AdmissionGated)
	w.setCount(place, keys)
}

func (w *writer) podSet(p *PodSet) {
	place := w.putMapLater()
	keys := 2
	w.text("name", p.Name)
	w.int("count", int64(p.Count))
	if p.MinCount != nil {
		w.int("minCount", int64(*p.MinCount))
		keys++
	}
	keys += w.amountsIf("requests", p.Requests)
	keys += w.pairsIf("nodeSelector", p.NodeSelector)
	if len(p.Affinity) > 0 {
		w.putKey("affinity")
		w.putArray(len(p.Affinity))
		for _, term := range p.Affinity {
			w.term(term)
		}
		keys++
	}
	keys += w.tolerationsIf(p.Tolerations)
	w.setCount(place, keys)
}

func (w *writer) term(expressions []Expression) {
	w.putArray(len(expressions))
	for i := range expressions {
		place := w.putMapLater()
		w.text("key", expressions[i].Key)
		w.text("operator", expressions[i].Operator)
		w.setCount(place, 2+w.textsIf("values", expressions[i].Values))
	}
}

func (w *writer) knownConditionsIf(conditions []KnownCondition) int {
	if len(conditions) == 0 {
		return 0
	}
	w.putKey("conditions")
	w.putMap(len(conditions))
	for i := range conditions {
		one := &conditions[i]
		w.putText(one.Type)
		place := w.putMapLater()
		w.text("status", one.Status)
		w.setCount(place, 1+w.textIf("reason", one.Reason)+w.intIf("since", one.Since))
	}
	return 1
}

func (w *writer) admission(a *WorkloadAdmission) {
	w.putMap(2)
	w.text("clusterQueue", a.ClusterQueue)
	w.putKey("podSets")
	w.putArray(len(a.PodSets))
	for i := range a.PodSets {
		place := w.putMapLater()
		w.text("name", a.PodSets[i].Name)
		w.int("count", int64(a.PodSets[i].Count))
		w.setCount(place, 2+w.pairsIf("flavors", a.PodSets[i].Flavors))
	}
}

func (w *writer) checkStatesIf(checks []CheckState) int {
	if len(checks) == 0 {
		return 0
	}
	w.putKey("checks")
	w.putArray(len(checks))
	for i := range checks {
		place := w.putMapLater()
		w.text("name", checks[i].Name)
		w.text("state", checks[i].State)
		w.setCount(place, 2+w.intIf("retryAfter", checks[i].RetryAfter))
	}
	return 1
}

func (w *writer) localQueue(o *LocalQueue) {
	place := w.putMapLater()
	keys := 3
	w.text("namespace", o.Namespace)
	w.text("name", o.Name)
	w.text("clusterQueue", o.ClusterQueue)
	keys += w.textIf("uid", o.UID)
	keys += w.intIf("resourceVersion", o.ResourceVersion)
	keys += w.textIf("stopPolicy", o.StopPolicy)
	if o.NotSelected {
		w.bool("selected", false)
		keys++
	}
	w.setCount(place, keys)
}

func (w *writer) queueChecksIf(checks []QueueCheck) int {
	if len(checks) == 0 {
		return 0
	}
	w.putKey("checks")
	w.putArray(len(checks))
	for i := range checks {
		place := w.putMapLater()
		w.text("name", checks[i].Name)
		w.setCount(place, 1+w.textsIf("flavors", checks[i].Flavors))
	}
	return 1
}

// readWorkloadWrite takes the value of the key if it belongs to a write into a workload.
func (r *reader) readWorkloadWrite(key []byte, o *WorkloadWrite) bool {
	switch string(key) {
	case "write":
		o.Write = r.text()
	case "gates":
		o.Gates = r.pairs()
	case "admission":
		if !r.nil() {
			o.Admission = r.admission()
		}
	case "checks":
		o.Checks = r.texts()
	case "admitted":
		o.Admitted = r.bool()
	case "clear":
		o.Clear = r.bool()
	case "cause":
		o.Cause = r.text()
	case "forgetRequeue":
		o.ForgetRequeue = r.bool()
	case "requeued":
		o.Requeued = r.bool()
	case "at":
		o.At = r.int()
	default:
		return false
	}
	return true
}

func (r *reader) admission() *WorkloadAdmission {
	a := &WorkloadAdmission{}
	for n := r.mapping(); n > 0 && r.err == nil; n-- {
		switch string(r.bytes()) {
		case "clusterQueue":
			a.ClusterQueue = r.text()
		case "podSets":
			for sets := r.array(); sets > 0 && r.err == nil; sets-- {
				a.PodSets = append(a.PodSets, r.assignment())
			}
		default:
			r.skip()
		}
	}
	return a
}

func (r *reader) assignment() (a Assignment) {
	for n := r.mapping(); n > 0 && r.err == nil; n-- {
		switch string(r.bytes()) {
		case "name":
			a.Name = r.text()
		case "count":
			a.Count = int32(r.int())
		case "flavors":
			a.Flavors = r.pairs()
		case "requests":
			a.Requests = r.amounts()
		default:
			r.skip()
		}
	}
	return a
}
