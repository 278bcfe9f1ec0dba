/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/argument.h"

#include <stdlib.h>
#include <string.h>

static bool read_number(const char *text, uint64_t least, uint64_t *ret)
{
    char *end;

    *ret = strtoull(text, &end, 0);
    return *text >= '0' && *text <= '9' && *end == '\0' && *ret >= least;
}

bool argument_read(int argc, char **argv, const struct argument *arguments)
{
    for (int n = 1; n < argc; n++) {
        const struct argument *is = arguments;

        while (is->name != NULL && strcmp(argv[n], is->name) != 0)
            is++;
        if (is->is_said != NULL)
            *is->is_said = true;
        else if (is->name == NULL || ++n == argc)
            return false;
        else if (is->text != NULL)
            *is->text = argv[n];
        else if (!read_number(argv[n], is->least, is->number))
            return false;
    }
    return true;
}
