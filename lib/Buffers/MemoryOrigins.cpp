//===- MemoryOrigins.cpp - which memory a value is in ---------------------===//
#include "lispier/Buffers/MemoryOrigins.h"
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Group/Group.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace lispier {
namespace {
bool isMemory(Type type) { return isa<BaseMemRefType, LLVM::LLVMPointerType, TensorType>(type); }

/// Whether results of the op are views of operands, or are computed from the addresses of these.
bool passesMemoryOn(Operation *op) {
  if (auto upload = dyn_cast<device::UploadOp>(op))
    return !upload.getOnce(); // Nothing writes what is uploaded once.
  return isa<ViewLikeOpInterface, memref::TransposeOp, memref::ExtractAlignedPointerAsIndexOp,
             memref::ExtractStridedMetadataOp, tensor::ExtractSliceOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp,
             tensor::ReshapeOp, tensor::CastOp, arith::SelectOp, UnrealizedConversionCastOp, bufferization::ToBufferOp,
             bufferization::ToTensorOp, LLVM::GEPOp, LLVM::PtrToIntOp, LLVM::IntToPtrOp, LLVM::InsertValueOp,
             LLVM::ExtractValueOp, LLVM::SelectOp, LLVM::BitcastOp, LLVM::AddrSpaceCastOp>(op);
}

bool isAddress(Type type) {
  return isMemory(type) || type.isIntOrIndex() || isa<LLVM::LLVMStructType, LLVM::LLVMArrayType>(type);
}

bool isCall(Operation *op) { return isa<func::CallOp, LLVM::CallOp, func::CallIndirectOp>(op); }

StringRef calleeOf(Operation *op) {
  if (auto call = dyn_cast<func::CallOp>(op))
    return call.getCallee();
  auto call = dyn_cast<LLVM::CallOp>(op);
  return call && call.getCallee() ? *call.getCallee() : StringRef();
}

/// The operands that become the value where control enters a region or leaves the op.
void forEachIncoming(RegionBranchOpInterface op, Value value, llvm::function_ref<void(OpOperand &)> visit) {
  RegionBranchSuccessorMapping mapping;
  op.getSuccessorOperandInputMapping(mapping);
  for (auto &[operand, inputs] : mapping)
    if (llvm::is_contained(inputs, value))
      visit(*operand);
}

StringAttr globalOf(Value root) {
  if (auto global = root.getDefiningOp<memref::GetGlobalOp>())
    return global.getNameAttr().getAttr();
  auto address = root.getDefiningOp<LLVM::AddressOfOp>();
  return address ? address.getGlobalNameAttr().getAttr() : StringAttr();
}

/// Whether two pointers or memrefs, each loaded or returned by a call, may be one: from the same place, or the same
/// function.
bool mayBeEqual(Value a, Value b) {
  Operation *one = a.getDefiningOp(), *other = b.getDefiningOp();
  if (!one || !other)
    return true; // Of blocks whose predecessors are unknown.
  if (isCall(one) && isCall(other))
    return calleeOf(one) == calleeOf(other) || calleeOf(one).empty() || calleeOf(other).empty();
  auto isSame = [](Value x, Value y) {
    return x == y || (x.getDefiningOp() && y.getDefiningOp() &&
                      OperationEquivalence::isEquivalentTo(x.getDefiningOp(), y.getDefiningOp(),
                                                           OperationEquivalence::IgnoreLocations));
  };
  return one->getName() == other->getName() && one->getNumOperands() == other->getNumOperands() &&
         llvm::all_of_zip(one->getOperands(), other->getOperands(), isSame);
}

/// Whether the value is only for reading: what bufferization gives to the program for that.
bool isReadOnly(Value memory) {
  while (Operation *made = memory.getDefiningOp()) {
    if (auto buffer = dyn_cast<bufferization::ToBufferOp>(made))
      return buffer.getReadOnly();
    if (!isa<ViewLikeOpInterface, UnrealizedConversionCastOp>(made) || made->getNumOperands() == 0)
      return false;
    memory = made->getOperand(0);
  }
  return false;
}
} // namespace

void forEachAlias(OpOperand &operand, llvm::function_ref<void(Value)> visit) {
  Operation *op = operand.getOwner();
  auto visitMapped = [&](RegionBranchOpInterface branch) {
    RegionBranchSuccessorMapping mapping;
    branch.getSuccessorOperandInputMapping(mapping);
    for (Value input : mapping.lookup(&operand))
      visit(input);
  };
  if (auto branch = dyn_cast<RegionBranchOpInterface>(op)) {
    visitMapped(branch);
  } else if (auto branch = dyn_cast<BranchOpInterface>(op)) {
    if (std::optional<BlockArgument> argument = branch.getSuccessorBlockArgument(operand.getOperandNumber()))
      visit(*argument);
  } else if (op->hasTrait<OpTrait::IsTerminator>()) {
    if (auto parent = dyn_cast_if_present<RegionBranchOpInterface>(op->getParentOp()))
      visitMapped(parent);
    else if (isa<device::YieldOp>(op))
      visit(op->getParentOp()->getResult(operand.getOperandNumber()));
  } else if (passesMemoryOn(op) || isa<arith::IndexCastOp, arith::AddIOp>(op) || isCall(op)) {
    if (!isa<TensorType>(operand.get().getType()) || !isCall(op)) // A call returns no part of a tensor's memory.
      for (Value result : op->getResults())
        if (isCall(op) ? isMemory(result.getType()) : isAddress(result.getType()))
          visit(result);
  }
}

SmallVector<Value> MemoryOrigins::sourcesOf(Value value) {
  SmallVector<Value> sources;
  auto add = [&](OpOperand &operand) { sources.push_back(operand.get()); };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Block *block = argument.getOwner();
    if (auto branch = dyn_cast<RegionBranchOpInterface>(block->getParentOp()); branch && block->isEntryBlock())
      forEachIncoming(branch, value, add);
    for (auto it = block->pred_begin(); it != block->pred_end(); ++it)
      if (auto branch = dyn_cast<BranchOpInterface>((*it)->getTerminator()))
        if (Value passed = branch.getSuccessorOperands(it.getSuccessorIndex())[argument.getArgNumber()])
          sources.push_back(passed);
    return sources;
  }
  Operation *op = value.getDefiningOp();
  unsigned number = cast<OpResult>(value).getResultNumber();
  if (auto branch = dyn_cast<RegionBranchOpInterface>(op)) {
    forEachIncoming(branch, value, add);
  } else if (auto replay = dyn_cast<device::ReplayOp>(op)) {
    sources.push_back(replay.getBody().front().getTerminator()->getOperand(number));
  } else if (isa<ViewLikeOpInterface>(op)) {
    sources.push_back(cast<ViewLikeOpInterface>(op).getViewSource());
  } else if (auto write = dyn_cast<DestinationStyleOpInterface>(op)) {
    sources.push_back(write.getTiedOpOperand(cast<OpResult>(value))->get());
  } else if (isa<tensor::ExtractSliceOp>(op)) {
    sources.push_back(op->getOperand(0));
  } else if (passesMemoryOn(op) || isa<arith::IndexCastOp, arith::AddIOp>(op)) {
    for (Value operand : op->getOperands())
      if (isAddress(operand.getType()))
        sources.push_back(operand);
  } else if (isCall(op) && isMemory(value.getType())) {
    const Returned *returned = returnedBy(cast<OpResult>(value));
    for (OpOperand &operand : op->getOpOperands())
      if (isa<BaseMemRefType, LLVM::LLVMPointerType>(operand.get().getType()) &&
          (!returned || returned->arguments.contains(operand.getOperandNumber())))
        sources.push_back(operand.get());
  }
  return sources;
}

