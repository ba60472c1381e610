//===- InlineTensorCalls.cpp - calls of tensor functions by their bodies --===//
//
// Before: a tensor function is called as any other. After: its body is where it is
// called, so that groups form across functions, and the caller's memory plan has
// its intermediate values. Recursive functions remain calls. Private functions that
// have no call left are gone. What a check reports names the calls, too. A gather's table is no linalg.fill, whose
// reads the next pass would fold with their checks.
//
//===----------------------------------------------------------------------===//
#include "KeptOrder.h"
#include "lispier/Grad/Grad.h"
#include "lispier/Tensor/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"

namespace lispier {
#define GEN_PASS_DEF_INLINETENSORCALLS
#include "lispier/Tensor/Passes.h.inc"
} // namespace lispier

using namespace mlir;

namespace lispier {
namespace {
bool hasTensors(func::FuncOp function) {
  auto isTensor = [](Type type) { return isa<TensorType>(type); };
  return llvm::any_of(function.getArgumentTypes(), isTensor) || llvm::any_of(function.getResultTypes(), isTensor);
}

/// What groups and the plan of memory have to look at: ops on tensors and memory, loops, calls. Constants, sizes and
/// the checks of these are most of a function's ops before the first canonicalization, and few after it.
int64_t countOps(func::FuncOp function) {
  int64_t count = 0;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    count += op->getNumRegions() > 0 || isa<CallOpInterface>(op) ||
             llvm::any_of(op->getResultTypes(), llvm::IsaPred<ShapedType>);
    return isa<linalg::LinalgOp>(op) ? WalkResult::skip() : WalkResult::advance();
  });
  return count;
}

