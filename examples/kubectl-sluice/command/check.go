// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"sluice/kube-scheduler/check"
	"sluice/kube-scheduler/sluice"
	"sluice/kubectl-sluice/ask"
	"sluice/kubectl-sluice/show"
)

// checked is what a check is told.
type checked struct {
	files         []string
	configuration string // a file; "": what is shipped
	library       string // a file; "": where it may be
}

func (o *options) check() *cobra.Command {
	var given checked
	cmd := &cobra.Command{
		Use:   "check",
		Short: "What sluice would make of a cluster that runs Volcano or Kueue",
		Long: `Says of the objects of a cluster, or of files, what would be refused, what is ignored,
and what is decided otherwise than by Volcano or Kueue: one line each, with what to do.
The rules are those of sluice.so, which is needed here. Nothing is written.

The exit code is 8 if anything would be refused.`,
		Example: `  kubectl sluice check
  kubectl sluice check -f manifests/ -f more.yaml
  kubectl get queues.scheduling.volcano.sh -o yaml | kubectl sluice check -f -`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.runCheck(cmd.Context(), &given, cmd.InOrStdin)
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVarP(&given.files, "filename", "f", nil,
		"files, or folders with all that is below them, instead of a cluster; - is the standard input")
	flags.StringVar(&given.configuration, "config", "",
		"the configuration of the scheduler (default: as overlays/volcano and workloads have it)")
	flags.StringVar(&given.library, "library", "",
		"sluice.so (default: $SLUICE_LIB, beside this program, or in /usr/lib/sluice)")
	return cmd
}

func (o *options) runCheck(ctx context.Context, given *checked, stdin func() io.Reader) error {
	if err := o.checkOutput(); err != nil {
		return err
	}
	setup, err := given.setup()
	if err != nil {
		return usage(err)
	}
	library, err := given.load()
	if err != nil {
		return err
	}
	var objects []*unstructured.Unstructured
	if len(given.files) > 0 {
		if objects, err = check.ReadFiles(given.files, stdin()); err != nil {
			return usage(err)
		}
	} else if objects, err = o.allObjects(ctx); err != nil {
		return err
	}
	engine, err := library.Open(check.Configure(setup))
	if err != nil {
		return err
	}
	defer func() { _ = engine.Close() }()
	report, err := check.Run(engine, setup, objects)
	if err != nil {
		return err
	}
	if err := o.print(answer{
		view:  report,
		names: report.Names(check.Refused),
		text:  func() string { return show.Check(report, o.output == wide) },
	}); err != nil {
		return err
	}
	if refused := report.Counts[check.Refused]; refused > 0 {
		return &ask.Problem{Kind: ask.Found, Err: fmt.Errorf("%d would be refused", refused)}
	}
	return nil
}

func (c *checked) setup() (*check.Setup, error) {
	if c.configuration == "" {
		return check.Shipped(), nil
	}
	text, err := os.ReadFile(c.configuration)
	if err != nil {
		return nil, err
	}
	setup, err := check.ReadSetup(text)
	if err != nil {
		return nil, fmt.Errorf("--config %s: %w", c.configuration, err)
	}
	return setup, nil
}

// load is the library that was named, or the first one that is there.
func (c *checked) load() (*sluice.Library, error) {
	if c.library != "" {
		return sluice.Load(c.library)
	}
	var places []string
	if named := os.Getenv("SLUICE_LIB"); named != "" {
		places = append(places, named)
	}
	if own, err := os.Executable(); err == nil {
		places = append(places, filepath.Join(filepath.Dir(own), "sluice.so"))
	}
	places = append(places, "/usr/lib/sluice/sluice.so")
	for _, place := range places {
		if _, err := os.Stat(place); !errors.Is(err, os.ErrNotExist) {
			return sluice.Load(place)
		}
	}
	return nil, fmt.Errorf("there is no sluice.so, whose rules these are, in any of %q: "+
		"--library FILE says where it is; the image of sluice-scheduler has it in /usr/lib/sluice",
		places)
}

// allObjects are those of the cluster. What may not be read is an error: half of them would tell
// half of the truth.
func (o *options) allObjects(ctx context.Context) (all []*unstructured.Unstructured, err error) {
	c, err := o.cluster()
	if err != nil {
		return nil, err
	}
	for _, kind := range check.Kinds {
		objects, err := c.Objects(ctx, kind.GroupVersionResource, kind.Kind, "")
		if err != nil {
			return nil, err
		}
		all = append(all, objects...)
	}
	for _, name := range check.ConfigMaps.Names {
		objects, err := c.Objects(ctx, check.ConfigMaps.GroupVersionResource, check.ConfigMaps.Kind.Kind,
			name)
		if err != nil {
			return nil, err
		}
		all = append(all, objects...)
	}
	return all, nil
}
