// SPDX-License-Identifier: Apache-2.0

package plane

import apierrors "k8s.io/apimachinery/pkg/api/errors"

// Made is what is wrong with a create that is tried again and again. An object that is there is
// nothing wrong: a try whose answer was lost has made it.
func Made(err error) error {
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

// Gone is what is wrong with a deletion that is tried again and again: nothing, if the object is
// not there, as above.
func Gone(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
