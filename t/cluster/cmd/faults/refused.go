// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"sigs.k8s.io/yaml"

	"sluice/cluster/faults"
)

// mistake is a configuration with which the scheduler must not start, and what it must say.
type mistake struct {
	name   string
	change func(config, profile, args object) // nil: none
	source string                             // of a library in the place of sluice.so
	says   []string
}

const otherMajor = `unsigned sluice_abi(void) { return 2u << 16 | 3u; }`

var mistakes = []mistake{
	{name: "unknown-arg", change: func(_, _, args object) { args["removle"] = "onBind" },
		says: []string{"removle"}},
	{name: "unknown-value", change: func(_, _, args object) { args["removal"] = "sometimes" },
		says: []string{"removal", "sometimes", "onBind"}},
	{name: "unknown-key", change: func(config, _, _ object) { config["leaderElektion"] = object{} },
		says: []string{"leaderElektion"}},
	{name: "arg-of-another-type", change: func(_, _, args object) { args["headGuard"] = "soon" },
		says: []string{"soon"}},
	{name: "negative-ceiling", change: func(_, _, args object) {
		args["rootCeiling"] = object{"cpu": "-4"}
	}, says: []string{"rootCeiling", "-4"}},
	{name: "malformed-ceiling", change: func(_, _, args object) {
		args["rootCeiling"] = object{"cpu": "4x"}
	}, says: []string{"quantit"}},
	{name: "missing-library", change: func(_, _, args object) {
		args["library"] = "/nowhere/sluice.so"
	}, says: []string{"/nowhere/sluice.so", "no such file"}},
	{name: "library-is-text", change: func(_, _, args object) { args["library"] = "/etc/passwd" },
		says: []string{"/etc/passwd", "ELF"}},
	{name: "library-of-another-major-version", source: otherMajor,
		says: []string{"ABI 2.3", "1.x"}},
	{name: "library-without-hooks", source: `unsigned sluice_abi(void) { return 1u << 16; }`,
		says: []string{"lacks", "sluice_observe"}},
	{name: "another-library", source: `int nothing(void) { return 0; }`,
		says: []string{"sluice_abi"}},
	{name: "gates-not-disabled", change: func(_, profile, _ object) {
		delete(profile["plugins"].(object), "preEnqueue")
	}, says: []string{"default-scheduler", "SchedulingGates", "disabled"}},
	{name: "gates-disabled-on-admission", change: func(_, _, args object) {
		args["removal"] = onAdmission
	}, says: []string{"default-scheduler", "SchedulingGates", "onAdmission"}},
	{name: "bind-after-default", change: func(_, profile, _ object) {
		delete(profile["plugins"].(object), "bind")
	}, says: []string{"DefaultBinder", "Sluice"}},
	{name: "pre-filter-not-first", change: func(_, profile, _ object) {
		delete(profile["plugins"].(object), "preFilter")
	}, says: []string{"preFilter", "Sluice"}},
	{name: "two-profiles-differ", change: func(config, _, _ object) {
		second := copyOf(profileOf(config))
		second["schedulerName"] = "another"
		argsOf(second)["headGuard"] = "7m"
		config["profiles"] = append(config["profiles"].([]any), second)
	}, says: []string{"another", "default-scheduler"}},
}

func copyOf(from object) (to object) {
	text, err := yaml.Marshal(from)
	if err == nil {
		err = yaml.Unmarshal(text, &to)
	}
	if err != nil {
		panic(err)
	}
	return to
}

// refuseToStart starts the scheduler with each mistake.
func refuseToStart(ctx context.Context, b *bench, o *outcome) error {
	dir := filepath.Join(b.plane.Dir, "refused-to-start")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	r, err := newReplica(b, "refused", dir, false, ignore, ignore)
	if err != nil {
		return err
	}
	defer func() { _ = r.close() }()
	for _, m := range mistakes {
		said, err := tryToStart(ctx, r, dir, &m)
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		o.times++
		o.note("%s: %s", m.name, said)
		for _, word := range m.says {
			if !strings.Contains(said, word) {
				o.blame("%s: the message does not say %q: %s", m.name, word, said)
			}
		}
	}
	return nil
}

const refusalTakes = 40 * time.Second

// tryToStart returns what the scheduler says as it refuses.
func tryToStart(ctx context.Context, r *replica, dir string, m *mistake) (string, error) {
	b := r.bench
	library := b.shipped.Library
	if m.source != "" {
		library = filepath.Join(dir, m.name+".so")
		if err := compile(ctx, m.source, library); err != nil {
			return "", err
		}
	}
	kubeconfig := filepath.Join(dir, r.name+".kubeconfig")
	config, err := schedulerConfig(b.shipped.Root, library, kubeconfig, onBind, false)
	if err != nil {
		return "", err
	}
	if m.change != nil {
		profile := profileOf(config)
		m.change(config, profile, argsOf(profile))
	}
	text, err := yaml.Marshal(config)
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, r.name+".yaml")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return "", err
	}
	process, err := b.plane.Run("refused-"+m.name, b.shipped.Scheduler, r.args, nil)
	if err != nil {
		return "", err
	}
	select {
	case <-process.Done():
	case <-time.After(refusalTakes):
		return "nothing, it runs", process.Kill()
	}
	log, err := os.ReadFile(process.Log)
	if err != nil {
		return "", err
	}
	if process.ExitCode() == 0 {
		return "nothing, it ends with 0", nil
	}
	return fmt.Sprintf("exit %d: %s", process.ExitCode(), lastWords(string(log))), nil
}

// lastWords are the error at the end of a log: what is not one of its usual lines.
func lastWords(log string) string {
	lines := strings.Split(strings.TrimSpace(log), "\n")
	first := len(lines) - 1
	for first > 0 && !isLogLine(lines[first]) {
		first--
	}
	return strings.Join(lines[first:], " | ")
}

func isLogLine(line string) bool {
	return len(line) > 5 && strings.ContainsRune("IWEF", rune(line[0])) &&
		strings.Trim(line[1:5], "0123456789") == ""
}

func compile(ctx context.Context, source, library string) error {
	cc := exec.CommandContext(ctx, "gcc", "-shared", "-fPIC", "-x", "c", "-o", library, "-")
	cc.Stdin, cc.Stderr = strings.NewReader(source), os.Stderr
	if err := cc.Run(); err != nil {
		if errors.Is(err, exec.ErrNotFound) {
			return errors.New("no gcc, which makes a library of another version: install it")
		}
		return fmt.Errorf("%s: %w", cc, err)
	}
	return nil
}

func ignore(*faults.Request) {}
