// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// tally is what became of one table: how many cases were the same, by which rules others were not,
// and why the rest was left out.
type tally struct {
	cases, same, unexplained int
	differ, leftOut          map[string]int
}

// runTables tells the story of each case, with Volcano's end; the stories stay in a folder. An
// answer above 0: so many end otherwise, and no rule says why; or one that a rule should explain
// ends in neither way.
func runTables(to io.Writer, cases []upstreamCase, folder string) (unexplained int, err error) {
	sums := map[string]*tally{}
	for i := range cases {
		sum := sums[cases[i].Test]
		if sum == nil {
			sum = &tally{differ: map[string]int{}, leftOut: map[string]int{}}
			sums[cases[i].Test] = sum
		}
		path := filepath.Join(folder, fmt.Sprintf("%s-%d.yaml", cases[i].Test, sum.cases))
		if err := sum.try(to, &cases[i], path); err != nil {
			return 0, err
		}
	}
	for _, test := range slices.Sorted(maps.Keys(sums)) {
		if _, err := fmt.Fprint(to, sums[test].text(test)); err != nil {
			return 0, err
		}
		unexplained += sums[test].unexplained
	}
	return unexplained, nil
}

func (of *tally) try(to io.Writer, c *upstreamCase, path string) error {
	of.cases++
	if why := c.leftOut(); why != "" {
		of.leftOut[why]++
		return nil
	}
	ends := c.ends()
	said, same, err := tell(path, c.story(ends))
	if err != nil {
		return fmt.Errorf("%s, %s: %w", c.Test, c.Name, err)
	}
	by := differences[c.Name]
	switch {
	case same && by.rule == "":
		of.same++
		return nil
	case same:
		said = "it ends as in Volcano, and a rule says that it does not\n"
	case by.rule != "":
		maps.Copy(ends, by.ends)
		if said, same, err = tell(path, c.story(ends)); err != nil {
			return err
		}
		if same {
			of.differ[by.rule]++
			return nil
		}
	}
	of.unexplained++
	_, err = fmt.Fprintf(to, "%s, %s:\n%s", c.Test, c.Name, said)
	return err
}

// tell writes a story and lets sluice-sim tell it: what is not as the story expects, if anything.
func tell(path, story string) (said string, held bool, err error) {
	if err := os.WriteFile(path, []byte(story), 0o600); err != nil {
		return "", false, err
	}
	command := exec.Command(simulator(), "run", "--quiet", path)
	out, err := command.CombinedOutput()
	var failed *exec.ExitError
	if errors.As(err, &failed) && failed.ExitCode() == 1 {
		return string(out), false, nil
	}
	if err != nil {
		return "", false, fmt.Errorf("%w\n%s", err, out)
	}
	return "", true, nil
}

// simulator is the one of the build whose library $SLUICE_LIB names, else that of the tree.
func simulator() string {
	library := os.Getenv("SLUICE_LIB")
	if library == "" {
		library = filepath.Join("..", "..", "build", "sluice.so")
	}
	return filepath.Join(filepath.Dir(library), "sluice-sim")
}

// text is one table's line in the sum, and what is to be said of the cases that are not the same.
func (of *tally) text(test string) string {
	var b strings.Builder
	differ, out := 0, 0
	for _, n := range of.differ {
		differ += n
	}
	for _, n := range of.leftOut {
		out += n
	}
	fmt.Fprintf(&b, "%s: %d cases, %d the same, %d differ by rules, %d left out, %d unexplained\n",
		test, of.cases, of.same, differ, out, of.unexplained)
	for _, rule := range slices.Sorted(maps.Keys(of.differ)) {
		fmt.Fprintf(&b, "%6d  %s\n", of.differ[rule], rule)
	}
	for _, why := range slices.Sorted(maps.Keys(of.leftOut)) {
		fmt.Fprintf(&b, "%6d  left out: %s\n", of.leftOut[why], why)
	}
	return b.String()
}
