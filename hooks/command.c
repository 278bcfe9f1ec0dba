/* SPDX-License-Identifier: Apache-2.0 */
#include "serve.h"

void serve_command(struct call *call)
{
    call_refuse(call, SLUICE_UNSUPPORTED, "command", "a command",
                "a queue whose state says so: this version carries out no commands");
}
