//===- OuterSizes.cpp - sizes that are known outside of a region ----------===//
#include "lispier/Buffers/OuterSizes.h"
#include "WrittenArguments.h"
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Device/FailingLanes.h"
#include "lispier/Grad/Grad.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace lispier {
namespace {
/// Index of the dimension of the source that is dimension `kept` of a part without dropped dimensions.
int64_t sourceDimension(const llvm::SmallBitVector &dropped, int64_t kept) {
  for (int64_t d = 0; d < int64_t(dropped.size()); ++d)
    if (!dropped.test(d) && kept-- == 0)
      return d;
  llvm_unreachable("a part has as many dimensions as are not dropped");
}

bool isPureAnywhere(Operation *op) {
  return op->getNumRegions() == 0 && isPure(op) && isSpeculatable(op) && !device::mayFail(op);
}
} // namespace

OuterSizes::OuterSizes(func::FuncOp function)
    : isOuter([function](Value value) {
        return value.getParentBlock() == &function->getRegion(0).front() && isa<BlockArgument>(value);
      }),
      function(function) {}

OuterSizes::OuterSizes(LoopLikeOpInterface loop)
    : isOuter([loop](Value value) { return !loop->isAncestor(value.getParentBlock()->getParentOp()); }) {}

SymbolicSize OuterSizes::symbol(Symbol wanted) {
  auto found = llvm::find(symbols, wanted);
  return SymbolicSize::symbol(found != symbols.end() ? &*found : &symbols.emplace_back(wanted));
}

std::optional<SymbolicSize> OuterSizes::ofMixed(OpFoldResult size) {
  if (auto value = dyn_cast<Value>(size))
    return ofIndex(value);
  return SymbolicSize(cast<IntegerAttr>(cast<Attribute>(size)).getInt());
}

std::optional<SymbolicSize> OuterSizes::ofIndex(Value index) {
  bool isKnown = true;
  SymbolicSize size = SymbolicSize::of(index, [&](Value leaf) {
    auto computed = [&](MaybeSize size) {
      isKnown &= size.has_value();
      return size.value_or(SymbolicSize());
    };
    if (auto difference = leaf.getDefiningOp<arith::SubIOp>(); difference && leaf.getType().isIndex())
      return computed(ofIndex(difference.getLhs())) + computed(ofIndex(difference.getRhs())) * SymbolicSize(-1);
    if (auto dim = leaf.getDefiningOp<tensor::DimOp>(); dim && dim.getConstantIndex())
      return computed(of(dim.getSource(), *dim.getConstantIndex()));
    if (auto dim = leaf.getDefiningOp<memref::DimOp>(); dim && dim.getConstantIndex())
      return computed(of(dim.getSource(), *dim.getConstantIndex()));
    isKnown &= isComputable(leaf);
    return symbol({leaf, -1});
  });
  return isKnown ? MaybeSize(size) : std::nullopt;
}

/// Whether emitValue can make it outside.
bool OuterSizes::isComputable(Value value) {
  if (isOuter(value))
    return !isa<ShapedType>(value.getType());
  Operation *made = value.getDefiningOp();
  return made && isPureAnywhere(made) && llvm::all_of(made->getOperands(), [&](Value operand) {
           return operand.getType().isIndex() ? ofIndex(operand).has_value() : isComputable(operand);
         });
}

std::optional<SymbolicSize> OuterSizes::of(Value shaped, int64_t dimension) {
  auto type = cast<ShapedType>(shaped.getType());
  if (!type.hasRank() || dimension >= type.getRank())
    return std::nullopt;
  if (!type.isDynamicDim(dimension))
    return SymbolicSize(type.getDimSize(dimension));
  // What depends on itself, other than a loop's values, is not known.
  if (auto [entry, isNew] = known.try_emplace({shaped, dimension}); !isNew)
    return entry->second;
  MaybeSize size = compute(shaped, dimension);
  known[{shaped, dimension}] = size;
  return size;
}

std::optional<SymbolicSize> OuterSizes::compute(Value shaped, int64_t dimension) {
  if (isOuter(shaped))
    return symbol({shaped, dimension});
  if (auto argument = dyn_cast<BlockArgument>(shaped))
    return ofArgument(argument, dimension);
  return ofResult(cast<OpResult>(shaped), dimension);
}

