{"#": "drain: two effects are under way for one pod"}
{"open": {}}
{"observe": {"now": 21114000000, "kind": "synced"}}
{"observe": {"now": 21313000000, "kind": "pod", "object": {"uid": "pu5.0", "namespace": "d", "name": "p5", "created": 2000000000, "annotations": {"scheduling.volcano.sh/queue-allocation-gate": "true", "scheduling.volcano.sh/queue-name": "c1"}, "unschedulable": true}}}
{"observe": {"now": 29072000001, "kind": "leader"}, "cap": 17367}
{"drain": {"now": 29181000001}}
{"observe": {"now": 29200000001, "kind": "pod", "object": {"uid": "pu5.0", "namespace": "d", "name": "p5", "created": 2000000000}}}
{"observe": {"now": 29334000001, "kind": "pod", "object": {"uid": "pu5.0", "namespace": "d", "name": "p5", "created": 2000000000, "gates": ["volcano.sh/queue-allocation-gate"], "unschedulable": true}}}
{"drain": {"now": 29369000014}}
