// SPDX-License-Identifier: Apache-2.0

// Package version says of which version a program is, and of which Kubernetes.
package version

import (
	"fmt"
	"runtime/debug"
	"strings"
)

// built is what abi/version said when the program was built: the scripts that build it have the
// linker write it here.
var built string

// Text is the version, with the commit: 0.1.0+5acb3081e2d4. Of a program that none of our scripts
// built it is what Go knows.
func Text() string {
	if built != "" {
		return built
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// Kubernetes is the version of Kubernetes whose code is in the program: 1.36.3. Empty: none is.
func Kubernetes() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return kubernetes(info.Deps)
}

// kubernetes goes by Kubernetes itself, else by its libraries, which have a 0 for its 1.
func kubernetes(modules []*debug.Module) (version string) {
	for _, module := range modules {
		switch module.Path {
		case "k8s.io/kubernetes":
			return strings.TrimPrefix(module.Version, "v")
		case "k8s.io/apimachinery":
			if rest, ok := strings.CutPrefix(module.Version, "v0."); ok {
				version = "1." + rest
			}
		}
	}
	return version
}

// Line is what `--version` prints of the program of that name.
func Line(program string) string {
	line := program + " " + Text()
	if kubernetes := Kubernetes(); kubernetes != "" {
		line += fmt.Sprintf(" (Kubernetes %s)", kubernetes)
	}
	return line + "\n"
}
