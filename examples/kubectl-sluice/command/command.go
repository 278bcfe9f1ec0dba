// SPDX-License-Identifier: Apache-2.0

// Package command is the command line of kubectl-sluice.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/rest"

	"sluice/kubectl-sluice/ask"
	"sluice/kubectl-sluice/show"
	"sluice/plain"
	"sluice/plain/version"
)

// options are the flags that every subcommand has.
type options struct {
	flags     *genericclioptions.ConfigFlags
	scheduler ask.Scheduler
	output    string
	ascii     bool
	width     int    // of what is drawn, in columns; 0: the terminal's
	watch     *watch // nil: things are said once

	out, err io.Writer
}

// exits is in the help.
const exits = `Exit codes:
  0  done
  1  anything else went wrong
  2  what was typed cannot be meant
  3  there is no such queue, pod, group or workload
  4  the user is not known, or may not
  5  no API server, no sluice-scheduler, or none that leads
  6  the queue refused: its state is as it was
  7  --wait took longer than --timeout
  8  check found what would be refused`

// Main runs the command line and returns the exit code.
func Main(args []string, out, err io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root := New(out, err)
	root.SetArgs(args)
	problem := root.ExecuteContext(ctx)
	if problem == nil {
		return 0
	}
	fmt.Fprint(err, plain.Lines("error: "+problem.Error()+"\n"))
	return int(ask.KindOf(problem))
}

// New is the command line, with nothing read yet.
func New(out, err io.Writer) *cobra.Command {
	o := &options{flags: genericclioptions.NewConfigFlags(true), scheduler: ask.Shipped, out: out,
		err: err}
	root := &cobra.Command{
		Use:   "kubectl-sluice",
		Short: "Queues, and the pods that wait in them",
		Long: `Shows the queues of sluice-scheduler and why pods wait in them, and suspends, resumes,
opens and closes queues. It asks the leading scheduler through the API server, and
changes queues by Commands.

` + exits,
		Version:       version.Line("kubectl-sluice"),
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.ArbitraryArgs, // else a wrong word would be an error of no kind
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return usage(fmt.Errorf("there is no subcommand %q; kubectl sluice --help lists them",
				args[0]))
		},
		Annotations: map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl sluice"},
	}
	root.SetVersionTemplate("{{.Version}}")
	root.SetOut(out)
	root.SetErr(err)
	root.SetFlagErrorFunc(func(_ *cobra.Command, problem error) error { return usage(problem) })
	root.Flags().Bool("version", false, "say of which version this is, and end")
	flags := root.PersistentFlags()
	o.flags.AddFlags(flags)
	flags.StringVarP(&o.output, "output", "o", "", "one of "+formats)
	flags.BoolVar(&o.ascii, "ascii", false, "draw with ASCII characters only")
	flags.IntVar(&o.width, "width", 0, "columns of what is drawn; 0: those of the terminal")
	flags.StringVar(&o.scheduler.Namespace, "scheduler-namespace", o.scheduler.Namespace,
		"where sluice-scheduler is")
	flags.StringVar(&o.scheduler.Service, "scheduler-service", o.scheduler.Service,
		"the Service of sluice-scheduler")
	o.complete(root, "output", wide, asNames, asJSON, asYAML, "jsonpath=", "go-template=")
	root.AddCommand(o.queues(), o.queue(), o.why(), o.pending(), o.top(), o.board(), o.fleet(),
		o.check(), o.whatIf(), o.act(ask.Suspend), o.act(ask.Resume), o.act(ask.Open), o.act(ask.Close))
	return root
}

func usage(err error) error { return &ask.Problem{Kind: ask.Usage, Err: err} }

// exactly wants so many arguments, and says which.
func exactly(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == len(names) {
			return nil
		}
		return usage(fmt.Errorf("%s: %d arguments, want %d: %v", cmd.CommandPath(), len(args),
			len(names), names))
	}
}

// meant are names as they were typed: what was shown in quotes means what is in them.
func meant(names ...*string) error {
	for _, name := range names {
		read, err := plain.Read(*name)
		if err != nil {
			return usage(err)
		}
		*name = read
	}
	return nil
}

// called makes sure that an object can have this name; else the API server would be asked for
// something else, all objects for one.
func called(what, name string) error {
	if len(validation.IsDNS1123Subdomain(name)) == 0 {
		return nil
	}
	return usage(fmt.Errorf("%q cannot be the name of a %s: "+
		"want lower-case letters, digits, dots and dashes", name, what))
}

// cluster is the one that the flags and the kubeconfig name.
func (o *options) cluster() (*ask.Cluster, error) {
	if err := o.checkOutput(); err != nil {
		return nil, err
	}
	config, err := o.flags.ToRESTConfig()
	if err != nil {
		return nil, fmt.Errorf("how to reach the cluster: %w", err)
	}
	config.WarningHandler = rest.NoWarnings{}
	return ask.New(config, o.scheduler)
}

// style draws with ASCII only where that was asked for, or where the locale has nothing else.
func (o *options) style() show.Style {
	if o.ascii || !speaksUTF8(os.Getenv) {
		return show.ASCII
	}
	return show.Unicode
}

// speaksUTF8 tells whether the locale does, of which the first variable that is set counts. Nothing
// set says nothing.
func speaksUTF8(env func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := strings.ToLower(env(name)); locale != "" {
			return strings.Contains(locale, "utf-8") || strings.Contains(locale, "utf8")
		}
	}
	return true
}

// columns are how many a line may have; 0: as many as it wants, where no terminal shows it.
func (o *options) columns() int {
	if o.width > 0 {
		return o.width
	}
	screen, is := o.out.(*os.File)
	if !is {
		return 0
	}
	columns, _, err := term.GetSize(int(screen.Fd()))
	if err != nil {
		return 0
	}
	return columns
}

func (o *options) complete(cmd *cobra.Command, flag string, values ...string) {
	err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values,
		cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic(err) // the flag has another name
	}
}

// queueNames completes the names of Volcano's queues.
func (o *options) queueNames(cmd *cobra.Command, args []string, _ string) ([]string,
	cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	c, err := o.cluster()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	names, err := c.Names(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// interrupted tells whether somebody pressed Ctrl-C: no error of anybody's.
func interrupted(ctx context.Context, err error) bool {
	return ctx.Err() != nil && errors.Is(err, context.Canceled)
}