/// Of a call of a function of the module; null if nothing is known.
const MemoryOrigins::Returned *MemoryOrigins::returnedBy(OpResult result) {
  auto call = dyn_cast<func::CallOp>(result.getOwner());
  auto callee = call && module ? symbols.lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr()) : nullptr;
  if (!callee || callee.isExternal())
    return nullptr;
  auto [entry, isNew] = returns.try_emplace({callee, result.getResultNumber()});
  if (!isNew)
    return entry->second.get(); // Null while the search is in it.
  auto found = std::make_unique<Returned>();
  callee.walk([&](func::ReturnOp end) {
    for (Value root : of(end.getOperand(result.getResultNumber())))
      if (kindOf(root) == Kind::Argument)
        found->arguments.insert(cast<BlockArgument>(root).getArgNumber());
      else if (kindOf(root) == Kind::Allocation && !escapes(root))
        found->isNew = true;
      else
        found->isUnknown = true;
  });
  return (returns[{callee, result.getResultNumber()}] = std::move(found)).get();
}

MemoryOrigins::Kind MemoryOrigins::kindOf(Value root) {
  if (auto argument = dyn_cast<BlockArgument>(root)) {
    bool isFunction =
        argument.getOwner()->isEntryBlock() && isa<FunctionOpInterface>(argument.getOwner()->getParentOp());
    return !isMemory(root.getType()) ? Kind::Nothing : isFunction ? Kind::Argument : Kind::Unknown;
  }
  Operation *op = root.getDefiningOp();
  if (globalOf(root))
    return Kind::Global;
  StringRef callee = calleeOf(op);
  bool allocates = callee == "malloc" || callee == "calloc" || callee == "aligned_alloc";
  if (allocates || isa<LLVM::AllocaOp, gpu::AllocOp>(op) || hasEffect<MemoryEffects::Allocate>(op))
    return Kind::Allocation;
  if (isa<TensorType>(root.getType()) && !isCall(op))
    return Kind::Allocation;
  if (isCall(op))
    if (const Returned *returned = returnedBy(cast<OpResult>(root)); returned && !returned->isUnknown)
      return returned->isNew ? Kind::Allocation : Kind::Nothing;
  return isMemory(root.getType()) && !isa<LLVM::ZeroOp, LLVM::PoisonOp, LLVM::UndefOp>(op) ? Kind::Unknown
                                                                                           : Kind::Nothing;
}

