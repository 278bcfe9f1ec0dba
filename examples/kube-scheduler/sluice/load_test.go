// SPDX-License-Identifier: Apache-2.0

package sluice

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// compile makes a shared object out of C.
func compile(t *testing.T, source string) string {
	t.Helper()
	folder := t.TempDir()
	path := filepath.Join(folder, "sluice.so")
	file := filepath.Join(folder, "sluice.c")
	must(t, os.WriteFile(file, []byte(source), 0o600))
	compiler := cmp.Or(os.Getenv("CC"), "gcc")
	out, err := exec.Command(compiler, "-shared", "-fPIC", "-Wl,-z,nodelete", "-o", path, file).
		CombinedOutput()
	if err != nil {
		t.Fatalf("gcc, which makes the libraries of this test: %v\n%s", err, out)
	}
	return path
}

// fake is a library whose functions return what the map says; hooks that it does not name answer
// with an empty map.
func fake(returns map[string]string, without ...string) string {
	var source strings.Builder
	source.WriteString("#include <stdint.h>\n#include <string.h>\n")
	put := func(name, arguments, body string) {
		if returned, has := returns[name]; has {
			body = returned
		}
		for _, missing := range without {
			if missing == name {
				return
			}
		}
		fmt.Fprintf(&source, "int64_t sluice_%s(%s) { %s }\n", name, arguments, body)
	}
	var manifest writer
	manifest.putMap(2)
	manifest.int("abi", ABIMajor<<16)
	manifest.putKey("hooks")
	manifest.putArray(int(hookCount))
	for h := range hookCount {
		manifest.putMap(2)
		manifest.text("name", h.String())
		manifest.int("answer", 256)
	}
	var bytes strings.Builder
	for _, b := range manifest {
		fmt.Fprintf(&bytes, "%d,", b)
	}
	put("abi", "void", "return 1 << 16 | 7;")
	put("manifest", "uint8_t *out, uint64_t cap", fmt.Sprintf(
		"static const uint8_t m[] = {%s}; memcpy(out, m, sizeof(m)); return sizeof(m);", &bytes))
	put("open", "const uint8_t *req, uint64_t len, uint8_t *out, uint64_t cap", "return 1;")
	put("close", "uint64_t handle", "return 0;")
	for h := range hookCount {
		put(h.String(), "uint64_t handle, const uint8_t *req, uint64_t len, uint8_t *out, uint64_t cap",
			"out[0] = 0x80; return 1;")
	}
	return source.String()
}

func TestLibrariesThatAreRefused(t *testing.T) {
	text := filepath.Join(t.TempDir(), "sluice.so")
	must(t, os.WriteFile(text, []byte("version https://"), 0o600))
	empty := filepath.Join(t.TempDir(), "sluice.so")
	must(t, os.WriteFile(empty, nil, 0o600))
	cut := filepath.Join(t.TempDir(), "sluice.so")
	must(t, os.WriteFile(cut, []byte("\x7fELF\x02\x01\x01"), 0o600))
	for _, c := range []struct {
		name, path string
		words      []string
	}{
		{"a file that is not there", "/nowhere/sluice.so", []string{"no such file", "install"}},
		{"a folder", t.TempDir(), []string{"directory"}},
		{"a text", text, []string{"not an ELF file", `"vers"`}},
		{"an empty file", empty, []string{"not an ELF file"}},
		{"a file that ends early", cut, []string{"dynamic linker", "built for"}},
		{"another library", compile(t, "int other(void) { return 1; }"), []string{"sluice_abi"}},
		{"another major version", compile(t, fake(map[string]string{"abi": "return 2 << 16 | 3;"})),
			[]string{"ABI 2.3", "speaks 1.x", "same major"}},
		{"two functions less", compile(t, fake(nil, "tick", "close")),
			[]string{"lacks sluice_tick, sluice_close"}},
		{"a manifest without hooks", compile(t, fake(map[string]string{
			"manifest": "out[0] = 0x80; return 1;"})), []string{"manifest", "hook observe"}},
		{"a manifest that is none", compile(t, fake(map[string]string{
			"manifest": "out[0] = 0xc1; return 1;"})), []string{"manifest cannot be read"}},
		{"a manifest that has no end", compile(t, fake(map[string]string{
			"manifest": "return -(((int64_t)cap + 1) << 8 | 1);"})), []string{"TOO_SMALL", "report"}},
	} {
		_, err := Load(c.path)
		if err == nil {
			t.Errorf("%s is loaded", c.name)
			continue
		}
		for _, word := range append(c.words, c.path) {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("%s: %q does not say %q", c.name, err, word)
			}
		}
	}
}

