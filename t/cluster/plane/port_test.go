// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"fmt"
	"net"
	"testing"
)

func TestAFreePortIsFree(t *testing.T) {
	number, err := FreePort()
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", number))
	if err != nil {
		t.Fatal(err)
	}
	if other, err := FreePort(); err != nil || other == number {
		t.Errorf("%v, %d is given out twice", err, other)
	}
	listener.Close()
}
