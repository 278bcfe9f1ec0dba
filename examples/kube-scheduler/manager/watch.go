// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
)

// What is seen in the manager's own cluster.

type informerSource interface {
	Informer() cache.SharedIndexInformer
	Lister() cache.GenericLister
}

// handle calls one for an object that is there, old or new, and the other for one that is not.
func handle(seen, gone func(*unstructured.Unstructured)) cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { seen(object.(*unstructured.Unstructured)) },
		UpdateFunc: func(_, object any) { seen(object.(*unstructured.Unstructured)) },
		DeleteFunc: func(object any) {
			if last, is := object.(cache.DeletedFinalStateUnknown); is {
				object = last.Obj
			}
			if object, is := object.(*unstructured.Unstructured); is {
				gone(object)
			}
		},
	}
}

func keyOf(object *unstructured.Unstructured) types.NamespacedName {
	return types.NamespacedName{Namespace: object.GetNamespace(), Name: object.GetName()}
}

// workloadSeen tells the engine of a workload that has our check. It is told no more when the check
// has been taken away; but when the AdmissionCheck itself is gone, that alone ends nothing.
func (m *Manager) workloadSeen(object *unstructured.Unstructured) {
	key := keyOf(object)
	w, err := readWorkload(object)
	if err != nil {
		metrics.refused.Inc()
		m.log.Error(err, "A workload cannot be read", "workload", key)
		return
	}
	m.show(key, w)
	m.chores.Add(chore{ofWorkload, key})
}

func (m *Manager) show(key types.NamespacedName, w *workload) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	before, known := m.shown[key]
	check := m.checkOf(w)
	if known && check == "" && w.check(before.check) != nil {
		check = before.check
	}
	if check == "" && !w.dispatched() {
		if known {
			m.forget(key, before.uid)
		}
		return
	}
	tail, err := m.eng.ObserveWorkload(w.managed(check))
	m.toldOf("workload", key.String(), tail, err, func() {
		if now := m.workload(key); now != nil {
			m.show(key, now)
		}
	})
	if err == nil {
		m.shown[key] = shown{w.UID, check}
	}
}

// forget tells the engine that the workload is gone. [mutex]
func (m *Manager) forget(key types.NamespacedName, uid types.UID) {
	tail, err := m.eng.ForgetWorkload(string(uid), key.Namespace, key.Name)
	m.told(tail, err, "workload", key.String())
	delete(m.shown, key)
}

func (m *Manager) workloadGone(object *unstructured.Unstructured) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	key := keyOf(object)
	if before, known := m.shown[key]; known && before.uid == object.GetUID() {
		m.forget(key, before.uid)
	}
}

// checkOf is the workload's check that is ours to answer; "": none is.
func (m *Manager) checkOf(w *workload) string {
	for i := range w.Status.AdmissionChecks {
		name := string(w.Status.AdmissionChecks[i].Name)
		if check := m.check(name); check != nil && check.Spec.ControllerName == m.config.ControllerName {
			return name
		}
	}
	return ""
}

