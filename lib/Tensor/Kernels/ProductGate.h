//===- ProductGate.h - gates of products' outputs --------------*- C++ -*-===//
#ifndef LISPIER_LIB_TENSOR_KERNELS_PRODUCTGATE_H
#define LISPIER_LIB_TENSOR_KERNELS_PRODUCTGATE_H

#include "lispier/Group/Group.h"
#include "lispier/NN/NN.h"

namespace lispier {
/// A group that multiplies the activated first half of a product's outputs by the second half (Dauphin et al. 2017).
struct ProductGate {
  group::KernelOp kernel;
  nn::Activation activation;
};

/// The gate that is all that reads the product's outputs; behind the product in its block.
std::optional<ProductGate> gateOf(nn::LinearOp linear);
} // namespace lispier
#endif
