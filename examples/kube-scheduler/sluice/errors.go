// SPDX-License-Identifier: Apache-2.0

package sluice

import (
	"errors"
	"fmt"
	"strings"
)

// Code says who is to blame for a call that failed, and so what to do about it.
type Code uint8

// The codes of the protocol.
const (
	CodeTooSmall    Code = 1 // never seen: the call is repeated with a larger buffer
	CodeNoHandle    Code = 2 // the host: the engine is closed, or was opened before a fork
	CodeMessage     Code = 3 // the host: the request is longer than the limit, or not UTF-8
	CodeField       Code = 4 // whoever wrote the value: Key, Value and Want say which and why
	CodeUnsupported Code = 5 // nobody: this version of the library does not do it
	CodeNoMemory    Code = 6 // the machine
	CodeLimit       Code = 7 // whoever set the limit: a limit of the configuration would be passed
	CodeArgument    Code = 8 // this package
	CodeBroken      Code = 9 // the library: an invariant does not hold, or its answer is none
)

var codeNames = [...]string{CodeTooSmall: "TOO_SMALL", CodeNoHandle: "NO_HANDLE",
	CodeMessage: "MESSAGE", CodeField: "FIELD", CodeUnsupported: "UNSUPPORTED",
	CodeNoMemory: "NO_MEMORY", CodeLimit: "LIMIT", CodeArgument: "ARGUMENT", CodeBroken: "BROKEN"}

// String is the code's name in the protocol.
func (c Code) String() string {
	if int(c) < len(codeNames) && codeNames[c] != "" {
		return codeNames[c]
	}
	return fmt.Sprintf("code %d", uint8(c))
}

var codeAdvice = [...]string{
	CodeTooSmall:    "the library asks for more room than any answer needs: report it",
	CodeNoHandle:    "the engine is closed, or was opened before a fork: open a new one",
	CodeMessage:     "the request is not one that the library reads",
	CodeField:       "correct the value",
	CodeUnsupported: "do without, or use a newer sluice.so",
	CodeNoMemory:    "the machine has no memory left: free some and call again",
	CodeLimit:       "use less, or raise the limit in the configuration",
	CodeArgument:    "a null pointer, or buffers that overlap: report it",
	CodeBroken:      "report it, with the recording",
}

// Error is a call that failed. Nothing has changed.
type Error struct {
	Code Code
	Hook string // as in the protocol: pre_enqueue
	// Key is the path to the value from the top of the request, as object.gates[2]; Value what was
	// there, Want what would be right. They are empty where there is nothing to say.
	Key, Value, Want string
}

// Error says what was wrong, with what value, where, and what to do.
func (e *Error) Error() string {
	var text strings.Builder
	text.WriteString("sluice " + e.Hook + ": " + e.Code.String())
	if e.Key != "" {
		text.WriteString(": " + e.Key)
	}
	if e.Value != "" {
		text.WriteString(": got " + e.Value)
	}
	if e.Want != "" {
		text.WriteString(", want " + e.Want)
	}
	if int(e.Code) < len(codeAdvice) && codeAdvice[e.Code] != "" {
		text.WriteString(" (" + codeAdvice[e.Code] + ")")
	}
	return text.String()
}

// resultParts takes a negative result apart.
func resultParts(result int64) (Code, uint64) {
	return Code(-result & 0xff), uint64(-result) >> 8
}

// resultError is the error that a negative result stands for; out may have its map.
func resultError(f function, result int64, out []byte) *Error {
	code, length := resultParts(result)
	e := &Error{Code: code, Hook: f.String()}
	switch code {
	case CodeMessage, CodeField, CodeUnsupported, CodeLimit, CodeBroken:
		if length > 0 && length <= uint64(len(out)) {
			e.read(out[:length])
		}
	case CodeTooSmall:
		e.Value = fmt.Sprintf("room for %d bytes", len(out))
		e.Want = fmt.Sprintf("%d bytes", length)
	}
	return e
}

func (e *Error) read(message []byte) {
	var a answer
	a.open(message)
	for a.round() {
		if a.is("\xa3key") {
			e.Key = a.text()
		}
		if a.is("\xa5value") {
			e.Value = a.text()
		}
		if a.is("\xa4want") {
			e.Want = a.text()
		}
	}
}

// IsLimit tells whether a limit of the configuration refused it: told again, it may be taken.
func IsLimit(err error) bool {
	var refused *Error
	return errors.As(err, &refused) && refused.Code == CodeLimit
}

func closedError(f function) *Error {
	return &Error{Code: CodeNoHandle, Hook: f.String()}
}

func brokenError(f function, value string) *Error {
	return &Error{Code: CodeBroken, Hook: f.String(), Value: value,
		Want: "one msgpack map, as PROTOCOL.md describes it"}
}
