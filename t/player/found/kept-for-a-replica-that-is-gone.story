{"#": "a record that is not there, in say_state"}
{"open": {"multiKueue": {}}}
{"observe": {"now": 28782000001, "kind": "leader"}}
{"observe": {"now": 28830000001, "kind": "synced"}}
{"observe": {"now": 19422926860035265, "kind": "workload", "object": {"role": "manager", "uid": "wu1.0", "namespace": "d", "name": "w1", "conditions": {"QuotaReserved": "True"}, "checksReady": true, "nominated": ["north"]}}}
{"observe": {"now": 19422927020035265, "kind": "replica", "object": {"cluster": "north", "uid": "ru5.1", "namespace": "d", "name": "w1", "conditions": {"Admitted": "True"}}}}
{"observe": {"now": 19422927109035265, "kind": "leader", "gone": true}}
{"observe": {"now": 19422927541035265, "kind": "replica", "object": {"cluster": "north", "uid": "ru5.2", "namespace": "d", "name": "w1"}}}
{"inspect": {"now": 19422927620035265, "what": "fleet"}}
