/* The base of the class Plan: a call of a plan whose arguments are all as they should be runs here,
   without a Python frame. Whatever is not plain is left to the method `_run`, before anything was
   executed. */

#ifndef CUDNN_CFFI_PLAN_H
#define CUDNN_CFFI_PLAN_H

#include <stdint.h>

/* What cffi calls: the address of the type; 0 where it cannot be made. */
uintptr_t cudnn_cffi_plan_type(void);

#endif
