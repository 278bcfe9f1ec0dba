{"#": "an invariant does not hold: a gang that may assemble has its turn if no other has"}
{"open": {"effects": ["answerPermit"]}}
{"observe": {"now": 21000000000, "kind": "queue", "object": {"kind": "Queue", "name": "q0"}}}
{"observe": {"now": 21000000000, "kind": "pod", "object": {"uid": "pu0.0", "namespace": "d", "name": "p0", "created": 1000000000, "annotations": {"scheduling.volcano.sh/queue-allocation-gate": "true", "scheduling.volcano.sh/group-min-member": "2"}, "controller": {"uid": "ctl1", "kind": "Deployment", "name": "owner1"}}}}
{"observe": {"now": 21000000000, "kind": "pod", "object": {"uid": "pu2.0", "namespace": "d", "name": "p2", "created": 1000000000, "annotations": {"scheduling.volcano.sh/queue-allocation-gate": "true", "scheduling.volcano.sh/group-min-member": "2"}, "controller": {"uid": "ctl1", "kind": "Deployment", "name": "owner1"}}}}
{"observe": {"now": 21000000000, "kind": "synced"}}
{"observe": {"now": 21000000000, "kind": "leader"}}
{"observe": {"now": 21000000000, "kind": "group", "object": {"uid": "gu4.1", "namespace": "d", "name": "podgroup-ctl1", "created": 9000000000, "minMember": 2}}}
{"post_filter": {"now": 21000000000, "uid": "pu2.0"}}
{"observe": {"now": 21977000000, "kind": "group", "object": {"uid": "gu4.2", "namespace": "d", "name": "podgroup-ctl1", "created": 8000000000, "minMember": 2}}}
{"observe": {"now": 22013000000, "kind": "queue", "object": {"kind": "Queue", "name": "q0"}}}
