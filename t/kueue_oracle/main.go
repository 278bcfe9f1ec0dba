// SPDX-License-Identifier: Apache-2.0

// Command kueue-oracle lets random worlds happen to Kueue's own scheduler and to sluice.so, and
// says where they do not decide the same. See README.md.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"sluice/kube-scheduler/sluice"
)

var errUnexplained = errors.New("sluice and Kueue differ, and no rule says why")

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	seed := flag.Uint64("seed", 1, "the first world; world n has the seed seed+n")
	worlds := flag.Int("worlds", 5000, "how many worlds")
	replay := flag.String("replay", "", "a file with one world, to tell what both do in each step")
	out := flag.String("out", ".", "the folder for worlds that differ, made small")
	explain := flag.Bool("explain", false, "only list the rules by which sluice decides otherwise")
	fromTables := flag.Bool("tables", false, "only the worlds of the tables of Kueue's own tests")
	flag.Parse()
	if *explain {
		for _, rule := range rules {
			fmt.Printf("%s:\n    %s\n", rule.name, rule.why)
		}
		return nil
	}
	library, err := open()
	if err != nil {
		return err
	}
	if *fromTables {
		unexplained, err := runTables(os.Stdout, library)
		if err == nil && unexplained > 0 {
			err = errUnexplained
		}
		return err
	}
	if *replay != "" {
		world, err := readWorld(*replay)
		if err != nil {
			return err
		}
		return tell(os.Stdout, library, world)
	}
	sum := newSum()
	for n := range uint64(*worlds) {
		if err := try(os.Stdout, library, *seed+n, *out, sum); err != nil {
			return err
		}
	}
	fmt.Print(sum.text())
	if sum.Unexplained > 0 {
		return errUnexplained
	}
	return nil
}

// open loads the library that $SLUICE_LIB names, else the one that the build made.
func open() (*sluice.Library, error) {
	path := os.Getenv("SLUICE_LIB")
	if path == "" {
		path = filepath.Join("..", "..", "build", "sluice.so")
	}
	if err := prepareKueue(); err != nil {
		return nil, err
	}
	return sluice.Load(path)
}

// try compares one random world. One that differs is made small, printed, and kept in a folder.
func try(to io.Writer, library *sluice.Library, seed uint64, folder string, sum *Sum) error {
	world := generate(seed)
	difference, err := compare(library, world, nil, sum)
	if err != nil {
		return fmt.Errorf("seed %d: %w", seed, err)
	}
	if difference == nil {
		return nil
	}
	small := shrink(world, func(other *World) bool {
		difference, err := compare(library, other, nil, newSum())
		return err == nil && difference != nil
	})
	if found, err := compare(library, small, nil, newSum()); err == nil && found != nil {
		difference = found
	}
	path := filepath.Join(folder, fmt.Sprintf("world-%d.yaml", seed))
	if err := os.WriteFile(path, []byte(small.text()), 0o600); err != nil {
		return err
	}
	_, err = fmt.Fprintf(to, "seed %d, as -replay %s:\n%s%s\n", seed, path, small.brief(), difference)
	return err
}

// tell says what both do in each step of a world.
func tell(to io.Writer, library *sluice.Library, world *World) error {
	sum := newSum()
	sum.Tell = to
	difference, err := compare(library, world, nil, sum)
	if err != nil {
		return err
	}
	if difference != nil {
		_, err = fmt.Fprintln(to, difference)
		return errors.Join(err, errors.New("no rule explains that"))
	}
	_, err = fmt.Fprint(to, sum.text())
	return err
}
