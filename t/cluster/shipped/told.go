// SPDX-License-Identifier: Apache-2.0

package shipped

import (
	"context"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Told are the events about a pod that the engine asked for, sorted, as kubectl describe prints
// them. Those that the scheduler has of its own have a finer time.
func (s *Sluice) Told(ctx context.Context, namespace, pod string) (lines []string, err error) {
	found, err := s.Client.CoreV1().Events(namespace).List(ctx, metav1.ListOptions{
		FieldSelector: "source=" + Name + ",involvedObject.kind=Pod,involvedObject.name=" + pod})
	if err != nil {
		return nil, err
	}
	for i := range found.Items {
		of := &found.Items[i]
		if of.EventTime.IsZero() {
			lines = append(lines, strings.Join([]string{of.Type, of.Reason, of.Message}, " "))
		}
	}
	slices.Sort(lines)
	return lines, nil
}
