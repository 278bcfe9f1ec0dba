// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"sluice/cluster/plane"
)

// keep waits for Ctrl-C, and says what to do until then.
func keep(ctx context.Context, c *cluster, out *screen) error {
	kubeconfig, err := c.Kubeconfig(plane.Admin)
	if err != nil {
		return err
	}
	kubectl, err := c.Program(ctx, "kubectl")
	if err != nil {
		return err
	}
	environment := filepath.Join(c.Dir, "env")
	text := fmt.Sprintf(`export KUBECONFIG=%s
export PATH=%s:%s:$PATH
ask() { curl -sS --cacert %s -H 'Authorization: Bearer %s' "%s/debug/sluice/$1"; }
`, kubeconfig, filepath.Dir(kubectl), filepath.Join(c.root, "build"),
		c.why.ca, c.why.token, c.why.url)
	if err := os.WriteFile(environment, []byte(text), 0o600); err != nil {
		return fmt.Errorf("the file to use the cluster with: %w", err)
	}
	pods := filepath.Join(c.root, podsFile)
	out.act("The cluster stays up until Ctrl-C")
	out.plain(fmt.Sprintf(`
In another shell:

  . %[1]s

It sets KUBECONFIG, puts kubectl and kubectl-sluice into PATH, and defines ask, a curl of
/debug/sluice/. Then try:

  kubectl get queues,nodes,pods
  kubectl delete pods --all && kubectl create -f %[2]s && sleep 1 && kubectl get pods
  kubectl sluice queues
  kubectl sluice why pod-3
  kubectl sluice board
  ask 'pod?namespace=default&name=pod-3'
  kubectl delete pod pod-1 && sleep 1 && kubectl get pods
  kubectl patch queue q --type=merge -p '{"spec": {"capability": {"cpu": "2", "memory": "2Gi"}}}'

Bound pods say Running, though nothing runs them. The logs are in %[3]s.
The table goes on here.`,
		environment, pods, c.Dir))
	select {
	case <-ctx.Done():
		out.plain("\nStopping ...")
		return nil
	case <-c.sluice.Done():
		return fmt.Errorf("sluice-scheduler has ended; the end of its log:\n%s", c.schedulerLog())
	case <-c.API().Done():
		return fmt.Errorf("kube-apiserver has ended; the end of its log:\n%s", c.API().Tail(20))
	case <-c.Etcd().Done():
		return fmt.Errorf("etcd has ended; the end of its log:\n%s", c.Etcd().Tail(20))
	}
}
