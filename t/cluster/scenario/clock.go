// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"encoding/binary"
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Clock is the story's time. It passes as the machine's does, can be jumped forward, and stands
// still at a line that it must not cross yet: the next moment of the story waits until the
// cluster has come to rest in this one.
//
//	story time ───────────┤ line        = real time since the beginning + what was jumped
//	engine's clock                      = wall + the file = wall + jumped + skew
//
// The scheduler adds the value of a file of 8 bytes to its engine's clock. The file is mapped here
// and there, so a change is seen at the next look.
type Clock struct {
	mu     sync.Mutex
	start  time.Time
	jumped time.Duration
	skew   time.Duration
	line   time.Duration
	file   []byte
	quit   chan struct{}
	done   chan struct{}
}

const clockTurn = time.Millisecond

// NewClock makes a clock that moves the engine's through the file at path.
func NewClock(path string) (*Clock, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if err := file.Truncate(8); err != nil {
		return nil, err
	}
	mapped, err := unix.Mmap(int(file.Fd()), 0, 8, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be mapped: %w", path, err)
	}
	c := &Clock{
		start: time.Now(), line: Forever, file: mapped,
		quit: make(chan struct{}), done: make(chan struct{}),
	}
	c.write()
	go c.turn()
	return c, nil
}

// Close stops the clock. Who still asks for the time, such as a connection that ends late, is told.
func (c *Clock) Close() error {
	close(c.quit)
	<-c.done
	c.mu.Lock()
	defer c.mu.Unlock()
	file := c.file
	c.file = nil
	return unix.Munmap(file)
}

func (c *Clock) turn() {
	defer close(c.done)
	ticker := time.NewTicker(clockTurn)
	defer ticker.Stop()
	for {
		select {
		case <-c.quit:
			return
		case <-ticker.C:
			c.mu.Lock()
			c.now()
			c.mu.Unlock()
		}
	}
}

// now holds the time at the line. [mu is held]
func (c *Clock) now() time.Duration {
	at := time.Since(c.start) + c.jumped
	if at > c.line {
		c.jumped -= at - c.line
		at = c.line
		c.write()
	}
	return at
}

func (c *Clock) write() {
	if c.file == nil {
		return // closed
	}
	binary.LittleEndian.PutUint64(c.file, uint64(c.jumped+c.skew))
}

// Now is how long ago the story began.
func (c *Clock) Now() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now()
}

// Wall is what a clock in the story's cluster shows.
func (c *Clock) Wall() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.start.Add(c.now() + c.skew)
}

// Since turns a time of the engine's clock into the story's.
func (c *Clock) Since(engine int64) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Unix(0, engine).Sub(c.start.Round(0)) - c.skew
}

// Hold lets the time not pass beyond a line. A line that is behind already is where it is now.
func (c *Clock) Hold(line time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := c.now()
	c.line = max(line, at)
}

// Jump moves the time forward to a moment, and the line with it where it is nearer; a moment that
// has passed changes nothing.
func (c *Clock) Jump(to time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := c.now()
	if to <= at {
		return
	}
	c.line = max(c.line, to)
	c.jumped += to - at
	c.write()
}

// Skew lets every clock of the cluster jump, forward or back; the story's own time does not.
func (c *Clock) Skew(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.skew += by
	c.write()
}
