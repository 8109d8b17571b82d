/* A function of Python, in front of which calls of a kind that is known go straight to their plan. */

#ifndef CUDNN_CFFI_SHORTCUT_H
#define CUDNN_CFFI_SHORTCUT_H

#include <stdint.h>

/* What cffi calls: the address of a tuple with the types of shortcuts and of their memories; 0 where
   it cannot be made. */
uintptr_t cudnn_cffi_shortcuts(void);

#endif
