// SPDX-License-Identifier: Apache-2.0

package show

import (
	"fmt"
	"strings"
	"time"

	"sluice/kubectl-sluice/ask"
	"sluice/plain"
)

// fewMembers are shown of a pod's gang; all of them where the gang itself is asked about.
const fewMembers = 8

// Gang says what a group waits for.
func Gang(group *ask.Group, path Path, now time.Time, style *Style) string {
	group, path = plain.Shown(group), plain.Shown(path)
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", gangHeadline(group, now))
	say := sayTo(&b)
	if group.Reason != "" {
		say("why", "%s: %s", group.Reason, group.Message)
	}
	say("members", "%s", members(group))
	if len(group.Asks) > 0 {
		say("asks for", "%s, as one", amounts(group.Asks))
	}
	if group.State == "waiting" {
		say("place", "%s", place("queue", group.Position, group.AtLeast, group.Ahead))
		say("estimate", "%s", estimate(&group.Outlook))
	}
	if group.Queue != "" {
		say("queue", "%s", names(path, group.Queue))
		b.WriteString(levels(group.Asks, group.On, path, style))
	}
	if len(group.Members) > 0 {
		b.WriteString("\n" + memberRows(group.Members, len(group.Members)))
	}
	return b.String()
}

// kindOfGroup is Volcano's, which are simply groups, or Kubernetes' own.
func kindOfGroup(native bool) string {
	if native {
		return "native group"
	}
	return "group"
}

func gangHeadline(group *ask.Group, now time.Time) string {
	name := kindOfGroup(group.Native) + " " + group.Namespace + "/" + group.Name
	since := ""
	if group.Created != 0 {
		since = ", since " + Span(now.Sub(time.Unix(0, group.Created)))
	}
	switch {
	case !group.Known:
		return fmt.Sprintf("%s has no PodGroup: its pods are held, and block nobody", name)
	case group.State == "waiting":
		return fmt.Sprintf("%s waits as one in queue %s%s", name, group.Queue, since)
	case group.State == "held":
		return fmt.Sprintf("%s is held, and blocks nobody%s", name, since)
	case group.State == "granted":
		return fmt.Sprintf("%s was granted its minimum in queue %s", name, group.Queue)
	}
	return fmt.Sprintf("%s has no minimum: each of its pods goes alone", name)
}

// members counts them: "minimum 4; 5 pods: 1 ready, 3 on their way, 1 on a node; 2 succeeded".
func members(group *ask.Group) string {
	var parts, ended []string
	count := func(to *[]string, number int64, what string) {
		if number > 0 {
			*to = append(*to, fmt.Sprintf("%d %s", number, what))
		}
	}
	count(&parts, group.Pods-group.Ready-group.Reserved-group.Allocated,
		"held by something of their own")
	count(&parts, group.Ready, "ready")
	count(&parts, group.Reserved, "on their way to a node")
	count(&parts, group.Allocated, "on a node")
	count(&ended, group.Succeeded, "succeeded")
	count(&ended, group.Failed, "failed")
	text := fmt.Sprintf("minimum %d; %d pods", max(group.Minimum, 1), group.Pods)
	if group.Pods == 1 {
		text = fmt.Sprintf("minimum %d; 1 pod", max(group.Minimum, 1))
	}
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	if len(ended) > 0 {
		text += "; " + strings.Join(ended, ", ")
	}
	return text
}

func memberRows(of []ask.Member, most int) string {
	rows := [][]string{{"           ", "POD", "STATE", "REASON", "NODE"}}
	for i := range of[:min(len(of), most)] {
		m := &of[i]
		rows = append(rows, []string{"", m.Name, m.State, m.Reason, m.Node})
	}
	text := Rows(rows)
	if len(of) > most {
		text += fmt.Sprintf("             ... %d more pods\n", len(of)-most)
	}
	return text
}
