// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// checkFiles runs a check of files by the library that was built.
func checkFiles(t *testing.T, args ...string) (code int, out, err string) {
	t.Helper()
	library := os.Getenv("SLUICE_LIB")
	if library == "" {
		library = "../../../build/sluice.so"
	}
	var said, wrong bytes.Buffer
	code = Main(append([]string{"check", "--library", library}, args...), &said, &wrong)
	return code, said.String(), wrong.String()
}

func TestCheckOfFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("good.yaml", "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\n"+
		"metadata: {name: good}\nspec: {weight: 2}\n")
	code, out, err := checkFiles(t, "-f", dir)
	if code != 0 || err != "" {
		t.Errorf("exit code %d, %q; want 0: nothing would be refused", code, err)
	}
	for _, want := range []string{"Ignored (1)\n", "  Queue/good spec.weight: 2: ",
		" To do: ", "1 objects looked at: 0 refused, 1 ignored, 0 otherwise\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	write("bad.yml", "apiVersion: v1\nkind: List\nitems:\n"+
		"- apiVersion: scheduling.volcano.sh/v1beta1\n"+
		"  kind: Queue\n  metadata: {name: bad}\n  spec: {parent: nobody}\n")
	code, out, err = checkFiles(t, "-f", dir, "-o", "json")
	if code != 8 || err != "error: 1 would be refused\n" {
		t.Errorf("exit code %d, %q; want 8", code, err)
	}
	if !strings.Contains(out, `"Queue/bad"`) || !strings.Contains(out, "nobody") {
		t.Errorf("the parent that is missing is not said in\n%s", out)
	}
	if code, out, _ = checkFiles(t, "-f", dir, "-o", "name"); code != 8 || out != "Queue/bad\n" {
		t.Errorf("-o name: exit code %d, %q; want 8 and Queue/bad", code, out)
	}
}

func TestCheckSaysWhatIsMissing(t *testing.T) {
	for _, one := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"-f", "/nowhere"}, 2, "/nowhere"},
		{[]string{"-f", "check.go", "more"}, 2, "1 arguments, want 0"},
		{[]string{"-f", "check.go", "--config", "/nowhere"}, 2, "/nowhere"},
		{[]string{"-f", "check.go", "--library", "check.go"}, 1, "check.go"},
	} {
		if code, _, err := checkFiles(t, one.args...); code != one.code ||
			!strings.Contains(err, one.want) {
			t.Errorf("%v: exit code %d, %q; want %d and %q", one.args, code, err, one.code, one.want)
		}
	}
}
