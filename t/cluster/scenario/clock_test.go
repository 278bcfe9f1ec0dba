// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func newTestClock(t *testing.T) (*Clock, func() time.Duration) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "clock")
	clock, err := NewClock(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { clock.Close() })
	return clock, func() time.Duration {
		bytes, err := os.ReadFile(path)
		if err != nil || len(bytes) != 8 {
			t.Fatalf("the clock's file has %d bytes: %v", len(bytes), err)
		}
		return time.Duration(binary.LittleEndian.Uint64(bytes))
	}
}

func near(got, want time.Duration) bool {
	return got-want < 20*time.Millisecond && want-got < 20*time.Millisecond
}

func TestClockPassesAndJumps(t *testing.T) {
	clock, file := newTestClock(t)
	clock.Jump(time.Minute)
	time.Sleep(30 * time.Millisecond)
	if now := clock.Now(); now < time.Minute+30*time.Millisecond || now > time.Minute+time.Second {
		t.Errorf("30 ms after a jump to 1m it is %v", now)
	}
	if offset := file(); !near(offset, time.Minute) {
		t.Errorf("the file says %v, want nearly 1m", offset)
	}
	before := clock.Now()
	clock.Jump(time.Second)
	if now := clock.Now(); now < before {
		t.Errorf("a jump to what has passed led back from %v to %v", before, now)
	}
}

func TestClockStandsStillAtTheLine(t *testing.T) {
	clock, file := newTestClock(t)
	clock.Hold(10 * time.Millisecond)
	time.Sleep(60 * time.Millisecond)
	if now := clock.Now(); now != 10*time.Millisecond {
		t.Errorf("it is %v behind a line at 10ms", now)
	}
	if offset := file(); offset > -40*time.Millisecond {
		t.Errorf("the file says %v: the engine's clock did not stand still", offset)
	}
	clock.Hold(5 * time.Millisecond)
	if now := clock.Now(); now != 10*time.Millisecond {
		t.Errorf("a line that is behind led back to %v", now)
	}
	clock.Jump(time.Minute)
	clock.Hold(Forever)
	time.Sleep(10 * time.Millisecond)
	if now := clock.Now(); now <= time.Minute {
		t.Errorf("it stays %v without a line", now)
	}
}

func TestClockSkewIsForTheOthers(t *testing.T) {
	clock, file := newTestClock(t)
	before := clock.Wall()
	clock.Skew(-time.Hour)
	if now := clock.Now(); now > time.Second {
		t.Errorf("the story's time jumped to %v", now)
	}
	if back := before.Sub(clock.Wall()); back < 59*time.Minute || back > time.Hour {
		t.Errorf("the wall went back by %v, want nearly 1h", back)
	}
	if offset := file(); !near(offset, -time.Hour) {
		t.Errorf("the file says %v, want nearly -1h", offset)
	}
	if since := clock.Since(clock.Wall().UnixNano()); !near(since, clock.Now()) {
		t.Errorf("the wall's now is %v in the story, want %v", since, clock.Now())
	}
}
