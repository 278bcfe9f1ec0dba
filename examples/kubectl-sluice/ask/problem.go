// SPDX-License-Identifier: Apache-2.0

package ask

import (
	"errors"
	"fmt"
	"net"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Kind is what sort of problem it is; scripts tell them apart by the exit code.
type Kind int

// The kinds are the exit codes.
const (
	Other       Kind = 1
	Usage       Kind = 2 // what was typed cannot be meant
	NotFound    Kind = 3 // there is no such queue, pod, group or workload
	Forbidden   Kind = 4 // the user is not known, or may not
	Unreachable Kind = 5 // no API server, no sluice-scheduler, or none that leads
	Refused     Kind = 6 // the queue's state stays as it was
	TimedOut    Kind = 7 // --wait took longer than --timeout
	Found       Kind = 8 // check found what would be refused
)

// Problem is an error of a kind.
type Problem struct {
	Kind Kind
	Err  error
}

func (p *Problem) Error() string { return p.Err.Error() }

// Unwrap is the error itself.
func (p *Problem) Unwrap() error { return p.Err }

// KindOf is the kind of any error of this program.
func KindOf(err error) Kind {
	var problem *Problem
	if errors.As(err, &problem) {
		return problem.Kind
	}
	return Other
}

// named gives an error of the API server its kind.
func named(err error) error {
	var network net.Error
	switch {
	case apierrors.IsForbidden(err), apierrors.IsUnauthorized(err):
		return &Problem{Forbidden, err}
	case apierrors.IsNotFound(err):
		return &Problem{NotFound, err}
	case apierrors.IsServiceUnavailable(err):
		return &Problem{Unreachable, err}
	case errors.As(err, &network):
		return &Problem{Unreachable,
			fmt.Errorf("%w (is it the right cluster? --kubeconfig, --context or --server say which)", err)}
	}
	return err
}
