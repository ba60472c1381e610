//===- SpecializeCalls.cpp - sizes that each call gives -------------------===//
//
// Before: a function that stays a call has tensors of any sizes as its arguments, and a
// size, such as the number of heads, as a number. After: where each call gives it the
// same constant, or tensors of the same sizes, the body knows them, and kernels are made
// for them; and what all of its returns know of a result, its callers know.
//
//===----------------------------------------------------------------------===//
#include "CarriedSizes.h"
#include "lispier/Grad/Grad.h"
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

/// The sizes that are known of a tensor or memref; none if that says nothing of another type.
std::optional<SmallVector<int64_t>> knownSizes(Value value, OuterSizes &sizes) {
  if (isa<RankedTensorType>(value.getType()))
    return SmallVector<int64_t>(knownType(value, sizes).getShape());
  while (auto cast = value.getDefiningOp<memref::CastOp>())
    value = cast.getSource();
  auto memory = dyn_cast<MemRefType>(value.getType());
  if (!memory || !memory.getLayout().isIdentity())
    return std::nullopt;
  return SmallVector<int64_t>(memory.getShape());
}

/// A value, and the function that it is in.
using PlacedValue = std::pair<func::FuncOp, Value>;

/// The sizes of values while no op changes.
class SizesOfFunctions {
public:
  OuterSizes &in(func::FuncOp function) {
    std::unique_ptr<OuterSizes> &sizes = all[function];
    if (!sizes)
      sizes = std::make_unique<OuterSizes>(function);
    return *sizes;
  }

private:
  llvm::DenseMap<Operation *, std::unique_ptr<OuterSizes>> all;
};

/// The type with the sizes that all values have alike; null if that says no more than it. A size of 1 stays unknown: a
/// dimension that is known to be 1 is dropped, and kernels for the one row of a decoder's step are matched with it.
ShapedType sharpened(Type type, ArrayRef<PlacedValue> values, SizesOfFunctions &functions) {
  auto shaped = dyn_cast<ShapedType>(type);
  auto memory = dyn_cast<MemRefType>(type);
  if (!shaped || !shaped.hasRank() || shaped.hasStaticShape() || (memory && !memory.getLayout().isIdentity()))
    return nullptr;
  std::optional<SmallVector<int64_t>> sizes;
  for (auto [function, value] : values) {
    std::optional<SmallVector<int64_t>> known = knownSizes(value, functions.in(function));
    if (!known)
      return nullptr;
    if (!sizes)
      sizes = known;
    for (auto [size, other] : llvm::zip_equal(*sizes, *known))
      size = size == other && size != 1 ? size : ShapedType::kDynamic;
  }
  if (!sizes)
    return nullptr;
  for (auto [size, before] : llvm::zip_equal(*sizes, shaped.getShape()))
    size = ShapedType::isDynamic(size) ? before : size;
  return ArrayRef(*sizes) == shaped.getShape() ? nullptr : shaped.clone(*sizes);
}

Value castTo(OpBuilder &b, Location loc, Type type, Value value) {
  if (value.getType() == type)
    return value;
  if (Operation *made = value.getDefiningOp();
      made && isa<tensor::CastOp, memref::CastOp>(made) && made->getOperand(0).getType() == type)
    return made->getOperand(0);
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
Operation *sharedConstant(ArrayRef<PlacedValue> values) {
  Operation *found = nullptr;
  for (auto [function, value] : values) {
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
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      ArrayRef<Operation *> all = users.getUsers(function);
      // A rule has the types of its function.
      if (function.isPrivate() && !function.isExternal() && !function->hasAttr(grad::kRule) && !all.empty() &&
          llvm::all_of(all, llvm::IsaPred<func::CallOp, grad::CallOp>) && computesTensors(function))
        calls[function].assign(all.begin(), all.end());
    }
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal())
        visit(function);
    for (func::FuncOp function : llvm::reverse(order)) // Callees first.
      shareResults(function);
  }

