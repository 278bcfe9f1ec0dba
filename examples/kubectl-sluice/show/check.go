// SPDX-License-Identifier: Apache-2.0

package show

import (
	"fmt"
	"strings"

	"sluice/kube-scheduler/check"
	"sluice/plain"
)

var verdictWords = map[check.Verdict]string{
	check.Refused:   "Would be refused",
	check.Ignored:   "Ignored",
	check.Otherwise: "Decided otherwise",
}

// Check is a report: a line for each finding, by verdicts.
func Check(report *check.Report, wide bool) string {
	var b strings.Builder
	for _, verdict := range check.Verdicts {
		if report.Counts[verdict] == 0 {
			continue
		}
		fmt.Fprintf(&b, "%s (%d)\n", verdictWords[verdict], report.Counts[verdict])
		for i := range report.Findings {
			if one := &report.Findings[i]; one.Verdict == verdict {
				fmt.Fprintf(&b, "  %s\n", finding(one, wide))
			}
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "%d objects looked at: %d refused, %d ignored, %d otherwise\n",
		report.Objects, report.Counts[check.Refused],
		report.Counts[check.Ignored], report.Counts[check.Otherwise])
	return b.String()
}

const mostNamed = 3 // objects in a line that is not wide

func finding(of *check.Finding, wide bool) string {
	var names []string
	for i, name := range of.Objects {
		if !wide && i == mostNamed {
			names = append(names, fmt.Sprintf("%d more", len(of.Objects)-i))
			break
		}
		names = append(names, plain.Name(name))
	}
	where := strings.Join(names, ", ")
	if of.Field != "" {
		where += " " + plain.Name(of.Field)
	}
	if of.Value != "" {
		where += ": " + plain.Name(of.Value)
	}
	return plain.Text(fmt.Sprintf("%s: %s. To do: %s. (%s)", where, of.Why, of.Do, of.Page),
		plain.ConditionBytes)
}
