// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

// ungateCommand is what this program runs itself as, in a process of its own.
const ungateCommand = "ungate"

// ungateWriters is how many patches may be under way: as many as sluice's.
const ungateWriters = 16

// ungate is the least that a gate can cost: it takes every gate off as it appears, with one patch,
// and knows nothing of queues.
func ungate(ctx context.Context, kubeconfig string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	config.QPS = -1
	// Not by the name of this program, which creates the pods: who removes gates is somebody else, and
	// is kept apart in a pod's managedFields.
	config.UserAgent = bareUser
	client, err := kubernetes.NewForConfig(quick(config))
	if err != nil {
		return err
	}
	seen := follow(ctx, client.CoreV1().Pods(metav1.NamespaceAll))
	gated := make(chan *corev1.Pod, 1<<16)
	for range ungateWriters {
		go func() {
			for pod := range gated {
				if err := removeGate(ctx, client, pod); err != nil {
					fmt.Fprintf(os.Stderr, "pod %s/%s: %v\n", pod.Namespace, pod.Name, err)
				}
			}
		}()
	}
	taken := map[types.UID]bool{}
	for {
		var pod *corev1.Pod
		select {
		case <-ctx.Done():
			return nil
		case one := <-seen:
			if one.err != nil {
				return one.err
			}
			pod = one.pod
		}
		if hasGate(pod) && !taken[pod.UID] {
			taken[pod.UID] = true
			gated <- pod
		}
	}
}

func removeGate(ctx context.Context, client kubernetes.Interface, pod *corev1.Pod) error {
	patch := fmt.Appendf(nil, `[{"op":"test","path":"/metadata/uid","value":%q},`+
		`{"op":"replace","path":"/spec/schedulingGates","value":[]}]`, pod.UID)
	_, err := client.CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name, types.JSONPatchType, patch,
		metav1.PatchOptions{})
	return err
}
