// SPDX-License-Identifier: Apache-2.0

package release

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// under runs the command below one that has flags, a help and a preparation of its own.
func under(args ...string) (string, error) {
	parent := &cobra.Command{Use: "sluice-scheduler", SilenceErrors: true,
		PersistentPreRunE: func(*cobra.Command, []string) error { panic("the scheduler's own") },
		RunE:              func(*cobra.Command, []string) error { return nil }}
	parent.Flags().String("leader-elect", "", "")
	parent.SetUsageFunc(func(*cobra.Command) error { panic("the scheduler's own") })
	parent.SetHelpFunc(func(*cobra.Command, []string) { panic("the scheduler's own") })
	parent.AddCommand(Command())
	var out bytes.Buffer
	parent.SetOut(&out)
	parent.SetErr(&out)
	parent.SetArgs(append([]string{"release-gates"}, args...))
	err := parent.Execute()
	return out.String(), err
}

func TestCommand(t *testing.T) {
	help, err := under("--help")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"--dry-run", "--namespace", "--kubeconfig", "--qps",
		"--scheduler", "sluice-scheduler release-gates", "exit code is 1"} {
		if !strings.Contains(help, part) {
			t.Errorf("the help lacks %q:\n%s", part, help)
		}
	}
	if strings.Contains(help, "leader-elect") {
		t.Errorf("the help has flags of the scheduler:\n%s", help)
	}
	for _, one := range []struct{ arg, says string }{
		{"--leader-elect=true", "unknown flag: --leader-elect"},
		{"--qps=0", "--qps is 0"},
		{"--qps=NaN", "--qps is NaN"},
		{"--qps=+Inf", "--qps is +Inf"},
		{"surplus", "unknown command"},
		{"--kubeconfig=/nowhere", "(--kubeconfig or $KUBECONFIG says): stat /nowhere"},
	} {
		if _, err := under(one.arg); err == nil || !strings.Contains(err.Error(), one.says) {
			t.Errorf("with %s the error is %v, want %q in it", one.arg, err, one.says)
		}
	}
}
