// SPDX-License-Identifier: Apache-2.0

package check

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const pages = "../../deploy"

// tables are those of which each row is a rule's, or silent: all of a page, or those below these
// headings.
var tables = map[string][]string{
	"VOLCANO.md":         nil,
	"WORKLOADS.md":       {"Where it decides otherwise than Kueue", "What is not supported"},
	"MIGRATE-VOLCANO.md": nil,
	"MIGRATE-KUEUE.md":   nil,
}

var links = regexp.MustCompile(`\[([^]]*)\]\([^)]*\)`)

// words are a text without its marks.
func words(text string) string {
	text = links.ReplaceAllString(text, "$1")
	return strings.Join(strings.Fields(strings.ReplaceAll(text, "`", "")), " ")
}

// rowsOf are the rows of a page's tables, by their first cells, without marks.
func rowsOf(t *testing.T, page string, headings []string) map[string]string {
	t.Helper()
	rows, heading, head := map[string]string{}, "", true
	for line := range strings.SplitSeq(pageText(t, page), "\n") {
		if title, is := strings.CutPrefix(line, "## "); is {
			heading = title
		}
		cells, is := strings.CutPrefix(line, "| ")
		if !is {
			head = !strings.HasPrefix(line, "|---")
			continue
		}
		first, rest, _ := strings.Cut(cells, " |")
		if !head && (headings == nil || slices.Contains(headings, heading)) {
			rows[words(first)] += words(rest)
		}
	}
	return rows
}

func pageText(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(pages, page))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestPages compares rules.yaml with the pages: no reason that is not written there, and no row of
// which nobody has thought.
func TestPages(t *testing.T) {
	book, err := loadRules()
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]map[string]string{}
	for page, headings := range tables {
		rows[page] = rowsOf(t, page, headings)
		if len(rows[page]) < 4 {
			t.Errorf("%s has %d rows: is a heading another one?", page, len(rows[page]))
		}
	}
	known := map[string]bool{}
	for _, r := range book.Rules {
		first := words(r.Row)
		known[r.Page+first] = true
		if r.Row == "" {
			if text := words(r.Text); text == "" || !strings.Contains(words(pageText(t, r.Page)), text) {
				t.Errorf("%s does not say %q", r.Page, r.Text)
			}
			continue
		}
		said, is := rows[r.Page][first]
		if !is {
			t.Errorf("%s has no row %q", r.Page, r.Row)
			continue
		}
		if !strings.Contains(first+" "+said, words(r.Why)) {
			t.Errorf("%s says of %q: %q; the rule: %q", r.Page, first, said, r.Why)
		}
	}
	for _, silent := range book.Silent {
		for _, row := range silent.Rows {
			first := words(row)
			if _, is := rows[silent.Page][first]; !is {
				t.Errorf("%s has no row %q, of which rules.yaml is silent", silent.Page, row)
			}
			known[silent.Page+first] = true
		}
	}
	for page, all := range rows {
		for first := range all {
			if !known[page+first] {
				t.Errorf("rules.yaml says nothing of the row %q of %s, and not that there is nothing",
					first, page)
			}
		}
	}
}

// TestFieldsOfRules looks whether each rule can be read, and says what to do.
func TestFieldsOfRules(t *testing.T) {
	book, err := loadRules()
	if err != nil {
		t.Fatal(err)
	}
	codes := map[string]bool{}
	for _, r := range book.Rules {
		if r.Do == "" || r.Code == "" && (r.Why == "" || len(r.Kinds) == 0) {
			t.Errorf("%s, %q: it lacks do, why or kinds", r.Page, r.Row)
		}
		if r.Code != "" && (codes[r.Code] || len(r.Fields) > 0) {
			t.Errorf("%s, %q: the code %s is there twice, or has fields", r.Page, r.Row, r.Code)
		}
		codes[r.Code] = true
		if !slices.Contains(Verdicts, r.Verdict) {
			t.Errorf("%s, %q: the verdict %q is none", r.Page, r.Row, r.Verdict)
		}
	}
}
