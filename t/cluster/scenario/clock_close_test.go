// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"path/filepath"
	"testing"
)

func TestAClosedClockCanBeAsked(t *testing.T) {
	clock, err := NewClock(filepath.Join(t.TempDir(), "clock"))
	if err != nil {
		t.Fatal(err)
	}
	clock.Hold(0)
	if err := clock.Close(); err != nil {
		t.Fatal(err)
	}
	if clock.Now() < 0 {
		t.Error("the time is before the beginning")
	}
}
