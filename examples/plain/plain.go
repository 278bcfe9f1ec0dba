// SPDX-License-Identifier: Apache-2.0

// Package plain is what strangers wrote, as people may be shown it: names, annotations and messages
// of tenants are data in a terminal, a log, a metric, a message or a page, and never more.
//
//	Name   a name: as it is, or in quotes as Go writes them; Read understands both
//	Text   a sentence, in one line of so many bytes at most
//	Lines  several lines that are ours, with what others wrote in them
//	JSON   for programs: means exactly what was written, and is plain all the same
//	Shown  a copy of an answer, every text of which is a Name or a Text
//
// Letters, marks, digits, punctuation and symbols of all scripts, and the space, are shown as they
// are. Controls, characters that turn the direction of others, spaces of other widths, what nobody
// sees, and bytes that are no UTF-8 are escaped. The engine does the same with what it words:
// plugin/base/printable.h.
package plain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// How long, in bytes, a text may be.
const (
	NameBytes      = 253      // as a name in Kubernetes
	NoteBytes      = 1 << 10  // of an event, which the API server refuses if it is longer
	RefusalBytes   = 2 << 10  // an answer of a webhook
	ConditionBytes = 32 << 10 // of a condition
)

// Beside controls, formats, private characters and spaces: what fonts draw nothing for.
var unseen = []*unicode.RangeTable{unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs, unicode.Z,
	unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector,
	unicode.Noncharacter_Code_Point}

const brailleBlank = '\u2800'

// Printable tells whether a character is shown as it is.
func Printable(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return r >= ' ' && r != 0x7f
	case r == brailleBlank:
		return false
	}
	return !unicode.In(r, unseen...)
}

func allPrintable(text string) bool {
	for _, r := range text {
		if !Printable(r) {
			return false
		}
	}
	return utf8.ValidString(text)
}

// escape appends a character that is not printable, or a byte that is no UTF-8.
func escape(to []byte, piece string, r rune) []byte {
	switch {
	case r == utf8.RuneError && len(piece) == 1:
		return fmt.Appendf(to, `\x%02x`, piece[0])
	case r == '\n':
		return append(to, `\n`...)
	case r == '\t':
		return append(to, `\t`...)
	case r == '\r':
		return append(to, `\r`...)
	case r < utf8.RuneSelf:
		return fmt.Appendf(to, `\x%02x`, r)
	case r < 0x10000:
		return fmt.Appendf(to, `\u%04x`, r)
	}
	return fmt.Appendf(to, `\U%08x`, r)
}

// shown is as much of a text as has room in most bytes; an escape is there as a whole. Characters
// of also are escaped by a backslash, those of keep are left.
func shown(text, also, keep string, most int) (out []byte, whole bool) {
	var piece []byte
	for at, size := 0, 0; at < len(text); at += size {
		var r rune
		r, size = utf8.DecodeRuneInString(text[at:])
		raw := text[at : at+size]
		piece = piece[:0]
		switch {
		case strings.ContainsRune(keep, r):
			piece = append(piece, raw...)
		case strings.ContainsRune(also, r):
			piece = append(append(piece, '\\'), raw...)
		case Printable(r) && (r != utf8.RuneError || size > 1):
			piece = append(piece, raw...)
		default:
			piece = escape(piece, raw, r)
		}
		if len(out)+len(piece) > most {
			return out, false
		}
		out = append(out, piece...)
	}
	return out, true
}

const noLimit = int(^uint(0) >> 1)

// Quote is a text in quotes, the whole of it.
func Quote(text string) string {
	out, _ := shown(text, `"\`, "", noLimit)
	return `"` + string(out) + `"`
}

// isBare tells whether a name is shown without quotes. Where there are some, they say where it
// ends: no part of it passes for a word of the sentence, or a cell of the row, that it is in.
func isBare(name string) bool {
	return allPrintable(name) && !strings.ContainsAny(name, ` "\`)
}

// Name is a name. Of one that is longer than any in Kubernetes it is the beginning, and dots.
func Name(name string) string {
	bare := isBare(name)
	if bare && len(name) <= NameBytes {
		return name
	}
	also, quote, dots := `"\`, `"`, ""
	if bare {
		also, quote = "", ""
	}
	out, whole := shown(name, also, "", NameBytes)
	if !whole {
		dots = "..."
	}
	return quote + string(out) + quote + dots
}

// Read is the name that Name shows so: whoever copies one from what is shown means that one.
func Read(shown string) (string, error) {
	if !strings.HasPrefix(shown, `"`) {
		return shown, nil
	}
	name, err := strconv.Unquote(shown)
	if err != nil {
		return "", fmt.Errorf("%s is no name in quotes: want it whole, with a quote at its end, "+
			"as it was shown", Name(shown))
	}
	return name, nil
}

// Text is a sentence in one line. Of one that is longer it is the beginning, and dots.
func Text(text string, most int) string {
	if len(text) <= most && allPrintable(text) {
		return text
	}
	out, whole := shown(text, "", "", most)
	if whole {
		return string(out)
	}
	const dots = "..."
	out, _ = shown(text, "", "", max(most-len(dots), 0))
	return string(out) + dots[:min(len(dots), most)]
}

// Lines are several lines of ours. What others wrote in them was made one line before.
func Lines(text string) string {
	out, _ := shown(text, "", "\n", noLimit)
	return string(out)
}

// JSON writes a value for programs: indented, and plain.
func JSON(w io.Writer, value any) error {
	var made bytes.Buffer
	encoder := json.NewEncoder(&made)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return err
	}
	text := made.Bytes()
	// What is not printable is within a text of the value: all else is ASCII.
	var out []byte
	from := 0
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRune(text[at:])
		if r != '\n' && !Printable(r) {
			out = append(out, text[from:at]...)
			out = appendJSON(out, r)
			from = at + size
		}
		at += size
	}
	if from == 0 {
		_, err := w.Write(text)
		return err
	}
	_, err := w.Write(append(out, text[from:]...))
	return err
}

func appendJSON(to []byte, r rune) []byte {
	if r < 0x10000 {
		return fmt.Appendf(to, `\u%04x`, r)
	}
	r -= 0x10000
	return fmt.Appendf(to, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
}
