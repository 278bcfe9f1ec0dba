// SPDX-License-Identifier: Apache-2.0

package shipped

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"sluice/cluster/plane"
)

// Reach lets the API server's proxy find a scheduler that was started otherwise and listens at this
// port of every address: so kubectl sluice can ask it.
func Reach(ctx context.Context, p *plane.Plane, scheduler *plane.Process, port int) error {
	s := &Sluice{Plane: p, replicas: []*Replica{{Process: scheduler, port: port}}}
	var err error
	if s.Address, err = OwnAddress(); err != nil {
		return err
	}
	if err := s.makePod(ctx, Name); err != nil {
		return err
	}
	return s.writeEndpoints(ctx, Name)
}

// writeEndpoints says where the replicas listen. The API server's webhooks read EndpointSlices; so
// does its proxy, which read Endpoints before 1.37. All replicas stand for the pod that is named:
// they have its address.
func (s *Sluice) writeEndpoints(ctx context.Context, pod string) error {
	if err := s.writeService(ctx, pod, Name, "https", func(r *Replica) int {
		return r.port
	}); err != nil || !s.webhook {
		return err
	}
	return s.writeService(ctx, pod, Webhook, "webhook", func(r *Replica) int { return r.webhook })
}

func (s *Sluice) writeService(ctx context.Context, pod, service, port string,
	number func(*Replica) int) error {
	target := &corev1.ObjectReference{Kind: "Pod", Namespace: Namespace, Name: pod}
	//lint:ignore SA1019 the proxy of an API server before 1.37 reads nothing else
	endpoints := &corev1.Endpoints{
		ObjectMeta: metav1.ObjectMeta{Name: service},
	}
	for i, replica := range s.replicas {
		if !replica.Running() {
			continue
		}
		at := int32(number(replica))
		//lint:ignore SA1019 as above
		endpoints.Subsets = append(endpoints.Subsets, corev1.EndpointSubset{
			Addresses: []corev1.EndpointAddress{{IP: s.Address, TargetRef: target}},
			Ports:     []corev1.EndpointPort{{Name: port, Port: at}},
		})
		if err := s.writeSlice(ctx, fmt.Sprintf("%s-%d", service, i), service, port, at,
			target); err != nil {
			return err
		}
	}
	api := s.Client.CoreV1().Endpoints(Namespace)
	_, err := api.Create(ctx, endpoints, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		_, err = api.Update(ctx, endpoints, metav1.UpdateOptions{})
	}
	return err
}

func (s *Sluice) writeSlice(ctx context.Context, name, service, port string, number int32,
	target *corev1.ObjectReference) error {
	api := s.Client.DiscoveryV1().EndpointSlices(Namespace)
	_, err := api.Create(ctx, &discoveryv1.EndpointSlice{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Labels: map[string]string{discoveryv1.LabelServiceName: service},
		},
		AddressType: discoveryv1.AddressTypeIPv4,
		Endpoints:   []discoveryv1.Endpoint{{Addresses: []string{s.Address}, TargetRef: target}},
		Ports:       []discoveryv1.EndpointPort{{Name: &port, Port: &number}},
	}, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}
