// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"fmt"
	"math/big"

	"k8s.io/apimachinery/pkg/api/resource"
)

// amount is exact. nil stands for no limit where a limit is meant.
type amount = *big.Rat

func zero() amount { return new(big.Rat) }

func sum(a, b amount) amount       { return new(big.Rat).Add(a, b) }
func less(a, b amount) amount      { return new(big.Rat).Sub(a, b) }
func atLeastZero(a amount) amount  { return larger(a, zero()) }
func isAbove(a, limit amount) bool { return limit != nil && a.Cmp(limit) > 0 }
func larger(a, b amount) amount {
	if a.Cmp(b) > 0 {
		return a
	}
	return b
}

// exact is a quantity without any rounding.
func exact(q resource.Quantity) amount {
	decimal := q.AsDec()
	value := new(big.Rat).SetInt(decimal.UnscaledBig())
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(abs(int(decimal.Scale())))), nil)
	if decimal.Scale() > 0 {
		return value.Quo(value, new(big.Rat).SetInt(power))
	}
	return value.Mul(value, new(big.Rat).SetInt(power))
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

// parse reads a quantity as it stands in an object: text or a number. What is none is nil.
func parse(value any) amount {
	if value == nil {
		return nil
	}
	quantity, err := resource.ParseQuantity(fmt.Sprint(value))
	if err != nil {
		return nil
	}
	return exact(quantity)
}

// show writes an amount as people do.
func show(a amount) string {
	if a == nil {
		return "unlimited"
	}
	return a.RatString()
}

// vector is an amount for each resource, or for each flavor and resource.
type vector map[dimension]amount

// dimension is a resource, of a flavor where there are any.
type dimension struct{ flavor, resource string }

func (d dimension) String() string {
	if d.flavor == "" {
		return d.resource
	}
	return d.flavor + ":" + d.resource
}

func (v vector) get(d dimension) amount {
	if found := v[d]; found != nil {
		return found
	}
	return zero()
}

func (v vector) add(other vector, sign int64) {
	for d, a := range other {
		scaled := new(big.Rat).Mul(a, big.NewRat(sign, 1))
		v[d] = sum(v.get(d), scaled)
	}
}
