// SPDX-License-Identifier: Apache-2.0

package sluice

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/ebitengine/purego"
)

// ABIMajor is the major version of the ABI that this package speaks.
const ABIMajor = 1

// Library is a loaded sluice.so. It is never unloaded.
type Library struct {
	path      string
	functions [functionCount]uintptr
	room      [functionCount]int // the largest answers, or the least that has to be offered
	manifest  Manifest
}

// Manifest is what the library says about itself.
type Manifest struct {
	ABI      uint32 // major << 16 | minor
	Version  string
	Compiler string
	Hooks    []ManifestHook
	Errors   map[string]int64
}

// ManifestHook describes one hook.
type ManifestHook struct {
	Name   string
	Answer int64 // the largest answer in bytes; 0: the buffer's size rules
	Reads  bool  // never changes the state
}

// Load opens the library and checks that it can be spoken to: that it is one, that its ABI has the
// major version of this package, and that it has every hook.
func Load(path string) (*Library, error) {
	l := &Library{path: path}
	// Without a slash dlopen would look in the system's folders only.
	if absolute, err := filepath.Abs(path); err == nil {
		l.path = absolute
	}
	if err := l.load(); err != nil {
		return nil, fmt.Errorf("load %s: %w", l.path, err)
	}
	return l, nil
}

// Path is the file that was loaded.
func (l *Library) Path() string { return l.path }

// Manifest returns what the library says about itself. It must not be changed.
func (l *Library) Manifest() Manifest { return l.manifest }

func (l *Library) load() error {
	if err := checkFile(l.path); err != nil {
		return err
	}
	object, err := purego.Dlopen(l.path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return fmt.Errorf("the dynamic linker refuses it: %w; "+
			"it must be a sluice.so built for %s, with the libraries it needs installed",
			err, runtime.GOARCH)
	}
	// The version first: a library of another one may well lack functions.
	abi, err := purego.Dlsym(object, "sluice_abi")
	if err != nil {
		return errors.New("it has no function sluice_abi: this is not a sluice.so")
	}
	version, _, _ := purego.SyscallN(abi)
	if major := uint32(version) >> 16; major != ABIMajor {
		return fmt.Errorf("it speaks ABI %d.%d, this host speaks %d.x: use a sluice.so and a host "+
			"of the same major version", major, uint32(version)&0xffff, ABIMajor)
	}
	var missing []string
	for f := range functionCount {
		if l.functions[f], err = purego.Dlsym(object, "sluice_"+f.String()); err != nil {
			missing = append(missing, "sluice_"+f.String())
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("it lacks %s: it is damaged, or an unfinished build",
			strings.Join(missing, ", "))
	}
	return l.describe()
}

// checkFile says in plain words what dlopen would say in the dynamic linker's.
func checkFile(path string) error {
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return errors.New("there is no such file: build or install sluice.so, or name where it is")
	}
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	magic := make([]byte, 4)
	n, err := io.ReadFull(file, magic)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return err
	}
	if !bytes.Equal(magic[:n], []byte("\x7fELF")) {
		return fmt.Errorf("it is not an ELF file (it begins with %q): name a sluice.so", magic[:n])
	}
	return nil
}

// describe reads the manifest, and sees that no hook is missing in it.
func (l *Library) describe() error {
	c := newCall()
	defer c.done()
	length, err := l.cross(sluiceManifest, 0, c)
	if err != nil {
		return err
	}
	c.ans.open(c.out[:length])
	l.manifest = c.ans.manifest()
	if c.ans.err != nil {
		return fmt.Errorf("its manifest cannot be read: %w", c.ans.err)
	}
	answers := map[string]int64{}
	for _, hook := range l.manifest.Hooks {
		answers[hook.Name] = hook.Answer
	}
	for h := range hookCount {
		answer, found := answers[h.String()]
		if !found {
			return fmt.Errorf("its manifest does not name the hook %s: it is damaged", h)
		}
		if answer > mostRoom {
			return fmt.Errorf("its manifest says that %s answers with %d bytes: it is damaged",
				h, answer)
		}
		l.room[h] = max(int(answer), leastRoom)
	}
	return nil
}

func (a *answer) manifest() (m Manifest) {
	for a.round() {
		if a.is("\xa3abi") {
			m.ABI = uint32(a.int())
		}
		if a.is("\xa7version") {
			m.Version = a.text()
		}
		if a.is("\xa8compiler") {
			m.Compiler = a.text()
		}
		if a.is("\xa5hooks") {
			for n := a.array(); n > 0; n-- {
				m.Hooks = append(m.Hooks, a.manifestHook())
			}
		}
		if a.is("\xa6errors") {
			m.Errors = map[string]int64{}
			for n := a.mapping(); n > 0; n-- {
				name := a.text()
				m.Errors[name] = a.int()
			}
		}
	}
	return m
}

func (a *answer) manifestHook() (h ManifestHook) {
	for n := a.mapping(); n > 0; n-- {
		switch string(a.bytes()) {
		case "name":
			h.Name = a.text()
		case "answer":
			h.Answer = a.int()
		case "reads":
			h.Reads = a.bool()
		default:
			a.skip()
		}
	}
	return h
}
