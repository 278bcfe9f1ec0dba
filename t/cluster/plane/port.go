// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// port is a TCP port of 127.0.0.1 that nobody else gets while it is held: bound, never listened on,
// so that the one program that shares ports by SO_REUSEPORT gets every connection. It stays ours
// over a restart of the program.
type port struct {
	fd     int
	Number int
}

func holdPort() (*port, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("a socket to hold a port with: %w", err)
	}
	number, err := bindAnyPort(fd)
	if err != nil {
		unix.Close(fd)
		return nil, fmt.Errorf("hold a free port of 127.0.0.1: %w", err)
	}
	return &port{fd: fd, Number: number}, nil
}

func bindAnyPort(fd int) (int, error) {
	if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEPORT, 1); err != nil {
		return 0, err
	}
	if err := unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return 0, err
	}
	name, err := unix.Getsockname(fd)
	if err != nil {
		return 0, err
	}
	inet, ok := name.(*unix.SockaddrInet4)
	if !ok {
		return 0, syscall.EAFNOSUPPORT
	}
	return inet.Port, nil
}

func (p *port) release() error { return unix.Close(p.fd) }

func (p *port) url(scheme string) string {
	return fmt.Sprintf("%s://127.0.0.1:%d", scheme, p.Number)
}

// FreePort is a port that nobody had a moment ago at any address of this machine, for a program
// that does not share ports. No connection can have it by the time that the program listens: it is
// none of those from which the kernel takes near ends, but on a machine where those are nearly all.
func FreePort() (int, error) {
	ours, err := ourPorts()
	if err != nil {
		return 0, err
	}
	return ours.take()
}

// ports are taken in turn, so that two of them differ although nobody listens yet, in an order that
// other processes hardly have.
type ports struct {
	numbers []int
	taken   atomic.Uint32
}

var ourPorts = sync.OnceValues(func() (*ports, error) {
	const name = "/proc/sys/net/ipv4/ip_local_port_range"
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("the ports of connections: %w", err)
	}
	var low, high int
	if _, err := fmt.Sscan(string(text), &low, &high); err != nil {
		return nil, fmt.Errorf("the ports of connections: %s %q: %w", name, text, err)
	}
	numbers := portsBeside(low, high)
	rand.Shuffle(len(numbers), func(i, j int) { numbers[i], numbers[j] = numbers[j], numbers[i] })
	return &ports{numbers: numbers}, nil
})

// portsBeside are those outside of low to high, and above those that services are known by; all of
// these where low to high leaves none.
func portsBeside(low, high int) []int {
	const least, most = 20000, 65535
	var all, beside []int
	for number := least; number <= most; number++ {
		all = append(all, number)
		if number < low || number > high {
			beside = append(beside, number)
		}
	}
	if len(beside) == 0 {
		return all
	}
	return beside
}

func (p *ports) take() (int, error) {
	for range p.numbers {
		number := p.numbers[int(p.taken.Add(1))%len(p.numbers)]
		listener, err := net.Listen("tcp", fmt.Sprint(":", number))
		if errors.Is(err, syscall.EADDRINUSE) {
			continue
		}
		if err != nil {
			return 0, fmt.Errorf("a free port: %w", err)
		}
		return number, listener.Close()
	}
	return 0, fmt.Errorf("of %d ports none is free", len(p.numbers))
}
