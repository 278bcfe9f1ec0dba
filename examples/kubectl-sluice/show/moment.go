// SPDX-License-Identifier: Apache-2.0

package show

import (
	"fmt"
	"strings"
	"time"

	"sluice/kubectl-sluice/ask"
	"sluice/plain"
)

// Moment is what was seen at a time.
type Moment struct {
	Time   time.Time
	Queues []ask.Queue
}

// Headline is the time, and what happened since the moment before.
func (m *Moment) Headline(before *Moment) string {
	var b strings.Builder
	fmt.Fprintf(&b, "sluice  %s", m.Time.Format("15:04:05"))
	if !before.Time.IsZero() {
		granted, released, demoted := m.totals(before)
		seconds := max(m.Time.Sub(before.Time).Seconds(), 0.001)
		fmt.Fprintf(&b, "   granted %s/s   released %s/s   demoted %s/s", rate(granted, seconds),
			rate(released, seconds), rate(demoted, seconds))
	}
	return b.String()
}

// Picture is the moment, as it is printed once.
func (m *Moment) Picture(before *Moment, options Options) string {
	return m.Headline(before) + "\n\n" + Forest(m.Queues, options) + Legend(&options.Style) + "\n"
}

// Broken is the last moment, with why there is no newer one.
func (m *Moment) Broken(err error) string {
	return fmt.Sprintf("sluice  last seen at %s: %s\n", m.Time.Format("15:04:05"),
		plain.Text(err.Error(), plain.ConditionBytes))
}

// totals are of queues that were there before; a scheduler that restarted counts from 0 again.
func (m *Moment) totals(before *Moment) (granted, released, demoted int64) {
	old := map[key]*ask.Queue{}
	for i := range before.Queues {
		old[key{before.Queues[i].Kind, before.Queues[i].Name}] = &before.Queues[i]
	}
	for i := range m.Queues {
		now := &m.Queues[i]
		was := old[key{now.Kind, now.Name}]
		if was == nil || now.Granted < was.Granted || now.Released < was.Released {
			continue
		}
		granted += now.Granted - was.Granted
		released += now.Released - was.Released
		demoted += now.Demoted - was.Demoted
	}
	return granted, released, demoted
}

func rate(count int64, seconds float64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(count)/seconds), ".0")
}

// Cut is as much of a line as has room in so many columns.
func Cut(line string, width int) string {
	if runes := []rune(line); len(runes) > width {
		return string(runes[:max(width, 0)])
	}
	return line
}
