// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"

	"sluice/cluster/shipped"
)

// measured is sluice as it is measured, and the tree that it comes from.
type measured struct {
	root, scheduler, library string
}

func find(ctx context.Context) (m measured, err error) {
	if m.root, err = shipped.Root(); err != nil {
		return m, err
	}
	if m.library, err = shipped.Library(m.root); err != nil {
		return m, err
	}
	m.scheduler, err = shipped.Scheduler(ctx, m.root)
	return m, err
}
