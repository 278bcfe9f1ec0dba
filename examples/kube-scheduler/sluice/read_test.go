// SPDX-License-Identifier: Apache-2.0

package sluice

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// putValue writes what reader.value returns.
func (w *writer) putValue(value any) {
	switch value := value.(type) {
	case nil:
		w.putNil()
	case bool:
		w.putBool(value)
	case int64:
		w.putInt(value)
	case string:
		w.putText(value)
	case []byte:
		*w = append(append(*w, 0xc6, byte(len(value)>>24), byte(len(value)>>16),
			byte(len(value)>>8), byte(len(value))), value...)
	case []any:
		w.putArray(len(value))
		for _, item := range value {
			w.putValue(item)
		}
	case map[string]any:
		w.putMap(len(value))
		for key, item := range value {
			w.putText(key)
			w.putValue(item)
		}
	}
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	many := make([]any, 70_000)
	for i := range many {
		many[i] = int64(i)
	}
	wide := map[string]any{}
	for i := range 20 {
		wide[strings.Repeat("k", i)] = []any{}
	}
	for _, value := range []any{
		nil, true, false, "", "short", strings.Repeat("m", 31), strings.Repeat("n", 32),
		strings.Repeat("o", 255), strings.Repeat("p", 256), strings.Repeat("q", 65_536), []byte{},
		[]byte{0, 0xff}, many[:15], many[:16], many, wide, map[string]any{"a": []any{nil, wide}},
		int64(0), int64(127), int64(128), int64(255), int64(256), int64(65_535), int64(65_536),
		int64(math.MaxUint32), int64(math.MaxUint32 + 1), int64(math.MaxInt64), int64(-1),
		int64(-32), int64(-33), int64(math.MinInt64),
	} {
		var w writer
		w.putValue(value)
		r := reader{message: w}
		if read := r.value(0); !reflect.DeepEqual(read, value) || r.err != nil || r.left() > 0 {
			t.Errorf("%.60v is read as %.60v (%v, %d bytes left)", value, read, r.err, r.left())
		}
		s := reader{message: w}
		if s.skip(); s.err != nil || s.left() > 0 {
			t.Errorf("%.60v is skipped up to %d bytes before its end (%v)", value, s.left(), s.err)
		}
		for end := range min(len(w), 300) {
			short := reader{message: w[:end:end]}
			if short.value(0); !errors.Is(short.err, errShort) {
				t.Fatalf("%.60v, cut after %d bytes, is read (%v)", value, end, short.err)
			}
			short = reader{message: w[:end:end]}
			if short.skip(); !errors.Is(short.err, errShort) {
				t.Fatalf("%.60v, cut after %d bytes, is skipped (%v)", value, end, short.err)
			}
		}
	}
}

// TestEveryWidthOfAnInteger reads what this writer never writes.
func TestEveryWidthOfAnInteger(t *testing.T) {
	for _, c := range []struct {
		bytes []byte
		want  int64
		err   error
	}{
		{[]byte{0xd0, 0x80}, -128, nil},
		{[]byte{0xd1, 0xff, 0x7f}, -129, nil},
		{[]byte{0xd2, 0x80, 0, 0, 0}, math.MinInt32, nil},
		{[]byte{0xd3, 0, 0, 0, 0, 0, 0, 0, 5}, 5, nil},
		{[]byte{0xcc, 1}, 1, nil},
		{[]byte{0xcf, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, math.MaxInt64, nil},
		{[]byte{0xcf, 0x80, 0, 0, 0, 0, 0, 0, 0}, 0, errNumber},
		{[]byte{0xca, 0, 0, 0, 0}, 0, errType},
		{[]byte{0xa1, 'x'}, 0, errType},
	} {
		r := reader{message: c.bytes}
		if got := r.int(); got != c.want || !errors.Is(r.err, c.err) {
			t.Errorf("% x is read as %d (%v), want %d (%v)", c.bytes, got, r.err, c.want, c.err)
		}
	}
}

func TestWhatIsNoAnswer(t *testing.T) {
	deep := bytes.Repeat([]byte{0x91}, 100)
	for _, c := range []struct {
		name  string
		bytes []byte
		want  error
	}{
		{"no bytes", nil, errShort},
		{"an array", []byte{0x90}, errType},
		{"more pairs than bytes", []byte{0xdf, 0xff, 0xff, 0xff, 0xff}, errShort},
		{"a key that is no text", []byte{0x81, 1, 1}, errKey},
		{"a longer key", append([]byte{0x81, 0xd9, 32}, make([]byte, 33)...), errKey},
		{"one pair too many", []byte("\x80\xa4pass\xc3"), errTail},
		{"two pairs too many", []byte("\x81\xa4pass\xc3\xa4more\xc3"), errTail},
		{"a key without a value", []byte{0x81, 0xa1, 'x'}, errShort},
		{"text where a truth belongs", []byte{0x81, 0xa4, 'p', 'a', 's', 's', 0xa0}, errType},
		{"bytes behind it", []byte{0x80, 0x80}, errTail},
		{"a float", []byte{0x81, 0xa1, 'x', 0xca, 0, 0, 0, 0}, errUnknown},
		{"a count that lies", []byte{0x81, 0xa1, 'x', 0xdd, 0xff, 0xff, 0xff, 0xff}, errShort},
		{"values within values", append([]byte{0x81, 0xa1, 'x'}, append(deep, 0xc0)...), nil},
	} {
		var a answer
		var v Verdict
		a.open(c.bytes)
		for a.round() {
			a.readVerdict(&v)
		}
		if !errors.Is(a.err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, a.err, c.want)
		}
	}
	r := reader{message: append(deep, 0xc0)}
	if r.value(0); !errors.Is(r.err, errDeep) {
		t.Errorf("a hundred arrays within each other: %v, want %v", r.err, errDeep)
	}
}

