// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubewatch "k8s.io/apimachinery/pkg/watch"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
)

// sight is what was seen at once: one change of a pod, or all pods that there are, after a time in
// which changes may have been missed.
type sight struct {
	pods []*corev1.Pod
	gone bool // the one pod
	all  bool
}

// follow delivers every state of the pods in the order of the API server's revisions, until the
// context ends. Where a watch breaks and cannot be taken up again, it begins with a list.
func follow(ctx context.Context, pods corev1client.PodInterface, see func(sight)) {
	for ctx.Err() == nil {
		list, err := pods.List(ctx, metav1.ListOptions{})
		if err != nil {
			pause(ctx, retryFault)
			continue
		}
		all := sight{all: true}
		for i := range list.Items {
			all.pods = append(all.pods, &list.Items[i])
		}
		see(all)
		for version := list.ResourceVersion; version != "" && ctx.Err() == nil; {
			version = watchFrom(ctx, pods, version, see)
		}
	}
}

// watchFrom delivers until the watch ends, and returns where to go on; "": at a list.
func watchFrom(ctx context.Context, pods corev1client.PodInterface, version string,
	see func(sight)) string {
	seen, err := pods.Watch(ctx, metav1.ListOptions{ResourceVersion: version})
	if err != nil {
		pause(ctx, retryFault)
		return ""
	}
	defer seen.Stop()
	for event := range seen.ResultChan() {
		pod, ok := event.Object.(*corev1.Pod)
		if !ok {
			return ""
		}
		version = pod.ResourceVersion
		see(sight{pods: []*corev1.Pod{pod}, gone: event.Type == kubewatch.Deleted})
	}
	return version
}

// retryFault is how long to wait before what a fault refused is tried again.
const retryFault = 100 * time.Millisecond

func pause(ctx context.Context, length time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(length):
	}
}
