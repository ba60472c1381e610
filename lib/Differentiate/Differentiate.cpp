//===- Differentiate.cpp - gradients in the place of grad.call ------------===//
//
// Before: a grad.call names a function of tensors, in which each op is one form of the
// program. After: the function's body stands there, with the calls in it, and behind
// it the adjoints of its ops. From here on nothing knows that it is a gradient. A
// call in a function that is itself differentiated is replaced first.
//
//===----------------------------------------------------------------------===//
#include "Accumulate.h"
#include "RecomputeRule.h"
#include "Reverse.h"
#include "lispier/Comm/Comm.h"
#include "lispier/Differentiate/Passes.h"
#include "lispier/Grad/Grad.h"
#include "lispier/Group/AttentionParts.h"
#include "lispier/Kernels/Passes.h"
#include "lispier/NN/NN.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/DebugStringHelper.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace lispier {
#define GEN_PASS_DEF_DIFFERENTIATE
#include "lispier/Differentiate/Passes.h.inc"
} // namespace lispier

using namespace mlir;

namespace lispier {
namespace {
/// Copies the body of a function behind the insertion point, with the bodies of the functions that it calls.
class BodyCopy {
public:
  BodyCopy(OpBuilder &b, SymbolTable &symbols) : b(b), symbols(symbols) {}

  /// Returns the function's results. `ops`: what was copied, in order.
  SmallVector<Value> copy(func::FuncOp function, ValueRange arguments, Location caller) {
    around.insert(function);
    IRMapping mapping;
    mapping.map(function.getArguments(), arguments);
    for (Operation &op : function.getBody().front().without_terminator()) {
      auto call = dyn_cast<func::CallOp>(op);
      auto callee = call ? symbols.lookup<func::FuncOp>(call.getCallee()) : func::FuncOp();
      if (callee && canCopy(callee)) {
        SmallVector<Value> operands =
            llvm::map_to_vector(call.getOperands(), [&](Value operand) { return mapping.lookupOrDefault(operand); });
        mapping.map(call.getResults(), copy(callee, operands, CallSiteLoc::get(call.getLoc(), caller)));
        continue;
      }
      ops.push_back(b.clone(op, mapping));
    }
    around.remove(function);
    return llvm::map_to_vector(function.getBody().front().getTerminator()->getOperands(),
                               [&](Value value) { return mapping.lookupOrDefault(value); });
  }

  SmallVector<Operation *> ops;

private:
  bool canCopy(func::FuncOp callee) {
    return !callee.isExternal() && callee.getBody().hasOneBlock() && !around.contains(callee) &&
           !callee->hasAttr(grad::kRule);
  }

