/* SPDX-License-Identifier: Apache-2.0 */
#include "encode.h"
#include "plugin/base/gate.h"
#include "serve.h"

/* One pod in one queue at one time, so that the samples fit together. */
static const int64_t now = INT64_C(1700000000000000000);
static const int64_t created = INT64_C(1699999990000000000);
static const char uid[] = "8e1b36c4-5f0a-4c39-9a7e-2f4d7c1b0a55";
static const char node[] = "node-1";

static void put_requests(struct msg_writer *w)
{
    msg_put_key(w, "requests");
    msg_put_map(w, 3);
    put_key_str(w, "cpu", "500m");
    put_key_int(w, "memory", INT64_C(1) << 30);
    put_key_str(w, "nvidia.com/gpu", "1");
}

static void put_annotations(struct msg_writer *w)
{
    msg_put_key(w, "annotations");
    msg_put_map(w, 2);
    put_key_str(w, gate_name(GATE_LONG), "true");
    put_key_str(w, "scheduling.volcano.sh/queue-name", "default");
}

static void put_pod_sample(struct msg_writer *w)
{
    msg_put_map(w, 20);
    put_key_str(w, "uid", uid);
    put_key_str(w, "namespace", "default");
    put_key_str(w, "name", "pod-1");
    put_key_int(w, "created", created);
    put_key_int(w, "priority", 0);
    put_key_int(w, "generation", 1);
    put_key_int(w, "resourceVersion", 100);
    put_key_str(w, "scheduler", "default-scheduler");
    put_gates(w, GATE_LONG);
    put_annotations(w);
    put_key_str(w, "namespaceQueue", "");
    put_key_str(w, "queueKind", "Queue");
    put_requests(w);
    put_key_str(w, "node", "");
    put_key_str(w, "nominated", "");
    put_key_str(w, "phase", "Pending");
    put_key_bool(w, "deleted", false);
    put_key_bool(w, "unschedulable", false);
    put_key_str(w, "owner", "ReplicaSet");
    put_key_bool(w, "mirror", false);
}

void sample_observe(struct msg_writer *w)
{
    msg_put_map(w, 4);
    put_key_int(w, "now", now);
    put_key_str(w, "kind", "pod");
    put_key_bool(w, "gone", false);
    msg_put_key(w, "object");
    put_pod_sample(w);
}

void sample_admit(struct msg_writer *w)
{
    msg_put_map(w, 4);
    put_key_int(w, "now", now);
    put_key_str(w, "kind", "pod");
    put_key_str(w, "operation", "CREATE");
    msg_put_key(w, "object");
    msg_put_map(w, 5);
    put_key_str(w, "namespace", "default");
    put_key_str(w, "scheduler", "default-scheduler");
    put_gates(w, 0);
    put_annotations(w);
    put_requests(w);
}

void sample_pre_enqueue(struct msg_writer *w)
{
    msg_put_map(w, 3);
    put_key_int(w, "now", now);
    put_key_bool(w, "explain", true);
    msg_put_key(w, "pod");
    put_pod_sample(w);
}

void sample_uid(struct msg_writer *w)
{
    msg_put_map(w, 2);
    put_key_int(w, "now", now);
    put_key_str(w, "uid", uid);
}

void sample_filter(struct msg_writer *w)
{
    msg_put_map(w, 3);
    put_key_int(w, "now", now);
    put_key_str(w, "uid", uid);
    msg_put_key(w, "nodes");
    msg_put_array(w, 2);
    msg_put_int(w, 1);
    msg_put_int(w, 2);
}

void sample_placed(struct msg_writer *w)
{
    msg_put_map(w, 3);
    put_key_int(w, "now", now);
    put_key_str(w, "uid", uid);
    put_key_str(w, "node", node);
}

void sample_command(struct msg_writer *w)
{
    msg_put_map(w, 3);
    put_key_int(w, "now", now);
    put_key_bool(w, "gone", false);
    msg_put_key(w, "command");
    msg_put_map(w, 6);
    put_key_str(w, "uid", "1f0c7a52-9d1b-4c8e-8b7a-0a5c1d2e3f40");
    put_key_str(w, "namespace", "default");
    put_key_str(w, "name", "suspend-default");
    put_key_int(w, "created", created);
    put_key_str(w, "action", "SuspendQueue");
    msg_put_key(w, "target");
    msg_put_map(w, 2);
    put_key_str(w, "kind", "Queue");
    put_key_str(w, "name", "default");
}

void sample_tick(struct msg_writer *w)
{
    msg_put_map(w, 1);
    put_key_int(w, "now", now);
}

void sample_drain(struct msg_writer *w)
{
    msg_put_map(w, 2);
    put_key_int(w, "now", now);
    put_key_int(w, "max", 64);
}

void sample_ack(struct msg_writer *w)
{
    msg_put_map(w, 2);
    put_key_int(w, "now", now);
    msg_put_key(w, "acks");
    msg_put_array(w, 1);
    msg_put_map(w, 2);
    put_key_int(w, "id", 1);
    put_key_str(w, "result", "done");
}

void sample_inspect(struct msg_writer *w)
{
    msg_put_map(w, 4);
    put_key_int(w, "now", now);
    put_key_str(w, "what", "queues");
    put_key_int(w, "from", 0);
    put_key_int(w, "max", 256);
}