/// A loop's value has the sizes that it begins with if each iteration leaves them as they are.
std::optional<SymbolicSize> OuterSizes::ofCarried(BlockArgument carried, Value before, Value after, int64_t dimension) {
  MaybeSize size = of(before, dimension);
  if (!size)
    return std::nullopt;
  llvm::DenseMap<Symbol, MaybeSize> outside = known;
  known[{carried, dimension}] = size;
  MaybeSize next = of(after, dimension);
  if (next == size)
    return size;
  known = std::move(outside); // What was computed by the assumption is wrong.
  return std::nullopt;
}

std::optional<SymbolicSize> OuterSizes::ofArgument(BlockArgument argument, int64_t dimension) {
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto loop = dyn_cast<scf::ForOp>(parent))
    return ofCarried(argument, loop.getTiedLoopInit(argument)->get(), loop.getTiedLoopYieldedValue(argument)->get(),
                     dimension);
  auto loop = dyn_cast<scf::WhileOp>(parent);
  if (!loop)
    return std::nullopt;
  unsigned i = argument.getArgNumber();
  if (argument.getOwner() == loop.getAfterBody())
    return of(loop.getConditionOp().getArgs()[i], dimension);
  return ofCarried(argument, loop.getInits()[i], loop.getYieldOp().getOperand(i), dimension);
}

/// The size for the arguments of a call of the function itself.
std::optional<SymbolicSize> OuterSizes::inCall(func::CallOp call, const SymbolicSize &size) {
  bool isKnown = true;
  SymbolicSize there = size.replace([&](const void *symbol) {
    auto [value, dimension] = *static_cast<const Symbol *>(symbol);
    auto argument = dyn_cast<BlockArgument>(value);
    MaybeSize result;
    if (argument && dimension >= 0)
      result = of(call.getOperand(argument.getArgNumber()), dimension);
    else if (argument)
      result = ofIndex(call.getOperand(argument.getArgNumber()));
    isKnown &= result.has_value();
    return result.value_or(SymbolicSize());
  });
  return isKnown ? MaybeSize(there) : std::nullopt;
}

/// Of a function that calls itself in one branch, the size is the other branch's, if it is the same for that call.
std::optional<SymbolicSize> OuterSizes::ofBranches(scf::IfOp branches, unsigned result, int64_t dimension) {
  Value values[] = {branches.thenYield().getOperand(result), branches.elseYield().getOperand(result)};
  auto recursion = [&](Value value) {
    auto call = value.getDefiningOp<func::CallOp>();
    return call && function && call.getCallee() == function.getSymName() ? call : func::CallOp();
  };
  for (unsigned i : {0, 1})
    if (func::CallOp call = recursion(values[i]); call && !recursion(values[1 - i])) {
      MaybeSize size = of(values[1 - i], dimension);
      return size && inCall(call, *size) == size ? size : std::nullopt;
    }
  MaybeSize size = of(values[0], dimension);
  return size == of(values[1], dimension) ? size : std::nullopt;
}

/// What a call returns of memory that it was given.
std::optional<SymbolicSize> OuterSizes::ofCall(func::CallOp call, unsigned result, int64_t dimension) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
  SmallVector<unsigned> written = callee ? writtenArguments(callee) : SmallVector<unsigned>();
  unsigned own = call.getNumResults() - written.size();
  bool isWritten = isa<TensorType>(call.getResult(result).getType()) && result >= own;
  return isWritten ? of(call.getOperand(written[result - own]), dimension) : std::nullopt;
}

