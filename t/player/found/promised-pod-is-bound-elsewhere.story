{"#": "an invariant does not hold: what is used later is what stays and what is promised"}
{"open": {"effects": ["evictPod"]}}
{"observe": {"now": 21000000000, "kind": "flavor", "object": {"name": "f0"}}}
{"observe": {"now": 21000000000, "kind": "flavor", "object": {"name": "f1"}}}
{"observe": {"now": 21000000000, "kind": "queue", "object": {"kind": "ClusterQueue", "name": "c1", "parent": "h0", "groups": [{"resources": ["cpu"], "flavors": [{"name": "f0", "quotas": {"cpu": {"nominal": 3000}}}]}]}}}
{"observe": {"now": 21000000000, "kind": "queue", "object": {"kind": "ClusterQueue", "name": "c2", "parent": "h0", "preemption": {"withinClusterQueue": "LowerOrNewerEqualPriority"}, "groups": [{"resources": ["cpu"], "flavors": [{"name": "f0", "quotas": {"cpu": {"nominal": 1000}}}, {"name": "f1", "quotas": {"cpu": {"nominal": 2000}}}]}]}}}
{"observe": {"now": 21000000000, "kind": "synced"}}
{"observe": {"now": 4021619000000, "kind": "pod", "object": {"uid": "pu9.0", "namespace": "d", "name": "p9", "created": 7000000000, "annotations": {"scheduling.volcano.sh/queue-allocation-gate": "true", "scheduling.volcano.sh/queue-name": "c2"}, "queueKind": "ClusterQueue", "requests": {"cpu": 1000}}}}
{"observe": {"now": 4021654000000, "kind": "pod", "object": {"uid": "pu8.0", "namespace": "d", "name": "p8", "created": 1000000000, "annotations": {"scheduling.volcano.sh/queue-name": "c1"}, "queueKind": "ClusterQueue", "requests": {"cpu": 1000}, "node": "n1"}}}
{"observe": {"now": 4021735000000, "kind": "pod", "object": {"uid": "pu5.0", "namespace": "d", "name": "p5", "created": 2000000000, "annotations": {"scheduling.volcano.sh/queue-name": "c2"}, "queueKind": "ClusterQueue", "requests": {"cpu": 1000}, "node": "n0"}}}
{"observe": {"now": 4022081000000, "kind": "pod", "object": {"uid": "pu0.1", "namespace": "d", "name": "p0", "created": 2000000000, "annotations": {"scheduling.volcano.sh/queue-allocation-gate": "true", "scheduling.volcano.sh/queue-name": "c2"}, "queueKind": "ClusterQueue", "requests": {"cpu": 1000}}}}
{"observe": {"now": 4029354000000, "kind": "leader"}}
{"observe": {"now": 4029396000000, "kind": "pod", "object": {"uid": "pu4.0", "namespace": "d", "name": "p4", "created": 1000000000, "annotations": {"scheduling.volcano.sh/queue-name": "c1"}, "queueKind": "ClusterQueue", "requests": {"cpu": 1000}, "node": "n1"}}}
{"observe": {"now": 4029692000000, "kind": "pod", "object": {"uid": "pu7.0", "namespace": "d", "name": "p7", "created": 2000000000, "annotations": {"scheduling.volcano.sh/queue-allocation-gate": "true", "scheduling.volcano.sh/queue-name": "c2"}, "queueKind": "ClusterQueue", "requests": {"cpu": 1000}}}}
{"reserve": {"now": 4029980000001, "uid": "pu9.0", "node": "n3"}}
{"observe": {"now": 8030146000001, "kind": "pod", "object": {"uid": "pu1.0", "namespace": "d", "name": "p1", "created": 2000000000}}}
{"observe": {"now": 8040151000001, "kind": "queue", "object": {"kind": "ClusterQueue", "name": "c1"}}}
{"post_bind": {"now": 8040222000001, "uid": "pu7.0", "node": "n2"}}
