{"#": "it crashes: Illegal instruction"}
{"open": {"effects": ["answerPermit"]}}
{"observe": {"now": 21000000000, "kind": "queue", "object": {"kind": "Queue", "name": "q0"}}}
{"observe": {"now": 21000000000, "kind": "pod", "object": {"uid": "pu0.0", "namespace": "d", "name": "p0", "created": 1000000000, "priority": -1, "annotations": {"scheduling.volcano.sh/queue-allocation-gate": "true", "scheduling.volcano.sh/group-min-member": "2"}, "requests": {"cpu": 1000}, "controller": {"uid": "ctl1", "kind": "Deployment", "name": "owner1"}}}}
{"observe": {"now": 21000000000, "kind": "pod", "object": {"uid": "pu6.0", "namespace": "d", "name": "p6", "created": 1000000000, "annotations": {"scheduling.volcano.sh/queue-allocation-gate": "true", "scheduling.volcano.sh/group-min-member": "2"}, "controller": {"uid": "ctl1", "kind": "Deployment", "name": "owner1"}}}}
{"observe": {"now": 21000000000, "kind": "synced"}}
{"observe": {"now": 21000000000, "kind": "leader"}}
{"observe": {"now": 21000000000, "kind": "group", "object": {"uid": "gu4.1", "namespace": "d", "name": "podgroup-ctl1", "created": 9000000000, "queue": "q0", "minMember": 2}}}
{"reserve": {"now": 21000000000, "uid": "pu0.0", "node": "n0"}}
{"permit": {"now": 21000000000, "uid": "pu0.0", "node": "n0"}}
{"observe": {"now": 21000000000, "kind": "pod", "object": {"uid": "pu0.0", "namespace": "d", "name": "p0", "created": 1000000000, "priority": -1, "annotations": {"scheduling.volcano.sh/queue-allocation-gate": "true", "scheduling.volcano.sh/queue-name": "q0"}, "requests": {"cpu": 1000}}}}