private:
  /// Callers come first: a size of theirs may be what they give.
  void visit(func::FuncOp function) {
    if (!visited.insert(function).second)
      return;
    for (Operation *call : calls.lookup(function))
      visit(call->getParentOfType<func::FuncOp>());
    order.push_back(function);
    if (takeArguments(function))
      simplify(function);
    // An inner loop has what the outer one carries.
    while (sharpenCarriedSizes(function))
      simplify(function);
  }

  void simplify(func::FuncOp function) {
    if (failed(runPipeline(*simplification, function)))
      signalPassFailure();
  }

  /// Of both kinds of calls the arguments come first.
  SmallVector<PlacedValue> operandsOf(func::FuncOp function, unsigned operand) {
    return llvm::map_to_vector(calls.lookup(function), [&](Operation *call) {
      return PlacedValue(call->getParentOfType<func::FuncOp>(), call->getOperand(operand));
    });
  }

  /// Returns whether the function knows more of an argument than before.
  bool takeArguments(func::FuncOp function) {
    if (!calls.contains(function))
      return false;
    bool changes = false;
    SizesOfFunctions sizes;
    SmallVector<std::pair<BlockArgument, ShapedType>> known;
    for (BlockArgument argument : function.getArguments()) {
      if (argument.getType().isIntOrIndex() && !argument.use_empty()) {
        if (Operation *constant = sharedConstant(operandsOf(function, argument.getArgNumber()))) {
          OpBuilder b = OpBuilder::atBlockBegin(&function.getBody().front());
          argument.replaceAllUsesWith(b.clone(*constant)->getResult(0));
          changes = true;
        }
      } else if (ShapedType type =
                     sharpened(argument.getType(), operandsOf(function, argument.getArgNumber()), sizes)) {
        known.push_back({argument, type});
      }
    }
    for (auto [argument, type] : known)
      setArgument(function, argument, type);
    if (!known.empty())
      updateType(function);
    return changes || !known.empty();
  }

  void setArgument(func::FuncOp function, BlockArgument argument, ShapedType type) {
    OpBuilder b = OpBuilder::atBlockBegin(&function.getBody().front());
    Type general = argument.getType();
    argument.setType(type);
    Value cast = castTo(b, argument.getLoc(), general, argument);
    argument.replaceAllUsesExcept(cast, cast.getDefiningOp());
    for (Operation *call : calls.lookup(function)) {
      castOperand(call->getOpOperand(argument.getArgNumber()), type);
      if (auto gradient = dyn_cast<grad::CallOp>(call))
        sharpenGradients(gradient, argument.getArgNumber(), type);
    }
  }

  /// Gives callers what all returns of the function know of its results.
  void shareResults(func::FuncOp function) {
    if (!calls.contains(function))
      return;
    SmallVector<func::ReturnOp> returns;
    function.walk([&](func::ReturnOp op) { returns.push_back(op); });
    SizesOfFunctions sizes;
    SmallVector<ShapedType> known;
    for (auto [i, general] : llvm::enumerate(function.getResultTypes())) {
      auto values = llvm::map_to_vector(
          returns, [&, i = i](func::ReturnOp op) { return PlacedValue(function, op.getOperand(i)); });
      known.push_back(isa<TensorType>(general) ? sharpened(general, values, sizes) : nullptr);
    }
    for (auto [i, type] : llvm::enumerate(known)) {
      if (!type)
        continue;
      for (func::ReturnOp op : returns)
        castOperand(op->getOpOperand(i), type);
      for (Operation *call : calls.lookup(function)) {
        castResult(call->getResult(i), type);
        if (auto gradient = dyn_cast<grad::CallOp>(call); gradient && i == 0 && !gradient.getSeed().empty())
          castOperand(gradient.getSeedMutable()[0], type);
      }
    }
    updateType(function);
  }

  /// A gradient has the sizes of its argument.
  static void sharpenGradients(grad::CallOp call, int64_t argument, ShapedType type) {
    for (auto [i, gradient] : llvm::enumerate(call.gradients())) {
      if (call.getWrt()[i] != argument)
        continue;
      ShapedType exact = cast<ShapedType>(gradient.getType()).clone(type.getShape());
      if (!call.getInto().empty())
        castOperand(call.getIntoMutable()[i], exact);
      castResult(gradient, exact);
    }
  }

  static void castOperand(OpOperand &operand, Type type) {
    OpBuilder before(operand.getOwner());
    operand.set(castTo(before, operand.getOwner()->getLoc(), type, operand.get()));
  }

  static void castResult(Value result, Type type) {
    Type general = result.getType();
    OpBuilder after(result.getContext());
    after.setInsertionPointAfterValue(result);
    result.setType(type);
    Value cast = castTo(after, result.getLoc(), general, result);
    result.replaceAllUsesExcept(cast, cast.getDefiningOp());
  }

  static void updateType(func::FuncOp function) {
    SmallVector<Type> results(function.getResultTypes());
    function.walk([&](func::ReturnOp op) { llvm::copy(op.getOperandTypes(), results.begin()); });
    function.setFunctionType(
        FunctionType::get(function.getContext(), function.getBody().front().getArgumentTypes(), results));
  }

  std::shared_ptr<OpPassManager> simplification;
  llvm::MapVector<func::FuncOp, SmallVector<Operation *>> calls; ///< Of functions of which all calls are known.
  llvm::SmallPtrSet<Operation *, 16> visited;
  SmallVector<func::FuncOp> order; ///< Callers before callees.
};
} // namespace
} // namespace lispier
