// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/binary"
	"os"
	"time"
)

// stepClock moves the engine's clock an hour back, or in every other round first forward, and lets
// writes fail in the middle of it, so that there is something to wait for.
func stepClock(t *trial, round int) error {
	if err := t.flows(beforeOutage); err != nil {
		return err
	}
	step := -time.Hour
	if round%2 == 1 {
		step = time.Hour
	}
	if err := t.setClock(step); err != nil {
		return err
	}
	t.say("the clock is moved by %s", step)
	rule := removals.rule()
	rule.Answer, rule.Times = 500, answersLost/2
	t.rules(rule)
	defer t.rules()
	if err := t.flows(crowdSize / 2); err != nil {
		return err
	}
	return t.setClock(0)
}

// setClock says by how much the engine's clock goes wrong.
func (t *trial) setClock(by time.Duration) error {
	file, err := os.OpenFile(t.only().clockFile(), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = file.WriteAt(binary.NativeEndian.AppendUint64(nil, uint64(by)), 0)
	return err
}
