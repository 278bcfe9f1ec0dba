// SPDX-License-Identifier: Apache-2.0

package sluice

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// vector is a file of abi/vectors: its README says what the keys mean.
type vector struct {
	Config map[string]any
	Steps  []struct {
		Hook    string
		Request map[string]any
		Bytes   *string
		Answer  map[string]any
		Error   map[string]any
	}
}

// TestGoldenVectors plays every released story through this package's writer, crossing and reader.
func TestGoldenVectors(t *testing.T) {
	files, err := filepath.Glob("../../../abi/vectors/v1.*/*.json")
	must(t, err)
	if len(files) < 6 {
		t.Fatalf("there are %d golden vectors in abi/vectors, want all of a checkout", len(files))
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) { play(t, file) })
	}
}

func play(t *testing.T, file string) {
	text, err := os.ReadFile(file)
	must(t, err)
	var story vector
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	must(t, decoder.Decode(&story))
	lib := library(t)
	c := newCall()
	c.req.putJSON(t, story.Config, nil)
	handle, err := lib.cross(sluiceOpen, 0, c)
	must(t, err)
	e := &Engine{lib: lib, clock: NewClock()}
	e.handle.Store(uint64(handle))
	defer func() { must(t, e.Close()) }()

	saved := map[string]any{}
	for i, step := range story.Steps {
		where := fmt.Sprintf("step %d, %s", i+1, step.Hook)
		c := newCall()
		if step.Bytes != nil {
			raw, err := hex.DecodeString(strings.ReplaceAll(*step.Bytes, " ", ""))
			must(t, err)
			c.req = append(c.req, raw...)
		} else {
			c.req.putJSON(t, step.Request, saved)
		}
		answer, err := cross(e, step.Hook, c)
		if step.Error != nil {
			code := step.Error["code"]
			if code == CodeTooSmall.String() {
				continue // never seen behind cross
			}
			failed, is := err.(*Error)
			if !is {
				t.Fatalf("%s: got %v, want the error %v", where, answer, step.Error)
			}
			answer = map[string]any{"code": failed.Code.String(), "key": failed.Key,
				"value": failed.Value, "want": failed.Want}
			err = nil
		}
		if err != nil {
			t.Fatalf("%s: %v", where, err)
		}
		want := step.Answer
		if step.Error != nil {
			want = step.Error
		}
		if why := match(want, answer, saved); why != "" {
			t.Errorf("%s: %s", where, why)
		}
		c.done()
	}
}

func cross(e *Engine, name string, c *call) (map[string]any, error) {
	if name == "open" {
		handle, err := e.lib.cross(sluiceOpen, 0, c)
		if err == nil {
			_, err = e.lib.cross(sluiceClose, uint64(handle), c)
		}
		return map[string]any{}, err
	}
	hook := function(slices.Index(functionNames[:hookCount], name))
	if err := e.ask(hook, c); err != nil {
		return nil, err
	}
	return c.everything(hook)
}

// putJSON writes what a story says; $use stands for what $save has kept, $bin for bytes.
func (w *writer) putJSON(t *testing.T, value any, saved map[string]any) {
	switch value := value.(type) {
	case json.Number:
		number, err := value.Int64()
		must(t, err)
		w.putInt(number)
	case []any:
		w.putArray(len(value))
		for _, item := range value {
			w.putJSON(t, item, saved)
		}
	case map[string]any:
		if name, is := value["$use"].(string); is {
			w.putValue(saved[name])
			return
		}
		if text, is := value["$bin"].(string); is {
			raw, err := hex.DecodeString(text)
			must(t, err)
			w.putValue(raw)
			return
		}
		w.putMap(len(value))
		for key, item := range value {
			w.putText(key)
			w.putJSON(t, item, saved)
		}
	default:
		w.putValue(value)
	}
}

// match compares by the keys that are wanted. It says where the two differ.
func match(want, got any, saved map[string]any) string {
	switch want := want.(type) {
	case map[string]any:
		if name, is := want["$save"].(string); is {
			saved[name] = got
			return ""
		}
		if text, is := want["$bin"].(string); is {
			if raw, is := got.([]byte); !is || hex.EncodeToString(raw) != text {
				return fmt.Sprintf("got % x, want %s", got, text)
			}
			return ""
		}
		if name, is := want["$use"].(string); is {
			return match(saved[name], got, saved)
		}
		in, is := got.(map[string]any)
		if !is {
			return fmt.Sprintf("got %v, want a map", got)
		}
		for key := range want {
			if why := match(want[key], in[key], saved); why != "" {
				return key + ": " + why
			}
		}
		return ""
	case []any:
		in, is := got.([]any)
		if !is || len(in) != len(want) {
			return fmt.Sprintf("got %v, want %d items", got, len(want))
		}
		for i := range want {
			if why := match(want[i], in[i], saved); why != "" {
				return fmt.Sprintf("[%d]: %s", i, why)
			}
		}
		return ""
	case json.Number:
		if fmt.Sprint(got) == want.String() {
			return ""
		}
	default:
		if got == want {
			return ""
		}
	}
	return fmt.Sprintf("got %v, want %v", got, want)
}
