// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"time"

	"sluice/cluster/plane"
)

// shortLife is how long a process has to live to be started again.
const shortLife = 10 * time.Second

// kept is a process that is started again when it has ended, as a kubelet does it: a scheduler that
// cannot renew its lease ends, and is meant to.
type kept struct {
	*plane.Process
	start func() (*plane.Process, error)
	began time.Time
	ends  int  // how often it has ended
	ended used // what those have used that have ended
}

func keep(start func() (*plane.Process, error)) (*kept, error) {
	k := &kept{start: start}
	return k, k.begin()
}

func (k *kept) begin() (err error) {
	k.began = time.Now()
	k.Process, err = k.start()
	return err
}

// look starts the process again if it has ended, unless it had hardly begun.
func (k *kept) look() error {
	if k.Running() {
		return nil
	}
	if lived := time.Since(k.began); lived < shortLife {
		return fmt.Errorf("%s has ended after %.1f s; the end of %s:\n%s", k.Name, lived.Seconds(),
			k.Log, k.Tail(15))
	}
	say("    %s has ended with %d, and is started again: %s", k.Name, k.ExitCode(), k.Tail(1))
	cpu, peak := k.Used()
	k.ends++
	k.ended.cpu += cpu
	k.ended.peak = max(k.ended.peak, peak)
	return k.begin()
}

// used is what it has used, with what those have used that have ended.
func (k *kept) used() (used, error) {
	now, err := usedBy(k.Process)
	now.cpu += k.ended.cpu
	now.peak = max(now.peak, k.ended.peak)
	return now, err
}