// TestKeysInAnyOrder: an older or newer library may write them in another order, and more of them.
func TestKeysInAnyOrder(t *testing.T) {
	keys := []string{"\xa4pass\xc3", "\xa6reason\xa1r", "\xa7message\xa1m", "\xa7pending\x07",
		"\xa4next\x08", "\xa4more\xc3", "\xa5extra\x91\xc0", "\xa5other\xa4pass"}
	for turn := range 1000 {
		order := rand.New(rand.NewPCG(1, uint64(turn))).Perm(len(keys))
		message := []byte{0x80 | byte(len(keys))}
		for _, place := range order {
			message = append(message, keys[place]...)
		}
		var a answer
		var v Verdict
		a.open(message)
		for a.round() {
			a.readVerdict(&v)
		}
		if want := (Verdict{Pass: true, Reason: "r", Message: "m"}); a.err != nil || v != want ||
			a.tail != (Tail{Pending: 7, Next: 8, More: true}) {
			t.Fatalf("%q is read as %+v, %+v (%v)", message, v, a.tail, a.err)
		}
	}
}

func TestEveryReasonIsOneOfOurs(t *testing.T) {
	reasons := []string{ReasonForeignGate, ReasonQueueCapacity, ReasonQueueOrder,
		ReasonQueueSuspended, ReasonQueueClosed, ReasonQueueUnknown, ReasonQueueInactive,
		ReasonNotSelected, ReasonGroupMissing, ReasonGroupChanging, ReasonSuperseded,
		ReasonClaimMissing, ReasonConditionStale, ReasonBackoff, ReasonNotReady, ""}
	for _, reason := range append(reasons, "ALaterOne") {
		var w writer
		w.putText(reason)
		r := reader{message: w}
		if got := r.reason(); got != reason || r.err != nil {
			t.Errorf("%q is read as %q (%v)", reason, got, r.err)
		}
	}
	for _, reason := range reasons {
		var w writer
		w.putText(reason)
		if allocated := testing.AllocsPerRun(10, func() {
			r := reader{message: w}
			r.reason()
		}); allocated > 0 {
			t.Errorf("reading %q allocates", reason)
		}
	}
}

// FuzzReader: whatever comes is read or refused, by every reader of answers; what is read as a
// value is what skip passes over, and can be written and read again.
func FuzzReader(f *testing.F) {
	for _, seed := range [][]byte{nil, {0x80}, {0x81, 0xa1, 'x', 0x91, 0xc0},
		{0xdf, 0xff, 0xff, 0xff, 0xff}, bytes.Repeat([]byte{0x91}, 40),
		[]byte("\x83\xa4pass\xc3\xa6reason\xa0\xa7pending\x05"),
		[]byte("\x81\xa7effects\x91\x82\xa2id\x01\xa5gates\x91\xa1g"),
		[]byte("\x81\xabtolerations\x91\x81\xa7seconds\xd3\x00\x00\x00\x00\x00\x00\x00\x05"),
		[]byte("\x82\xa3key\xa4what\xa5value\xd9\x03abc")} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, message []byte) {
		r := reader{message: message}
		value := r.value(0)
		if s := (reader{message: message}); r.err == nil {
			if s.skip(); s.err != nil || s.left() != r.left() {
				t.Fatalf("read up to %d bytes before the end, skipped up to %d (%v)",
					r.left(), s.left(), s.err)
			}
			var w writer
			w.putValue(value)
			again := reader{message: w}
			if got := again.value(0); !reflect.DeepEqual(got, value) || again.err != nil {
				t.Fatalf("%v is read again as %v (%v)", value, got, again.err)
			}
		}
		var a answer
		a.open(message)
		var v Verdict
		var p Patch
		for a.round() {
			a.readVerdict(&v)
			if a.is("\xa7effects") {
				for n := a.array(); n > 0 && a.err == nil; n-- {
					a.effect()
				}
			}
		}
		a.open(message)
		for a.round() {
			if !a.readPatch(a.key(), &p) {
				a.skip()
			}
		}
		a.open(message)
		a.manifest()
		(&Error{}).read(message)
	})
}
