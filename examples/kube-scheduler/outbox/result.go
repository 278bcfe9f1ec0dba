// SPDX-License-Identifier: Apache-2.0

package outbox

import (
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"sluice/kube-scheduler/sluice"
)

// ErrMoved is a write that would meet another object than the engine decided about.
var ErrMoved = errors.New("the object has changed since it was decided about")

// Result is what the engine is told of an effect that ended so.
func Result(err error) string {
	switch {
	case err == nil:
		return sluice.Done
	case apierrors.IsNotFound(err):
		return sluice.Gone
	case errors.Is(err, ErrMoved), apierrors.IsConflict(err), apierrors.IsInvalid(err),
		apierrors.IsAlreadyExists(err):
		return sluice.Conflict
	}
	return sluice.Retry
}
