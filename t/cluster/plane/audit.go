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
func (p *Plane) Audit() ([]auditv1.Event, error) {
	if p.options.Audit == "" {
		return nil, fmt.Errorf("plane %s %w: set Options.Audit", p.Name, errNoAudit)
	}
	file, err := os.Open(p.auditFile())
	if err != nil {
		return nil, fmt.Errorf("the audit log: %w", err)
	}
	defer file.Close()
	return readAudit(file)
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
