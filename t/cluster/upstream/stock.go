// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"context"
	"fmt"

	"sluice/cluster/plane"
)

// StartStock runs the stock scheduler as this user of the plane.
func StartStock(ctx context.Context, p *plane.Plane, user string) (*plane.Process, error) {
	program, err := p.Program(ctx, "kube-scheduler")
	if err != nil {
		return nil, err
	}
	kubeconfig, err := p.Kubeconfig(user)
	if err != nil {
		return nil, err
	}
	port, err := plane.FreePort()
	if err != nil {
		return nil, err
	}
	return p.Run("kube-scheduler", program, []string{"--kubeconfig=" + kubeconfig,
		"--authentication-kubeconfig=" + kubeconfig, "--authorization-kubeconfig=" + kubeconfig,
		"--leader-elect=false", "--bind-address=127.0.0.1", fmt.Sprint("--secure-port=", port)}, nil)
}
