// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"sluice/cluster/plane"
	"sluice/cluster/shipped"
)

// ErrUnobtainable says that a program cannot be had, or run, on this machine.
var ErrUnobtainable = errors.New("it cannot be run here")

// Pinned is a module that pins what is run, a folder of t/cluster, and what is run of it.
type Pinned struct {
	Folder   string   // below t/cluster
	Module   string   // what it pins
	Main     string   // a package of that
	Programs []string // their names to t/cluster/build
}

// Build builds the programs, minutes the first time, and returns their folder.
func (p Pinned) Build(ctx context.Context) (string, error) {
	folder, err := p.folder()
	if err != nil {
		return "", err
	}
	compiler, err := exec.LookPath("go")
	if err != nil {
		compiler = "/usr/local/go/bin/go"
	}
	list := exec.CommandContext(ctx, compiler, "list", "-deps", p.Main)
	list.Dir = folder
	if out, err := list.CombinedOutput(); err != nil {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		return "", fmt.Errorf("%w: the modules of %s are not here and cannot be had: %s",
			ErrUnobtainable, p.Module, lines[len(lines)-1])
	}
	return plane.Binaries(ctx, p.Programs...)
}

// Sources is the folder of the module that is pinned.
func (p Pinned) Sources(ctx context.Context) (string, error) {
	folder, err := p.folder()
	if err != nil {
		return "", err
	}
	return shipped.Module(ctx, folder, p.Module)
}

func (p Pinned) folder() (string, error) {
	root, err := shipped.Root()
	return filepath.Join(root, "t/cluster", p.Folder), err
}
