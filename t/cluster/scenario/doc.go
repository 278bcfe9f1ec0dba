// SPDX-License-Identifier: Apache-2.0

// Package scenario reads sluice's stories, and tells them on real control planes: the second
// executor of the language of examples/scenarios, beside the simulator. Every key means the same in
// both.
//
//	file ──Read──▶ Scenario ──Tell──▶ Result
//
//	                    ┌────────────── telling ──────────────┐
//	 steps ──▶ API server ◀── kubelet, autoscaler (models)    │
//	              ▲   ▲                                       │ looks, whenever all is at rest
//	              │   └────────── world (what it shows) ──────┤
//	            proxy (faults) ◀── sluice-scheduler ──────────┘
//	                                    ▲
//	                                  clock (jumps)
//
// Time is the story's: it passes as the machine's does, is jumped over where nothing happens, and
// stands still before a step until all has come to rest.
package scenario
