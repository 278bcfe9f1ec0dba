// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"sluice/cluster/plane"
	"sluice/cluster/scenario"
)

// job is a story to be told in one way.
type job struct {
	file    string
	removal string
	story   *scenario.Scenario
}

// plan reads all files, before anything is started.
func plan(o options) ([]job, error) {
	var jobs []job
	for _, file := range o.files {
		for _, removal := range []string{"onBind", "onAdmission"} {
			story, err := scenario.Read(file)
			if err != nil {
				return nil, err
			}
			if !isToldWith(story, removal, o.removal) {
				continue
			}
			story.Removal = removal
			jobs = append(jobs, job{file, removal, story})
		}
	}
	return jobs, nil
}

// isToldWith tells whether a story is told in this way of removing gates. Where there are Workloads
// the ways are one and the same, and it is told once.
func isToldWith(story *scenario.Scenario, removal, asked string) bool {
	switch {
	case story.Fixed:
		return story.Removal == removal && (asked == "" || asked == removal)
	case asked != "":
		return asked == removal
	}
	return !story.Workloads || removal == "onAdmission"
}

func run(ctx context.Context, o options) (int, error) {
	began := time.Now()
	jobs, err := plan(o)
	if err != nil {
		return 0, err
	}
	shipped, err := scenario.Find(ctx)
	if err != nil {
		return 0, err
	}
	out := &tap{out: os.Stdout}
	queue := make(chan job)
	go func() {
		defer close(queue)
		for _, each := range jobs {
			select {
			case queue <- each:
			case <-ctx.Done():
				return
			}
		}
	}()
	problems := make([]error, o.planes)
	var workers sync.WaitGroup
	for i := range o.planes {
		workers.Add(1)
		go func() {
			defer workers.Done()
			if problems[i] = work(ctx, o, shipped, i, queue, out); problems[i] != nil {
				for range queue {
					continue
				}
			}
		}()
	}
	workers.Wait()
	if err := errors.Join(append(problems, ctx.Err())...); err != nil {
		return 0, err
	}
	out.done(time.Since(began))
	if out.failed > 0 {
		return exitFailed, nil
	}
	return 0, nil
}

// work tells stories on one control plane.
func work(ctx context.Context, o options, shipped scenario.Shipped, i int, queue <-chan job,
	out *tap) (err error) {
	p, err := plane.Start(ctx, plane.Options{Name: fmt.Sprintf("story-%d", i), Keep: o.keep})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Stop()) }()
	if o.keep {
		fmt.Fprintf(os.Stderr, "scenario: the logs of plane %s are in %s\n", p.Name, p.Dir)
	}
	cluster, err := scenario.NewCluster(ctx, p, shipped)
	if err != nil {
		return err
	}
	for each := range queue {
		if err := ctx.Err(); err != nil {
			return err
		}
		tell(ctx, o, cluster, each, out)
	}
	return nil
}

// tell tells one story, and says how it went. What cannot be done from outside of the scheduler's
// process is a point of its own that is skipped; if nothing is left without it, all of it is.
func tell(ctx context.Context, o options, cluster *scenario.Cluster, each job, out *tap) {
	name := each.story.Name + ", " + each.removal
	for _, beyond := range each.story.OutOfReach {
		if beyond.Whole {
			out.skip(name, beyond.Where.Place()+": "+beyond.Why)
			return
		}
	}
	for _, beyond := range each.story.OutOfReach {
		out.skip(fmt.Sprintf("%s, line %d", name, beyond.Where.Line), beyond.Why)
	}
	var words io.Writer
	if o.verbose {
		words = os.Stderr
		fmt.Fprintf(words, "== %s\n", name)
	}
	result, err := scenario.Tell(ctx, cluster, each.story, words)
	if ctx.Err() != nil {
		return
	}
	out.story(name, result, err)
}
