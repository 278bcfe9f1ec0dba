{"#": "tick: more is true after 3000 ticks"}
{"open": {"effects": ["writeWorkload"]}}
{"observe": {"now": 7657762000004, "kind": "flavor", "object": {"name": "f0"}}}
{"observe": {"now": 7657762000004, "kind": "queue", "object": {"kind": "ClusterQueue", "name": "q0", "preemption": {"reclaimWithinCohort": "Any"}, "groups": [{"resources": ["cpu"], "flavors": [{"name": "f0", "quotas": {}}]}]}}}
{"observe": {"now": 7657762000004, "kind": "localQueue", "object": {"namespace": "d", "name": "l1", "clusterQueue": "q0"}}}
{"observe": {"now": 7657762000004, "kind": "workload", "object": {"role": "worker", "uid": "wu2.1", "namespace": "d", "name": "w2", "created": 1000000000, "podSets": [{"name": "s0", "count": 3, "requests": {"cpu": 2000}}], "conditions": {"QuotaReserved": {"status": "True"}}, "admission": {"clusterQueue": "q0", "podSets": [{"name": "s0", "count": 3, "flavors": {"cpu": "f0"}}]}}}}
{"observe": {"now": 7657762000004, "kind": "workload", "object": {"role": "worker", "uid": "wu6.1", "namespace": "d", "name": "w6", "created": 5000000000, "queue": "l1", "podSets": [{"name": "s0", "count": 0, "requests": {"cpu": 1000}}]}}}
{"observe": {"now": 7657762000004, "kind": "synced"}}
{"observe": {"now": 7657762000004, "kind": "leader"}}
{"tick": {"now": 7777762000004}}