func TestManifest(t *testing.T) {
	m := library(t).Manifest()
	if m.ABI>>16 != ABIMajor || m.Version == "" || m.Compiler == "" {
		t.Errorf("the library says of itself %+v", m)
	}
	if len(m.Hooks) < int(hookCount) || m.Errors["FIELD"] != int64(CodeField) {
		t.Errorf("the manifest has %d hooks, and FIELD is %d", len(m.Hooks), m.Errors["FIELD"])
	}
	for _, h := range m.Hooks {
		if reads := h.Name == "filter" || h.Name == "inspect"; h.Reads != reads {
			t.Errorf("the manifest says of %s that it reads: %v", h.Name, h.Reads)
		}
	}
}

func TestLoadByANameWithoutAFolder(t *testing.T) {
	path := compile(t, fake(nil))
	t.Chdir(filepath.Dir(path))
	lib, err := Load("sluice.so")
	must(t, err)
	if lib.Path() != path {
		t.Errorf("loaded %s, want %s", lib.Path(), path)
	}
}

// TestAnswersOfABrokenLibrary: what the real one never does must not crash the host.
func TestAnswersOfABrokenLibrary(t *testing.T) {
	lib, err := Load(compile(t, fake(map[string]string{
		"observe":     "return (int64_t)cap + 1;",
		"pre_filter":  "out[0] = 0xc1; return 1;",
		"post_filter": "return 0;",
		"filter":      `memcpy(out, "\x81\xa4""bits\xc4\x00", 8); return 8;`,
		"reserve":     "return -6;",
		"unreserve":   "return -8;",
		"permit":      `memcpy(out, "\x81\xa3key\xa4tree", 10); return -(10 << 8 | 9);`,
		"bind":        "return -(1 << 8 | 1);",
		"tick":        "return cap < 100000 ? -(100000 << 8 | 1) : (out[0] = 0x80, 1);",
		"drain":       "return -(((int64_t)1 << 40) << 8 | 1);",
		"ack":         "return -(((int64_t)cap + 1) << 8 | 4);",
		"inspect":     "out[0] = 0x90; return 1;",
		"pre_enqueue": `memcpy(out, "\x82\xa3key\xa3pod\xa4want\xa1x", 15); return -(15 << 8 | 4);`,
		"close":       "return -2;",
	})))
	must(t, err)
	e, err := lib.Open(Config{})
	must(t, err)
	_, err = e.ObservePod(gated("pod-1", 1))
	refused(t, err, CodeBroken, "an answer of 16385 bytes in a buffer of 16384")
	_, _, _, err = e.PreFilter("uid")
	refused(t, err, CodeBroken, "another type")
	_, err = e.PostFilter("uid")
	refused(t, err, CodeBroken, "ends too early")
	_, _, err = e.Filter("uid", []uint32{1}, nil)
	refused(t, err, CodeBroken, "one for each node")
	_, _, err = e.Reserve("uid", "n")
	refused(t, err, CodeNoMemory, "free some")
	_, err = e.Unreserve("uid", "n")
	refused(t, err, CodeArgument, "unreserve")
	_, _, _, err = e.Permit("uid", "n")
	refused(t, err, CodeBroken, "tree", "with the recording")
	_, _, err = e.Bind("uid", "n")
	refused(t, err, CodeTooSmall, "want 1 bytes")
	_, err = e.Tick()
	must(t, err)
	_, _, err = e.Drain(1)
	refused(t, err, CodeTooSmall, "drain")
	_, _, err = e.Ack(nil)
	refused(t, err, CodeField, "ack")
	_, err = e.Inspect(Query{What: "queues"})
	refused(t, err, CodeBroken, "another type")
	for range 2 { // the second time it is not even asked
		_, known, _, err := e.PreEnqueueKnown("uid", 1)
		must(t, err)
		if known {
			t.Error("a library without the short form knows the pod")
		}
	}
	refused(t, e.Close(), CodeNoHandle, "close")
}
