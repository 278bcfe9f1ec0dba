{"#": "tick: an invariant does not hold: a gang that may assemble has its turn if no other has"}
{"open": {"effects": ["answerPermit"]}}
{"observe": {"now": 21000000000, "kind": "pod", "object": {"uid": "pu4.0", "namespace": "d", "name": "p4", "created": 1000000000, "annotations": {"scheduling.volcano.sh/queue-allocation-gate": "true", "scheduling.volcano.sh/group-min-member": "2"}, "controller": {"uid": "ctl1", "kind": "Deployment", "name": "owner1"}}}}
{"observe": {"now": 21000000000, "kind": "synced"}}
{"observe": {"now": 21027000000, "kind": "pod", "object": {"uid": "pu6.0", "namespace": "d", "name": "p6", "created": 1000000000, "annotations": {"scheduling.volcano.sh/queue-allocation-gate": "true", "scheduling.volcano.sh/group-min-member": "2"}, "controller": {"uid": "ctl1", "kind": "Deployment", "name": "owner1"}}}}
{"observe": {"now": 21054000000, "kind": "leader"}}
{"observe": {"now": 141192000000, "kind": "group", "object": {"uid": "gu4.1", "namespace": "d", "name": "podgroup-ctl1", "created": 9000000000, "minMember": 2}}}
{"observe": {"now": 201460000000, "kind": "leader", "gone": true}}
{"observe": {"now": 202078000000, "kind": "leader"}}
{"tick": {"now": 322078000000}}
