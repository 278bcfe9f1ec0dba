// SPDX-License-Identifier: Apache-2.0

package plain

import "fmt"

// Log is a filter for klog.SetLogFilter. Klog quotes the values of a line, but for those of several
// lines, which it writes as they are; and it writes what Printf made as it is.
type Log struct{}

// Filter is for what klog.Info is given.
func (Log) Filter(words []any) []any { return filtered(words, oneLine) }

// FilterF is for what klog.Infof is given.
func (Log) FilterF(format string, words []any) (string, []any) {
	return format, filtered(words, oneLine)
}

// FilterS is for what klog.InfoS and a logger are given.
func (Log) FilterS(message string, words []any) (string, []any) {
	return message, filtered(words, Lines)
}

func oneLine(text string) string { return Text(text, ConditionBytes) }

func filtered(words []any, by func(string) string) []any {
	out, copied := words, false
	for i, word := range words {
		text := ""
		switch one := word.(type) {
		case string:
			text = one
		case error:
			text = textOf(one.Error)
		case fmt.Stringer:
			text = textOf(one.String)
		}
		if allPrintable(text) {
			continue
		}
		if !copied {
			out, copied = append([]any(nil), words...), true
		}
		out[i] = by(text)
	}
	return out
}

// textOf leaves a value that cannot say what it is, as a nil pointer, to klog.
func textOf(say func() string) (text string) {
	defer func() { _ = recover() }()
	return say()
}

// Error is an error whose text is plain: klog writes errors of several lines as they are, too.
func Error(err error) error {
	if err == nil || allPrintable(err.Error()) {
		return err
	}
	return &plainError{err}
}

type plainError struct{ error }

func (e *plainError) Error() string { return Lines(e.error.Error()) }

// Unwrap is the error itself.
func (e *plainError) Unwrap() error { return e.error }
