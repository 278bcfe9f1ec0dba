{"#": "an invariant does not hold: a member that holds nothing is in its group's queue, or in its own"}
{"open": {}}
{"observe": {"now": 21000000000, "kind": "synced"}}
{"observe": {"now": 21000000000, "kind": "leader"}}
{"observe": {"now": 4028353000000, "kind": "pod", "object": {"uid": "pu7.1", "namespace": "d", "name": "p7", "created": 7000000000, "annotations": {"scheduling.volcano.sh/group-min-member": "2"}}}}
{"post_bind": {"now": 28168314954499, "uid": "pu7.1", "node": "n0"}}
{"observe": {"now": 28478797954499, "kind": "pod", "object": {"uid": "pu7.1", "namespace": "d", "name": "p7", "created": 7000000000, "annotations": {"scheduling.volcano.sh/group-min-member": "2"}, "namespaceQueue": "q1"}}}
{"unreserve": {"now": 28479207954499, "uid": "pu7.1", "node": "n0"}}
{"observe": {"now": 28558823954499, "kind": "leader", "gone": true}}
