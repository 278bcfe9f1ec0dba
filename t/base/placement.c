/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/base/placement.h"

#include "t/kit/tap.h"

#include <stdio.h>

enum { MOST = 8 };

/* What pods want and what a flavor is, in words; a word ends at a space.
 *
 *     pods:    KEY=VALUE                 of the node selector
 *              | KEY?OPERATOR:VALUE,...  a demand of the term that `|` begins
 *              ~KEY=VALUE:EFFECT         tolerated; OPERATOR?KEY=VALUE:EFFECT with another operator
 *     flavor:  KEY=VALUE                 a label
 *              !KEY=VALUE:EFFECT         a taint
 *              ~...                      as above
 */
struct words {
    struct placement pods;
    struct flavor_facts flavor;
    struct taints taints;
    struct label selector[MOST];
    struct toleration tolerations[MOST];
    struct node_term terms[MOST];
    struct label_demand demands[MOST][MOST];
    struct text values[MOST][MOST][MOST];
};

static struct text until(const char **at, const char *stops)
{
    struct text text = {*at, strcspn(*at, stops)};

    *at += text.len;
    return text;
}

static void skip(const char **at, const char *what)
{
    *at += strspn(*at, what);
}

static void read_demand(struct words *w, const char **at)
{
    uint32_t t = w->pods.term_count - 1, d = w->terms[t].count++;
    struct label_demand *demand = &w->demands[t][d];

    demand->key = until(at, "?");
    skip(at, "?");
    demand->operator_ = until(at, ": ");
    while (**at == ':' || **at == ',') {
        skip(at, ":,");
        w->values[t][d][demand->value_count++] = until(at, ", ");
    }
    demand->values = w->values[t][d];
}

static struct toleration read_toleration(const char **at)
{
    struct toleration toleration = {0};

    skip(at, "~");
    if ((*at)[strcspn(*at, "? ")] == '?') {
        toleration.operator_ = until(at, "?");
        skip(at, "?");
    }
    toleration.key = until(at, "=: ");
    skip(at, "=");
    toleration.value = until(at, ": ");
    skip(at, ":");
    toleration.effect = until(at, " ");
    return toleration;
}

static struct label read_label(const char **at)
{
    struct label label = {.key = until(at, "= ")};

    skip(at, "=");
    label.value = until(at, ": ");
    return label;
}

static enum placement_verdict judge(const char *pods, const char *flavor)
{
    static struct words w;
    uint32_t taint = MOST;

    w = (struct words){0};
    for (const char *at = pods; *at != '\0'; skip(&at, " ")) {
        if (*at == '~') {
            w.tolerations[w.pods.toleration_count++] = read_toleration(&at);
        } else if (*at == '|') {
            at++;
            w.terms[w.pods.term_count].demands = w.demands[w.pods.term_count];
            w.pods.term_count++;
        } else if (at[strcspn(at, "? ")] == '?') {
            read_demand(&w, &at);
        } else {
            w.selector[w.pods.selector_count++] = read_label(&at);
        }
    }
    for (const char *at = flavor; *at != '\0'; skip(&at, " ")) {
        if (*at == '~') {
            w.flavor.tolerations[w.flavor.toleration_count++] = read_toleration(&at);
        } else if (*at == '!') {
            struct toleration read = (at++, read_toleration(&at));

            w.taints.item[w.taints.count++] = (struct taint){read.key, read.value, read.effect};
        } else {
            w.flavor.labels[w.flavor.label_count++] = read_label(&at);
        }
    }
    w.pods.selector = w.selector;
    w.pods.terms = w.terms;
    w.pods.tolerations = w.tolerations;
    return placement_judge(&w.pods, &w.flavor, &w.taints, &taint);
}

static void suits(const char *pods, const char *flavor, const char *why)
{
    is_int(judge(pods, flavor), PLACEMENT_SUITS, "%s", why);
}

static void elsewhere(const char *pods, const char *flavor, const char *why)
{
    is_int(judge(pods, flavor), PLACEMENT_ELSEWHERE, "%s", why);
}

static void tainted(const char *pods, const char *flavor, const char *why)
{
    is_int(judge(pods, flavor), PLACEMENT_TAINTED, "%s", why);
}

static void test_selector(void)
{
    suits("", "", "who wants nothing can be anywhere");
    suits("", "type=spot", "also where there are labels");
    suits("type=spot", "type=spot", "a label as it is wanted");
    elsewhere("type=own", "type=spot", "and as it is not");
    suits("zone=a", "type=spot", "a label that the flavor does not speak of is the scheduler's");
    elsewhere("zone=a type=own", "type=spot", "beside one that it does");
    elsewhere("type=", "type=spot", "no value is a value");
}

