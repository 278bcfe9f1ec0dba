// SPDX-License-Identifier: Apache-2.0

// Package faults stands between a client and the API server, and lets things go wrong.
//
//	scheduler ──https──▶ Proxy ──▶ API server
//	                      │
//	                      ├─ rules: refuse, lose or hang what matches
//	                      ├─ watch: events come later, twice, or deletions never
//	                      └─ notes: what was asked, and what became of it
//
// A rule is looked at for each request; the first one that matches acts, and a rule that has acted
// as often as it may is passed over. A proxy without rules changes nothing but this: it asks the
// API server for JSON, so that it can read what passes.
package faults
