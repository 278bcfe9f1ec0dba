// SPDX-License-Identifier: Apache-2.0

package host

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/cache"
	"k8s.io/client-go/util/flowcontrol"
)

// lookups bound how often the API server is asked for the sake of a pod that is being created: who
// controls it, where no watch tells. Any name can stand there, and whoever reaches the webhook
// makes as many as he likes, for which the scheduler's account would ask. Each namespace has so
// many, and all together have.
type lookups struct {
	all    flowcontrol.PassiveRateLimiter
	spaces *cache.LRUExpireCache // namespace -> flowcontrol.PassiveRateLimiter
}

const (
	lookupsPerSecond, lookupsAtOnce            = 10, 100
	allLookupsPerSecond, allLookupsAtOnce      = 100, 500
	lookupSpacesKept, lookupSpacesKeptFor      = 1024, 10 * time.Minute
	absentObjectsKept, absentObjectsAreKeptFor = 4096, 30 * time.Second
)

func newLookups() *lookups {
	return &lookups{
		all:    flowcontrol.NewTokenBucketPassiveRateLimiter(allLookupsPerSecond, allLookupsAtOnce),
		spaces: cache.NewLRUExpireCache(lookupSpacesKept),
	}
}

// may takes one look-up of a namespace, or says why there is none left.
func (l *lookups) may(namespace string) error {
	of, known := l.spaces.Get(namespace)
	if !known {
		// Of two that come first at once one may be kept: the other one has had its first.
		of = flowcontrol.NewTokenBucketPassiveRateLimiter(lookupsPerSecond, lookupsAtOnce)
		l.spaces.Add(namespace, of, lookupSpacesKeptFor)
	}
	switch {
	case !of.(flowcontrol.PassiveRateLimiter).TryAccept():
		return fmt.Errorf("who controls the pods of namespace %s was asked too often: %d a second is "+
			"what a namespace has", namespace, lookupsPerSecond)
	case !l.all.TryAccept():
		return fmt.Errorf("who controls pods was asked too often: %d a second are what all have",
			allLookupsPerSecond)
	}
	return nil
}