  OpBuilder &b;
  SymbolTable &symbols;
  llvm::SetVector<func::FuncOp> around; ///< Functions whose bodies are being copied.
};

/// Has attention return the log-sum-exp of its scores, which its adjoint reads, before loops are asked what to keep.
void keepLogSums(SmallVectorImpl<Operation *> &ops, SmallVectorImpl<Value> &results) {
  auto replace = [&](group::AttentionOp attention) {
    OpBuilder b(attention);
    Value before = attention.getResult(0);
    group::AttentionOp both = group::withLogSums(b, attention);
    llvm::replace(results, before, both.getResult(0));
    return both;
  };
  for (Operation *&op : ops) {
    if (auto attention = dyn_cast<group::AttentionOp>(op))
      op = replace(attention);
    else
      op->walk([&](group::AttentionOp inside) { replace(inside); });
  }
}

/// Has loops of which each k-th iteration is kept be loops of k, in one whose iterations are kept. `all`: of the
/// outermost loops that say nothing themselves.
void splitLoops(SmallVectorImpl<Operation *> &ops, SmallVectorImpl<Value> &results, IntegerAttr all) {
  for (Operation *&op : ops) {
    if (all && isa<scf::ForOp>(op) && !op->hasAttr(grad::kRecompute))
      op->setAttr(grad::kRecompute, all);
    SmallVector<scf::ForOp> loops;
    op->walk([&](scf::ForOp loop) {
      if (auto every = loop->getAttrOfType<IntegerAttr>(grad::kRecompute); every && every.getInt() > 1)
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops) {
      scf::ForOp outer = splitLoop(loop, loop->getAttrOfType<IntegerAttr>(grad::kRecompute).getInt());
      for (auto [before, after] : llvm::zip(loop.getResults(), outer.getResults()))
        llvm::replace(results, Value(before), Value(after));
      loop.replaceAllUsesWith(outer);
      if (op == loop)
        op = outer;
      loop.erase();
    }
  }
}

/// The value's cotangent at the end: the seed, or 1.
Value seedOf(OpBuilder &b, grad::CallOp call, Value value) {
  if (!call.getSeed().empty())
    return call.getSeed()[0];
  Location loc = call.getLoc();
  Type type = value.getType();
  Value one = arith::ConstantOp::create(b, loc, b.getFloatAttr(getElementTypeOrSelf(type), 1.0));
  return isa<FloatType>(type) ? one : tensor::FromElementsOp::create(b, loc, cast<RankedTensorType>(type), one);
}

/// Adds tensors that the ops of the forward pass from `first` to `last` make and ops of the adjoint, before `end`,
/// read.
void findKept(Operation *first, Operation *last, Operation *end, Reverse &reverse) {
  for (Operation &op : llvm::make_range(first->getIterator(), std::next(last->getIterator()))) {
    if (isa<linalg::FillOp, grad::StopOp>(op) || isa<tensor::TensorDialect, arith::ArithDialect>(op.getDialect()))
      continue;
    for (Value result : op.getResults()) {
      auto type = dyn_cast<RankedTensorType>(result.getType());
      bool isRead = type && !reverse.stacks.contains(result) && llvm::any_of(result.getUsers(), [&](Operation *user) {
                      Operation *outer = op.getBlock()->findAncestorOpInBlock(*user);
                      return outer && last->isBeforeInBlock(outer) && outer->isBeforeInBlock(end);
                    });
      if (isRead)
        reverse.kept.push_back({result.getLoc(), type, /*isStack=*/false});
    }
  }
}

/// Remarks on what a gradient keeps, and how many bytes these are.
void explainKept(grad::CallOp call, ArrayRef<KeptValue> kept) {
  int64_t bytes = 0;
  bool isAll = true;
  for (const KeptValue &value : kept)
    if (value.type.hasStaticShape())
      bytes += value.type.getNumElements() * ((value.type.getElementTypeBitWidth() + 7) / 8);
    else
      isAll = false;
  InFlightDiagnostic remark = call.emitRemark("the gradient of `")
                              << call.getCallee().split('$').first << "` keeps " << kept.size()
                              << (kept.size() == 1 ? " value" : " values") << " of the forward pass, "
                              << (isAll ? "" : "at least ") << bytes << " bytes";
  for (const KeptValue &value : kept) {
    std::string shape;
    for (int64_t size : value.type.getShape())
      shape += (shape.empty() ? "" : " ") + (ShapedType::isDynamic(size) ? "?" : std::to_string(size));
    Location place = value.place; // Of several ops, the first; of one of an inlined function, its own.
    if (auto line = place->findInstanceOf<FileLineColLoc>())
      place = line;
    remark.attachNote(place) << debugString(value.type.getElementType()) << " [" << shape << "]"
                             << (value.isStack ? ", of all iterations" : "");
  }
}

/// Whether the op only ends the program where a check fails, or is computed for such an op.
bool isCheck(Operation *op) {
  auto branch = dyn_cast<scf::IfOp>(op);
  if (!branch || branch->getNumResults() > 0)
    return isPure(op);
  return !branch
              .walk([&](Operation *inside) {
                auto call = dyn_cast<LLVM::CallOp>(inside);
                bool isOther = call ? call.getCallee() != "lispier_rt_check_failed"
                                    : inside != branch && !isPure(inside) && !inside->hasTrait<OpTrait::IsTerminator>();
                return isOther ? WalkResult::interrupt() : WalkResult::advance();
              })
              .wasInterrupted();
}

/// Moves the checks of a seed's sizes, which stand behind the call, before it, where the forward pass ends.
void moveChecks(grad::CallOp call) {
  if (call.getSeed().empty())
    return;
  while (Operation *next = call->getNextNode()) {
    WalkResult reads = next->walk([&](Operation *inside) {
      return llvm::any_of(inside->getOperands(), [&](Value value) { return value.getDefiningOp() == call; })
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (!isCheck(next) || reads.wasInterrupted())
      return;
    next->moveBefore(call);
  }
}

/// The gradient as `source` is placed on the ranks, in a program with a mesh. Null stays null. What is added to a place
/// stays a partial sum: the program adds the ranks' parts once, when it has all.
Value settled(OpBuilder &b, grad::CallOp call, Value gradient, Value source) {
  if (!gradient || !call.getInto().empty() || comm::meshOf(call).empty())
    return gradient;
  Location loc = call.getLoc();
  if (isa<RankedTensorType>(gradient.getType()))
    return comm::SettleOp::create(b, loc, gradient, source);
  auto type = RankedTensorType::get({}, gradient.getType());
  Value tensor = tensor::FromElementsOp::create(b, loc, type, gradient);
  Value primal = tensor::FromElementsOp::create(b, loc, RankedTensorType::get({}, source.getType()), source);
  return tensor::ExtractOp::create(b, loc, comm::SettleOp::create(b, loc, tensor, primal), ValueRange());
}

/// Replaces a call by the function's body and its gradient; returns the number of ops that were differentiated.
FailureOr<unsigned> replaceCall(grad::CallOp call, SymbolTable &symbols, bool explain) {
  auto function = symbols.lookup<func::FuncOp>(call.getCallee());
  if (function.isExternal() || !function.getBody().hasOneBlock())
    return call.emitError("`") << call.getCallee() << "` has no body whose gradient could be computed";
  OpBuilder b(call);
  ActiveValues active;
  SmallVector<Value> arguments(call.getInputs()), sources;
  llvm::SmallDenseMap<int64_t, Value> sourceOf;
  for (int64_t number : call.getWrt()) {
    Value &source = sourceOf[number];
    if (!source) // A value of its own, though the caller may pass another argument the same one.
      source = grad::StopOp::create(b, call.getLoc(), arguments[number]);
    sources.push_back(source);
    active.insert(source);
  }
  for (auto [number, source] : sourceOf)
    arguments[number] = source;
  BodyCopy body(b, symbols);
  SmallVector<Value> results = body.copy(function, arguments, call.getLoc());
  keepLogSums(body.ops, results);
  splitLoops(body.ops, results, call->getAttrOfType<IntegerAttr>(grad::kRecompute));
  for (Operation *op : body.ops)
    active.visit(op);
  for (auto [value, result] : llvm::zip(call.valueResults(), results)) // Before rules replace loops that make them.
    value.replaceAllUsesWith(result);
  moveChecks(call);
  Operation *firstForward = sources.back().getDefiningOp(), *lastForward = call->getPrevNode();
  Reverse reverse(b, active);
  reverse.lastForward = lastForward;
  if (!active.contains(results[0]))
    call.emitWarning("the value of `") << call.getCallee().split('$').first
                                       << "` does not depend on what its gradient is taken by: the gradient is 0";
  else
    reverse.add(results[0], seedOf(b, call, results[0]));
  LogicalResult isGood = reverse.visit(body.ops);
  if (succeeded(isGood) && explain) {
    findKept(firstForward, lastForward, call, reverse);
    explainKept(call, reverse.kept);
  }
  for (Operation *loop : reverse.replaced)
    loop->erase();
  if (failed(isGood))
    return failure();
  llvm::SmallDenseMap<Value, Value> gradientOf;
  SmallVector<Value> gradients;
  for (auto [source, result] : llvm::zip(sources, call.gradients())) {
    auto [gradient, isNew] = gradientOf.try_emplace(source);
    if (isNew)
      gradient->second = settled(b, call, reverse.take(source), source);
    gradients.push_back(
        gradient->second ? reverse.withElements(call.getLoc(), gradient->second, getElementTypeOrSelf(result.getType()))
                         : Value());
  }
  for (auto [i, gradient] : llvm::enumerate(gradients)) {
    Value all = gradient, before = call.getInto().empty() ? Value() : call.getInto()[i];
    if (!all)
      all = before ? before : reverse.zerosLike(call.getLoc(), sources[i]);
    else if (before && llvm::count(gradients, gradient) > 1) // Of which each place gets a sum of its own.
      all = reverse.sum(call.getLoc(), {before, all});
    else if (before)
      all = accumulate(reverse, call.getLoc(), before, all);
    Value result = call.gradients()[i];
    result.replaceAllUsesWith(reverse.asType(call.getLoc(), all, result.getType()));
  }
  for (auto [source, gradient] : gradientOf) { // What is differentiated next is not to stop here.
    auto stop = source.getDefiningOp<grad::StopOp>();
    stop.replaceAllUsesWith(stop.getValue());
    stop.erase();
  }
  call.erase();
  return reverse.visited;
}

/// Erases ops that nothing needs, among them what only forward results needed.
void eraseDead(Operation *root) {
  root->walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (isOpTriviallyDead(op))
      op->erase();
  });
}

struct Differentiate : impl::DifferentiateBase<Differentiate> {
  using DifferentiateBase::DifferentiateBase;

  void runOnOperation() override {
    SymbolTable table(getOperation());
    symbols = &table;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(visit(function)))
        return signalPassFailure();
    getOperation().walk([](grad::StopOp stop) {
      stop.replaceAllUsesWith(stop.getValue());
      stop.erase();
    });
    inlineRecomputed(getOperation());
    getOperation().walk([](scf::ForOp loop) { loop->removeAttr(grad::kRecompute); });
    inlineRules();
    for (func::FuncOp function : changed)
      if (failed(cleanUp(function)))
        return signalPassFailure();
    eraseUncalled();
  }

  /// Replaces the calls in a function, those of the functions that they call first.
  LogicalResult visit(func::FuncOp function) {
    if (!visited.insert(function).second)
      return success();
    SmallVector<grad::CallOp> calls;
    WalkResult inner = function.walk([&](Operation *op) {
      StringRef callee;
      if (auto call = dyn_cast<grad::CallOp>(op)) {
        calls.push_back(call);
        callee = call.getCallee();
        differentiated.insert(symbols->lookup<func::FuncOp>(callee));
      } else if (auto call = dyn_cast<func::CallOp>(op)) {
        callee = call.getCallee();
      }
      auto called = callee.empty() ? func::FuncOp() : symbols->lookup<func::FuncOp>(callee);
      return called && failed(visit(called)) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (inner.wasInterrupted())
      return failure();
    for (grad::CallOp call : calls) {
      FailureOr<unsigned> count = replaceCall(call, *symbols, explain);
      if (failed(count))
        return failure();
      if (countWork)
        function.emitRemark() << *count << " ops were differentiated";
      changed.insert(function);
    }
    return success();
  }

  /// Inlines the calls of functions with rules and of the rules, also where no gradient is asked for.
  void inlineRules() {
    llvm::SetVector<func::FuncOp> functions;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (auto rule = function->getAttrOfType<FlatSymbolRefAttr>(grad::kRule)) {
        functions.insert(function);
        functions.insert(symbols->lookup<func::FuncOp>(rule.getValue()));
      }
    for (func::FuncOp function : functions)
      function->removeAttr(grad::kRule); // So that copies contain what they call.
    if (functions.empty())
      return;
    SmallVector<func::CallOp> calls;
    getOperation().walk([&](func::CallOp call) {
      if (functions.contains(symbols->lookup<func::FuncOp>(call.getCallee())))
        calls.push_back(call);
    });
    for (func::CallOp call : calls) {
      if (functions.contains(call->getParentOfType<func::FuncOp>()))
        continue; // Copied as part of these.
      OpBuilder b(call);
      call.replaceAllUsesWith(
          BodyCopy(b, *symbols)
              .copy(symbols->lookup<func::FuncOp>(call.getCallee()), call.getOperands(), call.getLoc()));
      call.erase();
    }
    differentiated.insert(functions.begin(), functions.end());
  }

  /// Sizes of what is differentiated become constants where the function's are, and equal ops one.
  LogicalResult cleanUp(func::FuncOp function) {
    eraseDead(function);
    OpPassManager simplification(func::FuncOp::getOperationName());
    simplification.addPass(createCanonicalize());
    simplification.addPass(createCSEPass());
    return runPipeline(simplification, function);
  }

  /// Functions of which only gradients were asked for are not called any more.
  void eraseUncalled() {
    SymbolTableCollection tables;
    for (func::FuncOp function : llvm::reverse(differentiated))
      if (function && function.isPrivate() && SymbolTable::symbolKnownUseEmpty(function, getOperation()))
        function.erase();
  }

  SymbolTable *symbols = nullptr;
  llvm::DenseSet<Operation *> visited;
  llvm::SetVector<func::FuncOp> changed, differentiated;
};
} // namespace
} // namespace lispier
