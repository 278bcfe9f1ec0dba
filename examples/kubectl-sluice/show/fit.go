// SPDX-License-Identifier: Apache-2.0

package show

import (
	"strings"
	"unicode/utf8"
)

// A table that has to fit a screen gives way in this order: the bars get shorter, down to leastBar;
// they go; the gap between the columns is one; the longest words of the columns that may be cut
// lose their middle, down to leastWord. Numbers and states stay.
const (
	leastBar  = 8
	mostBar   = 60
	leastWord = 12
	gap       = 2
)

// table is rows of which one column is drawn once its width is known.
type table struct {
	rows [][]string
	bars []func(cells int) string // of each row; nil: none
	at   int                      // the column of the bars; -1: it has none
	cut  []int                    // the columns whose words may be cut
}

func (t *table) add(row []string, bar func(cells int) string) {
	t.rows = append(t.rows, row)
	t.bars = append(t.bars, bar)
}

// fit draws it in so many columns (0: as many as it takes) and returns its lines, one for each row.
func (t *table) fit(width int) []string {
	cells, between := barCells, gap
	switch {
	case t.at < 0:
		cells = 0
		if width > 0 && t.width(gap) > width {
			t.shorten(t.width(gap) - width)
		}
	case width > 0:
		cells = min(width-t.width(gap)-gap-1, mostBar) // one for the mark behind a bar
		if cells < leastBar {
			cells = 0
			if t.width(gap) > width {
				between = 1
				t.shorten(t.width(between) - width)
			}
		}
	}
	rows := make([][]string, len(t.rows))
	for i, row := range t.rows {
		rows[i] = row
		switch {
		case cells == 0 && t.at >= 0 && len(row) > t.at:
			rows[i] = append(append([]string{}, row[:t.at]...), row[t.at+1:]...)
		case cells > 0 && t.bars[i] != nil:
			rows[i] = append([]string{}, row...)
			rows[i][t.at] = t.bars[i](cells)
		}
	}
	return lines(rows, between)
}

// width is that of all columns but the bars'.
func (t *table) width(between int) int {
	sum := 0
	for i, width := range widths(t.rows) {
		if i != t.at {
			sum += width + between
		}
	}
	return sum - between
}

// shorten takes so much away from the columns that may be cut, from the widest first.
func (t *table) shorten(much int) {
	now := widths(t.rows)
	for ; much > 0; much-- {
		widest := -1
		for _, column := range t.cut {
			if now[column] > leastWord && (widest < 0 || now[column] > now[widest]) {
				widest = column
			}
		}
		if widest < 0 {
			break
		}
		now[widest]--
	}
	for i, row := range t.rows {
		t.rows[i] = append([]string{}, row...)
		for _, column := range t.cut {
			if column < len(row) {
				t.rows[i][column] = middle(row[column], now[column])
			}
		}
	}
}

// middle is a text in so many characters, without its middle if it is longer: names of a family
// begin and end differently.
func middle(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	head := most / 2
	return string(runes[:head]) + "~" + string(runes[len(runes)-(most-head-1):])
}

func widths(rows [][]string) []int {
	var of []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(of) {
				of = append(of, 0)
			}
			of[i] = max(of[i], utf8.RuneCountInString(cell))
		}
	}
	return of
}

// lines are rows whose columns are as wide as what is in them.
func lines(rows [][]string, between int) []string {
	of := widths(rows)
	drawn := make([]string, 0, len(rows))
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(cell)
			line.WriteString(strings.Repeat(" ", of[i]-utf8.RuneCountInString(cell)+between))
		}
		drawn = append(drawn, strings.TrimRight(line.String(), " "))
	}
	return drawn
}
