//===- CheckTranslatable.cpp - reject ops that LLVM IR cannot express -----===//
//
// The last pass of the pipeline. Accepts dialects whose ops have their own
// translation to LLVM IR (such as amx and x86vector).
//
//===----------------------------------------------------------------------===//
#include "lispier/Target/Cpu/Passes.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Target/LLVMIR/LLVMTranslationInterface.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/DerivedTypes.h"

namespace lispier {
#define GEN_PASS_DEF_CHECKTRANSLATABLE
#include "lispier/Target/Cpu/Passes.h.inc"
} // namespace lispier

using namespace mlir;

namespace {
bool isTranslatable(Operation *op) {
  if (isa<UnrealizedConversionCastOp>(op))
    return false;
  return isa<ModuleOp>(op) || op->getDialect()->getRegisteredInterface<LLVMTranslationDialectInterface>();
}

/// Whether the op is translatable itself, or a cast. The gpu dialect's translation covers gpu.module and launches, but
/// no op that can be left here, such as gpu.thread_id.
bool isLowered(Operation *op) {
  return isa<UnrealizedConversionCastOp>(op) || (isTranslatable(op) && !isa<gpu::GPUDialect>(op->getDialect()));
}

/// A remaining cast connects converted code with an op that no conversion supports: finds that op for the message.
Operation *culprit(Operation *op) {
  if (!isa<UnrealizedConversionCastOp>(op))
    return op;
  for (Operation *user : op->getUsers())
    if (!isTranslatable(user))
      return culprit(user);
  for (Value operand : op->getOperands())
    if (Operation *producer = operand.getDefiningOp(); producer && !isLowered(producer))
      return producer;
  return op;
}

/// Ops outside of functions are legal MLIR, but never executed: those without effects are erased, others are errors.
LogicalResult dropLooseOps(ModuleOp module) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*module.getBody()))) {
    if (isOpTriviallyDead(&op))
      op.erase();
    else if (op.getNumResults() || isa<CallOpInterface>(op))
      return op.emitError("this stands outside of functions, where nothing runs it");
  }
  return success();
}

/// The first type of the op (or of its function type) that has no LLVM equivalent; null if there is none.
Type withoutForm(Operation *op, LLVMTypeConverter &types) {
  SmallVector<Type> all(op->getResultTypes());
  llvm::append_range(all, op->getOperandTypes());
  if (auto function = dyn_cast<FunctionOpInterface>(op)) {
    llvm::append_range(all, function.getArgumentTypes());
    llvm::append_range(all, function.getResultTypes());
  }
  auto found = llvm::find_if(all, [&](Type type) { return !types.convertType(type); });
  return found == all.end() ? Type() : *found;
}

/// The reason why LLVM would abort when it creates the type; empty if it accepts the type.
StringRef whyNoType(Type type) {
  if (auto vector = dyn_cast<VectorType>(type)) {
    if (vector.isScalable())
      return "the processor has no scalable vectors";
    type = vector.getElementType();
  }
  auto integer = dyn_cast<IntegerType>(type);
  if (integer && (integer.getWidth() == 0 || integer.getWidth() > llvm::IntegerType::MAX_INT_BITS))
    return "LLVM's integers have 1 to 8388608 bits";
  return "";
}

/// The first type of the op, or of what it declares, that MLIR supports and LLVM does not; null if there is none.
Type wrongType(Operation *op) {
  SmallVector<Type> all(op->getResultTypes());
  if (auto place = dyn_cast<LLVM::GEPOp>(op))
    all.push_back(place.getElemType());
  else if (auto memory = dyn_cast<LLVM::AllocaOp>(op))
    all.push_back(memory.getElemType());
  else if (auto global = dyn_cast<LLVM::GlobalOp>(op))
    all.push_back(global.getGlobalType());
  else if (auto function = dyn_cast<LLVM::LLVMFuncOp>(op)) {
    llvm::append_range(all, function.getArgumentTypes());
    llvm::append_range(all, function.getResultTypes());
  }
  auto found = llvm::find_if(all, [](Type type) { return !whyNoType(type).empty(); });
  return found == all.end() ? Type() : *found;
}

/// Bytes of static memory that code can address: it is compiled for the small code model.
constexpr uint64_t kMostStaticBytes = 2147483647;

/// Bytes of a global's type; UINT64_MAX where it is more than that number says. LLVM would ask for its memory first.
uint64_t bytesOf(Type type, const DataLayout &layout) {
  auto array = dyn_cast<LLVM::LLVMArrayType>(type);
  if (!array)
    return layout.getTypeSize(type).getKnownMinValue();
  uint64_t total = 0;
  bool overflows = __builtin_mul_overflow(bytesOf(array.getElementType(), layout), array.getNumElements(), &total);
  return overflows ? UINT64_MAX : total;
}

struct CheckTranslatable : lispier::impl::CheckTranslatableBase<CheckTranslatable> {
  void runOnOperation() override {
    if (failed(dropLooseOps(getOperation())))
      return signalPassFailure();
    DataLayout layout(getOperation());
    for (auto global : getOperation().getOps<LLVM::GlobalOp>())
      if (whyNoType(global.getGlobalType()).empty() && bytesOf(global.getGlobalType(), layout) > kMostStaticBytes) {
        global.emitError("this global has more than 2 GiB, the most that static memory has; allocate it instead");
        return signalPassFailure();
      }
    LLVMTypeConverter types(&getContext());
    for (Operation &symbol : *getOperation().getBody())
      if (symbol.walk<WalkOrder::PreOrder>([&](Operation *op) { return check(op, types); }).wasInterrupted())
        signalPassFailure();
  }

private:
  WalkResult check(Operation *op, LLVMTypeConverter &types) {
    if (isTranslatable(op)) {
      Type type = wrongType(op);
      if (type && reported.insert(type).second)
        op->emitError() << "a value of type " << type << " cannot be made: " << whyNoType(type);
      return type ? WalkResult::interrupt() : WalkResult::advance();
    }
    op = culprit(op);
    Type type = withoutForm(op, types);
    if (!type)
      op->emitError() << "`" << op->getName() << "` has no lowering to the CPU";
    else if (reported.insert(type).second)
      op->emitError() << "a value of type " << type << " has no form in memory or registers"
                      << (isa<TupleType>(type) ? "; pass the elements of a tuple one by one" : "");
    return WalkResult::interrupt();
  }

  llvm::DenseSet<Type> reported; ///< Each type is reported once, at its first use.
};
} // namespace
