/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/difference.h"

#include <stdarg.h>
#include <stdio.h>

bool differ(char difference[DIFFERENCE_MAX], const char *format, ...)
{
    va_list args;

    va_start(args, format);
    if (difference[0] == '\0')
        vsnprintf(difference, DIFFERENCE_MAX, format, args);
    va_end(args);
    return false;
}