SmallVector<Value> MemoryOrigins::of(Value value) {
  bool isKept = !isa<TensorType>(value.getType()); // Passes exchange tensors.
  if (auto known = isKept ? origins.find(value) : origins.end(); known != origins.end())
    return known->second;
  llvm::SmallSetVector<Value, 8> seen;
  SmallVector<Value> roots;
  seen.insert(value);
  for (unsigned i = 0; i < seen.size(); ++i) {
    SmallVector<Value> sources = sourcesOf(seen[i]);
    Operation *made = seen[i].getDefiningOp();
    if ((sources.empty() || (made && isCall(made))) && kindOf(seen[i]) != Kind::Nothing)
      roots.push_back(seen[i]);
    seen.insert(sources.begin(), sources.end());
  }
  if (isKept)
    origins[value] = roots;
  return roots;
}

SmallVector<Value> MemoryOrigins::readsOf(Value tensor) {
  llvm::SmallSetVector<Value, 8> seen;
  SmallVector<Value> reads;
  seen.insert(tensor);
  for (unsigned i = 0; i < seen.size(); ++i)
    if (seen[i].getDefiningOp<bufferization::ToTensorOp>())
      reads.push_back(seen[i]);
    else
      for (Value source : sourcesOf(seen[i]))
        if (isa<TensorType>(source.getType()))
          seen.insert(source);
  return reads;
}

