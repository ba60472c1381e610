//===- PassByValue.cpp - parameters that launches pass by value -----------===//
//
// Before: kernels in the LLVM dialect, with pointers for tensor maps, which are arrays
// by the kernel's `device.kernel`. After: these pointers are to the parameters
// themselves. Upstream's conversion would drop the attributes if they were there
// before it.
//
//===----------------------------------------------------------------------===//
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Target/Nvidia/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_PASSBYVALUE
#include "lispier/Target/Nvidia/Passes.h.inc"

namespace {
void passByValue(LLVM::LLVMFuncOp kernel) {
  constexpr int64_t kAlignment = 64; // Of a tensor map.
  auto description = kernel->getAttrOfType<device::KernelAttr>(device::kKernel);
  if (!description || description.getParameters().size() != kernel.getNumArguments())
    return;
  Builder b(kernel.getContext());
  for (auto [i, type] : llvm::enumerate(description.getParameters().getAsValueRange<TypeAttr>())) {
    if (!isa<LLVM::LLVMArrayType>(type))
      continue;
    kernel.setArgAttr(i, LLVM::LLVMDialect::getByValAttrName(), TypeAttr::get(type));
    kernel.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(), b.getI64IntegerAttr(kAlignment));
    kernel.setArgAttr(i, NVVM::NVVMDialect::getGridConstantAttrName(), b.getUnitAttr());
  }
}

struct PassByValue : impl::PassByValueBase<PassByValue> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<LLVM::LLVMFuncOp>())
      passByValue(kernel);
  }
};
} // namespace
} // namespace lispier
