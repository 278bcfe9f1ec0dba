// SPDX-License-Identifier: Apache-2.0

package sluice

import (
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// function is one of the library's: a hook, or one that takes no handle and request.
type function uint8

const (
	hookObserve function = iota
	hookAdmit
	hookPreEnqueue
	hookPreFilter
	hookFilter
	hookPostFilter
	hookReserve
	hookUnreserve
	hookPermit
	hookBind
	hookPostBind
	hookCommand
	hookTick
	hookDrain
	hookAck
	hookInspect
	hookCount

	sluiceManifest function = iota - 1
	sluiceOpen
	sluiceClose
	functionCount
)

var functionNames = [functionCount]string{
	"observe", "admit", "pre_enqueue", "pre_filter", "filter", "post_filter", "reserve",
	"unreserve", "permit", "bind", "post_bind", "command", "tick", "drain", "ack", "inspect",
	"manifest", "open", "close",
}

func (f function) String() string { return functionNames[f] }

const (
	leastRoom = 16 << 10 // what has to be offered for an answer without a largest size
	mostRoom  = 64 << 20 // who asks for more than this is broken
	keepRoom  = 1 << 20  // longer buffers do not go back to the pool
)

// call is one crossing: the request as it is built, and the answer as it is read.
//
//	c := e.begin(2)            the request is a map of two keys, the first of them `now`
//	defer c.done()
//	c.req.text("uid", uid)
//	if err := e.ask(hookX, c); err != nil { ... }
//	for c.ans.round() { ... }
//	return c.end(hookX)
//
// Both buffers are the call's own. C sees them only while it runs.
type call struct {
	req     writer
	ans     answer
	out     []byte
	message []byte // the part of out that is the answer
}

var calls = sync.Pool{New: func() any {
	return &call{req: make(writer, 0, 1<<10), out: make([]byte, leastRoom)}
}}

func newCall() *call {
	c := calls.Get().(*call)
	c.req = c.req[:0]
	return c
}

// begin takes a call whose request has so many keys.
func (e *Engine) begin(keys int) *call {
	c := newCall()
	c.req.putMap(keys)
	c.req.int("now", e.clock())
	return c
}

func (c *call) done() {
	if len(c.out) <= keepRoom && cap(c.req) <= keepRoom {
		calls.Put(c)
	}
}

// ask crosses into a hook. Without an error the answer is there to be read.
func (e *Engine) ask(hook function, c *call) error {
	handle := e.handle.Load()
	if handle == 0 {
		return closedError(hook)
	}
	length, err := e.lib.cross(hook, handle, c)
	if err != nil {
		return err
	}
	c.message = c.out[:length]
	c.ans.open(c.message)
	return nil
}

// end reads what is left of an answer: its tail, or nothing. If the answer is none that can be
// read, that is the error.
func (c *call) end(hook function) (Tail, error) {
	for c.ans.round() {
		c.ans.skipPair()
	}
	if c.ans.err != nil {
		return Tail{}, brokenError(hook, c.ans.err.Error())
	}
	return c.ans.tail, nil
}

// cross calls until the answer has room. It returns what the library returns, if it is no error:
// for a hook the length of the answer in c.out.
func (l *Library) cross(f function, handle uint64, c *call) (int64, error) {
	c.makeRoom(l.room[f])
	for {
		result := l.enter(f, handle, c)
		if result >= 0 {
			if f != sluiceOpen && result > int64(len(c.out)) {
				return 0, brokenError(f, fmt.Sprintf("an answer of %d bytes in a buffer of %d",
					result, len(c.out)))
			}
			return result, nil
		}
		code, length := resultParts(result)
		if code != CodeTooSmall || length <= uint64(len(c.out)) || length > mostRoom {
			return 0, resultError(f, result, c.out)
		}
		// Twice as much, so that who always asks for a little more comes to the end of it.
		c.makeRoom(max(int(length), 2*len(c.out)))
	}
}

func (c *call) makeRoom(room int) {
	if len(c.out) < room {
		c.out = make([]byte, room)
	}
}

// enter is the crossing itself. The pointers become integers in the list of arguments: that keeps
// what they point to in its place until the function returns.
func (l *Library) enter(f function, handle uint64, c *call) int64 {
	var result uintptr
	switch f {
	case sluiceManifest:
		result, _, _ = purego.SyscallN(l.functions[f],
			uintptr(unsafe.Pointer(unsafe.SliceData(c.out))), uintptr(len(c.out)))
	case sluiceOpen:
		result, _, _ = purego.SyscallN(l.functions[f],
			uintptr(unsafe.Pointer(unsafe.SliceData(c.req))), uintptr(len(c.req)),
			uintptr(unsafe.Pointer(unsafe.SliceData(c.out))), uintptr(len(c.out)))
	case sluiceClose:
		result, _, _ = purego.SyscallN(l.functions[f], uintptr(handle))
	default:
		result, _, _ = purego.SyscallN(l.functions[f], uintptr(handle),
			uintptr(unsafe.Pointer(unsafe.SliceData(c.req))), uintptr(len(c.req)),
			uintptr(unsafe.Pointer(unsafe.SliceData(c.out))), uintptr(len(c.out)))
	}
	runtime.KeepAlive(c)
	return int64(result)
}