/// Whether the address may be in memory, from where the program may load it under another name.
bool MemoryOrigins::escapes(Value root) {
  auto [entry, isNew] = escaping.try_emplace(root, false);
  if (!isNew)
    return entry->second;
  llvm::SmallSetVector<Value, 8> aliases;
  aliases.insert(root);
  for (unsigned i = 0; i < aliases.size(); ++i)
    for (OpOperand &use : aliases[i].getUses()) {
      Operation *user = use.getOwner();
      if (isa<LLVM::StoreOp, memref::StoreOp>(user) && use.getOperandNumber() == 0)
        return escaping[root] = true;
      forEachAlias(use, [&](Value alias) { aliases.insert(alias); });
    }
  return false;
}

/// The part of other memory, of a place and a size that never change, that a value is, reshaped or not.
static memref::SubViewOp constantPartOf(Value value) {
  while (isa_and_nonnull<memref::ExpandShapeOp, memref::CollapseShapeOp, memref::CastOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  auto part = value.getDefiningOp<memref::SubViewOp>();
  auto areConstant = [](ArrayRef<int64_t> numbers) { return llvm::none_of(numbers, ShapedType::isDynamic); };
  return part && areConstant(part.getStaticOffsets()) && areConstant(part.getStaticSizes()) &&
                 areConstant(part.getStaticStrides())
             ? part
             : memref::SubViewOp();
}

/// Whether both are parts of one memory that lie beside each other, such as what is joined, in any iteration of a loop:
/// what a loop carries, or a call returns, may be other memory each time.
bool MemoryOrigins::areApart(Value a, Value b) {
  memref::SubViewOp one = constantPartOf(a), other = constantPartOf(b);
  if (!one || !other || one.getSource() != other.getSource())
    return false;
  Kind kind = kindOf(one.getSource());
  bool isOne = kind == Kind::Argument || kind == Kind::Global ||
               (kind == Kind::Allocation && !isCall(one.getSource().getDefiningOp()));
  if (!isOne)
    return false;
  auto endsBefore = [](memref::SubViewOp first, memref::SubViewOp second, unsigned d) {
    return first.getStaticOffset(d) + (first.getStaticSize(d) - 1) * first.getStaticStride(d) <
           second.getStaticOffset(d);
  };
  return llvm::any_of(llvm::seq<unsigned>(one.getSourceType().getRank()),
                      [&](unsigned d) { return endsBefore(one, other, d) || endsBefore(other, one, d); });
}

bool MemoryOrigins::mayOverlap(Value a, Value b) {
  if (areApart(a, b))
    return false;
  SmallVector<Value> first = of(a), second = of(b);
  return llvm::any_of(
      first, [&](Value one) { return llvm::any_of(second, [&](Value other) { return rootsOverlap(one, other); }); });
}

bool MemoryOrigins::rootsOverlap(Value a, Value b) {
  if (a == b)
    return true;
  Kind kinds[] = {kindOf(a), kindOf(b)};
  if (kinds[1] == Kind::Allocation) {
    std::swap(a, b);
    std::swap(kinds[0], kinds[1]);
  }
  if (kinds[0] == Kind::Allocation)
    return kinds[1] == Kind::Unknown && !isa<TensorType>(a.getType()) && escapes(a);
  if (isa<TensorType>(a.getType()) || isa<TensorType>(b.getType()))
    return false; // An argument, or the result of a call: the caller, or the callee, sees to it.
  if (kinds[0] == Kind::Global && kinds[1] == Kind::Global)
    return globalOf(a) == globalOf(b);
  if (kinds[0] == Kind::Argument && kinds[1] == Kind::Argument)
    return argumentsOverlap(cast<BlockArgument>(a), cast<BlockArgument>(b));
  return kinds[0] == Kind::Unknown && kinds[1] == Kind::Unknown && mayBeEqual(a, b);
}

ArrayRef<func::CallOp> MemoryOrigins::callsOf(func::FuncOp function) {
  if (!calls) {
    calls.emplace();
    module.walk([&](func::CallOp call) { (*calls)[call.getCalleeAttr().getAttr()].push_back(call); });
  }
  auto found = calls->find(function.getSymNameAttr());
  return found == calls->end() ? ArrayRef<func::CallOp>() : ArrayRef<func::CallOp>(found->second);
}

bool MemoryOrigins::argumentsOverlap(BlockArgument a, BlockArgument b) {
  auto function = dyn_cast<func::FuncOp>(a.getOwner()->getParentOp());
  if (!module || a.getOwner() != b.getOwner())
    return false;
  if (!function) // A kernel's: it is launched as a whole.
    return true;
  auto [entry, isNew] = overlapping.try_emplace({a, b}, false); // Meanwhile, of a recursive function: as of others.
  if (!isNew)
    return entry->second;
  ArrayRef<func::CallOp> callers = callsOf(function);
  bool overlap = callers.empty() || llvm::any_of(callers, [&](func::CallOp call) {
                   return mayOverlap(call.getOperand(a.getArgNumber()), call.getOperand(b.getArgNumber()));
                 });
  return overlapping[{a, b}] = overlap;
}

/// Of a function or a kernel of the module; null if nothing is known.
const MemoryOrigins::Writes *MemoryOrigins::writesOf(Operation *callee) {
  auto function = dyn_cast_if_present<FunctionOpInterface>(callee);
  if (!function || function.isExternal())
    return nullptr;
  auto [entry, isNew] = writes.try_emplace(callee);
  if (!isNew)
    return entry->second.get(); // Null while the search is in it.
  auto found = std::make_unique<Writes>();
  callee->walk([&](Operation *op) {
    for (Value written : writtenBy(op))
      for (Value root : of(written))
        if (auto argument = dyn_cast<BlockArgument>(root); argument && kindOf(root) == Kind::Argument)
          found->arguments.insert(argument.getArgNumber());
        else if (kindOf(root) == Kind::Global)
          found->globals.push_back(root);
  });
  return (writes[callee] = std::move(found)).get();
}

SmallVector<Value> MemoryOrigins::writtenBy(Operation *op) {
  SmallVector<Value> written;
  auto add = [&](Value value) {
    if (isa<BaseMemRefType, LLVM::LLVMPointerType>(value.getType()) && !isReadOnly(value))
      written.push_back(value);
  };
  if (isa<group::KernelOp>(op->getParentOp()) || calleeOf(op) == "lispier_rt_check_failed")
    return written;
  if (auto write = dyn_cast<bufferization::MaterializeInDestinationOp>(op)) {
    add(write.getDest());
    return written;
  }
  auto launch = dyn_cast<gpu::LaunchFuncOp>(op);
  if (launch || isa<func::CallOp>(op)) {
    SymbolRefAttr name = launch ? launch.getKernel() : SymbolRefAttr(cast<func::CallOp>(op).getCalleeAttr());
    const Writes *all = module ? writesOf(symbols.lookupNearestSymbolFrom(op, name)) : nullptr;
    OperandRange operands = launch ? launch.getKernelOperands() : op->getOperands();
    for (auto [i, operand] : llvm::enumerate(operands))
      if (!all || all->arguments.contains(i))
        add(operand);
    if (all)
      llvm::append_range(written, all->globals);
    return written;
  }
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects) {
    if (!op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() && !isMemoryEffectFree(op))
      llvm::for_each(op->getOperands(), add);
    return written;
  }
  SmallVector<MemoryEffects::EffectInstance> all;
  effects.getEffects(all);
  for (const MemoryEffects::EffectInstance &effect : all)
    if (!isa<MemoryEffects::Write, MemoryEffects::Free>(effect.getEffect()))
      continue;
    else if (effect.getValue() && effect.getValue().getDefiningOp() == op)
      continue; // Memory that it makes.
    else if (effect.getValue())
      add(effect.getValue());
    else
      llvm::for_each(op->getOperands(), add);
  return written;
}

bool MemoryOrigins::mayWrite(Operation &op, Value memory) {
  return op
      .walk([&](Operation *inside) {
        return llvm::any_of(writtenBy(inside), [&](Value written) { return mayOverlap(written, memory); })
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}
} // namespace lispier
