// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"

	"sluice/cluster/plane"
)

// profileSeconds is how long is looked at, from the first creation on.
const profileSeconds = 5

// profile begins to take cpu profiles of the scheduler and the API server, where they are wanted.
// What it returns waits for them.
func (l *lab) profile(ctx context.Context, label string) func() error {
	if l.options.profile == "" {
		return func() error { return nil }
	}
	servers := map[string]string{
		"scheduler": fmt.Sprint("https://127.0.0.1:", l.debug), "kube-apiserver": l.URL(),
	}
	done := make(chan error, len(servers))
	for name, server := range servers {
		file := filepath.Join(l.options.profile, label+"-"+name+".pprof")
		go func() { done <- l.takeProfile(ctx, server, file) }()
	}
	return func() error {
		var problems []error
		for range servers {
			problems = append(problems, <-done)
		}
		if err := errors.Join(problems...); err != nil {
			return fmt.Errorf("cpu profiles: %w", err)
		}
		say("    profiles in %s", l.options.profile)
		return nil
	}
}

func (l *lab) takeProfile(ctx context.Context, server, file string) error {
	url := fmt.Sprintf("%s/debug/pprof/profile?seconds=%d", server, profileSeconds)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+l.REST(plane.Admin).BearerToken)
	// Both make their certificates themselves, for this run.
	client := &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
	}}
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s: %s", url, answer.Status, body)
	}
	if err := os.MkdirAll(l.options.profile, 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, body, 0o644)
}
