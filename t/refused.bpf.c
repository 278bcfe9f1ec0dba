/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/* A program that the kernel's verifier refuses: it reads where nothing says that it may. */
#include <linux/bpf.h>
#include <linux/ptrace.h>

#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "Dual BSD/GPL";

SEC("uprobe")
int refused(struct pt_regs *ctx)
{
    return *(volatile int *)0x1234;
}
