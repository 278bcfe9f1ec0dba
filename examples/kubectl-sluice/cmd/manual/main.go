// SPDX-License-Identifier: Apache-2.0

// Manual writes the manual pages of kubectl-sluice, one for each subcommand, and how shells
// complete it: go run ./cmd/manual DIR
//
// DIR gets the files at the places below /usr where manual pages and completions belong. They are
// made of the command line itself, which also says --help.
package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"sluice/kubectl-sluice/command"
	"sluice/plain/version"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: manual DIR")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "manual:", err)
		os.Exit(1)
	}
}

func write(to string) error {
	root := command.New(io.Discard, io.Discard)
	root.InitDefaultCompletionCmd()
	root.DisableAutoGenTag = true
	pages := filepath.Join(to, "share/man/man1")
	if err := os.MkdirAll(pages, 0o755); err != nil {
		return err
	}
	header := &doc.GenManHeader{Section: "1", Source: "sluice " + version.Text(),
		Manual: "User Commands"}
	if err := doc.GenManTree(root, header, pages); err != nil {
		return err
	}
	return complete(root, to)
}

func complete(root *cobra.Command, to string) error {
	name := root.Name()
	for _, shell := range []struct {
		place string
		write func(string) error
	}{
		{"share/bash-completion/completions/" + name,
			func(file string) error { return root.GenBashCompletionFileV2(file, true) }},
		{"share/zsh/site-functions/_" + name, root.GenZshCompletionFile},
		{"share/fish/vendor_completions.d/" + name + ".fish",
			func(file string) error { return root.GenFishCompletionFile(file, true) }},
	} {
		file := filepath.Join(to, shell.place)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := shell.write(file); err != nil {
			return err
		}
	}
	return nil
}
