// SPDX-License-Identifier: Apache-2.0

package autoscalers

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

// The rows of the table. Each pod asks for 1 cpu, and a node has 2.
const (
	fullRow            = "the queue is full: 4 pods run, and 4 wait"
	roomRow            = "8 pods, room for 4, no node"
	emptyRow           = "2 pods, room for 2, an empty cluster"
	suspendedRow       = "2 pods Unschedulable, then their queue is suspended"
	resumedRow         = "2 pods Unschedulable, then their queue is suspended, and resumed"
	shrunkRow          = "4 pods Unschedulable, then their queue has room for 2"
	siblingsRow        = "4 pods in each of two queues of 4 cpu, their parent has 4"
	gangRow            = "a gang of 3, room for 2"
	gangRoomRow        = "a gang of 3, then room for 3"
	nativeRow          = "a native gang of 3, room for 2"
	nativeRoomRow      = "a native gang of 3, then room for 3"
	allFullRow         = "`manage: all`: the queue is full: 4 pods run, and 4 wait"
	allRoomRow         = "`manage: all`: 8 pods, room for 4, no node"
	idleRow            = "2 bought nodes are empty, and go: 4 pods wait, their queue is suspended"
	wokenRow           = "the same, then the queue is resumed"
	bypassedRow        = "the autoscaler bypasses our scheduler: the queue is full"
	bypassedAllRow     = "the same under `manage: all`"
	proactiveRow       = "proactive scale-up, a Job of 8 pods, room for 4, no node"
	proactiveShrunkRow = "the same, a Job of 4 Unschedulable pods, then their queue has room for 2"
	sizedRow           = "`rootCeiling: cluster`: 2 pods, room for 2, an empty cluster"
)

var rows = []string{fullRow, roomRow, emptyRow, suspendedRow, resumedRow, shrunkRow, siblingsRow,
	gangRow, gangRoomRow, nativeRow, nativeRoomRow, idleRow, wokenRow, allFullRow, allRoomRow,
	sizedRow, bypassedRow, bypassedAllRow,
	proactiveRow, proactiveShrunkRow}

// columns are in the table in this order.
var columns = []string{stockColumn, volcanoColumn, gatedColumn, kueueColumn,
	sluice{overlay: "on-bind"}.column(), sluice{overlay: "on-admission"}.column()}

// outcome is how a story ends.
type outcome struct {
	nodes int // that were bought, at any time
	runs  int // pods that have a node
	waits int // pods that have none, and were never Unschedulable
}

// otherwise are the ends, by column and row, where something else is bought than queues admit.
var otherwise = map[string]map[string]outcome{
	stockColumn: {
		fullRow: {nodes: 2, runs: 8},
		roomRow: {nodes: 4, runs: 8},
	},
	volcanoColumn: {
		fullRow:     {nodes: 2, runs: 4},
		roomRow:     {nodes: 4, runs: 4},
		shrunkRow:   {nodes: 2, runs: 2},
		siblingsRow: {nodes: 4, runs: 4},
		gangRow:     {nodes: 2, runs: 0},
	},
	gatedColumn: {
		emptyRow: {nodes: 0, runs: 0, waits: 2},
		// Each of the four counts the other three as admitted: none is.
		shrunkRow: {nodes: 2, runs: 0},
	},
	kueueColumn: {
		suspendedRow: {nodes: 1, runs: 2},
		shrunkRow:    {nodes: 2, runs: 4},
	},
}

// figures are the nodes that were bought, which are printed at the end with -v.
var figures = &table{cells: map[cell]int{}}

type cell struct{ autoscaler, row, column string }

type table struct {
	mutex       sync.Mutex
	autoscalers []string // in the order in which they came
	cells       map[cell]int
}

func (t *table) write(autoscaler, row, column string, nodes int) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if !slices.Contains(t.autoscalers, autoscaler) {
		t.autoscalers = append(t.autoscalers, autoscaler)
	}
	t.cells[cell{autoscaler, row, column}] = nodes
}

// print writes it as Markdown, one table for each autoscaler.
func (t *table) print(to io.Writer) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	for _, autoscaler := range t.autoscalers {
		columns := slices.DeleteFunc(slices.Clone(columns), func(column string) bool {
			return !t.told(autoscaler, func(of cell) bool { return of.column == column })
		})
		fmt.Fprintf(to, "\n| nodes bought by %s | %s |\n", autoscaler, strings.Join(columns, " | "))
		fmt.Fprintf(to, "|%s\n", strings.Repeat("---|", len(columns)+1))
		for _, row := range rows {
			if t.told(autoscaler, func(of cell) bool { return of.row == row }) {
				fmt.Fprintf(to, "| %s | %s |\n", row, strings.Join(t.line(autoscaler, row, columns), " | "))
			}
		}
	}
}

// told says whether there is such a cell.
func (t *table) told(autoscaler string, is func(cell) bool) bool {
	for of := range t.cells {
		if of.autoscaler == autoscaler && is(of) {
			return true
		}
	}
	return false
}

func (t *table) line(autoscaler, row string, columns []string) (cells []string) {
	for _, column := range columns {
		text := "-"
		if nodes, is := t.cells[cell{autoscaler, row, column}]; is {
			text = fmt.Sprint(nodes)
		}
		cells = append(cells, text)
	}
	return cells
}

func TestMain(m *testing.M) {
	code := m.Run()
	if testing.Verbose() {
		figures.print(os.Stdout)
	}
	os.Exit(code)
}
