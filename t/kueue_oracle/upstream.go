// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// table is one of the tables that Kueue's own tests go through.
type table struct {
	// file is where it is, below Kueue's pkg/scheduler; test is the function.
	file, test string
	// fields are those of a case that say what its world is: the others say what Kueue wants.
	fields []string
	// locals are the variables beside the cases that are part of the world.
	locals []string
}

var tables = []table{
	{"preemption/preemption_test.go", "TestPreemption",
		[]string{"clusterQueues", "cohorts", "admitted", "incoming", "targetCQ"},
		[]string{"flavors"}},
	{"preemption/preemption_hierarchical_test.go", "TestHierarchicalPreemptions",
		[]string{"clusterQueues", "cohorts", "admitted", "incoming", "targetCQ"},
		[]string{"flavors"}},
	{"scheduler_test.go", "TestSchedule",
		[]string{"featureGates", "enableFairSharing", "workloads", "objects", "admissionError",
			"additionalClusterQueues", "additionalLocalQueues", "cohorts"},
		[]string{"resourceFlavors", "clusterQueues", "queues"}},
	{"flavorassigner/flavorassigner_test.go", "TestAssignFlavors",
		[]string{"wlPods", "wlReclaimablePods", "clusterQueue", "clusterQueueUsage",
			"secondaryClusterQueue", "secondaryClusterQueueUsage", "enableFairSharing",
			"preemptWorkloadSlice", "featureGates", "topologies"},
		[]string{"resourceFlavors"}},
}

// printing is a program that prints what the packages made of the tables.
const printing = `package main

import (
	"encoding/json"
	"os"
%s)

func main() {
	if err := json.NewEncoder(os.Stdout).Encode([]any{%s}); err != nil {
		panic(err)
	}
}
`

// readTables are the cases of all tables, as the module has them that the oracle is built with: its
// test files are cut down to what makes the cases, each in a package of its own, and these are
// built where no folder is.
func readTables() ([]upstreamTable, error) {
	kueue, err := kueueSource()
	if err != nil {
		return nil, err
	}
	here, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "kueue-tables")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	replaced := map[string]string{}
	write := func(name string, text []byte) error {
		kept := filepath.Join(folder, strings.ReplaceAll(name, "/", "-"))
		replaced[filepath.Join(here, "upstream", name)] = kept
		return os.WriteFile(kept, text, 0o600)
	}
	var imports, calls string
	for i := range tables {
		path := filepath.Join(kueue, "pkg", "scheduler", tables[i].file)
		text, err := cutDown(&tables[i], path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		name := fmt.Sprintf("table%d", i)
		imports += fmt.Sprintf("\t%s \"sluice/kueue-oracle/upstream/%s\"\n", name, name)
		calls += name + ".Cases(), "
		if err := write(name+"/cases.go", text); err != nil {
			return nil, err
		}
	}
	if err := write("main.go", fmt.Appendf(nil, printing, imports, calls)); err != nil {
		return nil, err
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		return nil, err
	}
	path := filepath.Join(folder, "overlay.json")
	if err := os.WriteFile(path, overlay, 0o600); err != nil {
		return nil, err
	}
	modules, err := copyModules(folder)
	if err != nil {
		return nil, err
	}
	said, err := runGo("run", "-mod=mod", "-modfile", modules, "-overlay", path, "./upstream")
	if err != nil {
		return nil, err
	}
	var read []upstreamTable
	return read, json.Unmarshal(said, &read)
}

// kueueSource is the folder of Kueue's source, which is fetched if it was not before.
func kueueSource() (string, error) {
	said, err := runGo("mod", "download", "-json", "sigs.k8s.io/kueue")
	if err != nil {
		return "", err
	}
	var fetched struct{ Dir string }
	err = json.Unmarshal(said, &fetched)
	return fetched.Dir, err
}

// copyModules copies the list of modules: what Kueue's tests are made of beside is added to that.
func copyModules(folder string) (string, error) {
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
			return "", err
		}
	}
	return filepath.Join(folder, "go.mod"), nil
}

// runGo is what the tool says.
func runGo(arguments ...string) ([]byte, error) {
	said, err := exec.Command("go", arguments...).Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return nil, fmt.Errorf("go %s: %w\n%s", arguments[0], err, failed.Stderr)
	}
	return said, err
}