/// Makes a table of equal numbers one whose elements are computed: MLIR folds a read of what linalg.fill fills,
/// wherever it is, and the index would not be checked.
void keepTable(tensor::ExtractOp read) {
  if (!isa<linalg::GenericOp>(read->getParentOp()))
    return;
  Value table = read.getTensor();
  while (auto cast = table.getDefiningOp<tensor::CastOp>())
    table = cast.getSource();
  auto fill = table.getDefiningOp<linalg::FillOp>();
  if (!fill || fill->getNumResults() != 1)
    return;
  OpBuilder b(fill);
  auto type = cast<RankedTensorType>(fill.getResult(0).getType());
  SmallVector<AffineMap> maps(1, b.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> loops(type.getRank(), utils::IteratorType::parallel);
  auto computed = linalg::GenericOp::create(
      b, fill.getLoc(), TypeRange(type), ValueRange(), fill.getOutputs(), maps, loops,
      [&](OpBuilder &inner, Location loc, ValueRange) { linalg::YieldOp::create(inner, loc, fill.getInputs()[0]); });
  Value filled = computed.getResult(0);
  if (filled.getType() != read.getTensor().getType()) {
    b.setInsertionPointAfter(computed);
    filled = tensor::CastOp::create(b, fill.getLoc(), read.getTensor().getType(), filled);
  }
  read.getTensorMutable().assign(filled);
}

struct InlineTensorCalls : impl::InlineTensorCallsBase<InlineTensorCalls> {
  using InlineTensorCallsBase::InlineTensorCallsBase;

  void runOnOperation() override {
    SymbolTable table(getOperation());
    symbols = &table;
    for (auto function : getOperation().getOps<func::FuncOp>())
      visit(function);
    eraseUncalled();
    markCallsWithEffects(getOperation());
    getOperation().walk([&](LLVM::CallOp call) { sayCallers(call); });
    getOperation().walk([](tensor::ExtractOp read) { keepTable(read); });
  }

  /// What has no call any more would be compiled for nothing. A function that other programs may call is not private.
  void eraseUncalled() {
    SymbolTableCollection tables;
    SymbolUserMap users(tables, getOperation());
    // A function that is erased may be the last that calls another: callers were inlined into after their callees.
    for (func::FuncOp function : llvm::reverse(inlined))
      if (function.isPrivate() && llvm::all_of(users.getUsers(function), [&](Operation *user) {
            return erased.contains(user->getParentOfType<func::FuncOp>());
          }))
        erased.insert(function);
    for (Operation *function : erased)
      function->erase();
  }

  /// Inlines the calls in a function whose callees have none left, other than of those that are being visited.
  void visit(func::FuncOp function) {
    if (!visited.insert(function).second)
      return;
    active.insert(function);
    SmallVector<func::CallOp> calls;
    function.walk([&](func::CallOp call) { calls.push_back(call); });
    for (func::CallOp call : calls) {
      auto callee = symbols->lookup<func::FuncOp>(call.getCallee());
      if (!callee || callee.isExternal() || !hasTensors(callee) || !callee.getBody().hasOneBlock() ||
          callee->hasAttr(grad::kRule)) // lispier-differentiate inlines these.
        continue;
      visit(callee);
      if (!active.contains(callee) && mayTake(function, callee)) {
        inlineCall(call, callee);
        inlined.insert(callee);
      }
    }
    active.erase(function);
  }

  /// Whether the callee is inlined: a layer's norm or product always, which a plan of its own would part from what it
  /// is fused with; a larger one if the caller stays of a size that groups and the plan of memory take in their stride.
  bool mayTake(func::FuncOp function, func::FuncOp callee) const {
    int64_t always = ops / 10;
    int64_t more = countOps(callee);
    return more <= always || countOps(function) + more <= int64_t(ops);
  }

  static void inlineCall(func::CallOp call, func::FuncOp callee) {
    IRRewriter rewriter(call);
    IRMapping mapping;
    mapping.map(callee.getArguments(), call.getOperands());
    SmallVector<tensor::DimOp> sizes;
    for (Operation &op : callee.getBody().front().without_terminator()) {
      Operation *copy = rewriter.clone(op, mapping);
      copy->walk([&](Operation *inside) {
        inside->setLoc(CallSiteLoc::get(inside->getLoc(), call.getLoc()));
        if (auto size = dyn_cast<tensor::DimOp>(inside); size && size.getConstantIndex())
          sizes.push_back(size);
      });
    }
    SmallVector<Value> results;
    for (Value value : callee.getBody().front().getTerminator()->getOperands())
      results.push_back(mapping.lookupOrDefault(value));
    rewriter.replaceOp(call, results);
    for (tensor::DimOp size : sizes)
      replaceSize(rewriter, size);
  }

  /// A size of an argument becomes what the caller made the tensor with. The body compares such sizes and then relies
  /// on them; of the tensor, canonicalization would know the size on which the body relies, and drop the comparison.
  static void replaceSize(IRRewriter &rewriter, tensor::DimOp size) {
    Value value = size.getSource();
    int64_t dimension = *size.getConstantIndex();
    auto isKnown = [&] { return !cast<RankedTensorType>(value.getType()).isDynamicDim(dimension); };
    while (!isKnown()) {
      auto made = dyn_cast<OpResult>(value);
      if (auto cast = made ? dyn_cast<tensor::CastOp>(made.getOwner()) : nullptr)
        value = cast.getSource();
      else if (auto op = made ? dyn_cast<DestinationStyleOpInterface>(made.getOwner()) : nullptr)
        value = op.getTiedOpOperand(made)->get();
      else
        break;
    }
    rewriter.setInsertionPoint(size);
    if (isKnown())
      rewriter.replaceOpWithNewOp<arith::ConstantIndexOp>(
          size, cast<RankedTensorType>(value.getType()).getDimSize(dimension));
    else if (auto empty = value.getDefiningOp<tensor::EmptyOp>())
      rewriter.replaceOp(size, empty.getDynamicSize(dimension));
    else if (value != size.getSource())
      rewriter.modifyOpInPlace(size, [&] { size.getSourceMutable().set(value); });
  }

  /// Adds to the message of a check in a body that was inlined where its function was called, innermost first.
  void sayCallers(LLVM::CallOp check) {
    auto text = check.getCallee() == "lispier_rt_check_failed" && isa<CallSiteLoc>(check.getLoc())
                    ? check.getArgOperands().front().getDefiningOp<LLVM::AddressOfOp>()
                    : nullptr;
    auto message = text ? symbols->lookup<LLVM::GlobalOp>(text.getGlobalName()) : nullptr;
    auto value = message ? dyn_cast_if_present<StringAttr>(message.getValueOrNull()) : nullptr;
    if (!value)
      return;
    std::string longer = value.getValue().rtrim('\0').str();
    SmallVector<FileLineColLoc> callers = places(check.getLoc());
    for (FileLineColLoc place : ArrayRef(callers).drop_front())
      longer += llvm::formatv("{0}:{1}:{2}: note: called from here\n", place.getFilename().getValue(), place.getLine(),
                              place.getColumn());
    longer += '\0';
    LLVM::GlobalOp &global = messages[longer];
    if (!global) {
      OpBuilder b(message);
      auto type = LLVM::LLVMArrayType::get(b.getI8Type(), longer.size());
      global = LLVM::GlobalOp::create(b, message.getLoc(), type, /*isConstant=*/true, message.getLinkage(),
                                      message.getName(), b.getStringAttr(longer));
      symbols->insert(global); // Which gives it a name of its own.
    }
    OpBuilder b(check);
    check.getArgOperandsMutable()[0].set(LLVM::AddressOfOp::create(b, text.getLoc(), global));
  }

  /// The place of an op, and then those of the calls that brought it where it is.
  static SmallVector<FileLineColLoc> places(Location location) {
    SmallVector<FileLineColLoc> found;
    if (auto inlined = dyn_cast<CallSiteLoc>(location)) {
      found = places(inlined.getCallee());
      llvm::append_range(found, places(inlined.getCaller()));
    } else if (auto place = location->findInstanceOf<FileLineColLoc>()) {
      found.push_back(place);
    }
    return found;
  }

  SymbolTable *symbols = nullptr;
  llvm::StringMap<LLVM::GlobalOp> messages; ///< With callers, by their text.
  llvm::SmallPtrSet<Operation *, 16> visited, active, erased;
  llvm::SmallSetVector<func::FuncOp, 16> inlined;
};
} // namespace
} // namespace lispier
