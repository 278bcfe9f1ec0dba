// SPDX-License-Identifier: Apache-2.0

package sluice

import (
	"encoding/binary"
	"math"
)

// writer appends msgpack. Its methods with a key write a pair of a map; those that begin with put
// write a single value.
type writer []byte

// putMap begins a map of so many pairs.
func (w *writer) putMap(count int) { w.putHead(count, 0x80, 0xde) }

// putArray begins an array of so many items.
func (w *writer) putArray(count int) { w.putHead(count, 0x90, 0xdc) }

// putHead writes a count in its shortest form; wide is the form of 16 bits, the next one has 32.
func (w *writer) putHead(count int, short, wide byte) {
	switch {
	case count < 16:
		*w = append(*w, short|byte(count))
	case count <= math.MaxUint16:
		*w = binary.BigEndian.AppendUint16(append(*w, wide), uint16(count))
	default:
		*w = binary.BigEndian.AppendUint32(append(*w, wide+1), uint32(count))
	}
}

// putMapLater begins a map of at most 65,535 pairs whose count is set when it is known.
func (w *writer) putMapLater() (place int) {
	*w = append(*w, 0xde, 0, 0)
	return len(*w) - 2
}

func (w writer) setCount(place, count int) {
	binary.BigEndian.PutUint16(w[place:], uint16(count))
}

// putKey writes a key of less than 32 bytes, as all keys of the protocol are.
func (w *writer) putKey(key string) {
	*w = append(append(*w, 0xa0|byte(len(key))), key...)
}

func (w *writer) putText(text string) {
	n := len(text)
	switch {
	case n < 32:
		*w = append(*w, 0xa0|byte(n))
	case n <= math.MaxUint8:
		*w = append(*w, 0xd9, byte(n))
	case n <= math.MaxUint16:
		*w = binary.BigEndian.AppendUint16(append(*w, 0xda), uint16(n))
	default:
		*w = binary.BigEndian.AppendUint32(append(*w, 0xdb), uint32(n))
	}
	*w = append(*w, text...)
}

func (w *writer) putInt(value int64) {
	switch {
	case value >= 0 && value < 128, value < 0 && value >= -32:
		*w = append(*w, byte(value))
	case value >= 0 && value <= math.MaxUint8:
		*w = append(*w, 0xcc, byte(value))
	case value >= 0 && value <= math.MaxUint16:
		*w = binary.BigEndian.AppendUint16(append(*w, 0xcd), uint16(value))
	case value >= 0 && value <= math.MaxUint32:
		*w = binary.BigEndian.AppendUint32(append(*w, 0xce), uint32(value))
	default:
		*w = binary.BigEndian.AppendUint64(append(*w, 0xd3), uint64(value))
	}
}

func (w *writer) putBool(value bool) {
	if value {
		*w = append(*w, 0xc3)
	} else {
		*w = append(*w, 0xc2)
	}
}

func (w *writer) putNil() { *w = append(*w, 0xc0) }

func (w *writer) text(key, value string) {
	w.putKey(key)
	w.putText(value)
}

func (w *writer) int(key string, value int64) {
	w.putKey(key)
	w.putInt(value)
}

func (w *writer) bool(key string, value bool) {
	w.putKey(key)
	w.putBool(value)
}

// textIf, intIf and boolIf leave out what the protocol takes for granted; they return how many
// pairs they wrote.

func (w *writer) textIf(key, value string) int {
	if value == "" {
		return 0
	}
	w.text(key, value)
	return 1
}

func (w *writer) intIf(key string, value int64) int {
	if value == 0 {
		return 0
	}
	w.int(key, value)
	return 1
}

func (w *writer) boolIf(key string, value bool) int {
	if !value {
		return 0
	}
	w.bool(key, value)
	return 1
}

// boolUnless leaves out what is true.
func (w *writer) boolUnless(key string, value bool) int {
	if value {
		return 0
	}
	w.bool(key, value)
	return 1
}

func (w *writer) textsIf(key string, values []string) int {
	if len(values) == 0 {
		return 0
	}
	w.putKey(key)
	w.putArray(len(values))
	for _, value := range values {
		w.putText(value)
	}
	return 1
}

func (w *writer) pairsIf(key string, pairs [][2]string) int {
	if len(pairs) == 0 {
		return 0
	}
	w.putKey(key)
	w.putMap(len(pairs))
	for i := range pairs {
		w.putText(pairs[i][0])
		w.putText(pairs[i][1])
	}
	return 1
}

func (w *writer) amountsIf(key string, amounts []Amount) int {
	if len(amounts) == 0 {
		return 0
	}
	w.putKey(key)
	w.putMap(len(amounts))
	for i := range amounts {
		w.putText(amounts[i].Name)
		w.putInt(amounts[i].Value)
	}
	return 1
}
