// SPDX-License-Identifier: Apache-2.0

package scenario

import "time"

// Faults is what goes wrong on purpose.
type Faults struct {
	Patches   string // conflict, fail, lost
	Binds     string // fail
	Evictions string // refused
	Webhook   string // off, pods
	Observe   string // duplicate, drop-deletes
	Watch     time.Duration
}

var faultKinds = []struct{ key, words, want string }{
	{"acks", "never twice wrong", "never, twice or wrong"},
	{"observe", "duplicate reorder drop-deletes late",
		"duplicate, reorder, drop-deletes or late"},
	{"patches", "conflict fail lost", "conflict, fail or lost"},
	{"binds", "fail", "fail"},
	{"evictions", "refused", "refused"},
	{"webhook", "off pods", "\"off\" or pods"},
}

func checkFault(_ *Scenario, value *Tree) error {
	if value.Type != Map || len(value.Pairs) == 0 {
		return value.At("a map such as {acks: never, for: 60s}")
	}
	for _, pair := range value.Pairs {
		if err := checkFaultPair(pair); err != nil {
			return err
		}
	}
	return nil
}

func checkFaultPair(pair Pair) error {
	if pair.Key == "for" || pair.Key == "watch" {
		length, err := pair.Value.AsDuration()
		if err == nil && length < 0 {
			err = pair.Value.At("a duration that is not negative")
		}
		return err
	}
	for _, kind := range faultKinds {
		if kind.key != pair.Key {
			continue
		}
		text, err := pair.Value.AsText()
		if err == nil && !contains(kind.words, text) {
			err = pair.Value.At("%s", kind.want)
		}
		return err
	}
	return pair.Value.Say("%s is no fault, want acks, observe, patches, binds, evictions, "+
		"webhook, watch or for", pair.Key)
}

// add puts the faults of a step beside those that are on, and tells how long they last (0: to the
// end).
func (f *Faults) add(spec *Tree) time.Duration {
	for key, slot := range map[string]*string{
		"patches": &f.Patches, "binds": &f.Binds, "evictions": &f.Evictions, "webhook": &f.Webhook,
		"observe": &f.Observe,
	} {
		if value := spec.Get(key); value != nil {
			*slot = value.Text
		}
	}
	if watch := spec.Get("watch"); watch != nil {
		f.Watch, _ = watch.AsDuration()
	}
	if length := spec.Get("for"); length != nil {
		lasts, _ := length.AsDuration()
		return lasts
	}
	return 0
}