// knownCheck is checkOf, or by which check the workload was known before.
func (m *Manager) knownCheck(w *workload) string {
	if check := m.checkOf(w); check != "" {
		return check
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	return m.shown[types.NamespacedName{Namespace: w.Namespace, Name: w.Name}].check
}

// named reads one object of a lister; false: there is none that can be read.
func named(lister cache.GenericLister, name string, into any) bool {
	object, err := lister.Get(name)
	if err != nil {
		return false
	}
	content := object.(*unstructured.Unstructured).Object
	return runtime.DefaultUnstructuredConverter.FromUnstructured(content, into) == nil
}

func (m *Manager) check(name string) *kueue.AdmissionCheck {
	check := &kueue.AdmissionCheck{}
	if !named(m.checks, name, check) {
		return nil
	}
	return check
}

// configOf is the MultiKueueConfig that a check names; nil: there is none.
func (m *Manager) configOf(check *kueue.AdmissionCheck) *kueue.MultiKueueConfig {
	parameters := check.Spec.Parameters
	if parameters == nil || parameters.Kind != "MultiKueueConfig" ||
		parameters.APIGroup != kueue.SchemeGroupVersion.Group {
		return nil
	}
	config := &kueue.MultiKueueConfig{}
	if !named(m.configs, parameters.Name, config) {
		return nil
	}
	return config
}

func (m *Manager) checkSeen(object *unstructured.Unstructured) {
	m.chores.Add(chore{ofCheck, types.NamespacedName{Name: object.GetName()}})
	m.lookAtAll()
}

func (m *Manager) configSeen(*unstructured.Unstructured) { m.allChores() }

// lookAtAll shows workloads again: which of them are ours depends on the checks.
func (m *Manager) lookAtAll() {
	for _, object := range all(m.workloads) {
		m.workloadSeen(object)
	}
}

func all(lister cache.GenericLister) (objects []*unstructured.Unstructured) {
	list, err := lister.List(labels.Everything())
	if err != nil {
		return nil
	}
	for _, object := range list {
		objects = append(objects, object.(*unstructured.Unstructured))
	}
	return objects
}

// jobSeen looks after the workloads of a Job: their status is its status.
func (m *Manager) jobSeen(object *unstructured.Unstructured) {
	for _, key := range m.workloadsOf(keyOf(object)) {
		m.chores.Add(chore{ofWorkload, key})
	}
}

func (m *Manager) workloadsOf(job types.NamespacedName) (keys []types.NamespacedName) {
	list, err := m.byJob.ByIndex(jobIndex, job.String())
	if err != nil {
		return nil
	}
	for _, one := range list {
		keys = append(keys, keyOf(one.(*unstructured.Unstructured)))
	}
	return keys
}

// jobIndex finds workloads by the Job that they stand for.
const jobIndex = "job"

func ownersOf(object any) (jobs []string, err error) {
	workload, is := object.(*unstructured.Unstructured)
	if !is {
		return nil, nil
	}
	for _, owner := range workload.GetOwnerReferences() {
		if isJob(&owner) {
			jobs = append(jobs, types.NamespacedName{Namespace: workload.GetNamespace(),
				Name: owner.Name}.String())
		}
	}
	return jobs, nil
}

// workload is the manager's, as it was last seen; nil: there is none.
func (m *Manager) workload(key types.NamespacedName) *workload {
	object, err := m.workloads.ByNamespace(key.Namespace).Get(key.Name)
	if err != nil {
		return nil
	}
	w, err := readWorkload(object.(*unstructured.Unstructured))
	if err != nil {
		return nil
	}
	return w
}

func (m *Manager) clusterSeen(object *unstructured.Unstructured) {
	cluster := &kueue.MultiKueueCluster{}
	err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, cluster)
	if err != nil {
		m.log.Error(err, "A cluster cannot be read", "cluster", object.GetName())
		return
	}
	m.worker(cluster).is(cluster)
	m.chores.Add(chore{ofCluster, types.NamespacedName{Name: cluster.Name}})
}

// worker finds the worker or begins to follow it.
func (m *Manager) worker(cluster *kueue.MultiKueueCluster) *worker {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	w := m.workers[cluster.Name]
	if w == nil {
		w = newWorker(m, cluster)
		m.workers[cluster.Name] = w
		m.done.Go(w.run)
	}
	return w
}

func (m *Manager) clusterGone(object *unstructured.Unstructured) {
	m.mutex.Lock()
	w := m.workers[object.GetName()]
	delete(m.workers, object.GetName())
	m.mutex.Unlock()
	if w != nil {
		w.end()
	}
	m.allChores()
}

func (m *Manager) everyWorker() (workers []*worker) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	for _, w := range m.workers {
		workers = append(workers, w)
	}
	return workers
}
