// SPDX-License-Identifier: Apache-2.0

package show

import "strings"

// Rows is a table whose columns are as wide as what is in them.
func Rows(rows [][]string) string { return joined(lines(rows, gap)) }

func joined(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}
