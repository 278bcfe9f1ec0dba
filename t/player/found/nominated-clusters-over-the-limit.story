{"#": "drain: another answer where calls that failed or read were left out"}
{"open": {"multiKueue": {}, "limits": {"clusters": 2}}}
{"observe": {"now": 21000000000, "kind": "workload", "object": {"role": "manager", "uid": "wu3.0", "namespace": "d", "name": "w3", "nominated": ["east", "north", "west"]}}}
{"observe": {"now": 21000000000, "kind": "synced"}}
{"observe": {"now": 21085000000, "kind": "replica", "object": {"cluster": "north", "uid": "ru4.1", "namespace": "d", "name": "w0"}}}
{"observe": {"now": 23236000000, "kind": "replica", "object": {"cluster": "north", "uid": "ru5.1", "namespace": "d", "name": "w1"}}}
{"observe": {"now": 3933937000000, "kind": "leader"}}
{"observe": {"now": 3934061000000, "kind": "cluster", "object": {"name": "north", "connected": true}}}
{"observe": {"now": 3934079000000, "kind": "leader", "gone": true}}
{"observe": {"now": 3934986000000, "kind": "leader"}}
{"drain": {"now": 3936135000000}}
