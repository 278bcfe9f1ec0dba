// SPDX-License-Identifier: Apache-2.0

package show

import (
	"strings"
)

// Style is how bars and trees are drawn.
type Style struct {
	allocated, reserved, waiting, free, over string
	child, last, deeper, nothing             string
}

// The styles.
var (
	Unicode = Style{"█", "▓", "░", "·", "▶", "├─ ", "└─ ", "│  ", "   "}
	ASCII   = Style{"#", "=", "?", ".", ">", "|- ", "`- ", "|  ", "   "}
)

// barCells is how long a bar is where there is room.
const barCells = 24

// bar draws, in so many cells, what is allocated, reserved and waiting against the limit; what
// waits beyond the limit is cut off, with a mark. Without a limit the bar is as long as all of it
// together. Whatever is there gets a cell at least, so that nothing is there that is not seen.
func (s *Style) bar(cells int, allocated, reserved, waiting int64, limit *int64) string {
	parts := []struct {
		cell   string
		amount int64
	}{{s.allocated, allocated}, {s.reserved, reserved}, {s.waiting, waiting}}
	whole := float64(allocated) + float64(reserved) + float64(waiting)
	if limit != nil {
		whole = float64(*limit)
	}
	var b strings.Builder
	used, sum := 0, 0.0
	for _, part := range parts {
		if part.amount <= 0 {
			continue
		}
		sum += float64(part.amount)
		end := cells
		if sum < whole {
			end = int(sum / whole * float64(cells))
		}
		n := min(max(end-used, 1), cells-used)
		b.WriteString(strings.Repeat(part.cell, n))
		used += n
	}
	b.WriteString(strings.Repeat(s.free, cells-used))
	if limit != nil && sum > whole {
		b.WriteString(s.over)
	}
	return b.String()
}
