// SPDX-License-Identifier: Apache-2.0

package scenario

import "strings"

const (
	podTexts    = "reason message node phase patches state hold why queue group position events told"
	podMaps     = "annotations nodeSelector"
	queueTexts  = "state reason parent waiting held known own byParent written writes events"
	queueEither = "allocated reserved usage"
	groupTexts  = "phase running succeeded failed queue minMember owner condition reason " +
		"message state hold why members holding"
	worldKeys = "nodes bought podgroups effects unknownAcks leader"
	// What only the scheduler's process can tell.
	engineKeys = "state hold why queue group position"
)

func isOf(ref string, kinds ...string) bool {
	for _, kind := range kinds {
		if name, ok := strings.CutPrefix(ref, kind+"/"); ok && name != "" {
			return true
		}
	}
	return false
}

func isQueue(ref string) bool { return isOf(ref, "queue", "clusterqueue", "cohort") }

func checkEntries(tree *Tree, withNever bool) error {
	if tree.Type != Map || len(tree.Pairs) == 0 {
		return tree.At("a map such as {pod/p: {reason: Unschedulable}}")
	}
	for _, pair := range tree.Pairs {
		var err error
		if withNever && pair.Key == "never" {
			err = checkEntries(pair.Value, false)
		} else {
			err = checkEntry(pair)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func checkEntry(entry Pair) error {
	if contains(worldKeys, entry.Key) {
		_, err := entry.Value.AsText()
		return err
	}
	ofPod := isOf(entry.Key, "pod")
	switch {
	case !ofPod && !isQueue(entry.Key) && !isOf(entry.Key, "podgroup") && !isWorkload(entry.Key):
		return entry.Value.Say("%s cannot be expected, want pod/NAME, queue/NAME, "+
			"clusterqueue/NAME, cohort/NAME, podgroup/NAME, workload/NAME, localqueue/NAME, nodes, "+
			"bought, podgroups, effects, unknownAcks, leader or never", entry.Key)
	case entry.Value.Type == Text && entry.Value.Text == "gone":
		return nil
	case entry.Value.Type != Map:
		return entry.Value.At("a map of what is expected, or gone")
	}
	for _, field := range entry.Value.Pairs {
		var err error
		switch {
		case isOf(entry.Key, "podgroup"):
			err = checkGroupField(field)
		case isWorkload(entry.Key):
			err = checkWorkloadField(isOf(entry.Key, "localqueue"), field)
		default:
			err = checkField(ofPod, field)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func checkField(ofPod bool, field Pair) error {
	texts, maps := queueTexts, queueEither
	if ofPod {
		texts, maps = podTexts, podMaps
	}
	isMap := contains(maps, field.Key)
	isEither := !ofPod && isMap
	switch {
	case ofPod && field.Key == "gates":
		if field.Value.Type == List {
			return checkTexts(field.Value)
		}
		if field.Value.Type != Text {
			return field.Value.At("a list of gates, \"*\" or \"!gate\"")
		}
	case isMap && field.Value.Type == Map:
		return checkTexts(field.Value)
	case contains(texts, field.Key) || isEither:
		if field.Value.Type != Text {
			return field.Value.At("text, \"*\" or \"!text\" (nothing is \"\")")
		}
	case isMap:
		return field.Value.At("a map")
	case ofPod:
		return field.Value.Say("%s cannot be expected, want gates, reason, message, node, phase, "+
			"annotations, nodeSelector, patches, state, hold, why, queue, group, position, events or told",
			field.Key)
	default:
		return field.Value.Say("%s cannot be expected, want allocated, reserved, usage, waiting, "+
			"held, state, reason, parent, known, own, byParent, written, writes or events", field.Key)
	}
	return nil
}

func checkGroupField(field Pair) error {
	switch {
	case !contains(groupTexts, field.Key):
		return field.Value.Say("%s cannot be expected, want phase, running, succeeded, failed, "+
			"queue, minMember, owner, condition, reason, message, state, hold, why, members or "+
			"holding", field.Key)
	case field.Value.Type != Text:
		return field.Value.At("text, \"*\" or \"!text\" (nothing is \"\")")
	}
	return nil
}

func checkTexts(tree *Tree) error {
	for _, pair := range tree.Pairs {
		if pair.Value.Type != Text {
			return pair.Value.At("text, \"*\" or \"!text\"")
		}
	}
	return nil
}
