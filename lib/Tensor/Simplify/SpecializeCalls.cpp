//===- SpecializeCalls.cpp - sizes that each call gives -------------------===//
//
// Before: a function that stays a call has tensors of any sizes as its arguments, and a
// size, such as the number of heads, as a number. After: where each call gives it the
// same constant, or tensors of the same sizes, the body knows them, and kernels are made
// for them; and what all of its returns know of a result, its callers know.
//
//===----------------------------------------------------------------------===//
#include "CarriedSizes.h"
#include "lispier/Kernels/Passes.h"
#include "lispier/Tensor/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace lispier {
#define GEN_PASS_DEF_SPECIALIZECALLS
#include "lispier/Tensor/Passes.h.inc"
} // namespace lispier

using namespace mlir;

namespace lispier {
namespace {
bool computesTensors(func::FuncOp function) {
  auto isTensor = [](Type type) { return isa<TensorType>(type); };
  auto hasTensors = [&](Operation *op) { return llvm::any_of(op->getResultTypes(), isTensor); };
  return llvm::any_of(function.getArgumentTypes(), isTensor) ||
         function.walk([&](Operation *op) { return hasTensors(op) ? WalkResult::interrupt() : WalkResult::advance(); })
             .wasInterrupted();
}

/// What a cast to a type without its sizes is of; else the value.
Value beforeCasts(Value value) {
  for (Operation *made = value.getDefiningOp(); made && isa<tensor::CastOp, memref::CastOp>(made);
       made = value.getDefiningOp())
    value = made->getOperand(0);
  return value;
}

/// The sizes that are known of a tensor or memref; none if that says nothing of another type.
std::optional<SmallVector<int64_t>> knownSizes(Value value, SizeSource &source) {
  if (isa<RankedTensorType>(value.getType()))
    return source.knownSizes(value);
  auto memory = dyn_cast<MemRefType>(beforeCasts(value).getType());
  if (!memory || !memory.getLayout().isIdentity())
    return std::nullopt;
  return SmallVector<int64_t>(memory.getShape());
}

/// The type with the sizes that all values have alike; null if that says no more than it.
ShapedType sharpened(Type type, ArrayRef<Value> values, SizeSource &source) {
  auto shaped = dyn_cast<ShapedType>(type);
  auto memory = dyn_cast<MemRefType>(type);
  if (!shaped || !shaped.hasRank() || shaped.hasStaticShape() || (memory && !memory.getLayout().isIdentity()))
    return nullptr;
  std::optional<SmallVector<int64_t>> sizes;
  for (Value value : values) {
    std::optional<SmallVector<int64_t>> known = knownSizes(value, source);
    if (!known)
      return nullptr;
    if (!sizes)
      sizes = known;
    for (auto [size, other] : llvm::zip_equal(*sizes, *known))
      size = size == other ? size : ShapedType::kDynamic;
  }
  return !sizes || ArrayRef(*sizes) == shaped.getShape() ? nullptr : shaped.clone(*sizes);
}

Value castTo(OpBuilder &b, Location loc, Type type, Value value) {
  if (value.getType() == type)
    return value;
  if (Value source = beforeCasts(value); source.getType() == type)
    return source;
  if (isa<TensorType>(type))
    return tensor::CastOp::create(b, loc, type, value);
  return memref::CastOp::create(b, loc, type, value);
}

/// Whether the number may be a size, or counts something. What a branch does not compute with others, such as a
/// remainder by 0, would be an error of the compiler's.
bool isPositive(Operation *constant) {
  APInt number;
  return matchPattern(constant, m_ConstantInt(&number)) && number.isStrictlyPositive();
}

/// The positive constant that all values are; null if there is none.
Operation *sharedConstant(ArrayRef<Value> values) {
  Operation *found = nullptr;
  for (Value value : values) {
    Operation *given = value.getDefiningOp();
    if (!given || !isPositive(given) ||
        (found && !OperationEquivalence::isEquivalentTo(found, given, OperationEquivalence::IgnoreLocations)))
      return nullptr;
    found = given;
  }
  return found;
}

struct SpecializeCalls : impl::SpecializeCallsBase<SpecializeCalls> {
  using SpecializeCallsBase::SpecializeCallsBase;

  LogicalResult initialize(MLIRContext *context) override {
    OpPassManager passes(func::FuncOp::getOperationName());
    passes.addPass(createCanonicalize());
    passes.addPass(createCSEPass());
    simplification = std::make_shared<OpPassManager>(std::move(passes));
    return success();
  }

