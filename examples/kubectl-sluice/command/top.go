// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"sluice/kubectl-sluice/ask"
	"sluice/kubectl-sluice/show"
)

// What a terminal is told.
const (
	otherScreen = "\x1b[?1049h\x1b[?25l"
	firstScreen = "\x1b[?25h\x1b[?1049l"
	home        = "\x1b[H"
	restOfLine  = "\x1b[K"
	restOfAll   = "\x1b[J"
)

// leastInterval keeps a person from asking the scheduler without a break.
const leastInterval = 200 * time.Millisecond

func (o *options) top() *cobra.Command {
	var interval time.Duration
	var resources []string
	var rounds int
	cmd := &cobra.Command{
		Use:   "top",
		Short: "The tree of queues, live",
		Long: `Shows the tree of queues, and how many claims were granted, released and demoted
since the picture before, again and again until q or Ctrl-C. Where the output is no
terminal, the pictures follow one another.`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.output != "" {
				return usage(fmt.Errorf("--output %s: top draws only; queues -o %s has the figures",
					o.output, o.output))
			}
			if interval < leastInterval {
				return usage(fmt.Errorf("--interval is %s, want at least %s", interval, leastInterval))
			}
			c, err := o.cluster()
			if err != nil {
				return err
			}
			t := &top{options: o, cluster: c, resources: resources, interval: interval,
				rounds: rounds}
			return t.run(cmd.Context())
		},
	}
	cmd.Flags().DurationVar(&interval, "interval", 2*time.Second, "between two pictures")
	cmd.Flags().StringSliceVar(&resources, "resource", nil, "only these; all if unsaid")
	cmd.Flags().IntVar(&rounds, "rounds", 0, "how many pictures; 0: until it is ended")
	return cmd
}

type top struct {
	*options
	cluster   *ask.Cluster
	resources []string
	interval  time.Duration
	rounds    int
	before    show.Moment
}

func (t *top) run(ctx context.Context) error {
	screen, live := t.out.(*os.File)
	if !live || !term.IsTerminal(int(screen.Fd())) {
		return t.loop(ctx, func(picture string) { io.WriteString(t.out, picture+"\n") })
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if keys := int(os.Stdin.Fd()); term.IsTerminal(keys) {
		old, err := term.MakeRaw(keys)
		if err != nil {
			return fmt.Errorf("the terminal: %w", err)
		}
		defer term.Restore(keys, old)
		go listen(cancel)
	}
	io.WriteString(screen, otherScreen)
	defer io.WriteString(screen, firstScreen)
	return t.loop(ctx, func(picture string) {
		width, height, err := term.GetSize(int(screen.Fd()))
		if err != nil {
			width, height = 120, 40
		}
		io.WriteString(screen, home+show.Clip(picture, width, height, restOfLine+"\r\n")+restOfAll)
	})
}

// listen ends it when q or Ctrl-C is pressed: a raw terminal makes no signals.
func listen(cancel context.CancelFunc) {
	var key [1]byte
	for {
		if n, err := os.Stdin.Read(key[:]); err != nil || n == 1 && strings.ContainsRune("qQ\x03",
			rune(key[0])) {
			cancel()
			return
		}
	}
}

// loop draws until it is ended. A scheduler that cannot be asked for a while is no reason to end:
// the picture says so.
func (t *top) loop(ctx context.Context, draw func(string)) error {
	for round := 1; ; round++ {
		queues, err := t.cluster.Queues(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil && round == 1:
			return err
		case err != nil:
			draw(t.before.Broken(err))
		default:
			style := t.style()
			now := show.Moment{Time: time.Now(), Queues: queues}
			draw(now.Picture(&t.before, show.Options{Style: style, Resources: t.resources,
				Most: show.Usual}))
			t.before = now
		}
		if round == t.rounds {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(t.interval):
		}
	}
}
