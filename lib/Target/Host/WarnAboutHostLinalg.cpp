//===- WarnAboutHostLinalg.cpp - linalg ops that became no kernel ----------===//
#include "lispier/Target/Host/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseSet.h"

namespace lispier {
#define GEN_PASS_DEF_WARNABOUTHOSTLINALG
#include "lispier/Target/Host/Passes.h.inc"

namespace {
struct WarnAboutHostLinalg : impl::WarnAboutHostLinalgBase<WarnAboutHostLinalg> {
  void runOnOperation() override {
    llvm::DenseSet<mlir::OperationName> reported;
    getOperation().walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
      if (llvm::isa<mlir::gpu::GPUModuleOp, mlir::gpu::LaunchOp>(op))
        return mlir::WalkResult::skip();
      if (llvm::isa<mlir::linalg::LinalgOp>(op) && reported.insert(op->getName()).second)
        op->emitWarning() << "the passes of the file make no kernel of `" << op->getName()
                          << "`: it runs on the host, as loops";
      return mlir::WalkResult::advance();
    });
    markAllAnalysesPreserved();
  }
};
} // namespace
} // namespace lispier
