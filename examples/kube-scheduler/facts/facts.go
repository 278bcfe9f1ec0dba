// SPDX-License-Identifier: Apache-2.0

// Package facts turns Kubernetes' objects into what the engine wants to know of them: Pod, Node,
// Flavor, Group, and the three kinds of queues (Queue, ClusterQueue, Cohort).
//
// Nothing is decided here. A pod's request is what the scheduler itself counts for it. Amounts
// become integers in base units (thousandths of cpu, units of all else), fractions rounded up, and
// stop at 2^62, as in the engine.
//
// Pod and Node write over an object that the caller keeps, and reuse its slices. The strings are
// shared with the Kubernetes object.
//
// What custom resources may carry and no amount can be is an *Error that names the field: negative
// amounts everywhere, and with Read also quantities that cannot be parsed, which the typed clients
// would refuse together with the whole list.
package facts

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"sluice/kube-scheduler/sluice"
)

// Error is a value of an object that cannot be used.
type Error struct {
	Object string // its kind and name, as in Queue/science
	Field  string // as in spec.capability[cpu]
	Value  string
	Want   string
}

// Error says what is wrong, where, and what would be right.
func (e *Error) Error() string {
	return fmt.Sprintf("%s: %s is %q: want %s", e.Object, e.Field, e.Value, e.Want)
}

const (
	mostAmount = 1 << 62 // where the engine's amounts stop
	surelyFits = 1e15    // far from where 64 bits end, even in thousandths
)

var (
	mostUnits = resource.NewQuantity(mostAmount, resource.DecimalSI)
	mostMilli = resource.NewMilliQuantity(mostAmount, resource.DecimalSI)
)

// amount is the quantity in base units, rounded up. Kubernetes' own Value and MilliValue are 0, or
// anything, where the result has more than 64 bits; this stops at 2^62.
func amount(name string, quantity resource.Quantity) int64 {
	milli := name == string(v1.ResourceCPU)
	// Only tells whether the exact way is open.
	if math.Abs(quantity.AsApproximateFloat64()) >= surelyFits {
		most := mostUnits
		if milli {
			most = mostMilli
		}
		if quantity.Cmp(*most) >= 0 {
			return mostAmount
		}
		if quantity.Sign() < 0 {
			return -1 // as wrong as any other negative amount
		}
	}
	if milli {
		return quantity.MilliValue()
	}
	return quantity.Value()
}

// amounts writes a list of resources over `into`, by name: the same list is the same message.
func amounts(list v1.ResourceList, into []sluice.Amount) []sluice.Amount {
	into = into[:0]
	for name, quantity := range list {
		into = append(into, sluice.Amount{Name: string(name), Value: amount(string(name), quantity)})
	}
	slices.SortFunc(into, func(a, b sluice.Amount) int { return strings.Compare(a.Name, b.Name) })
	return into
}

// MostRequests is how many resources of a pod the engine takes.
const MostRequests = 32

// CompareOffered has the resources first that a node offers, and of the others those that are
// Kubernetes' own: they have no domain.
func CompareOffered(offers v1.ResourceList, a, b string) int {
	rank := func(name string) int {
		if _, offered := offers[v1.ResourceName(name)]; offered {
			return 0
		}
		return 1 + strings.Count(name, "/")
	}
	return rank(a) - rank(b)
}

// pairs writes a map over `into`, by key.
func pairs(from map[string]string, into [][2]string) [][2]string {
	into = into[:0]
	for key, value := range from {
		into = append(into, [2]string{key, value})
	}
	slices.SortFunc(into, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	return into
}

// nanoseconds of a time of the API; what is not set, or lies before 1970, is 0.
func nanoseconds(at metav1.Time) int64 {
	if at.Before(&metav1.Time{Time: time.Unix(0, 0)}) {
		return 0
	}
	return at.UnixNano()
}

// notNegative finds the first amount that is below zero, by name.
func notNegative(object, field string, list v1.ResourceList) error {
	for _, name := range slices.Sorted(maps.Keys(list)) {
		quantity := list[name]
		if err := checkSign(object, fmt.Sprintf("%s[%s]", field, name), &quantity); err != nil {
			return err
		}
	}
	return nil
}

func checkSign(object, field string, quantity *resource.Quantity) error {
	if quantity == nil || quantity.Sign() >= 0 {
		return nil
	}
	return &Error{Object: object, Field: field, Value: quantity.String(),
		Want: "an amount that is not negative"}
}
