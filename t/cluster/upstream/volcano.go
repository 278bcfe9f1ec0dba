// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"context"
	"os"
	"path/filepath"

	"sluice/cluster/plane"
)

// Volcano's programs, of its scheduler and of its controllers.
const (
	VolcanoScheduler   = "vc-scheduler"
	VolcanoControllers = "vc-controller-manager"
)

// VolcanoModule pins Volcano.
var VolcanoModule = Pinned{Folder: "volcano", Module: "volcano.sh/volcano",
	Main: "volcano.sh/volcano/cmd/scheduler", Programs: []string{VolcanoScheduler, VolcanoControllers}}

// VolcanoUser is Volcano to the API server.
var VolcanoUser = plane.User{Name: "system:serviceaccount:volcano-system:volcano",
	Groups: []string{"system:masters"}}

// ApplyVolcanoCRDs applies those of Volcano itself, which are not all that sluice ships.
func ApplyVolcanoCRDs(ctx context.Context, p *plane.Plane) error {
	module, err := VolcanoModule.Sources(ctx)
	if err != nil {
		return err
	}
	for _, folder := range []string{"volcano", "jobflow"} {
		bases := filepath.Join(module, "config/crd", folder, "bases")
		if err := p.ApplyCRDDir(ctx, bases); err != nil {
			return err
		}
	}
	return nil
}

// StartVolcano runs one of Volcano's programs with these flags.
func StartVolcano(ctx context.Context, p *plane.Plane, name string, flags ...string) (
	*plane.Process, error) {
	dir, err := plane.Binaries(ctx, name)
	if err != nil {
		return nil, err
	}
	kubeconfig, err := p.Kubeconfig(VolcanoUser.Name)
	if err != nil {
		return nil, err
	}
	return p.Run(name, filepath.Join(dir, name), append([]string{"--kubeconfig=" + kubeconfig,
		"--logtostderr", "--leader-elect=false"}, flags...), nil)
}

// StartVolcanoScheduler runs its scheduler with this configuration.
func StartVolcanoScheduler(ctx context.Context, p *plane.Plane, config string, flags ...string) (
	*plane.Process, error) {
	file := filepath.Join(p.Dir, "volcano-scheduler.conf")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		return nil, err
	}
	return StartVolcano(ctx, p, VolcanoScheduler, append([]string{"--scheduler-conf=" + file,
		"--cache-dumper=false", "--plugins-dir="}, flags...)...)
}
