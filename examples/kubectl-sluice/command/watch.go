// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"sluice/plain"
)

// watch prints an answer again when it is another one, until it is ended.
type watch struct {
	interval time.Duration
	last     []byte // what a program would have been told the last time
}

// watched adds --watch to a subcommand that looks at something.
func (o *options) watched(cmd *cobra.Command) *cobra.Command {
	var on bool
	flags := cmd.Flags()
	flags.BoolVarP(&on, "watch", "w", false, "say it again when it has changed, until Ctrl-C")
	interval := flags.Duration("interval", 2*time.Second, "how often --watch looks")
	once := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !on {
			return once(cmd, args)
		}
		if *interval < leastInterval {
			return usage(fmt.Errorf("--interval is %s, want at least %s", *interval, leastInterval))
		}
		o.watch = &watch{interval: *interval}
		return o.watch.run(cmd.Context(), func() error { return once(cmd, args) })
	}
	return cmd
}

func (w *watch) run(ctx context.Context, once func() error) error {
	for {
		if err := once(); err != nil {
			if interrupted(ctx, ctx.Err()) {
				return nil
			}
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(w.interval):
		}
	}
}

// isNews tells whether the answer is another one than the last; how long something lasts by now is
// no news, so what programs are told is compared.
func (w *watch) isNews(view any) (bool, error) {
	var now bytes.Buffer
	if err := plain.JSON(&now, view); err != nil {
		return false, err
	}
	if w.last != nil && bytes.Equal(w.last, now.Bytes()) {
		return false, nil
	}
	w.last = now.Bytes()
	return true, nil
}
