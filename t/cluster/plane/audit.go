// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
)

// Reads are left out: nobody counts them, and they would be most of the file.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: None
  verbs: [get, list, watch]
- level: %s
`

var errNoAudit = errors.New("keeps no audit")

// Write is what an API write was, for counting.
type Write struct {
	User, Verb, Resource, Subresource string
}

func (p *Plane) auditFile() string { return p.file("audit.log") }

func writeAuditPolicy(file string, level auditv1.Level) error {
	if err := os.WriteFile(file, fmt.Appendf(nil, auditPolicy, level), 0o600); err != nil {
		return fmt.Errorf("the audit policy: %w", err)
	}
	return nil
}

// Audit returns the writes that the API server has answered so far, oldest first.
func (p *Plane) Audit() ([]auditv1.Event, error) { return p.AuditFrom(0) }

// AuditFrom returns those that were answered since AuditEnd gave this place.
func (p *Plane) AuditFrom(place int64) ([]auditv1.Event, error) {
	file, err := p.openAudit()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if _, err := file.Seek(place, io.SeekStart); err != nil {
		return nil, fmt.Errorf("the audit log: %w", err)
	}
	return readAudit(file)
}

// AuditEnd is the place behind the last write that the API server has answered so far.
func (p *Plane) AuditEnd() (int64, error) {
	file, err := p.openAudit()
	if err != nil {
		return 0, err
	}
	defer file.Close()
	end, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return 0, fmt.Errorf("the audit log: %w", err)
	}
	// A line without an end is still being written.
	var last [1]byte
	for ; end > 0; end-- {
		if _, err := file.ReadAt(last[:], end-1); err != nil {
			return 0, fmt.Errorf("the audit log: %w", err)
		}
		if last[0] == '\n' {
			break
		}
	}
	return end, nil
}

func (p *Plane) openAudit() (*os.File, error) {
	if p.options.Audit == "" {
		return nil, fmt.Errorf("plane %s %w: set Options.Audit", p.Name, errNoAudit)
	}
	file, err := os.Open(p.auditFile())
	if err != nil {
		return nil, fmt.Errorf("the audit log: %w", err)
	}
	return file, nil
}

func readAudit(log io.Reader) ([]auditv1.Event, error) {
	var events []auditv1.Event
	lines := bufio.NewReader(log)
	for {
		line, err := lines.ReadBytes('\n')
		// A line without an end is still being written.
		if errors.Is(err, io.EOF) {
			return events, nil
		}
		if err != nil {
			return nil, fmt.Errorf("line %d of the audit log: %w", len(events)+1, err)
		}
		var event auditv1.Event
		if err := json.Unmarshal(bytes.TrimSpace(line), &event); err != nil {
			return nil, fmt.Errorf("line %d of the audit log: %w", len(events)+1, err)
		}
		events = append(events, event)
	}
}

// CountWrites counts the writes to objects by user and kind, refused ones included.
func CountWrites(events []auditv1.Event) map[Write]int {
	counts := map[Write]int{}
	for _, event := range events {
		object := event.ObjectRef
		if object == nil {
			continue
		}
		write := Write{event.User.Username, event.Verb, object.Resource, object.Subresource}
		counts[write]++
	}
	return counts
}
