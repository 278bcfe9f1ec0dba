{"#": "an invariant does not hold: what is wanted of the host was looked at when it changed"}
{"open": {"effects": ["writeWorkload"]}}
{"observe": {"now": 21000000000, "kind": "queue", "object": {"kind": "ClusterQueue", "name": "c2"}}}
{"observe": {"now": 21000000000, "kind": "localQueue", "object": {"namespace": "d", "name": "l1", "clusterQueue": "c2"}}}
{"observe": {"now": 21000000000, "kind": "workload", "object": {"role": "worker", "uid": "wu3.0", "namespace": "d", "name": "w3", "created": 2000000000, "queue": "l1", "podSets": [{"name": "s0", "count": 0}]}}}
{"observe": {"now": 21000000000, "kind": "synced"}}
{"observe": {"now": 21000000000, "kind": "leader"}}
{"observe": {"now": 28415000001, "kind": "pod", "object": {"uid": "pu4.0", "namespace": "d", "name": "p4", "created": 6000000000, "gates": ["volcano.sh/queue-allocation-gate"], "annotations": {"kueue.x-k8s.io/workload": "w3"}}}}
{"drain": {"now": 12029591000001}}
{"ack": {"now": 12036675000001, "acks": [{"effect": "event|pu3.1|d|p3", "result": "done"}, {"effect": "removeGates|pu4.0|d|p4", "result": "done"}]}}
{"observe": {"now": 20040200000001, "kind": "workload", "object": {"role": "worker", "uid": "wu5.2", "namespace": "d", "name": "w5", "created": 5000000000, "podSets": [{"name": "s0", "count": 2}]}}}
{"pre_enqueue": {"now": 20040202000001, "pod": {"uid": "pu4.0", "namespace": "d", "name": "p4", "created": 6000000000, "gates": ["volcano.sh/queue-allocation-gate"], "annotations": {"kueue.x-k8s.io/workload": "w3"}}}}
