/* The functions of a node of PyTorch's autograd: see node.c. */

#ifndef CUDNN_CFFI_NODE_H
#define CUDNN_CFFI_NODE_H

#include <stdint.h>

/* Returns the address of the type; 0 where it cannot be made. */
uintptr_t cudnn_cffi_node_type(void);

#endif