static void test_affinity(void)
{
    suits("| type?In:own,spot", "type=spot", "one of some");
    elsewhere("| type?In:own", "type=spot", "none of them");
    elsewhere("| type?In", "type=spot", "none of none");
    suits("| type?NotIn:own", "type=spot", "not one of them");
    elsewhere("| type?NotIn:own,spot", "type=spot", "or just one");
    suits("| type?Exists", "type=spot", "it is there");
    elsewhere("| type?DoesNotExist", "type=spot", "and should not be");
    suits("| zone?DoesNotExist", "type=spot", "or is not known to be there");
    suits("| zone?In:a", "type=spot", "a key that the flavor does not speak of");
    elsewhere("| zone?In:a type?In:own", "type=spot", "all demands of a term must hold");
    suits("| type?In:own | type?In:spot", "type=spot", "but only one of the terms");
    elsewhere("| type?In:own | type?In:other", "type=spot", "though one of them");
    suits("| type?In:own | zone?In:a", "type=spot", "in which nothing is left holds everywhere");
    suits("| type?In:own |", "type=spot", "nor was there anything in it before");
    elsewhere("type=own | zone?In:a", "type=spot", "the selector counts beside it");
    elsewhere("| type?Like:spot", "type=spot", "an operator that nobody knows holds nowhere");
}

static void test_numbers(void)
{
    suits("| gen?Gt:3", "gen=4", "4 is more than 3");
    elsewhere("| gen?Gt:4", "gen=4", "and not than 4");
    suits("| gen?Lt:10", "gen=9", "numbers are no words");
    elsewhere("| gen?Lt:9", "gen=9", "9 is not less than 9");
    suits("| gen?Gt:-2", "gen=-1", "below zero, too");
    suits("| gen?Lt:+8", "gen=007", "as Go reads them");
    elsewhere("| gen?Gt:3,4", "gen=9", "one bound, not two");
    elsewhere("| gen?Gt:", "gen=9", "nor none");
    elsewhere("| gen?Gt:3", "gen=9th", "a label that is no number");
    elsewhere("| gen?Gt:x", "gen=9", "a bound that is none");
    elsewhere("| gen?Gt:-", "gen=9", "or only its sign");
    suits("| gen?Lt:9223372036854775807", "gen=-9223372036854775808", "up to the last that fits");
    elsewhere("| gen?Gt:1", "gen=9223372036854775808", "and not beyond");
    elsewhere("| gen?Lt:1", "gen=-9223372036854775809", "on either side");
}

static void test_taints(void)
{
    tainted("", "!spot=yes:NoSchedule", "a taint keeps pods away");
    tainted("", "!spot=yes:NoExecute", "of either kind");
    suits("", "!spot=yes:PreferNoSchedule", "but for one that only prefers others");
    suits("~spot=yes:NoSchedule", "!spot=yes:NoSchedule", "who tolerates it may come");
    suits("~Equal?spot=yes:", "!spot=yes:NoSchedule", "with any effect");
    tainted("~spot=no:", "!spot=yes:NoSchedule", "of that value");
    tainted("~spot=yes:NoExecute", "!spot=yes:NoSchedule", "and effect");
    suits("~Exists?spot", "!spot=yes:NoSchedule", "of any value, if it exists");
    suits("~Exists?", "!spot=yes:NoSchedule !b:NoExecute", "or of any key");
    tainted("~Exists?spot", "!spot=yes:NoSchedule !b:NoExecute", "all of them must be tolerated");
    suits("", "!spot=yes:NoSchedule ~spot=yes:NoSchedule",
          "the flavor's tolerations are the pods'");
    suits("~Gt?workload=5:", "!workload=7:NoSchedule", "a taint above a number");
    tainted("~Gt?workload=7:", "!workload=7:NoSchedule", "and not at it");
    suits("~Lt?workload=9:", "!workload=7:NoSchedule", "below it");
    tainted("~Lt?workload=09:", "!workload=7:NoSchedule", "a number is not written so");
    tainted("~Lt?workload=+9:", "!workload=7:NoSchedule", "nor so");
    tainted("~Lt?workload=9:", "!workload=much:NoSchedule", "nor is this one");
    suits("~Gt?workload=-1:", "!workload=0:NoSchedule", "zero is");
    tainted("~Never?spot=yes:", "!spot=yes:NoSchedule", "an operator that nobody knows");
    tainted("type=own", "type=spot !a:NoSchedule", "the taint is told of first");
}

int main(void)
{
    test_selector();
    test_affinity();
    test_numbers();
    test_taints();
    return tap_done();
}
