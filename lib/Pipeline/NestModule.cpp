//===- NestModule.cpp - a builtin.module for some passes ------------------===//
//
// Before: a gpu.module. After: what it contains is in a builtin.module, its only op,
// until lispier-unnest-modules: passes between the two may be such on builtin.module.
//
//===----------------------------------------------------------------------===//
#include "lispier/Pipeline/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_NESTMODULE
#include "lispier/Pipeline/Passes.h.inc"

namespace {
struct NestModule : impl::NestModuleBase<NestModule> {
  void runOnOperation() override {
    Block *body = getOperation().getBody();
    auto module = ModuleOp::create(getOperation().getLoc());
    module.getBody()->getOperations().splice(module.getBody()->end(), body->getOperations());
    body->push_back(module);
  }
};
} // namespace
} // namespace lispier
