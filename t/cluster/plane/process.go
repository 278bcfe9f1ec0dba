// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

const pausePatience = 30 * time.Second

// stopped matches what /proc tells of a thread that is stopped: `PID (NAME) T ...`.
var stopped = regexp.MustCompile(`\) T `)

// Process is a program that dies with the test, whatever the test dies of.
type Process struct {
	Name string
	Log  string // the file of its standard output and error
	cmd  *exec.Cmd
	done chan struct{}
	err  error // why it ended, once done is closed
}

// The kernel sends the parent-death signal when the thread that made the child ends, and the
// runtime ends threads as it likes: so all are made by one that is locked and stays.
var starter = sync.OnceValue(func() chan<- func() {
	work := make(chan func())
	go func() {
		runtime.LockOSThread()
		for f := range work {
			f()
		}
	}()
	return work
})

func startProcess(name, log, path string, args, env []string) (*Process, error) {
	out, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("the log of %s: %w", name, err)
	}
	defer out.Close()
	cmd := exec.Command(path, args...)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.Env = append(os.Environ(), env...)
	// A group of its own: Ctrl-C is for the owner, who ends the programs in order.
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	started := make(chan error)
	starter() <- func() { started <- cmd.Start() }
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	p := &Process{Name: name, Log: log, cmd: cmd, done: make(chan struct{})}
	go func() {
		p.err = cmd.Wait()
		close(p.done)
	}()
	return p, nil
}

func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Done is closed when the process has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

func (p *Process) Running() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// ExitCode is -1 while the process runs and when a signal ended it.
func (p *Process) ExitCode() int {
	if p.Running() {
		return -1
	}
	return p.cmd.ProcessState.ExitCode()
}

// Used is the processors' time and the largest resident memory, in bytes, of a process that has
// ended.
func (p *Process) Used() (cpu time.Duration, peak int64) {
	<-p.done
	state := p.cmd.ProcessState
	if usage, is := state.SysUsage().(*syscall.Rusage); is {
		peak = usage.Maxrss << 10
	}
	return state.UserTime() + state.SystemTime(), peak
}

// Signal to a process that has ended does nothing.
func (p *Process) Signal(signal syscall.Signal) error {
	if err := p.cmd.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("send %v to %s (process %d): %w", signal, p.Name, p.Pid(), err)
	}
	return nil
}

// Pause returns once no thread of the process runs any more: on a busy machine the one that takes
// the signal may have to wait for its turn while the others work on.
func (p *Process) Pause() error {
	if err := p.Signal(syscall.SIGSTOP); err != nil {
		return err
	}
	for end := time.Now().Add(pausePatience); p.Running() && !p.stands(); {
		if time.Now().After(end) {
			return fmt.Errorf("%s (process %d) runs on %v after SIGSTOP", p.Name, p.Pid(), pausePatience)
		}
		time.Sleep(time.Millisecond)
	}
	return nil
}

// stands tells that the kernel has stopped each thread.
func (p *Process) stands() bool {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", p.Pid()))
	if err != nil {
		return false
	}
	for _, thread := range threads {
		stat, err := os.ReadFile(thread)
		if err == nil && !stopped.Match(stat) {
			return false
		}
	}
	return true
}

func (p *Process) Resume() error { return p.Signal(syscall.SIGCONT) }

// Kill ends the process with SIGKILL and waits for its end.
func (p *Process) Kill() error {
	if err := p.Signal(syscall.SIGKILL); err != nil {
		return err
	}
	<-p.done
	return nil
}

// Stop asks the process to end, kills it after the grace, and waits for its end.
func (p *Process) Stop(grace time.Duration) error {
	if err := errors.Join(p.Signal(syscall.SIGTERM), p.Resume()); err != nil {
		return err
	}
	select {
	case <-p.done:
		return nil
	case <-time.After(grace):
		return p.Kill()
	}
}

// Tail returns the last lines of the log.
func (p *Process) Tail(lines int) string {
	text, err := os.ReadFile(p.Log)
	if err != nil {
		return err.Error()
	}
	all := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}

// ended says how a process ended that should not have, with the end of its log.
func (p *Process) ended() error {
	return fmt.Errorf("%s ended (%v); the end of %s:\n%s", p.Name, p.err, p.Log, p.Tail(20))
}
