// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"sluice/kubectl-sluice/ask"
	"sluice/kubectl-sluice/show"
	"sluice/plain"
)

// What a terminal is told.
const (
	otherScreen = "\x1b[?1049h\x1b[?25l"
	firstScreen = "\x1b[?25h\x1b[?1049l"
	home        = "\x1b[H"
	restOfLine  = "\x1b[K"
	restOfAll   = "\x1b[J"
	reversed    = "\x1b[7m"
	asEver      = "\x1b[0m"
)

// leastInterval keeps a person from asking the scheduler without a break.
const leastInterval = 200 * time.Millisecond

// mostWaiting is how many that wait a queue's page has.
const mostWaiting = 500

func (o *options) top() *cobra.Command {
	var interval time.Duration
	var resources []string
	var rounds int
	var sort string
	cmd := &cobra.Command{
		Use:   "top",
		Short: "The queues, live: move, filter, sort, open one, ask why",
		Long: `Shows the tree of queues, and how many claims were granted, released and demoted
since the picture before, again and again until q or Ctrl-C. A queue opens to what waits in it, and
what waits to why:
` + keysHelp + `
Where the output is no terminal it is one picture, or as many as --rounds says.`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.output != "" {
				return usage(fmt.Errorf("--output %s: top draws only; queues -o %s has the figures",
					o.output, o.output))
			}
			if interval < leastInterval {
				return usage(fmt.Errorf("--interval is %s, want at least %s", interval, leastInterval))
			}
			by, err := sortOf(sort)
			if err != nil {
				return err
			}
			c, err := o.cluster()
			if err != nil {
				return err
			}
			t := &top{options: o, cluster: c, interval: interval, rounds: rounds,
				screen: screen{sort: slices.Index(show.Sorts, by), options: show.Options{
					Style: o.style(), Resources: resources, Most: show.Usual}}}
			return t.run(cmd.Context())
		},
	}
	cmd.Flags().DurationVar(&interval, "interval", 2*time.Second, "between two pictures")
	cmd.Flags().StringSliceVar(&resources, "resource", nil, "only these; all if unsaid")
	cmd.Flags().IntVar(&rounds, "rounds", 0,
		"how many pictures; 0: until it is ended, or one where there is no terminal")
	o.sorted(cmd, &sort)
	return cmd
}

type top struct {
	*options
	cluster  *ask.Cluster
	interval time.Duration
	rounds   int
	screen   screen
}

func (t *top) run(ctx context.Context) error {
	terminal, live := t.out.(*os.File)
	if !live || !term.IsTerminal(int(terminal.Fd())) {
		return t.pictures(ctx)
	}
	keys := make(chan key)
	if from := int(os.Stdin.Fd()); term.IsTerminal(from) {
		old, err := term.MakeRaw(from)
		if err != nil {
			return fmt.Errorf("the terminal: %w", err)
		}
		defer term.Restore(from, old)
		go listen(ctx, keys)
	}
	io.WriteString(terminal, otherScreen)
	defer io.WriteString(terminal, firstScreen)
	return t.live(ctx, terminal, keys)
}

// listen hands on what is typed.
func listen(ctx context.Context, keys chan<- key) {
	var sent [64]byte
	for {
		n, err := os.Stdin.Read(sent[:])
		if err != nil {
			return
		}
		for _, one := range keysOf(string(sent[:n])) {
			select {
			case keys <- one:
			case <-ctx.Done():
				return
			}
		}
	}
}

// pictures prints them one after the other.
func (t *top) pictures(ctx context.Context) error {
	var before show.Moment
	options := t.screen.options
	options.Width, options.Sort = t.columns(), show.Sorts[t.screen.sort]
	for round := 1; ; round++ {
		queues, err := t.cluster.Queues(ctx)
		if interrupted(ctx, ctx.Err()) {
			return nil
		}
		if err != nil {
			return err
		}
		now := show.Moment{Time: time.Now(), Queues: queues}
		fmt.Fprintln(t.out, now.Picture(&before, options))
		before = now
		if round >= t.rounds {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(t.interval):
		}
	}
}

// live draws until it is ended: anew after each key and each interval.
func (t *top) live(ctx context.Context, terminal *os.File, keys <-chan key) error {
	for round := 1; ; round++ {
		err := t.look(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil && t.screen.now.Time.IsZero() {
			return err
		}
		t.screen.broken = err
		next := time.After(t.interval)
		for looking := true; looking; {
			t.draw(terminal)
			if round == t.rounds {
				return nil
			}
			select {
			case <-ctx.Done():
				return nil
			case <-next:
				looking = false
			case pressed := <-keys:
				was := t.screen.page
				if !t.screen.press(pressed) {
					return nil
				}
				looking = t.screen.page == was
			}
		}
	}
}

// look asks for what the screen shows. A scheduler that cannot be asked for a while is no reason to
// end: the picture says so.
func (t *top) look(ctx context.Context) error {
	queues, err := t.cluster.Queues(ctx)
	if err != nil {
		return err
	}
	t.screen.last, t.screen.now = t.screen.now, show.Moment{Time: time.Now(), Queues: queues}
	switch t.screen.page {
	case queuePage:
		all := newWaiting()
		err = t.eachWaiting(ctx, all.addTo, t.screen.queue.Kind, t.screen.queue.Name, mostWaiting)
		if err == nil {
			t.screen.waiting = all
		}
	case whyPage:
		t.screen.why, err = t.whyText(ctx, t.screen.subject)
	}
	return err
}

// whyText is what why prints of it.
func (t *top) whyText(ctx context.Context, of subject) (string, error) {
	var text strings.Builder
	quiet := *t.options
	quiet.out, quiet.err = &text, io.Discard
	var err error
	switch of.of {
	case workloads:
		var w *ask.Workload
		if w, err = whyWorkload(ctx, t.cluster, of.namespace, of.name); err == nil {
			text.WriteString(show.WhyWorkload(w, time.Now()))
		}
	case podGroups:
		err = quiet.whyGroup(ctx, t.cluster, of.namespace, of.name)
	default:
		err = quiet.whyPod(ctx, t.cluster, of.namespace, of.name)
	}
	if ask.KindOf(err) == ask.NotFound { // it has gone meanwhile, which is an answer
		return plain.Lines(err.Error()) + "\n", nil
	}
	return text.String(), err
}

func (t *top) draw(terminal *os.File) {
	width, height, err := term.GetSize(int(terminal.Fd()))
	if err != nil {
		width, height = 80, 24
	}
	t.screen.width, t.screen.height = width, height
	lines, cursor := t.screen.picture()
	var b strings.Builder
	b.WriteString(home)
	for i, line := range lines {
		if i == cursor {
			line = reversed + line + asEver
		}
		b.WriteString(line + restOfLine)
		if i < len(lines)-1 {
			b.WriteString("\r\n")
		}
	}
	io.WriteString(terminal, b.String()+restOfAll)
}
