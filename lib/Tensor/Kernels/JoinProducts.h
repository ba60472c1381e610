//===- JoinProducts.h - products of one row in one launch ------*- C++ -*-===//
//
// Queries, keys and values are products of one tensor with three weights. For one row
// each is a short kernel, and three launches take longer than one with the blocks of
// all. nn.linears is that, and nn.norm_linears the same with the norm before them.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_TENSOR_KERNELS_JOINPRODUCTS_H
#define LISPIER_LIB_TENSOR_KERNELS_JOINPRODUCTS_H

#include "KernelChoice.h"
#include "lispier/Buffers/ConstantMemory.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace lispier {
/// Makes one op, for one row, of nn.linear ops of the same x that have weights of their own, where the kernel index has
/// an implementation. Where only the run knows the number of rows, it decides.
void joinProducts(mlir::func::FuncOp function, KernelChoice &choice, ConstantMemory &memory);
} // namespace lispier
#endif
