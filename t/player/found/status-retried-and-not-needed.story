{"#": "drain: effects were pending, and none comes"}
{"open": {"effects": ["queueStatus"]}}
{"observe": {"now": 28893000000, "kind": "queue", "object": {"kind": "Queue", "name": "q2", "uid": "qu2.1"}}}
{"observe": {"now": 3630814000001, "kind": "synced"}}
{"observe": {"now": 3942361000001, "kind": "leader"}}
{"observe": {"now": 8003783000001, "kind": "queue", "object": {"kind": "Queue", "name": "root", "uid": "qu5.1"}}}
{"drain": {"now": 7707755256577}}
{"ack": {"now": 8004373000001, "acks": [{"effect": "queueStatus|qu2.1||q2", "result": "done", "resourceVersion": 65}]}}
{"observe": {"now": 8314702000001, "kind": "queue", "object": {"kind": "Queue", "name": "q2", "uid": "qu2.1", "resourceVersion": 87}}}
{"drain": {"now": 8314866000001}}
{"ack": {"now": 8314880000001, "acks": [{"effect": "queueStatus|qu2.1||q2", "result": "retry"}, {"effect": "event|cu2.1|d|c2", "result": "conflict"}]}}
{"observe": {"now": 8315099000001, "kind": "queue", "object": {"kind": "Queue", "name": "root", "uid": "qu5.1"}}}
{"observe": {"now": 8315183000001, "kind": "queue", "object": {"kind": "Queue", "name": "q2", "uid": "qu2.1", "state": "Open"}}}
{"drain": {"now": 8315183000001}}
