// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"context"
	"fmt"
	"time"
)

// Etcd and API are the processes of now, for faults that have no function here.
func (p *Plane) Etcd() *Process { return p.current(&p.etcd) }
func (p *Plane) API() *Process  { return p.current(&p.api) }

func (p *Plane) current(process **Process) *Process {
	p.mu.Lock()
	defer p.mu.Unlock()
	return *process
}

// StopEtcd ends etcd at once, as a crash would, and keeps its data; asked politely it would wait
// for its clients. The API server stays and answers what it can without.
func (p *Plane) StopEtcd() error { return p.Etcd().Kill() }

// StartEtcd starts etcd again, with its data and on its port.
func (p *Plane) StartEtcd() error { return p.restart(&p.etcd, p.startEtcd) }

// KillAPI ends the API server as a crash would: every connection breaks.
func (p *Plane) KillAPI() error { return p.API().Kill() }

// StartAPI starts the API server again on its port, and returns when it is ready.
func (p *Plane) StartAPI(ctx context.Context) error {
	if err := p.restart(&p.api, p.startAPI); err != nil {
		return err
	}
	ready, cancel := context.WithTimeout(ctx, p.options.Ready)
	defer cancel()
	return p.AwaitReady(ready)
}

// PauseAPI stops the API server in mid-air: connections stay open and nothing answers.
func (p *Plane) PauseAPI() error  { return p.API().Pause() }
func (p *Plane) ResumeAPI() error { return p.API().Resume() }

// PauseAPIFor is PauseAPI, and ResumeAPI after the time or when the context ends.
func (p *Plane) PauseAPIFor(ctx context.Context, d time.Duration) error {
	if err := p.PauseAPI(); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
	return p.ResumeAPI()
}

func (p *Plane) restart(process **Process, start func() error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return fmt.Errorf("plane %s has been stopped", p.Name)
	}
	if (*process).Running() {
		return fmt.Errorf("%s of plane %s is running: stop it first", (*process).Name, p.Name)
	}
	return start()
}
