{"#": "observe: an invariant does not hold: a reservation that is to go again is under way, or was made"}
{"open": {"effects": ["writeWorkload"]}}
{"observe": {"now": 21000000000, "kind": "flavor", "object": {"name": "f0"}}}
{"observe": {"now": 21000000000, "kind": "queue", "object": {"kind": "ClusterQueue", "name": "c1", "parent": "h0", "preemption": {"withinClusterQueue": "LowerOrNewerEqualPriority", "borrowWithinCohort": {"policy": "LowerPriority"}}, "groups": [{"resources": ["cpu"], "flavors": [{"name": "f0", "quotas": {"cpu": {"nominal": 3000}}}]}]}}}
{"observe": {"now": 21000000000, "kind": "localQueue", "object": {"namespace": "d", "name": "l0", "clusterQueue": "c1"}}}
{"observe": {"now": 21000000000, "kind": "synced"}, "cap": 16712}
{"observe": {"now": 21000000000, "kind": "leader"}}
{"observe": {"now": 4021394000000, "kind": "workload", "object": {"role": "worker", "uid": "wu3.0", "namespace": "d", "name": "w3", "created": 2000000000, "queue": "l1", "podSets": [{"name": "s0", "count": 2, "requests": {"cpu": 2000}}]}}}
{"observe": {"now": 8022924999999, "kind": "localQueue", "object": {"namespace": "d", "name": "l1", "clusterQueue": "c1"}}}
{"observe": {"now": 8023007999999, "kind": "workload", "object": {"role": "worker", "uid": "wu2.1", "namespace": "d", "name": "w2", "created": 3000000000, "queue": "l0", "podSets": [{"name": "s1", "count": 3, "requests": {"cpu": "3"}, "minCount": 1}]}}}
{"drain": {"now": 8023042999999}}
{"observe": {"now": 8023067999999, "kind": "queue", "object": {"kind": "ClusterQueue", "name": "c2", "parent": "h0", "groups": [{"resources": ["cpu"], "flavors": [{"name": "f0", "quotas": {"cpu": {"nominal": 1000}}}]}]}}}
{"observe": {"now": 12023301999999, "kind": "workload", "object": {"role": "worker", "uid": "wu7.2", "namespace": "d", "name": "w7", "created": 7000000000, "podSets": [{"name": "s0", "count": 1}]}}, "cap": 314}
