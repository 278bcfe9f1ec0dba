// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// upstreamCase is one case of a table, and what Volcano made of it in one session.
type upstreamCase struct {
	Test, Name string
	Given      struct {
		Pods, Nodes, PodGroups, Queues []object
		PriorityClasses                []object
		ResourceClaims                 []object
		Tiers                          []struct{ Plugins []plugin }
	}
	Plugins []string // those that the case brings with it
	Actions []string
	// Pods, by namespace/name.
	Bound, Evicted, Pipelined []string
	Phases                    map[string]string // of PodGroups, by namespace/name
	Failed                    string            // what Volcano's own test found wrong
}

type plugin struct {
	Name             string
	EnabledHierarchy *bool
	Arguments        map[string]any
}

// object is one of Kubernetes' objects, as JSON has it.
type object = map[string]any

const volcano = "volcano.sh/volcano"

// tested are the packages whose tables have cases with the capacity plugin.
var tested = []string{
	volcano + "/pkg/scheduler/plugins/capacity",
	volcano + "/pkg/scheduler/actions/preempt",
	volcano + "/pkg/scheduler/actions/reclaim",
}

// edit is a change of Volcano's source: the text has to be there.
type edit struct{ from, to string }

// helper are the changes of the package that its tests use, so that record.go comes between. Its
// patience ends a test, and does not last on a busy machine.
var helper = []edit{
	{") RegisterSession(", ") registerSession("},
	{") CheckAll(", ") checkAll("},
	{"time.After(300 * time.Millisecond):\n\t\t\treturn", "time.After(time.Minute):\n\t\t\treturn"},
}

// newer is what Volcano uses of its own API module, and the release that is to be had lacks.
const newer = `package v1beta1

// QueueAllocationGateKey is the annotation and the gate of pods that wait for their queue.
const QueueAllocationGateKey = GroupName + "/queue-allocation-gate"
`

// readCases runs Volcano's own tests, as the module has them that upstream/go.mod names, in a copy
// of it that writes each case down, and returns those in which the capacity plugin takes part.
func readCases() ([]upstreamCase, error) {
	folder, err := os.MkdirTemp("", "volcano-tables")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	if err := copyVolcano(folder); err != nil {
		return nil, err
	}
	records := filepath.Join(folder, "records")
	arguments := []string{"test", "-count=1", "-vet=off", "-trimpath", "-mod=mod",
		"-modfile", filepath.Join(folder, "go.mod")}
	if _, err := runGo([]string{"RECORDS=" + records}, append(arguments, tested...)...); err != nil {
		return nil, err
	}
	return readRecords(records)
}

func readRecords(path string) (cases []upstreamCase, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var read upstreamCase
		if err := json.Unmarshal(lines.Bytes(), &read); err != nil {
			return nil, err
		}
		if read.Failed != "" {
			return nil, fmt.Errorf("volcano's own test %s: %s", read.Test, read.Failed)
		}
		if read.has("capacity") {
			cases = append(cases, read)
		}
	}
	return cases, lines.Err()
}

// copyVolcano puts into a folder Volcano and its API with the changes, and a go.mod for them.
func copyVolcano(folder string) error {
	for module, parts := range map[string][]string{
		volcano:           {"go.mod", "pkg", "cmd/scheduler", "third_party"},
		"volcano.sh/apis": {"go.mod", "pkg"},
	} {
		from, err := sourceOf(module)
		if err != nil {
			return err
		}
		for _, part := range parts {
			err := copyAll(filepath.Join(folder, module, part), filepath.Join(from, part))
			if err != nil {
				return err
			}
		}
	}
	beside := filepath.Join(folder, volcano, "pkg/scheduler/uthelper")
	if err := change(filepath.Join(beside, "helper.go"), helper); err != nil {
		return err
	}
	if err := copyAll(filepath.Join(beside, "record.go"), "upstream/record.go"); err != nil {
		return err
	}
	path := filepath.Join(folder, "volcano.sh/apis/pkg/apis/scheduling/v1beta1/newer.go")
	if err := os.WriteFile(path, []byte(newer), 0o600); err != nil {
		return err
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		if err := copyAll(filepath.Join(folder, name), filepath.Join("upstream", name)); err != nil {
			return err
		}
	}
	for _, module := range []string{volcano, "volcano.sh/apis"} {
		_, err := runGo(nil, "mod", "edit", "-replace", module+"="+filepath.Join(folder, module),
			filepath.Join(folder, "go.mod"))
		if err != nil {
			return err
		}
	}
	return nil
}

// sourceOf is the folder of a module's source, which is fetched if it was not before.
func sourceOf(module string) (string, error) {
	said, err := runGo(nil, "mod", "download", "-json", module)
	if err != nil {
		return "", err
	}
	var fetched struct{ Dir string }
	err = json.Unmarshal(said, &fetched)
	return fetched.Dir, err
}

// copyAll copies a file, or a folder with all that is in it.
func copyAll(to, from string) error {
	about, err := os.Stat(from)
	if err != nil {
		return err
	}
	if about.IsDir() {
		return os.CopyFS(to, os.DirFS(from))
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o600)
}

func change(path string, edits []edit) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for _, one := range edits {
		if !bytes.Contains(text, []byte(one.from)) {
			return fmt.Errorf("%s: there is no %q", path, one.from)
		}
		text = bytes.ReplaceAll(text, []byte(one.from), []byte(one.to))
	}
	if err := os.Remove(path); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
}

// runGo is what the tool says in the folder whose go.mod names Volcano.
func runGo(environment []string, arguments ...string) ([]byte, error) {
	command := exec.Command("go", arguments...)
	command.Dir = "upstream"
	command.Env = append(os.Environ(), environment...)
	said, err := command.Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return nil, fmt.Errorf("go %s: %w\n%s%s", strings.Join(arguments, " "), err, said, failed.Stderr)
	}
	return bytes.TrimSpace(said), err
}