std::optional<SymbolicSize> OuterSizes::ofResult(OpResult result, int64_t dimension) {
  unsigned number = result.getResultNumber();
  auto ofPart = [&](auto part) {
    return ofMixed(part.getMixedSizes()[sourceDimension(part.getDroppedDims(), dimension)]);
  };
  return llvm::TypeSwitch<Operation *, MaybeSize>(result.getOwner())
      .Case<tensor::EmptyOp, memref::AllocOp>([&](auto made) { return ofMixed(made.getMixedSizes()[dimension]); })
      .Case<tensor::ExtractSliceOp, memref::SubViewOp>(ofPart)
      .Case<tensor::ExpandShapeOp, memref::ExpandShapeOp>(
          [&](auto expand) { return ofMixed(expand.getMixedOutputShape()[dimension]); })
      .Case<tensor::CollapseShapeOp, memref::CollapseShapeOp>([&](auto collapse) {
        MaybeSize size = SymbolicSize(1);
        for (int64_t source : collapse.getReassociationIndices()[dimension])
          if (MaybeSize factor = of(collapse.getSrc(), source); factor && size)
            size = *size * *factor;
          else
            size = std::nullopt;
        return size;
      })
      .Case<tensor::CastOp, memref::CastOp, device::DownloadOp>(
          [&](auto same) { return of(same.getSource(), dimension); })
      .Case([&](bufferization::ToTensorOp read) { return of(read.getBuffer(), dimension); })
      .Case<tensor::InsertSliceOp, tensor::InsertOp>([&](auto insert) { return of(insert.getDest(), dimension); })
      .Case([&](bufferization::MaterializeInDestinationOp store) { return of(store.getDest(), dimension); })
      .Case([&](bufferization::AllocTensorOp made) -> MaybeSize {
        if (made.getCopy())
          return of(made.getCopy(), dimension);
        return ofIndex(made.getDynamicSizes()[made.getType().getDynamicDimIndex(dimension)]);
      })
      .Case([&](func::CallOp call) { return ofCall(call, number, dimension); })
      .Case([&](grad::CallOp call) -> MaybeSize {
        unsigned own = call.valueResults().size();
        if (number < own)
          return std::nullopt;
        return of(call.getInto().empty() ? call.argumentOf(result) : call.getInto()[number - own], dimension);
      })
      .Case([&](scf::IfOp branches) { return ofBranches(branches, number, dimension); })
      .Case([&](scf::ForOp loop) { return of(loop.getRegionIterArg(number), dimension); })
      .Case([&](scf::WhileOp loop) { return of(loop.getConditionOp().getArgs()[number], dimension); })
      .Case([&](device::ReplayOp step) {
        return of(step.getBody().front().getTerminator()->getOperand(number), dimension);
      })
      .Case([&](DestinationStyleOpInterface op) { return of(op.getTiedOpOperand(result)->get(), dimension); })
      .Default([](Operation *) { return std::nullopt; });
}

Value OuterSizes::emitValue(OpBuilder &b, Value value, llvm::function_ref<Value(Value)> there) {
  if (isOuter(value))
    return there(value);
  Operation *made = value.getDefiningOp();
  IRMapping mapping;
  for (Value operand : made->getOperands())
    mapping.map(operand, operand.getType().isIndex() ? emitNumber(b, made->getLoc(), *ofIndex(operand), there)
                                                     : emitValue(b, operand, there));
  return b.clone(*made, mapping)->getResult(cast<OpResult>(value).getResultNumber());
}

Value OuterSizes::emitNumber(OpBuilder &b, Location loc, const SymbolicSize &size,
                             llvm::function_ref<Value(Value)> there) {
  llvm::DenseMap<const void *, SymbolicSize> values;
  for (const Symbol &symbol : symbols) {
    if (!size.contains(&symbol))
      continue;
    auto [value, dimension] = symbol;
    if (dimension < 0) {
      values[&symbol] = SymbolicSize::of(emitValue(b, value, there));
      continue;
    }
    Value shaped = there(value);
    values[&symbol] =
        SymbolicSize::of(isa<TensorType>(shaped.getType()) ? b.createOrFold<tensor::DimOp>(loc, shaped, dimension)
                                                           : b.createOrFold<memref::DimOp>(loc, shaped, dimension));
  }
  return size.replace([&](const void *symbol) { return values[symbol]; }).emit(b, loc);
}

Value OuterSizes::emit(OpBuilder &b, Location loc, const SymbolicSize &size, llvm::function_ref<Value(Value)> there) {
  Value number = emitNumber(b, loc, size, there);
  bool isNumber =
      llvm::any_of(symbols, [&](const Symbol &symbol) { return symbol.second < 0 && size.contains(&symbol); });
  if (!isNumber && SymbolicSize().isAtMost(size))
    return number;
  return b.createOrFold<arith::MaxSIOp>(loc, number, arith::ConstantIndexOp::create(b, loc, 0));
}
} // namespace lispier
