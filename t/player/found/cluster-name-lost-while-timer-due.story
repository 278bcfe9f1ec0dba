{"#": "a record that is not there, in stance_wants_retry"}
{"open": {"multiKueue": {}}}
{"observe": {"now": 21000000000, "kind": "synced"}}
{"observe": {"now": 21000000000, "kind": "leader"}}
{"observe": {"now": 21000000000, "kind": "cluster", "object": {"name": "west", "connected": true}}}
{"observe": {"now": 21000000000, "kind": "workload", "object": {"role": "manager", "uid": "wu2.0", "namespace": "d", "name": "w2", "conditions": {"QuotaReserved": "True"}, "cluster": "west"}}}
{"drain": {"now": 22000000000}}
{"observe": {"now": 82000000000, "kind": "workload", "object": {"role": "manager", "uid": "wu2.0", "namespace": "d", "name": "w2", "conditions": {"QuotaReserved": "True"}}}}
