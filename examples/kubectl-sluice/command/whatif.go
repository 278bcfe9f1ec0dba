// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sluice/kubectl-sluice/ask"
	"sluice/kubectl-sluice/cast"
	"sluice/plain"
)

// player is the program that plays arrivals in simulated time.
const player = "sluice-sim"

// playedFrom leaves out of the figures what ran when the recording began: sluice-sim says that it
// arrives before this time.
const playedFrom = "1s"

// supposed is what somebody wants to know.
type supposed struct {
	others   []string // files
	arrivals string   // a file; "": what the cluster has seen
	player   string   // a file; "": where it may be
	library  string   // a file; "": sluice-sim looks for it
	pool     string   // NODE=MOST; "": nobody buys nodes
	until    string
	page     string // a file to write; "": none
	all      bool
}

func (o *options) whatIf() *cobra.Command {
	var s supposed
	cmd := &cobra.Command{
		Use:   "what-if --or FILE",
		Short: "What other quotas, orders, policies or nodes would have done to what arrived",
		Long: `Plays what arrived in the cluster again, in simulated time: with the queues and nodes as
they are, and beside it with what the files say instead. For each queue it tells how long pods
waited, what they used and borrowed, and who was evicted; and of all, which nodes were bought.
Both sides are simulated: what is compared is one quota with another, under the same arrivals.

What arrived is taken from the scheduler's recording (its args: record: 256Mi), or, where
nothing is recorded, from the pods and Workloads that are there. Nothing is written to the
cluster. It takes the program sluice-sim, which is in the package sluice.

A file has objects that take the place of those of the same kind and name, or are new; a
Scenario in it says of the config (preempt and the like) or the autoscaler what is otherwise:
examples/sim/PLAN.md.`,
		Example: `  kubectl sluice what-if --or larger-quota.yaml
  kubectl sluice what-if --or a.yaml --or b.yaml --pool gpu-1=20
  kubectl sluice what-if --or larger-quota.yaml --html page.html
  kubectl sluice what-if --arrivals last-week.csv --or larger-quota.yaml -o json`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.runWhatIf(cmd.Context(), &s)
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&s.others, "or", nil,
		"a file of what is otherwise; may be there several times")
	flags.StringVar(&s.arrivals, "arrivals", "",
		"a trace (examples/sim/PLAN.md) instead of what the cluster has seen")
	flags.StringVar(&s.pool, "pool", "",
		"NODE=MOST: an autoscaler that may buy so many nodes like that")
	flags.StringVar(&s.until, "until", "",
		"when to end, as 36h (default: a day after the last arrival)")
	flags.StringVar(&s.page, "html", "",
		"a file to write: a page that compares the queues, and plays each side")
	flags.BoolVar(&s.all, "all", false, "also of more than 40 queues, all")
	flags.StringVar(&s.player, "player", "",
		"sluice-sim (default: beside this program, or in the PATH)")
	flags.StringVar(&s.library, "library", "",
		"sluice.so (default: where sluice-sim finds it)")
	return cmd
}

func (o *options) runWhatIf(ctx context.Context, s *supposed) error {
	if err := o.checkOutput(); err != nil {
		return err
	}
	if err := s.check(); err != nil {
		return usage(err)
	}
	program, err := s.program()
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "sluice-what-if-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	p := &playing{s: s, program: program, folder: folder, arrivals: fileArrivals}
	if err := o.castCluster(ctx, p); err != nil {
		return err
	}
	if o.forPerson() {
		said, err := p.play(ctx, "table")
		if err == nil {
			_, err = o.out.Write([]byte(plain.Lines(string(said))))
		}
		return err
	}
	said, err := p.play(ctx, "json")
	if err != nil {
		return err
	}
	var view map[string]any
	if err := json.Unmarshal(said, &view); err != nil {
		return fmt.Errorf("what %s said: %w", program, err)
	}
	return o.print(answer{view: view, names: s.others})
}

// check makes paths absolute: the player works in a folder of its own.
func (s *supposed) check() (err error) {
	if len(s.others) == 0 {
		return errors.New("--or FILE is missing: what shall be otherwise?")
	}
	if len(s.others) > 7 {
		return fmt.Errorf("%d files with --or, want at most 7", len(s.others))
	}
	paths := []*string{&s.arrivals, &s.library, &s.page}
	for i := range s.others {
		paths = append(paths, &s.others[i])
		if _, err := os.Stat(s.others[i]); err != nil {
			return err
		}
	}
	for _, path := range paths {
		if *path == "" {
			continue
		}
		if *path, err = filepath.Abs(*path); err != nil {
			return err
		}
	}
	return nil
}

