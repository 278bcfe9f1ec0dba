// SPDX-License-Identifier: Apache-2.0

package plane

import (
	"fmt"
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

// FreePort is a port of 127.0.0.1 that nobody had a moment ago, for a program that does not share
// ports.
func FreePort() (int, error) {
	held, err := holdPort()
	if err != nil {
		return 0, err
	}
	return held.Number, held.release()
}

func (p *port) release() error { return unix.Close(p.fd) }

func (p *port) url(scheme string) string {
	return fmt.Sprintf("%s://127.0.0.1:%d", scheme, p.Number)
}
