{"#": "observe: an invariant does not hold: a claim is in the tree of its state"}
{"open": {"effects": ["answerPermit"]}}
{"observe": {"now": 13292093022208, "kind": "group", "object": {"uid": "gu3.2", "namespace": "d", "name": "podgroup-ctl0", "created": 8000000000, "queue": "q1"}}}
{"observe": {"now": 13292737022208, "kind": "group", "object": {"uid": "gu4.1", "namespace": "d", "name": "podgroup-ctl1", "created": 1000000000, "queue": "q1", "minMember": 2}}}
{"observe": {"now": 13292885022208, "kind": "pod", "object": {"uid": "pu10.0", "namespace": "d", "name": "p10", "created": 2000000000, "annotations": {"scheduling.volcano.sh/queue-allocation-gate": "true", "scheduling.k8s.io/group-name": "podgroup-ctl1"}}}}
{"observe": {"now": 13292979022208, "kind": "pod", "object": {"uid": "pu1.3", "namespace": "d", "name": "p1", "created": 6000000000, "gates": ["volcano.sh/queue-allocation-gate"], "annotations": {"scheduling.volcano.sh/group-min-member": "x"}, "controller": {"uid": "ctl1", "kind": "StatefulSet", "name": "owner1"}}}}
{"observe": {"now": 13293056022208, "kind": "pod", "object": {"uid": "pu1.3", "namespace": "d", "name": "p1", "created": 6000000000, "gates": ["volcano.sh/queue-allocation-gate"], "annotations": {"scheduling.volcano.sh/group-min-member": "x"}, "controller": {"uid": "ctl0", "kind": "StatefulSet", "name": "owner0"}}}}
