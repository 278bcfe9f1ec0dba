// SPDX-License-Identifier: Apache-2.0

package sluice

import (
	"testing"
	"time"
)

const gateOfFleets = "kueue.x-k8s.io/multikueue"

func TestWhatAManagerSeesAsItIsWritten(t *testing.T) {
	var w writer
	w.workerCluster(&WorkerCluster{Name: "c", Connected: true, Since: 7})
	same(t, readBack(t, w), map[string]any{"name": "c", "connected": true, "since": int64(7)})

	w = nil
	w.workload(&Workload{UID: "u", Namespace: "ns", Name: "w", ResourceVersion: 5,
		Conditions: [][2]string{{"QuotaReserved", "True"}}, ChecksReady: true, Inactive: true,
		Deleted: true, Nominated: []string{"c"}, Cluster: "c", Gates: []string{"g"},
		Annotations: [][2]string{{"a", "b"}}})
	same(t, readBack(t, w), map[string]any{
		"role": "manager", "uid": "u", "namespace": "ns", "name": "w", "resourceVersion": int64(5),
		"conditions": map[string]any{"QuotaReserved": "True"}, "checksReady": true, "active": false,
		"deleted": true, "nominated": []any{"c"}, "cluster": "c", "gates": []any{"g"},
		"annotations": map[string]any{"a": "b"}})

	w = nil
	w.replica(&Replica{Cluster: "c", UID: "u", Namespace: "ns", Name: "w", ResourceVersion: 6,
		Origin: "o", Gates: []string{"g"}, GateStatus: [][2]string{{"g", "Open"}},
		Conditions: [][2]string{{"Admitted", "True"}}, Deleted: true})
	same(t, readBack(t, w), map[string]any{
		"cluster": "c", "uid": "u", "namespace": "ns", "name": "w", "resourceVersion": int64(6),
		"origin": "o", "gates": []any{"g"}, "gateStatus": map[string]any{"g": "Open"},
		"conditions": map[string]any{"Admitted": "True"}, "deleted": true})

	w = nil
	w.replica(&Replica{Cluster: "c", UID: "u", Namespace: "ns", Name: "w"})
	same(t, readBack(t, w), map[string]any{"cluster": "c", "uid": "u", "namespace": "ns", "name": "w"})
}

func TestTheConfigurationOfAManager(t *testing.T) {
	var w writer
	must(t, w.config(&Config{MultiKueue: &MultiKueue{Orchestrated: true, PreemptionTimeout: 1,
		WorkerLostTimeout: 2, PreferNoPreemption: 3}, Limits: Limits{Workloads: 4, Clusters: 5}}, 6))
	same(t, readBack(t, w), map[string]any{"now": int64(6),
		"multiKueue": map[string]any{"orchestratedPreemption": true,
			"singleClusterPreemptionTimeout": int64(1), "workerLostTimeout": int64(2),
			"preferNoPreemption": int64(3)},
		"limits": map[string]any{"workloads": int64(4), "clusters": int64(5)}})
	open(t, Config{MultiKueue: &MultiKueue{}}) // all defaults: still a manager

	e, _ := open(t, Config{})
	if _, err := e.ObserveCluster(&WorkerCluster{Name: "c"}); !isCode(err, CodeUnsupported) {
		t.Errorf("a cluster where none is managed: %v, want %v", err, CodeUnsupported)
	}
}

// manager is an engine that leads and manages two clusters, with one workload for both.
func manager(t *testing.T) (*Engine, *testClock) {
	t.Helper()
	e, clock := open(t, Config{MultiKueue: &MultiKueue{Orchestrated: true,
		PreemptionTimeout: time.Minute}})
	for _, name := range []string{"east", "west"} {
		_, err := e.ObserveCluster(&WorkerCluster{Name: name, Connected: true})
		must(t, err)
	}
	_, err := e.ObserveWorkload(theWorkload(5))
	must(t, err)
	_, err = e.Synced()
	must(t, err)
	_, err = e.Lead(true)
	must(t, err)
	return e, clock
}

