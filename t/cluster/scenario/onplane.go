// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/client-go/tools/clientcmd"

	"sluice/cluster/plane"
)

// The account of the scheduler in the shipped manifests, and the overlay in which pods that name no
// scheduler are ours.
const (
	accountNamespace = "kube-system"
	accountName      = "sluice-scheduler"
	overlay          = "examples/deploy/overlays/instead-webhook"
)

// NewCluster makes a control plane ready for stories: the shipped manifests are applied, and the
// scheduler has the rights that they give it, and no others.
func NewCluster(ctx context.Context, p *plane.Plane, s Shipped) (*Cluster, error) {
	etcd, err := etcdURL(p)
	if err != nil {
		return nil, err
	}
	if err := p.ApplyCRDDir(ctx, filepath.Join(s.Root, "examples/deploy/crds")); err != nil {
		return nil, err
	}
	if err := p.ApplyCRDDir(ctx, s.Kueue); err != nil {
		return nil, err
	}
	if _, err := p.Kubectl(ctx, "apply", "-k", filepath.Join(s.Root, overlay)); err != nil {
		return nil, err
	}
	if err := awaitPolicies(ctx, p.Client, true); err != nil {
		return nil, err
	}
	webhook, err := plane.FreePort()
	if err != nil {
		return nil, err
	}
	if err := pointWebhooksAt(ctx, p.Client, webhook); err != nil {
		return nil, err
	}
	kubeconfig, err := p.ServiceAccountKubeconfig(ctx, accountNamespace, accountName)
	if err != nil {
		return nil, err
	}
	account, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	return &Cluster{
		Admin: p.REST(plane.Admin), Etcd: etcd, Dir: p.Dir, Scheduler: account, Library: s.Library,
		Webhook: webhook,
		Rights: func(ctx context.Context, workloads bool) error {
			return setWorkloadRights(ctx, p, filepath.Join(s.Root, workloadRights), workloads)
		},
		Run: func(args, env []string) (Process, error) {
			process, err := p.Run("sluice-scheduler", s.Scheduler, args, env)
			if err != nil {
				return nil, err
			}
			return process, nil
		},
	}, nil
}

// etcdURL is where a plane's etcd listens, as its command line says.
func etcdURL(p *plane.Plane) (string, error) {
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.Etcd().Pid()))
	if err != nil {
		return "", err
	}
	for _, argument := range bytes.Split(line, []byte{0}) {
		if url, ok := strings.CutPrefix(string(argument), "--advertise-client-urls="); ok {
			return url, nil
		}
	}
	return "", fmt.Errorf("etcd's command line %q names no URL", line)
}
