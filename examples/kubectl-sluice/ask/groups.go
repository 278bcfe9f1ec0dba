// SPDX-License-Identifier: Apache-2.0

package ask

import (
	"context"
	"net/url"
)

// Groups are all that were seen or that pods name.
func (c *Cluster) Groups(ctx context.Context) ([]Group, error) {
	return page[Group](ctx, c, "groups", "groups", nil)
}

// HeldWorkloads are the workloads that hold quota of a ClusterQueue.
func (c *Cluster) HeldWorkloads(ctx context.Context, clusterQueue string) ([]Workload, error) {
	return page[Workload](ctx, c, "workloads", "workloads",
		url.Values{"kind": {ClusterQueue}, "name": {clusterQueue}, "holding": {"true"}})
}