func theWorkload(version int64) *Workload {
	return &Workload{UID: "w-uid", Namespace: "ns", Name: "w", ResourceVersion: version,
		Conditions: [][2]string{{"QuotaReserved", "True"}}, ChecksReady: true,
		Nominated: []string{"east", "west"}}
}

func replicaIn(cluster string, version int64, conditions ...string) *Replica {
	r := &Replica{Cluster: cluster, UID: "in-" + cluster, Namespace: "ns", Name: "w",
		ResourceVersion: version, Origin: "w-uid", Gates: []string{gateOfFleets}}
	for _, condition := range conditions {
		r.Conditions = append(r.Conditions, [2]string{condition, "True"})
	}
	return r
}

// expect drains, compares without ids, and acknowledges all with the result.
func (e *Engine) expect(t *testing.T, result string, want ...Effect) {
	t.Helper()
	effects, _, err := e.Drain(64)
	must(t, err)
	var acks []Ack
	for i := range effects {
		acks = append(acks, Ack{ID: effects[i].ID, Result: result})
		effects[i].ID, effects[i].Attempt = 0, 0
	}
	same(t, effects, want)
	_, _, err = e.Ack(acks)
	must(t, err)
	for more := true; more; {
		tail, err := e.Tick()
		must(t, err)
		more = tail.More
	}
}

func about(kind, cluster string, version int64, more FleetEffect) Effect {
	effect := Effect{Kind: kind, Namespace: "ns", Name: "w", ResourceVersion: version, Fleet: &more}
	more.Cluster = cluster
	return effect
}

func TestAManagersStory(t *testing.T) {
	e, clock := manager(t)
	create := FleetEffect{Workload: "w-uid", Gates: []string{gateOfFleets},
		Annotations: [][2]string{{"sluice.sh/workload-uid", "w-uid"}}}
	e.expect(t, Done, about(CreateReplica, "east", 0, create), about(CreateReplica, "west", 0, create))
	for _, replica := range []*Replica{replicaIn("east", 7), replicaIn("west", 7)} {
		_, err := e.ObserveReplica(replica)
		must(t, err)
	}
	clock.advance(second)
	_, err := e.ObserveReplica(replicaIn("west", 8, "BlockedOnPreemptionGates"))
	must(t, err)
	memory := about(WriteMemory, "", 5, FleetEffect{Annotations: [][2]string{
		{"sluice.sh/preemption-memory", "v1 0 west,in-west,1700000001000000000,1700000001000000000"}}})
	memory.UID = "w-uid"
	e.expect(t, Done, memory)
	opening := about(OpenGate, "west", 8, FleetEffect{Workload: "w-uid", Gate: gateOfFleets,
		Until: epoch + 31*second})
	opening.UID = "in-west"
	e.expect(t, Done, opening)
	e.expect(t, Done)

	_, err = e.ObserveReplica(replicaIn("west", 9, "QuotaReserved", "Admitted"))
	must(t, err)
	winner := about(SetCluster, "west", 5, FleetEffect{})
	winner.UID = "w-uid"
	e.expect(t, Done, winner)
	bound := theWorkload(6)
	bound.Cluster = "west"
	_, err = e.ObserveWorkload(bound)
	must(t, err)
	other := about(DeleteReplica, "east", 0, FleetEffect{Workload: "w-uid"})
	other.UID = "in-east"
	e.expect(t, Done, other)

	_, err = e.ForgetReplica("east", "in-east", "ns", "w")
	must(t, err)
	_, err = e.ObserveReplica(replicaIn("west", 10, "Evicted"))
	must(t, err)
	again := about(RetryCheck, "west", 6, FleetEffect{})
	again.UID, again.Message = "w-uid", "evicted in the cluster west"
	e.expect(t, Done, again)

	_, err = e.ForgetWorkload("w-uid", "ns", "w")
	must(t, err)
	_, err = e.ForgetCluster("east")
	must(t, err)
	answer, err := e.Inspect(Query{What: "fleet", Namespace: "ns", Name: "w"})
	must(t, err)
	if answer["known"] != false || answer["copies"] != int64(1) {
		t.Errorf("of a workload that is gone: %v", answer)
	}
}
