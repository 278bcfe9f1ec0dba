// SPDX-License-Identifier: Apache-2.0

package ask

import (
	"context"
	"net/url"
)

// ShippedManager is where examples/deploy/fleet puts sluice-manager, which is asked as
// sluice-scheduler is.
var ShippedManager = Scheduler{
	Namespace: "kueue-system", Service: "sluice-manager", Port: "https", Account: "sluice-viewer",
}

// Dispatch is what the manager says of a workload; PROTOCOL.md says what the fields mean. Times are
// in nanoseconds of the manager's clock; 0: never.
type Dispatch struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	UID       string `json:"uid"`
	Known     bool   `json:"known"`
	Cluster   string `json:"cluster"`
	State     string `json:"state"`
	Message   string `json:"message" plain:"text"`
	Timeout   int64  `json:"timeout"`
	Opened    int64  `json:"opened"`
	Acts      int64  `json:"acts"`
	Copies    int64  `json:"copies"`
	Signals   int64  `json:"signals"`
	Open      int64  `json:"open"`
	Replicas  []Copy `json:"replicas"`
}

// Copy is that of a workload in one cluster, or the place for it.
type Copy struct {
	Cluster   string `json:"cluster"`
	UID       string `json:"uid"`
	Connected bool   `json:"connected"`
	Nominated bool   `json:"nominated"`
	There     bool   `json:"there"`
	Gate      string `json:"gate"`
	Signal    int64  `json:"signal"`
	Opened    int64  `json:"opened"`
	Reserved  bool   `json:"reserved"`
	Admitted  bool   `json:"admitted"`
	Evicted   bool   `json:"evicted"`
	Deleted   bool   `json:"deleted"`
}

// Fleet is all workloads that are dispatched, by namespace and name.
func (c *Cluster) Fleet(ctx context.Context) ([]Dispatch, error) {
	return page[Dispatch](ctx, c, "fleet", "workloads", nil)
}

// Dispatched is one of them, with its copies.
func (c *Cluster) Dispatched(ctx context.Context, namespace, name string) (*Dispatch, error) {
	d := &Dispatch{}
	err := c.question(ctx, "fleet", url.Values{"namespace": {namespace}, "name": {name}}, d)
	return d, wrap(err, "workload %s/%s", namespace, name)
}
