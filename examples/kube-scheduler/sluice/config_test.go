// SPDX-License-Identifier: Apache-2.0

package sluice

import "testing"

// A library that is too old for a key is opened without it, if one can do without.
func TestKeysThatALibraryDoesNotKnow(t *testing.T) {
	partial := true
	full := Config{PartialGroups: &partial, WaitingReasonsAfter: 1, WaitingReasonsPerSecond: 2,
		QueueStatusesPerSecond: 3, HeadGuard: 4}
	for _, key := range []string{partialGroups, waitingReasonsAfter, waitingReasonsPerSecond,
		queueStatusesPerSecond} {
		cfg, refused := full, &Error{Code: CodeField, Key: key}
		if !cfg.leaveOut(refused) {
			t.Errorf("%s is not left out", key)
		}
		if cfg.leaveOut(refused) {
			t.Errorf("%s is left out twice: Open would not end", key)
		}
	}
	for _, other := range []error{&Error{Code: CodeField, Key: "headGuard"},
		&Error{Code: CodeLimit, Key: queueStatusesPerSecond}} {
		if cfg := full; cfg.leaveOut(other) {
			t.Errorf("%v: something is left out", other)
		}
	}
}
