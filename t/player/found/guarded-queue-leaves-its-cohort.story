{"#": "SUMMARY: AddressSanitizer: use-after-poison (/tmp/b/long/t/player/t-player+0x4db434) (BuildId: eb472f1a823158095f3071afd5e3f8640f65cf89) in quota_cell"}
{"open": {"headGuard": 90000000000}}
{"observe": {"now": 21000000000, "kind": "flavor", "object": {"name": "f1"}}}
{"observe": {"now": 21000000000, "kind": "queue", "object": {"kind": "ClusterQueue", "name": "c1", "parent": "h0", "groups": [{"resources": ["cpu"], "flavors": [{"name": "f1", "quotas": {}}]}]}}}
{"observe": {"now": 21000000000, "kind": "queue", "object": {"kind": "ClusterQueue", "name": "c2", "parent": "h0", "groups": [{"resources": ["cpu"], "flavors": [{"name": "f1", "quotas": {"cpu": {"nominal": 2000}}}]}]}}}
{"observe": {"now": 21000000000, "kind": "pod", "object": {"uid": "pu4.0", "namespace": "d", "name": "p4", "created": 1000000000, "annotations": {"scheduling.volcano.sh/queue-allocation-gate": "true", "scheduling.volcano.sh/queue-name": "c1"}, "queueKind": "ClusterQueue", "requests": {"cpu": 1000}}}}
{"observe": {"now": 21000000000, "kind": "pod", "object": {"uid": "pu5.0", "namespace": "d", "name": "p5", "created": 2000000000, "annotations": {"scheduling.volcano.sh/queue-allocation-gate": "true", "scheduling.volcano.sh/queue-name": "c2"}, "queueKind": "ClusterQueue", "requests": {"cpu": 1000}}}}
{"observe": {"now": 21000000000, "kind": "pod", "object": {"uid": "pu7.0", "namespace": "d", "name": "p7", "created": 2000000000, "annotations": {"scheduling.volcano.sh/queue-allocation-gate": "true", "scheduling.volcano.sh/queue-name": "c2"}, "queueKind": "ClusterQueue", "requests": {"cpu": 1000}}}}
{"observe": {"now": 21000000000, "kind": "pod", "object": {"uid": "pu9.0", "namespace": "d", "name": "p9", "created": 2000000000, "annotations": {"scheduling.volcano.sh/queue-allocation-gate": "true", "scheduling.volcano.sh/queue-name": "c2"}, "queueKind": "ClusterQueue", "requests": {"cpu": 1000}}}}
{"observe": {"now": 21000000000, "kind": "synced"}}
{"observe": {"now": 21000000000, "kind": "leader"}}
{"observe": {"now": 21243000000, "kind": "pod", "object": {"uid": "pu6.0", "namespace": "d", "name": "p6", "created": 1000000000, "annotations": {"scheduling.volcano.sh/queue-allocation-gate": "true", "scheduling.volcano.sh/queue-name": "c1"}, "queueKind": "ClusterQueue"}}}
{"post_bind": {"now": 21509000000, "uid": "pu5.0", "node": "n1"}}
{"observe": {"now": 4021645000000, "kind": "pod", "gone": true, "object": {"uid": "pu6.0"}}}
{"observe": {"now": 4022670000000, "kind": "leader", "gone": true}}
{"observe": {"now": 4031566000000, "kind": "queue", "object": {"kind": "ClusterQueue", "name": "c1"}}}
{"observe": {"now": 8032598000000, "kind": "leader"}}
