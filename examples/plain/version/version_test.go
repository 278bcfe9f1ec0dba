// SPDX-License-Identifier: Apache-2.0

package version

import (
	"runtime/debug"
	"testing"
)

func TestTextIsWhatTheLinkerWrote(t *testing.T) {
	if Text() == "" {
		t.Error("of a program that nobody gave a version nothing is said")
	}
	defer func(was string) { built = was }(built)
	built = "1.2.3+0123456789ab"
	if line := Line("program"); line != "program 1.2.3+0123456789ab\n" {
		t.Errorf("without Kubernetes in it: %q", line)
	}
}

func TestKubernetesIsThatOfTheModules(t *testing.T) {
	module := func(path, version string) *debug.Module {
		return &debug.Module{Path: path, Version: version}
	}
	for _, test := range []struct {
		name    string
		modules []*debug.Module
		want    string
	}{
		{"none", []*debug.Module{module("golang.org/x/term", "v0.44.0")}, ""},
		{"its libraries", []*debug.Module{module("k8s.io/apimachinery", "v0.36.3")}, "1.36.3"},
		{"itself", []*debug.Module{module("k8s.io/apimachinery", "v0.36.9"),
			module("k8s.io/kubernetes", "v1.36.3")}, "1.36.3"},
		{"a library that counts otherwise", []*debug.Module{module("k8s.io/apimachinery", "v2.0.0")},
			""},
	} {
		if got := kubernetes(test.modules); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}