// program is the player that was named, or the first one that is there.
func (s *supposed) program() (string, error) {
	if s.player != "" {
		path, err := exec.LookPath(s.player)
		if err != nil {
			return "", usage(fmt.Errorf("--player %s: %w", s.player, err))
		}
		return filepath.Abs(path)
	}
	if own, err := os.Executable(); err == nil {
		beside := filepath.Join(filepath.Dir(own), player)
		if _, err := os.Stat(beside); err == nil {
			return beside, nil
		}
	}
	path, err := exec.LookPath(player)
	if err != nil {
		return "", fmt.Errorf("%s, which plays what arrived, is neither beside this program nor in the "+
			"PATH: install the package sluice, or say --player FILE", player)
	}
	return filepath.Abs(path)
}

// playing is one run of the player after the other, in a folder with what the cluster is.
type playing struct {
	s        *supposed
	program  string
	folder   string
	arrivals string // the file of what arrived, in the folder
}

// Files in the folder; now is what the table calls the cluster as it is.
const (
	fileNow      = "now"
	fileArrivals = "arrivals"
)

// run is what the player says with these arguments.
func (p *playing) run(ctx context.Context, args ...string) ([]byte, error) {
	if p.s.library != "" && !slices.Contains(args, "objects") {
		args = append(args, "--lib", p.s.library)
	}
	var out, problems bytes.Buffer
	cmd := exec.CommandContext(ctx, p.program, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = p.folder, &out, &problems
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w: %s", p.program, err, strings.TrimSpace(problems.String()))
	}
	return out.Bytes(), nil
}

func (p *playing) play(ctx context.Context, format string) ([]byte, error) {
	args := []string{"plan", p.arrivals, "--with", fileNow, "--format", format}
	if p.s.arrivals == "" {
		args = append(args, "--from", playedFrom)
	}
	for _, other := range p.s.others {
		args = append(args, "--or", other)
	}
	if p.s.until != "" {
		args = append(args, "--until", p.s.until)
	}
	if p.s.all {
		args = append(args, "--all")
	}
	if p.s.page != "" {
		args = append(args, "--html", p.s.page)
	}
	return p.run(ctx, args...)
}

func (p *playing) write(name string, text []byte) error {
	return os.WriteFile(filepath.Join(p.folder, name), text, 0o600)
}

// castCluster writes what the cluster is, and what arrived there.
func (o *options) castCluster(ctx context.Context, p *playing) error {
	c, err := o.cluster()
	if err != nil {
		return err
	}
	config, err := c.Configuration(ctx)
	if err != nil {
		return err
	}
	scene := cast.Scene{Config: config, Pool: p.s.pool}
	for _, kind := range cast.Kinds {
		objects, err := c.Objects(ctx, kind.GroupVersionResource, kind.Kind, "")
		if err != nil {
			return err
		}
		scene.Objects = append(scene.Objects, objects...)
	}
	now, err := scene.Write()
	if err != nil {
		return usage(err)
	}
	if err := p.write(fileNow, now); err != nil {
		return err
	}
	if err := p.castArrivals(ctx, c); err != nil {
		return err
	}
	return p.note(scene.Notes())
}

// note has the player say these sentences beneath what it finds.
func (p *playing) note(notes []string) error {
	file, err := os.OpenFile(filepath.Join(p.folder, p.arrivals), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	for _, note := range notes {
		_, problem := fmt.Fprintf(file, "# %s\n", note)
		err = errors.Join(err, problem)
	}
	return errors.Join(err, file.Close())
}

// castArrivals writes the trace that was named, or what the scheduler recorded, or else what is
// there.
func (p *playing) castArrivals(ctx context.Context, c *ask.Cluster) error {
	if p.s.arrivals != "" {
		return p.castTrace()
	}
	recording, err := c.Recording(ctx)
	if ask.KindOf(err) == ask.NotFound {
		return p.castObjects(ctx, c)
	}
	if err != nil {
		return err
	}
	return p.trace(ctx, "recording", recording)
}

// castTrace copies the trace that was named, under its name, by which the player tells of it.
func (p *playing) castTrace() error {
	trace, err := os.ReadFile(p.s.arrivals)
	if err != nil {
		return err
	}
	p.arrivals = filepath.Join("trace", filepath.Base(p.s.arrivals))
	if err := os.Mkdir(filepath.Join(p.folder, "trace"), 0o700); err != nil {
		return err
	}
	return p.write(p.arrivals, slices.Concat(trace, []byte("\n")))
}

// castObjects writes what the pods and Workloads say that are there.
func (p *playing) castObjects(ctx context.Context, c *ask.Cluster) error {
	var arrivals cast.Arrivals
	for _, kind := range cast.Claims {
		objects, err := c.Objects(ctx, kind.GroupVersionResource, kind.Kind, "")
		if err != nil {
			return err
		}
		arrivals.Add(objects)
	}
	text, err := arrivals.Write()
	if err != nil {
		return err
	}
	return p.trace(ctx, "objects", text)
}

// trace has the player read what arrived from a file of that kind.
func (p *playing) trace(ctx context.Context, kind string, text []byte) error {
	if err := p.write(kind, text); err != nil {
		return err
	}
	arrivals, err := p.run(ctx, "trace", kind, kind)
	if err != nil {
		return err
	}
	return p.write(p.arrivals, arrivals)
}
