// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"sluice/cluster/plane"
)

// terminal is a program on a terminal of its own, and what it wrote last.
type terminal struct {
	*cluster
	cmd    *exec.Cmd
	keys   *os.File
	ended  chan error
	mutex  sync.Mutex
	screen string // since it last began in the corner
}

// pty opens a pair of a terminal's ends, of this size.
func pty(t *testing.T, columns, rows uint16) (ours, theirs *os.File) {
	t.Helper()
	ours, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no terminal can be made here: %v", err)
	}
	fd := int(ours.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	theirs, err = os.OpenFile(fmt.Sprint("/dev/pts/", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(int(theirs.Fd()), unix.TIOCSWINSZ,
		&unix.Winsize{Col: columns, Row: rows}); err != nil {
		t.Fatal(err)
	}
	return ours, theirs
}

func (c *cluster) onTerminal(user plane.User, columns, rows uint16, args ...string) *terminal {
	c.Helper()
	kubeconfig, err := c.Kubeconfig(user.Name)
	if err != nil {
		c.Fatal(err)
	}
	ours, theirs := pty(c.T, columns, rows)
	defer theirs.Close()
	t := &terminal{cluster: c, keys: ours, ended: make(chan error, 1)}
	t.cmd = exec.CommandContext(c.Context(), c.program, append([]string{"--kubeconfig=" + kubeconfig},
		args...)...)
	t.cmd.Stdin, t.cmd.Stdout, t.cmd.Stderr = theirs, theirs, theirs
	t.cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "TERM=xterm")
	t.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := t.cmd.Start(); err != nil {
		c.Fatal(err)
	}
	go t.read()
	go func() { t.ended <- t.cmd.Wait() }()
	c.Cleanup(func() {
		_ = t.cmd.Process.Kill()
		_ = ours.Close()
	})
	return t
}

func (t *terminal) read() {
	const corner = "\x1b[H"
	var some [4096]byte
	for {
		n, err := t.keys.Read(some[:])
		if err != nil {
			return
		}
		t.mutex.Lock()
		t.screen += string(some[:n])
		if at := strings.LastIndex(t.screen, corner); at > 0 {
			t.screen = t.screen[at:]
		}
		t.mutex.Unlock()
	}
}

func (t *terminal) sees() string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.screen
}

// presses sends keys, and waits until the screen has all of the parts.
func (t *terminal) presses(keys string, parts ...string) {
	t.Helper()
	if _, err := t.keys.WriteString(keys); err != nil {
		t.Fatal(err)
	}
	var last, missing string
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); {
		last, missing = t.sees(), ""
		for _, part := range parts {
			if !strings.Contains(last, part) {
				missing = part
			}
		}
		if missing == "" {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("after %q the screen has no %q:\n%s", keys, missing, last)
}

// In train e waits; a person finds out why.
func testTopByKeys(c *cluster) {
	t := c.onTerminal(viewer, 80, 24, "top", "--interval", "300ms")
	t.presses("", "QUEUE", "research", "└─ train", "s: by name")
	t.presses("/tra\r", "only tra", "\x1b[7m   └─ train")
	t.presses("\r", "Kind       Queue", "1 waiting", "\x1b[7mtrain  1")
	t.presses("\x1b[C", "default/e waits in queue train", "the next of its queue")
	t.presses("?", "page up, down")
	t.presses("\x1b", "default/e waits")
	t.presses("\x1b[D", "Kind       Queue")
	t.presses("\x1b", "only tra")
	t.presses("\x1b", "notebooks")
	t.presses("s", "s: by waiting")
	if _, err := t.keys.WriteString("q"); err != nil {
		c.Fatal(err)
	}
	select {
	case err := <-t.ended:
		if err != nil {
			c.Errorf("after q: %v", err)
		}
	case <-time.After(10 * time.Second):
		c.Error("q does not end it")
	}
}

// The width is the terminal's, where there is one.
func testWidth(c *cluster) {
	narrow := c.onTerminal(viewer, 76, 24, "queues")
	<-narrow.ended
	broad := c.onTerminal(viewer, 160, 24, "queues")
	<-broad.ended
	narrow.presses("", "train", "Open")
	broad.presses("", "train", "█")
	for line := range strings.Lines(narrow.sees()) {
		line = strings.TrimRight(line, "\r\n")
		if len([]rune(line)) > 76 && !strings.Contains(line, "allocated") {
			c.Errorf("more than 76 columns: %q", line)
		}
	}
}
