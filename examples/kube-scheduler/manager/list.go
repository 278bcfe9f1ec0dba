// SPDX-License-Identifier: Apache-2.0

package manager

import "sluice/kube-scheduler/sluice"

const (
	pageRows = 256
	mostRows = 1 << 20
)

// List asks a question that is answered by a list, from q.From on, for so many rows at most. It
// asks page by page, so that nobody waits long for the engine; what changes between two pages may
// be missing or come twice. It returns where the rows go on; 0: there are no more.
func (m *Manager) List(q sluice.Query, key string, most int) (rows []any, from int64, err error) {
	for {
		q.Max = min(pageRows, most-len(rows))
		answer, err := m.Inspect(q)
		if err != nil {
			return nil, 0, err
		}
		page, _ := answer[key].([]any)
		rows = append(rows, page...)
		q.From, _ = answer["from"].(int64)
		if q.From == 0 || len(page) == 0 || len(rows) >= most {
			return rows, q.From, nil
		}
	}
}
