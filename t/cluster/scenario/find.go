// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"context"

	"sluice/cluster/shipped"
)

// Shipped is what stories need beside a control plane.
type Shipped struct {
	Root      string // of sluice's tree
	Library   string // sluice.so
	Scheduler string // the program
	Kueue     string // the directory of Kueue's CRDs
}

// Find looks for all that in the tree, and in the environment first.
func Find(ctx context.Context) (s Shipped, err error) {
	if s.Root, err = shipped.Root(); err != nil {
		return s, err
	}
	if s.Library, err = shipped.Library(s.Root); err != nil {
		return s, err
	}
	if s.Kueue, err = shipped.KueueCRDs(ctx, s.Root); err != nil {
		return s, err
	}
	s.Scheduler, err = shipped.Scheduler(ctx, s.Root)
	return s, err
}
