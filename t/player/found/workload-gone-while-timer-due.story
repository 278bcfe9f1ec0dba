{"#": "a record that is not there, in orchestrator_deadline"}
{"open": {"multiKueue": {}}}
{"observe": {"now": 21490000000, "kind": "synced"}}
{"observe": {"now": 21758000000, "kind": "workload", "object": {"role": "manager", "uid": "wu0.1", "namespace": "d", "name": "w0", "nominated": ["west"]}}}
{"observe": {"now": 3876707000001, "kind": "replica", "object": {"cluster": "north", "uid": "ru6.1", "namespace": "d", "name": "w2"}}}
{"observe": {"now": 3877740000001, "kind": "workload", "object": {"role": "manager", "uid": "wu2.0", "namespace": "d", "name": "w2", "conditions": {"QuotaReserved": "True"}, "cluster": "west"}}}
{"observe": {"now": 3878191000001, "kind": "leader"}}
{"drain": {"now": 3878236000001}}
{"ack": {"now": 3878285000001, "acks": [{"effect": "retryCheck|wu2.0|d|w2", "result": "gone"}]}}
{"inspect": {"now": 3878285000001, "what": "fleet"}}
