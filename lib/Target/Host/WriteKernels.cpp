//===- WriteKernels.cpp - write the kernels' binary to a file -------------===//
//
// For textual pipelines and tests; the compiler driver writes files itself.
//
//===----------------------------------------------------------------------===//
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Target/Host/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_WRITEKERNELS
#include "lispier/Target/Host/Passes.h.inc"

namespace {
struct WriteKernels : impl::WriteKernelsBase<WriteKernels> {
  using WriteKernelsBase::WriteKernelsBase;

  void runOnOperation() override {
    if (failed(write(getOperation())))
      signalPassFailure();
  }

  LogicalResult write(ModuleOp module) {
    SmallVector<device::CodeAttr> codes;
    for (auto kernels : module.getOps<gpu::GPUModuleOp>())
      if (auto code = kernels->getAttrOfType<device::CodeAttr>(device::kCode); code && code.getBytes())
        codes.push_back(code);
    if (codes.size() != 1)
      return module.emitError("has ") << codes.size() << " gpu.modules with code; a file holds one, and "
                                      << "lispier-merge-gpu-modules makes one of many before they are lowered";
    std::error_code error;
    llvm::raw_fd_ostream os(output, error);
    if (!error) {
      os << codes.front().getBytes().getValue();
      os.flush();
      error = os.error();
      os.clear_error();
    }
    return error ? module.emitError("cannot write ") << output << ": " << error.message() : success();
  }
};
} // namespace
} // namespace lispier
