// SPDX-License-Identifier: Apache-2.0

package sluice

import (
	"encoding/binary"
	"errors"
	"math"
)

// reader walks over msgpack from its beginning to its end, without copying. What it cannot read
// stops it: err stays, and everything after that reads as nothing.
type reader struct {
	message []byte
	at      int // the next byte
	err     error
}

var (
	errShort   = errors.New("the message ends too early")
	errType    = errors.New("a value of another type than the protocol says")
	errNumber  = errors.New("an integer beyond 64 bits")
	errDeep    = errors.New("values within values, too deep")
	errKey     = errors.New("a key that is not text of less than 32 bytes")
	errTail    = errors.New("bytes after the message")
	errUnknown = errors.New("a type that the protocol does not use")
)

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
	r.at = len(r.message)
}

// left is how many bytes are still to be read.
func (r *reader) left() int { return len(r.message) - r.at }

func (r *reader) byte() byte {
	if r.at >= len(r.message) {
		r.fail(errShort)
		return 0
	}
	b := r.message[r.at]
	r.at++
	return b
}

// number reads an unsigned integer of so many bytes.
func (r *reader) number(size int) uint64 {
	b := r.take(uint64(size))
	if b == nil {
		return 0
	}
	switch size {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.BigEndian.Uint16(b))
	case 4:
		return uint64(binary.BigEndian.Uint32(b))
	default:
		return binary.BigEndian.Uint64(b)
	}
}

func (r *reader) take(size uint64) []byte {
	if size > uint64(r.left()) {
		r.fail(errShort)
		return nil
	}
	from := r.at
	r.at += int(size)
	return r.message[from:r.at:r.at]
}

func (r *reader) int() int64 {
	head := r.byte()
	if head < 0x80 || head >= 0xe0 {
		return int64(int8(head))
	}
	switch {
	case head >= 0xcc && head <= 0xcf:
		value := r.number(1 << (head - 0xcc))
		if value > math.MaxInt64 {
			r.fail(errNumber)
			return 0
		}
		return int64(value)
	case head >= 0xd0 && head <= 0xd3:
		size := 1 << (head - 0xd0)
		unused := 64 - 8*size
		return int64(r.number(size)<<unused) >> unused
	}
	r.fail(errType)
	return 0
}

func (r *reader) bool() bool {
	head := r.byte()
	if head != 0xc2 && head != 0xc3 {
		r.fail(errType)
	}
	return head == 0xc3
}

// nil takes a nil if there is one.
func (r *reader) nil() bool {
	if r.left() == 0 || r.message[r.at] != 0xc0 {
		return false
	}
	r.at++
	return true
}

// bytes reads text, or bytes, as a view of the message.
func (r *reader) bytes() []byte {
	head := r.byte()
	if head&0xe0 == 0xa0 {
		return r.take(uint64(head & 0x1f))
	}
	switch {
	case head >= 0xd9 && head <= 0xdb:
		return r.take(r.number(1 << (head - 0xd9)))
	case head >= 0xc4 && head <= 0xc6:
		return r.take(r.number(1 << (head - 0xc4)))
	}
	r.fail(errType)
	return nil
}

// text copies, because it outlives the call.
func (r *reader) text() string { return string(r.bytes()) }

// mapping and array return the count of what follows. Every pair, and every item, takes at least a
// byte: a larger count is refused, so that nobody reserves memory for it.

func (r *reader) mapping() int {
	head := r.byte()
	switch {
	case head&0xf0 == 0x80:
		return r.count(uint64(head & 0x0f))
	case head == 0xde || head == 0xdf:
		return r.count(r.number(2 << (head - 0xde)))
	}
	r.fail(errType)
	return 0
}

func (r *reader) array() int {
	head := r.byte()
	switch {
	case head&0xf0 == 0x90:
		return r.count(uint64(head & 0x0f))
	case head == 0xdc || head == 0xdd:
		return r.count(r.number(2 << (head - 0xdc)))
	}
	r.fail(errType)
	return 0
}

func (r *reader) count(count uint64) int {
	if count > uint64(r.left()) {
		r.fail(errShort)
		return 0
	}
	return int(count)
}

// skip passes over one value, whatever is in it.
func (r *reader) skip() {
	for left := uint64(1); left > 0 && r.err == nil; left-- {
		left += r.skipHead()
	}
}

