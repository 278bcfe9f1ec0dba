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
	fullRow       = "the queue is full: 4 pods run, and 4 wait"
	roomRow       = "8 pods, room for 4, no node"
	emptyRow      = "2 pods, room for 2, an empty cluster"
	suspendedRow  = "2 pods Unschedulable, then their queue is suspended"
	resumedRow    = "2 pods Unschedulable, then their queue is suspended, and resumed"
	shrunkRow     = "4 pods Unschedulable, then their queue has room for 2"
	siblingsRow   = "4 pods in each of two queues of 4 cpu, their parent has 4"
	gangRow       = "a gang of 3, room for 2"
	gangRoomRow   = "a gang of 3, then room for 3"
	nativeRow     = "a native gang of 3, room for 2"
	nativeRoomRow = "a native gang of 3, then room for 3"
	allFullRow    = "`manage: all`: the queue is full: 4 pods run, and 4 wait"
	allRoomRow    = "`manage: all`: 8 pods, room for 4, no node"
	sizedRow      = "`rootCeiling: cluster`: 2 pods, room for 2, an empty cluster"
)

var rows = []string{fullRow, roomRow, emptyRow, suspendedRow, resumedRow, shrunkRow, siblingsRow,
	gangRow, gangRoomRow, nativeRow, nativeRoomRow, allFullRow, allRoomRow, sizedRow}

// figures are the nodes that were bought, which are printed at the end with -v.
var figures = &table{cells: map[[2]string]int{}}

type table struct {
	mutex   sync.Mutex
	columns []string // in the order in which they came
	cells   map[[2]string]int
}

func (t *table) write(row, column string, nodes int) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if !slices.Contains(t.columns, column) {
		t.columns = append(t.columns, column)
	}
	t.cells[[2]string{row, column}] = nodes
}

// print writes it as Markdown.
func (t *table) print(to io.Writer) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	fmt.Fprintf(to, "| nodes bought | %s |\n", strings.Join(t.columns, " | "))
	fmt.Fprintf(to, "|%s\n", strings.Repeat("---|", len(t.columns)+1))
	for _, row := range rows {
		told := false
		line := "| " + row + " |"
		for _, column := range t.columns {
			cell := "-"
			if nodes, is := t.cells[[2]string{row, column}]; is {
				cell, told = fmt.Sprint(nodes), true
			}
			line += " " + cell + " |"
		}
		if told {
			fmt.Fprintln(to, line)
		}
	}
}

func TestMain(m *testing.M) {
	code := m.Run()
	if testing.Verbose() && len(figures.columns) > 0 {
		figures.print(os.Stdout)
	}
	os.Exit(code)
}
