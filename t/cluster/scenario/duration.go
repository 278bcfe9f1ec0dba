// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var (
	onePart  = regexp.MustCompile(`^([0-9]{1,9})(\.[0-9]+)?(ns|us|ms|s|m|h)`)
	lengthOf = map[string]time.Duration{
		"ns": 1, "us": time.Microsecond, "ms": time.Millisecond,
		"s": time.Second, "m": time.Minute, "h": time.Hour,
	}
)

// A hundred years are enough for any story, and their sums fit.
const longest = 100 * 366 * 24 * time.Hour

// AsDuration reads "30s", "1m30s", "500ms", "-30s".
func (t *Tree) AsDuration() (time.Duration, error) {
	text, err := t.AsText()
	if err != nil {
		return 0, err
	}
	rest, negative := strings.CutPrefix(text, "-")
	if rest == "0" {
		return 0, nil
	}
	var sum time.Duration
	for parts := 0; parts == 0 || rest != ""; parts++ {
		part := onePart.FindStringSubmatch(rest)
		if part == nil || parts == 8 {
			return 0, t.At("a duration, such as 30s, 1m30s or 500ms")
		}
		length, ok := partOf(part)
		if !ok {
			return 0, t.At("a duration, such as 30s, 1m30s or 500ms")
		}
		sum += length
		rest = rest[len(part[0]):]
	}
	if negative {
		sum = -sum
	}
	return sum, nil
}

func partOf(part []string) (time.Duration, bool) {
	unit := lengthOf[part[3]]
	whole, err := strconv.ParseInt(part[1], 10, 64)
	if err != nil || whole > int64(longest/unit) {
		return 0, false
	}
	length := time.Duration(whole) * unit
	place := unit
	for _, digit := range strings.TrimPrefix(part[2], ".") {
		place /= 10
		length += place * time.Duration(digit-'0')
	}
	return length, true
}

// ShowTime is how a story's time is written: "12.030s".
func ShowTime(at time.Duration) string {
	sign := ""
	if at < 0 {
		sign, at = "-", -at
	}
	return fmt.Sprintf("%s%d.%03ds", sign, at/time.Second, at%time.Second/time.Millisecond)
}
