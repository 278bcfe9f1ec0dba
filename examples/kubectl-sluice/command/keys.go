// SPDX-License-Identifier: Apache-2.0

package command

import "strings"

// key is one that was pressed: a character, or one of those below.
type key string

const (
	keyUp       key = "up"
	keyDown     key = "down"
	keyPageUp   key = "page up"
	keyPageDown key = "page down"
	keyHome     key = "home"
	keyEnd      key = "end"
	keyEnter    key = "enter"
	keyBack     key = "back" // Escape, or the arrow to the left
	keyErase    key = "erase"
	keyQuit     key = "quit" // Ctrl-C or Ctrl-D: a raw terminal makes no signals
)

// sequences are what terminals send, longer ones before those that they begin with.
var sequences = []struct {
	sent string
	key  key
}{
	{"\x1b[A", keyUp}, {"\x1bOA", keyUp}, {"\x1b[B", keyDown}, {"\x1bOB", keyDown},
	{"\x1b[C", keyEnter}, {"\x1bOC", keyEnter}, {"\x1b[D", keyBack}, {"\x1bOD", keyBack},
	{"\x1b[5~", keyPageUp}, {"\x1b[6~", keyPageDown},
	{"\x1b[H", keyHome}, {"\x1bOH", keyHome}, {"\x1b[1~", keyHome},
	{"\x1b[F", keyEnd}, {"\x1bOF", keyEnd}, {"\x1b[4~", keyEnd},
	{"\x1b", keyBack}, {"\r", keyEnter}, {"\n", keyEnter}, {"\x7f", keyErase}, {"\b", keyErase},
	{"\x03", keyQuit}, {"\x04", keyQuit},
}

// keysOf are the keys of what a terminal sent at once. A sequence that is not known is none.
func keysOf(sent string) []key {
	var keys []key
next:
	for sent != "" {
		for _, one := range sequences {
			rest, is := strings.CutPrefix(sent, one.sent)
			if !is {
				continue
			}
			if one.sent == "\x1b" && strings.HasPrefix(rest, "[") {
				end := strings.IndexFunc(rest[1:], func(r rune) bool { return r >= '@' && r <= '~' })
				sent = rest[min(len(rest), 1+end+1):]
				continue next
			}
			keys, sent = append(keys, one.key), rest
			continue next
		}
		for i, r := range sent {
			if i == 0 && r >= ' ' {
				keys = append(keys, key(string(r)))
			} else if i > 0 {
				sent = sent[i:]
				continue next
			}
		}
		sent = ""
	}
	return keys
}
