/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/base/policy_rank.h"

#include "t/kit/tap.h"

int main(void)
{
    const struct policy_rank old = {1, 10}, new = {1, 20}, low = {0, 5}, high = {2, 30};

    ok(!policy_takes_rank(high, low, PREEMPT_NEVER), "never is nobody");
    ok(policy_takes_rank(old, low, PREEMPT_LOWER), "lower is who is less important");
    ok(!policy_takes_rank(old, new, PREEMPT_LOWER), "and not who is only newer");
    ok(!policy_takes_rank(low, high, PREEMPT_LOWER), "nor who is more important");
    ok(policy_takes_rank(old, new, PREEMPT_LOWER_OR_NEWER), "that one, if the policy says so");
    ok(!policy_takes_rank(new, old, PREEMPT_LOWER_OR_NEWER), "but nobody older");
    ok(!policy_takes_rank(old, old, PREEMPT_LOWER_OR_NEWER), "and nobody of the same age");
    ok(policy_takes_rank(low, high, PREEMPT_ANY), "any is anybody");
    return tap_done();
}
