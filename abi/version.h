/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_VERSION_H
#define SLUICE_VERSION_H

/* Of which version this build is: what abi/version said when it was made. */
extern const char build_version[];

#endif
