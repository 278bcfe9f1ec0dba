// SPDX-License-Identifier: Apache-2.0

package plane

import (
	_ "embed"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"syscall"
)

//go:embed sweep
var sweepScript string

// sweeper removes a plane's directories when the plane stops or its owner dies, even by SIGKILL.
type sweeper struct {
	cmd  *exec.Cmd
	pipe io.WriteCloser
}

func startSweeper(dirs []string) (*sweeper, error) {
	cmd := exec.Command("/bin/sh", append([]string{"-c", sweepScript, "sweep"}, dirs...)...)
	// A group of its own: Ctrl-C and a kill of the owner's group must not reach it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("the pipe to the sweeper: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the sweeper with /bin/sh: %w", err)
	}
	return &sweeper{cmd: cmd, pipe: pipe}, nil
}

func (s *sweeper) await(pid int) error {
	return s.tell(strconv.Itoa(pid))
}

func (s *sweeper) tell(word string) error {
	if _, err := io.WriteString(s.pipe, word+"\n"); err != nil {
		return fmt.Errorf("tell the sweeper %q: %w", word, err)
	}
	return nil
}

// sweep returns when the directories are gone (or kept).
func (s *sweeper) sweep() error {
	if err := s.pipe.Close(); err != nil {
		return fmt.Errorf("close the pipe to the sweeper: %w", err)
	}
	if err := s.cmd.Wait(); err != nil {
		return fmt.Errorf("the sweeper, which removes the plane's directories: %w", err)
	}
	return nil
}