// skipHead passes over a value without what is inside, and returns how many values that are.
func (r *reader) skipHead() uint64 {
	if r.left() == 0 {
		r.fail(errShort)
		return 0
	}
	switch head := r.message[r.at]; {
	case head&0xf0 == 0x80 || head == 0xde || head == 0xdf:
		return 2 * uint64(r.mapping())
	case head&0xf0 == 0x90 || head == 0xdc || head == 0xdd:
		return uint64(r.array())
	case isBytes(head):
		r.bytes()
	case head == 0xc0:
		r.byte()
	case head == 0xc2 || head == 0xc3:
		r.bool()
	case isInt(head):
		r.int()
	default:
		r.fail(errUnknown)
	}
	return 0
}

func isInt(head byte) bool {
	return head < 0x80 || head >= 0xe0 || head >= 0xcc && head <= 0xd3
}

func isText(head byte) bool {
	return head >= 0xa0 && head <= 0xbf || head >= 0xd9 && head <= 0xdb
}

func isBytes(head byte) bool { return isText(head) || head >= 0xc4 && head <= 0xc6 }

const (
	mostLevels = 32
	reserved   = 64 // items, before they have been seen
)

// value reads whatever comes: nil, bool, int64, string, []byte, []any or map[string]any.
func (r *reader) value(level int) any {
	if r.left() == 0 {
		r.fail(errShort)
		return nil
	}
	if level == mostLevels {
		r.fail(errDeep)
		return nil
	}
	switch head := r.message[r.at]; {
	case head&0xf0 == 0x80 || head == 0xde || head == 0xdf:
		count := r.mapping()
		values := make(map[string]any, min(count, reserved))
		for ; count > 0 && r.err == nil; count-- {
			key := r.text()
			values[key] = r.value(level + 1)
		}
		return values
	case head&0xf0 == 0x90 || head == 0xdc || head == 0xdd:
		count := r.array()
		values := make([]any, 0, min(count, reserved))
		for ; count > 0 && r.err == nil; count-- {
			values = append(values, r.value(level+1))
		}
		return values
	case isText(head):
		return r.text()
	case isBytes(head):
		return append([]byte{}, r.bytes()...)
	case head == 0xc0:
		r.byte()
		return nil
	case head == 0xc2 || head == 0xc3:
		return r.bool()
	case isInt(head):
		return r.int()
	}
	r.fail(errUnknown)
	return nil
}

// answer reads the map that every hook answers with. Keys are asked for in the order in which the
// library writes them: then one round reads all, and the processor foresees every step of it. In
// another order it takes more rounds, with the same result. Keys that nobody asks for are skipped.
//
//	for a.round() {
//		if a.is("\xa4pass") { // the key as it is written: its length comes first
//			pass = a.bool()
//		}
//	}
type answer struct {
	reader
	unread int // pairs
	before int // where the last round began
	tail   Tail
}

func (a *answer) open(message []byte) {
	*a = answer{reader: reader{message: message}, before: -1}
	a.unread = a.mapping()
}

// is tells whether the next key is this one, and passes over it; its value must be read.
func (a *answer) is(key string) bool {
	end := a.at + len(key)
	if end > len(a.message) || string(a.message[a.at:end]) != key {
		return false
	}
	a.at = end
	a.unread--
	return true
}

// key passes over the next key, whichever it is; its value must be read, or skipped.
func (a *answer) key() []byte {
	a.unread--
	return a.bytes()
}

// round says whether there is something left to read. The keys of the tail are its own.
func (a *answer) round() bool {
	if a.is("\xa7pending") {
		a.tail.Pending = int(a.int())
	}
	if a.is("\xa4next") {
		a.tail.Next = a.int()
	}
	if a.is("\xa4more") {
		a.tail.More = a.bool()
	}
	if a.unread > 0 && a.at == a.before {
		a.skipPair()
	}
	a.before = a.at
	if a.unread <= 0 && a.err == nil && (a.unread < 0 || a.left() > 0) {
		a.fail(errTail)
	}
	return a.unread > 0 && a.err == nil
}

func (a *answer) skipPair() {
	if a.left() > 0 && a.message[a.at]&0xe0 != 0xa0 {
		a.fail(errKey)
	}
	a.skip()
	a.skip()
	a.unread--
}
