/* Variant packs: a plan keeps those of its last addresses. */

#ifndef CUDNN_CFFI_PACKS_H
#define CUDNN_CFFI_PACKS_H

#include "state.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

void drop_pack(struct pack *pack);

/* Executes a plan on the addresses of its arguments, unless it is closed; calls that use it follow
   each other. */
int execute_once(struct plan *self, struct place_of_call *where, uintptr_t plan,
                        const uintptr_t *found, uintptr_t workspace);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