  void runOnOperation() override {
    SymbolTableCollection tables;
    SymbolUserMap users(tables, getOperation());
    SizeSource source(tables);
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      ArrayRef<Operation *> all = users.getUsers(function);
      if (function.isPrivate() && !function.isExternal() && !all.empty() &&
          llvm::all_of(all, llvm::IsaPred<func::CallOp>) && computesTensors(function))
        for (Operation *user : all)
          calls[function].push_back(cast<func::CallOp>(user));
    }
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal())
        visit(function, source);
    for (func::FuncOp function : llvm::reverse(order)) // Callees first.
      shareResults(function, source);
  }

private:
  /// Callers come first: a size of theirs may be what they give.
  void visit(func::FuncOp function, SizeSource &source) {
    if (!visited.insert(function).second)
      return;
    for (func::CallOp call : calls.lookup(function))
      visit(call->getParentOfType<func::FuncOp>(), source);
    order.push_back(function);
    if (takeArguments(function, source))
      simplify(function);
    // An inner loop has what the outer one carries.
    while (sharpenCarriedSizes(function, source))
      simplify(function);
  }

  void simplify(func::FuncOp function) {
    if (failed(runPipeline(*simplification, function)))
      signalPassFailure();
  }

  SmallVector<Value> operandsOf(func::FuncOp function, unsigned operand) {
    return llvm::map_to_vector(calls.lookup(function), [&](func::CallOp call) { return call.getOperand(operand); });
  }

  /// Returns whether the function knows more of an argument than before.
  bool takeArguments(func::FuncOp function, SizeSource &source) {
    if (!calls.contains(function))
      return false;
    bool changes = false;
    OpBuilder b = OpBuilder::atBlockBegin(&function.getBody().front());
    for (BlockArgument argument : function.getArguments()) {
      unsigned number = argument.getArgNumber();
      if (argument.getType().isIntOrIndex() && !argument.use_empty()) {
        if (Operation *constant = sharedConstant(operandsOf(function, number))) {
          argument.replaceAllUsesWith(b.clone(*constant)->getResult(0));
          changes = true;
        }
      } else if (ShapedType type = sharpened(argument.getType(), operandsOf(function, number), source)) {
        Type general = argument.getType();
        argument.setType(type);
        Value cast = castTo(b, argument.getLoc(), general, argument);
        argument.replaceAllUsesExcept(cast, cast.getDefiningOp());
        for (func::CallOp call : calls.lookup(function)) {
          OpBuilder before(call);
          call->setOperand(number, castTo(before, call.getLoc(), type, call.getOperand(number)));
        }
        changes = true;
      }
    }
    if (changes)
      updateType(function);
    return changes;
  }

  /// Gives callers what all returns of the function know of its results.
  void shareResults(func::FuncOp function, SizeSource &source) {
    if (!calls.contains(function))
      return;
    SmallVector<func::ReturnOp> returns;
    function.walk([&](func::ReturnOp op) { returns.push_back(op); });
    for (unsigned i = 0; i < function.getNumResults(); ++i) {
      auto values = llvm::map_to_vector(returns, [&](func::ReturnOp op) { return op.getOperand(i); });
      Type general = function.getResultTypes()[i];
      ShapedType type = isa<TensorType>(general) ? sharpened(general, values, source) : nullptr;
      if (!type)
        continue;
      for (func::ReturnOp op : returns) {
        OpBuilder before(op);
        op.setOperand(i, castTo(before, op.getLoc(), type, op.getOperand(i)));
      }
      for (func::CallOp call : calls.lookup(function)) {
        OpBuilder after(call->getContext());
        after.setInsertionPointAfter(call);
        call.getResult(i).setType(type);
        Value cast = castTo(after, call.getLoc(), general, call.getResult(i));
        call.getResult(i).replaceAllUsesExcept(cast, cast.getDefiningOp());
      }
      updateType(function);
    }
  }

  static void updateType(func::FuncOp function) {
    SmallVector<Type> results(function.getResultTypes());
    function.walk([&](func::ReturnOp op) { llvm::copy(op.getOperandTypes(), results.begin()); });
    function.setFunctionType(
        FunctionType::get(function.getContext(), function.getBody().front().getArgumentTypes(), results));
  }

  std::shared_ptr<OpPassManager> simplification;
  llvm::MapVector<func::FuncOp, SmallVector<func::CallOp>> calls; ///< Of functions of which all calls are known.
  llvm::SmallPtrSet<Operation *, 16> visited;
  SmallVector<func::FuncOp> order; ///< Callers before callees.
};
} // namespace
} // namespace lispier
