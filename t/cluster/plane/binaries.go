// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Binaries returns a directory that has the named programs of t/cluster/cmd: $SLUICE_CLUSTER_BIN,
// or the running program's own if it lies beside them, or what t/cluster/build gives, which is
// looked for upward from the working directory and builds what is missing.
func Binaries(ctx context.Context, names ...string) (string, error) {
	if dir := os.Getenv("SLUICE_CLUSTER_BIN"); dir != "" {
		if missing := lacks(dir, names); missing != "" {
			return "", fmt.Errorf("SLUICE_CLUSTER_BIN=%s has no program %s: "+
				"unset it, or run t/cluster/build", dir, missing)
		}
		return dir, nil
	}
	if self, err := os.Executable(); err == nil {
		if dir := filepath.Dir(self); lacks(dir, names) == "" {
			return dir, nil
		}
	}
	script, err := findBuild()
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, script, append([]string{"--print-dir"}, names...)...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w", script, strings.Join(names, " "), err)
	}
	return strings.TrimSpace(out.String()), nil
}

// Kubernetes is the release whose programs Binaries gives: v1.37.2.
func Kubernetes(ctx context.Context) (string, error) {
	dir, err := Binaries(ctx, "kube-apiserver")
	if err != nil {
		return "", err
	}
	said, err := exec.CommandContext(ctx, filepath.Join(dir, "kube-apiserver"), "--version").Output()
	return strings.TrimPrefix(strings.TrimSpace(string(said)), "Kubernetes "), err
}

func lacks(dir string, names []string) string {
	for _, name := range names {
		file, err := os.Stat(filepath.Join(dir, name))
		if err != nil || !file.Mode().IsRegular() || file.Mode()&0o111 == 0 {
			return name
		}
	}
	return ""
}

func findBuild() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("the working directory: %w", err)
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		for _, script := range []string{
			filepath.Join(dir, "t", "cluster", "build"), filepath.Join(dir, "build"),
		} {
			cluster := filepath.Dir(script)
			_, err := os.Stat(filepath.Join(cluster, "cmd", "kube-apiserver", "main.go"))
			if err == nil && lacks(cluster, []string{"build"}) == "" {
				return script, nil
			}
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("no t/cluster/build in or above %s: run inside sluice's tree, "+
				"or set SLUICE_CLUSTER_BIN to the directory that it prints", start)
		}
	}
}
