// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
)

// sight is a pod as it was seen, and when; or why nothing more will be seen.
type sight struct {
	pod *corev1.Pod
	at  time.Time
	err error
}

// follow delivers the pods that are there, and every state of pods from now on, in its order, until
// the context ends. The API server ends the watch of who is slow, so a watch that ends is taken up
// where it was.
func follow(ctx context.Context, pods corev1client.PodInterface) <-chan sight {
	// So much room that the watch never waits for who reads.
	sights := make(chan sight, 1<<16)
	go func() {
		version := ""
		for ctx.Err() == nil {
			if err := watchFrom(ctx, pods, &version, sights); err != nil {
				sights <- sight{err: fmt.Errorf("the watch of the pods: %w", err)}
				return
			}
		}
	}()
	return sights
}

// watchFrom delivers until the watch ends, and moves the version on.
func watchFrom(ctx context.Context, pods corev1client.PodInterface, version *string,
	sights chan<- sight) error {
	seen, err := pods.Watch(ctx, metav1.ListOptions{ResourceVersion: *version})
	if err != nil {
		return err
	}
	defer seen.Stop()
	for event := range seen.ResultChan() {
		pod, ok := event.Object.(*corev1.Pod)
		if !ok {
			return apierrors.FromObject(event.Object)
		}
		*version = pod.ResourceVersion
		sights <- sight{pod: pod, at: time.Now()}
	}
	return nil
}
