// SPDX-License-Identifier: Apache-2.0

// Package hostile makes names that hurt whoever shows them, and sees whether they did. For tests.
package hostile

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"sluice/plain"
)

// parts are what names are made of: terminals' commands, ends of lines and texts, what turns the
// direction, what nobody sees, what is no UTF-8, what pages, labels and shells take for theirs, and
// letters.
var parts = []string{
	"\x1b[31m", "\x1b[2J\x1b[H", "\x1b]0;title\x07", "\x1bP+q\x1b\\", "\u009b31m", "\u0085", "\x00",
	"\n", "\r", "\r\n", "\t", "\v", "\f", "\b\b\b", "\x7f", "\u2028", "\u2029",
	"\u202e", "\u202d", "\u2066", "\u2069", "\u200f", "\u061c", "\u200b", "\u200d", "\ufeff",
	"\u00ad", "\u00a0", "\u3000", "\U000e0041", "\ue000", "\uffff", "\U0010fffe", "\u2800", "\ufe0f",
	"\xff", "\xc3", "\xed\xa0\x80", "\xf4\x90\x80\x80",
	"\"", "'", "\\", "\\n", "`", "%s", "%n", "{{.}}", "<script>", "]]>", "&amp;", "{", "}", "=", ",",
	"team-a   Open    0     0", "# HELP x", "x{y=\"z\"} 1", "---", "\n- name: x", "...", " ", "   ",
	"team-a", "q", "a.b/c", "Zürich", "東京", "אבג", "é", "🐢", "0",
}

// Name is a name by chance. Most are short; one of a hundred is long.
func Name(chance *rand.Rand) string {
	length := 1 + chance.IntN(4)
	if chance.IntN(100) == 0 {
		length = 100 + chance.IntN(300)
	}
	var name strings.Builder
	for range length {
		if chance.IntN(8) == 0 {
			name.WriteRune(rune(chance.IntN(utf8.MaxRune)))
		} else {
			name.WriteString(parts[chance.IntN(len(parts))])
		}
	}
	return name.String()
}

// UTF8 is a name that a message can carry: the API server lets no other in.
func UTF8(chance *rand.Rand) string { return strings.ToValidUTF8(Name(chance), "?") }

// Names is how many a test shall make: SLUICE_NAMES, or else so many as take a moment.
func Names(t testing.TB, few int) int {
	said := os.Getenv("SLUICE_NAMES")
	if said == "" {
		return few
	}
	many, err := strconv.Atoi(said)
	if err != nil {
		t.Fatalf("SLUICE_NAMES: %v", err)
	}
	return many
}

// Hurts says what of an output does more than to be seen; "": nothing. Of several lines the ends
// are ours, and there are as many as there should be.
func Hurts(output string, lines int) string {
	if found := strings.Count(output, "\n"); found != lines {
		return fmt.Sprintf("%d lines, want %d: %q", found, lines, output)
	}
	for at, r := range output {
		if r == '\n' {
			continue
		}
		if r == utf8.RuneError && !strings.HasPrefix(output[at:], string(utf8.RuneError)) ||
			!plain.Printable(r) {
			return fmt.Sprintf("%q at byte %d of %q", r, at, output)
		}
	}
	return ""
}
