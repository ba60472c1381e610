//===- ProductGate.h - gates of products' outputs --------------*- C++ -*-===//
#ifndef LISPIER_LIB_TENSOR_KERNELS_PRODUCTGATE_H
#define LISPIER_LIB_TENSOR_KERNELS_PRODUCTGATE_H

#include "lispier/Group/Group.h"
#include "lispier/NN/NN.h"

namespace lispier {
/// A group that multiplies the activated first half of a product's outputs by the second half (Dauphin et al. 2017).
struct ProductGate {
  group::KernelOp kernel;
  mlir::Value rows; ///< Its result.
  nn::Activation activation;
};

/// The gate that is all that reads the outputs of the group, a product alone; behind it in its block.
std::optional<ProductGate> gateOf(group::KernelOp product);
} // namespace lispier
#endif
