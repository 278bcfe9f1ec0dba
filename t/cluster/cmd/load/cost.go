// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"sluice/cluster/plane"
)

// used is what a process has used: time on the processors, and its largest resident memory.
type used struct {
	cpu  time.Duration
	peak int64 // bytes
}

// cost is what the parts of a lab have used. The shares of the bare program and the
// tracer are in the scheduler's.
type cost struct {
	scheduler, api used
}

func (c cost) minus(before cost) cost {
	c.scheduler.cpu -= before.scheduler.cpu
	c.api.cpu -= before.api.cpu
	return c
}

func (l *lab) cost() (c cost, err error) {
	if c.api, err = usedBy(l.API()); err != nil {
		return c, err
	}
	for _, process := range []*plane.Process{l.scheduler, l.bare, l.tracer} {
		if process == nil {
			continue
		}
		more, err := usedBy(process)
		if err != nil {
			return c, err
		}
		c.scheduler.cpu += more.cpu
		c.scheduler.peak += more.peak
	}
	return c, nil
}

// during tells what was used while something was done, and what was written.
func (l *lab) during(do func() error) (spent cost, writes []auditv1.Event, err error) {
	return during(l.Plane, l.cost, do)
}

// during tells that of a plane, where of tells what was used so far.
func during(p *plane.Plane, of func() (cost, error), do func() error) (spent cost,
	writes []auditv1.Event, err error) {
	earlier, err := p.AuditEnd()
	if err != nil {
		return spent, nil, err
	}
	before, err := of()
	if err != nil {
		return spent, nil, err
	}
	if err := do(); err != nil {
		return spent, nil, err
	}
	after, err := of()
	if err != nil {
		return spent, nil, err
	}
	writes, err = p.AuditFrom(earlier)
	return after.minus(before), writes, err
}

// pause waits for some time.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

func usedBy(process *plane.Process) (u used, err error) {
	if !process.Running() {
		return u, fmt.Errorf("%s has ended; the end of %s:\n%s", process.Name, process.Log,
			process.Tail(15))
	}
	if u.cpu, err = cpuOf(process.Pid()); err != nil {
		return u, fmt.Errorf("the time of %s: %w", process.Name, err)
	}
	if u.peak, err = peakOf(process.Pid()); err != nil {
		return u, fmt.Errorf("the memory of %s: %w", process.Name, err)
	}
	return u, nil
}

// cpuOf is user and system time of all the process' threads, ended ones too. /proc has it as well,
// rounded to hundredths of a second, which is too coarse for a process that sleeps.
func cpuOf(pid int) (time.Duration, error) {
	const scheduled = 2 // CPUCLOCK_SCHED: the clock of a process is made of its number and this
	var spent unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|scheduled), &spent); err != nil {
		return 0, os.NewSyscallError("clock_gettime", err)
	}
	return time.Duration(spent.Nano()), nil
}

// peakOf is the largest memory that was resident so far, residentOf what is now.
func peakOf(pid int) (int64, error)     { return memoryOf(pid, "VmHWM:") }
func residentOf(pid int) (int64, error) { return memoryOf(pid, "VmRSS:") }

func memoryOf(pid int, key string) (int64, error) {
	file, err := os.Open(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if text, ok := strings.CutPrefix(lines.Text(), key); ok {
			kib, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(text, "kB")), 10, 64)
			return kib << 10, err
		}
	}
	return 0, fmt.Errorf("no %s in /proc/%d/status", key, pid)
}

// machine says what the figures were taken on.
func machine() string {
	load, _, _ := strings.Cut(readFirst("/proc/loadavg"), " ")
	return fmt.Sprintf("%d processors, %s, load average %s", runtime.NumCPU(),
		readFirst("/proc/sys/kernel/osrelease"), load)
}

func readFirst(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return "?"
	}
	first, _, _ := strings.Cut(string(text), "\n")
	return first
}
