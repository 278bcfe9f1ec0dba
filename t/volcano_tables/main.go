// SPDX-License-Identifier: Apache-2.0

// Command volcano-tables plays the cases of Volcano's own tests, in which its capacity plugin
// decides, on Volcano's scheduler and on sluice.so, and says where they do not end the same. See
// README.md.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
)

var errUnexplained = errors.New("sluice and Volcano differ, and no rule says why")

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	folder := flag.String("out", os.TempDir(), "the folder for the stories of all cases")
	flag.Parse()
	cases, err := readCases()
	if err != nil {
		return err
	}
	unexplained, err := runTables(os.Stdout, cases, *folder)
	if err == nil && unexplained > 0 {
		err = errUnexplained
	}
	return err
}
