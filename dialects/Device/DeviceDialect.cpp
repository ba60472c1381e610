//===- DeviceDialect.cpp - the device dialect -----------------------------===//
#include "lispier/Device/DeviceDialect.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "lispier/Device/DeviceDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "lispier/Device/DeviceAttributes.cpp.inc"

namespace lispier::device {
void DeviceDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "lispier/Device/DeviceAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "lispier/Device/DeviceOps.cpp.inc"
      >();
}

llvm::Expected<Target> findTarget(MLIRContext *context, StringRef name) {
  auto *dialect = context->getLoadedDialect<DeviceDialect>();
  auto *table = dialect ? dialect->getRegisteredInterface<TargetTable>() : nullptr;
  if (table)
    return table->find(name);
  return llvm::createStringError("no target `" + name + "`: this tool knows none");
}

StringAttr targetOf(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto name = op->getAttrOfType<StringAttr>(kTarget))
      return name;
  return nullptr;
}

const TargetInfo *targetInfoOf(Operation *op) {
  StringAttr name = targetOf(op);
  if (!name)
    return nullptr;
  llvm::Expected<Target> found = findTarget(op->getContext(), name.getValue());
  if (found)
    return found->info;
  llvm::consumeError(found.takeError()); // The verifier has reported it.
  return nullptr;
}

namespace {
LogicalResult checkTarget(Operation *op, Attribute value) {
  auto name = dyn_cast<StringAttr>(value);
  if (!name || !isa<ModuleOp, gpu::GPUModuleOp>(op))
    return op->emitOpError(kTarget) << " is the name of a target, on a module or gpu.module";
  llvm::Expected<Target> found = findTarget(op->getContext(), name.getValue());
  return found ? success() : LogicalResult(op->emitError(llvm::toString(found.takeError())));
}

bool isKernel(Operation *op) {
  return op->hasAttr(gpu::GPUDialect::getKernelFuncAttrName()) && op->getParentOfType<gpu::GPUModuleOp>();
}

/// A kernel that does not wait could read memory before its predecessor has written it.
LogicalResult checkDependentLaunch(Operation *op) {
  auto launch = dyn_cast<gpu::LaunchFuncOp>(op);
  if (!launch)
    return op->emitOpError(kDependentLaunch) << " is for gpu.launch_func";
  Operation *kernel = SymbolTable::lookupNearestSymbolFrom(op, launch.getKernel());
  if (!kernel || kernel->hasAttr(kWaits))
    return success();
  InFlightDiagnostic error =
      op->emitOpError("may begin before the work before it is done, but its kernel does not wait");
  error.attachNote(kernel->getLoc()) << "the kernel, without `" << kWaits << "`";
  return error;
}

LogicalResult checkUnit(NamedAttribute attribute, bool placed, StringRef place, Operation *op) {
  return placed && isa<UnitAttr>(attribute.getValue())
             ? success()
             : LogicalResult(op->emitOpError(attribute.getName().getValue()) << " is a unit attribute, on " << place);
}
} // namespace

LogicalResult CodeAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError, StringRef, StringAttr bytes,
                               StringAttr symbol) {
  return !bytes == !symbol ? emitError() << "#device.code has either `bytes` or the `symbol` of a binary" : success();
}

LogicalResult DeviceDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == kTarget)
    return checkTarget(op, attribute.getValue());
  if (name == kDependentLaunch)
    return checkDependentLaunch(op);
  if (name == kKernel)
    return isKernel(op) && isa<KernelAttr>(attribute.getValue())
               ? success()
               : LogicalResult(op->emitOpError(kKernel) << " is a #device.kernel, on a kernel of a gpu.module");
  if (name == kWaits || name == kReadsPointers)
    return isKernel(op) ? success() : LogicalResult(op->emitOpError(name) << " is for kernels of a gpu.module");
  if (name == kCode)
    return isa<gpu::GPUModuleOp>(op) && isa<CodeAttr>(attribute.getValue())
               ? success()
               : LogicalResult(op->emitOpError(kCode) << " is a #device.code, on a gpu.module");
  if (name == kReduction)
    return checkUnit(attribute, isa<LoopLikeOpInterface>(op), "a loop", op);
  if (name == kSimThread) {
    auto function = dyn_cast<FunctionOpInterface>(op);
    return checkUnit(attribute, function && function.getNumArguments() != 0, "a function of a thread", op);
  }
  bool isLinalg = op->getName().getDialectNamespace() == "linalg";
  if (name == kPlain || name == kCached)
    return checkUnit(attribute, isLinalg, "a linalg op", op);
  if (name == kPrefetch) {
    auto count = dyn_cast<IntegerAttr>(attribute.getValue());
    auto structured = dyn_cast<DestinationStyleOpInterface>(op);
    return isLinalg && structured && count && count.getType().isSignlessInteger(64) && count.getInt() >= 0 &&
                   count.getInt() <= structured.getNumDpsInputs()
               ? success()
               : LogicalResult(op->emitOpError(kPrefetch) << " is a number of inputs, an i64, on a linalg op");
  }
  if (name == kParallelBody || name == kTuned)
    return checkUnit(attribute, isa<FunctionOpInterface>(op), "a function", op);
  if (name == kChecked)
    return checkUnit(attribute, isa<FunctionOpInterface>(op), "a function", op);
  return op->emitOpError("the device dialect has no attribute `") << name << "`";
}
} // namespace lispier::device
