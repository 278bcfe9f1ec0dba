// SPDX-License-Identifier: Apache-2.0

package documents

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"sluice/cluster/plane"
	"sluice/cluster/shipped"
)

// beside is the node that the kit names as that of its replicas, which are processes of this
// machine.
const beside = "beside-the-cluster"

// kubelet is that node: it tells the logs of its pods, and does what the pods of Jobs are for.
func (c *cluster) kubelet() {
	c.Helper()
	server := httptest.NewUnstartedServer(http.HandlerFunc(c.tellLog))
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		c.Fatal(err)
	}
	server.Listener = listener
	server.StartTLS()
	c.Cleanup(server.Close)
	node, err := c.CreateNode(c.Context(), plane.Node{Name: beside})
	if err != nil {
		c.Fatal(err)
	}
	node.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "127.0.0.1"}}
	node.Status.DaemonEndpoints.KubeletEndpoint.Port = int32(listener.Addr().(*net.TCPAddr).Port)
	node, err = c.Client.CoreV1().Nodes().UpdateStatus(c.Context(), node, metav1.UpdateOptions{})
	if err == nil {
		node.Spec.Unschedulable = true
		_, err = c.Client.CoreV1().Nodes().Update(c.Context(), node, metav1.UpdateOptions{})
	}
	if err != nil {
		c.Fatal(err)
	}
	kubelets := plane.Kubelets{Client: c.Client, Starts: 100 * time.Millisecond,
		Phase: func(pod *corev1.Pod) corev1.PodPhase {
			switch {
			case strings.HasPrefix(pod.Name, shipped.Name):
				return "" // a replica, which runs
			case pod.Namespace == shipped.Namespace && c.runJob(pod) != nil:
				return corev1.PodFailed
			case pod.Namespace == shipped.Namespace:
				return corev1.PodSucceeded
			}
			return corev1.PodRunning
		}}
	if err := kubelets.Start(c.Context()); err != nil {
		c.Fatal(err)
	}
	go c.bind()
}

// logOf is the file of what a pod said: a plane has those of its processes there.
func (c *cluster) logOf(pod string) string { return filepath.Join(c.Dir, pod+".log") }

// tellLog answers /containerLogs/NAMESPACE/POD/CONTAINER.
func (c *cluster) tellLog(to http.ResponseWriter, request *http.Request) {
	parts := strings.Split(strings.TrimPrefix(request.URL.Path, "/containerLogs/"), "/")
	if len(parts) != 3 {
		http.NotFound(to, request)
		return
	}
	var text []byte
	err := errors.New("not looked at yet")
	for end := time.Now().Add(patience); err != nil && time.Now().Before(end); time.Sleep(lookTurn) {
		text, err = os.ReadFile(c.logOf(parts[1]))
	}
	if err != nil {
		http.Error(to, err.Error(), http.StatusNotFound)
		return
	}
	_, _ = to.Write(text)
}

// runJob runs what a pod of a Job of kube-system is for: a subcommand of the scheduler's program.
func (c *cluster) runJob(pod *corev1.Pod) error {
	program, err := shipped.Scheduler(c.Context(), c.root)
	if err != nil {
		return err
	}
	command := exec.CommandContext(c.Context(), program, pod.Spec.Containers[0].Args...)
	command.Env = c.env
	said, err := command.CombinedOutput()
	if ours := os.WriteFile(c.logOf(pod.Name), said, 0o600); err == nil {
		err = ours
	}
	return err
}

// bind is the stock scheduler to the pods of Jobs of kube-system.
func (c *cluster) bind() {
	for c.Context().Err() == nil {
		pods, err := c.Client.CoreV1().Pods(shipped.Namespace).List(c.Context(),
			metav1.ListOptions{FieldSelector: "spec.nodeName="})
		for i := 0; err == nil && i < len(pods.Items); i++ {
			_ = c.Client.CoreV1().Pods(shipped.Namespace).Bind(c.Context(), &corev1.Binding{
				ObjectMeta: metav1.ObjectMeta{Name: pods.Items[i].Name},
				Target:     corev1.ObjectReference{Kind: "Node", Name: beside},
			}, metav1.CreateOptions{})
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// rolledOut says of the Deployment what its controller would, now that a replica of it runs, and of
// the replica's pod whose it is.
func (c *cluster) rolledOut(ctx context.Context, replica *shipped.Replica) error {
	deployments := c.Client.AppsV1().Deployments(shipped.Namespace)
	deployment, err := deployments.Get(ctx, shipped.Name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	want := *deployment.Spec.Replicas
	deployment.Status.ObservedGeneration = deployment.Generation
	deployment.Status.Replicas, deployment.Status.UpdatedReplicas = want, want
	deployment.Status.ReadyReplicas, deployment.Status.AvailableReplicas = want, want
	if _, err := deployments.UpdateStatus(ctx, deployment, metav1.UpdateOptions{}); err != nil {
		return err
	}
	pods := c.Client.CoreV1().Pods(shipped.Namespace)
	pod, err := pods.Get(ctx, replica.Name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	pod.Labels = deployment.Spec.Template.Labels
	_, err = pods.Update(ctx, pod, metav1.UpdateOptions{})
	return err
}
