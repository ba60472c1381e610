//===- EmbedKernels.cpp - embed the kernels' binaries in the program ------===//
//
// Before: gpu.modules with `device.code`, and a host `main` or functions that a
// library exports. After: the binaries are constants of the host module, or symbols
// that it declares, which `main` first registers with the runtime, or for a library
// a function of its own.
// The gpu.modules stay for CallDevice, which erases them with the last launch.
//
//===----------------------------------------------------------------------===//

#include "lispier/Device/DeviceDialect.h"
#include "lispier/Group/EntryAttributes.h"
#include "lispier/Loops/RuntimeCalls.h"
#include "lispier/Target/Host/Gpu.h"
#include "lispier/Target/Host/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_EMBEDKERNELS
#include "lispier/Target/Host/Passes.h.inc"

namespace {
/// The names of all kernels, one per line, the format of lispier_rt_device_image.
std::string kernelNames(gpu::GPUModuleOp kernels) {
  std::string names;
  for (auto symbol : kernels.getOps<SymbolOpInterface>())
    if (symbol->hasAttr(gpu::GPUDialect::getKernelFuncAttrName()))
      names += (names.empty() ? "" : "\n") + symbol.getName().str();
  return names;
}

struct EmbedKernels : impl::EmbedKernelsBase<EmbedKernels> {
  void runOnOperation() override {
    OpBuilder start(&getContext());
    if (func::FuncOp first = firstFunction(); first && !first.isExternal())
      start.setInsertionPointToStart(&first.getBody().front());
    for (auto kernels : getOperation().getOps<gpu::GPUModuleOp>()) {
      auto code = dyn_cast_or_null<device::CodeAttr>(kernels->removeAttr(device::kCode));
      if (!code || !start.getInsertionBlock()) // Nothing would register the binary.
        continue;
      FailureOr<GpuTarget> target = gpuTargetOf(kernels);
      if (failed(target))
        return signalPassFailure();
      announce(kernels, code, *target, start);
    }
  }

  /// What is called before any kernel is launched: `main`, or of a library a new function; null if there is neither.
  func::FuncOp firstFunction() {
    auto main = getOperation().lookupSymbol<func::FuncOp>("main");
    bool isLibrary = llvm::any_of(getOperation().getOps<func::FuncOp>(),
                                  [](func::FuncOp function) { return function->hasAttr(kEntryAttr); });
    if (main || !isLibrary)
      return main;
    OpBuilder b = OpBuilder::atBlockEnd(getOperation().getBody());
    auto made = func::FuncOp::create(b, getOperation().getLoc(), kRegisterKernels, b.getFunctionType({}, {}));
    b.setInsertionPointToEnd(made.addEntryBlock());
    func::ReturnOp::create(b, made.getLoc());
    return made;
  }

  void announce(gpu::GPUModuleOp kernels, device::CodeAttr code, GpuTarget gpu, OpBuilder &start) {
    Location loc = kernels.getLoc();
    auto [address, length] = code.getSymbol() ? declare(loc, code.getSymbol(), start) : define(loc, code, gpu, start);
    RuntimeCalls calls(getOperation());
    calls.call(start, loc, "lispier_rt_device_image",
               {calls.text(start, loc, gpu.backend->runtimeKind()), calls.text(start, loc, gpu.chip->name),
                calls.text(start, loc, code.getFormat()), calls.text(start, loc, kernelNames(kernels)), address,
                length});
  }

  /// The address and the number of bytes of a binary that is linked later.
  std::pair<Value, Value> declare(Location loc, StringAttr symbol, OpBuilder &start) {
    OpBuilder builder = OpBuilder::atBlockBegin(getOperation().getBody());
    auto global = [&](Type type, const Twine &name) {
      return LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true, LLVM::Linkage::External,
                                    builder.getStringAttr(name), Attribute());
    };
    auto bytes = global(LLVM::LLVMArrayType::get(builder.getI8Type(), 0), symbol.getValue());
    auto size = global(builder.getI64Type(), symbol.getValue() + "_size");
    Value address = LLVM::AddressOfOp::create(start, loc, bytes);
    Value length = LLVM::LoadOp::create(start, loc, builder.getI64Type(), LLVM::AddressOfOp::create(start, loc, size));
    return {address, length};
  }

  std::pair<Value, Value> define(Location loc, device::CodeAttr code, GpuTarget gpu, OpBuilder &start) {
    std::string bytes = code.getBytes().str();
    int64_t size = bytes.size();
    bytes += '\0'; // Drivers take PTX as a NUL-terminated string.
    ModuleOp module = getOperation();
    OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
    std::string symbol = ("lispier_kernels_" + gpu.backend->name() + "_" + gpu.chip->name).str();
    if (unsigned number = parts[symbol]++)
      symbol += "_" + std::to_string(number);
    auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), bytes.size());
    constexpr uint64_t kAlignment = 64; // HIP reads the code object in place.
    auto global = LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true, LLVM::Linkage::Internal, symbol,
                                         builder.getStringAttr(bytes), kAlignment);
    Value address = LLVM::AddressOfOp::create(start, loc, global);
    return {address, arith::ConstantIntOp::create(start, loc, size, 64)};
  }

  llvm::StringMap<unsigned> parts; ///< The number of binaries registered for each target.
};
} // namespace
} // namespace lispier
