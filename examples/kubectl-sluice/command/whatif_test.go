// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"strings"
	"testing"
)

func TestWhatIfWithoutWhatItNeeds(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for _, one := range []struct {
		args []string
		code int
		says string
	}{
		{nil, 2, "--or FILE is missing"},
		{[]string{"--or", "/nowhere.yaml"}, 2, "/nowhere.yaml"},
		{[]string{"--or", "whatif.go", "--player", "/nowhere"}, 2, "--player /nowhere"},
		{[]string{"--or", "whatif.go"}, 1, "install the package sluice, or say --player FILE"},
		{[]string{"--or", "whatif.go", "-o", "xml"}, 2, "--output is"},
	} {
		var out, problems bytes.Buffer
		code := Main(append([]string{"what-if"}, one.args...), &out, &problems)
		if code != one.code || !strings.Contains(problems.String(), one.says) {
			t.Errorf("what-if %q: %d, %s; want %d, %s", one.args, code, problems.String(), one.code,
				one.says)
		}
	}
}
