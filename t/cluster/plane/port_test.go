// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"fmt"
	"net"
	"os"
	"slices"
	"testing"
)

func TestAFreePortIsNoConnections(t *testing.T) {
	text, err := os.ReadFile("/proc/sys/net/ipv4/ip_local_port_range")
	if err != nil {
		t.Fatal(err)
	}
	var low, high int
	if _, err := fmt.Sscan(string(text), &low, &high); err != nil {
		t.Fatal(err)
	}
	if low <= 20000 && high == 65535 {
		t.Skipf("connections have all ports here: %s", text)
	}
	given := map[int]bool{}
	for range 50 {
		number, err := FreePort()
		if err != nil {
			t.Fatal(err)
		}
		if number >= low && number <= high {
			t.Errorf("a connection can have %d: its near end is from %d to %d", number, low, high)
		}
		if given[number] {
			t.Errorf("%d is given out twice, before its program can listen", number)
		}
		given[number] = true
		listener, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", number))
		if err != nil {
			t.Fatal(err)
		}
		listener.Close()
	}
}

func TestATakenPortIsNotFree(t *testing.T) {
	// Another address than that at which most programs here listen.
	listener, err := net.Listen("tcp", "127.0.0.2:0")
	if err != nil {
		t.Fatal(err)
	}
	taken := listener.Addr().(*net.TCPAddr).Port
	only := &ports{numbers: []int{taken}}
	if number, err := only.take(); err == nil {
		t.Errorf("%d is given out while somebody listens at it", number)
	}
	listener.Close()
	if number, err := only.take(); err != nil || number != taken {
		t.Errorf("%d, %v; want %d, which is free now", number, err, taken)
	}
}

func TestPortsBeside(t *testing.T) {
	for _, c := range []struct {
		low, high, count     int
		first, last, without int
	}{
		{32768, 60999, 12768 + 4536, 20000, 65535, 32768},
		{32768, 65535, 12768, 20000, 32767, 65535},
		{15000, 61000, 4535, 61001, 65535, 61000},
		{1024, 4999, 45536, 20000, 65535, 4999},
		{1024, 65535, 45536, 20000, 65535, 0}, // better these than none
	} {
		beside := portsBeside(c.low, c.high)
		if len(beside) != c.count || beside[0] != c.first || beside[len(beside)-1] != c.last ||
			slices.Contains(beside, c.without) {
			t.Errorf("beside %d to %d: %d ports from %d to %d; want %d from %d to %d, without %d",
				c.low, c.high, len(beside), beside[0], beside[len(beside)-1], c.count, c.first, c.last,
				c.without)
		}
	}
}
