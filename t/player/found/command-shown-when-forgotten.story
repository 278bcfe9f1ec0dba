{"#": "a record that is not there, in report"}
{"open": {"effects": ["queueStatus", "deleteCommand"]}}
{"observe": {"now": 334205000000, "kind": "synced"}}
{"observe": {"now": 72903311549888, "kind": "leader"}}
{"command": {"now": 73214648549889, "command": {"uid": "cu5.1", "namespace": "d", "name": "c5", "action": "ResumeQueue", "target": {"name": "q1"}}}}
{"drain": {"now": 73153880549889}}
{"ack": {"now": 73153991549889, "acks": [{"effect": "deleteCommand|cu5.1|d|c5", "result": "done"}, {"effect": "deleteCommand|cu1.1|d|c1", "result": "done"}]}}
{"drain": {"now": 69034524304660609}}
{"command": {"now": 73155058549889, "command": {"uid": "cu5.1", "namespace": "d", "name": "c5", "action": "CloseQueue", "target": {"name": "q0"}}}}
