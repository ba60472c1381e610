//===- PlacementFlow.cpp - placements through memory, loops and calls -----===//
//
// The walk keeps what memory holds where it is; at the beginning of a loop that is what
// was there before, joined with what the loop's end has left.
//
//===----------------------------------------------------------------------===//
#include "PlacementAnalysis.h"
#include "lispier/Comm/Comm.h"
#include "lispier/Device/DeviceDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace lispier {
//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// The allocation or argument that a memref is a view of.
Value PlacementAnalysis::memoryOf(Value memref) const {
  while (Operation *op = memref.getDefiningOp()) {
    if (auto view = dyn_cast<ViewLikeOpInterface>(op))
      memref = view.getViewSource();
    else if (isa<memref::CastOp, memref::TransposeOp>(op))
      memref = op->getOperand(0);
    else
      break;
  }
  return memref;
}

/// Of the sizes of a tensor or a memref, which do not depend on what it holds.
Placement PlacementAnalysis::ofSizes(Value shaped) const {
  auto isShaped = [](Value value) { return isa<ShapedType>(value.getType()); };
  Placement all(Placement::Same, shaped.getLoc());
  while (true) {
    Operation *op = shaped.getDefiningOp();
    if (!op || op->getNumRegions() > 0 || isa<func::CallOp>(op)) {
      if (auto made = dyn_cast_or_null<DestinationStyleOpInterface>(op)) {
        shaped = made.getTiedOpOperand(cast<OpResult>(shaped))->get();
        continue;
      }
      auto found = sizes.find(shaped);
      return found == sizes.end() ? all : joined(all, found->second);
    }
    if (auto made = dyn_cast<DestinationStyleOpInterface>(op); made && isa<TensorType>(shaped.getType())) {
      shaped = made.getTiedOpOperand(cast<OpResult>(shaped))->get();
      continue;
    }
    if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
      shaped = insert.getDest();
      continue;
    }
    for (Value operand : op->getOperands())
      if (!isShaped(operand) && of(operand).kind == Placement::Own)
        all = Placement(Placement::Own, of(operand).origin);
    auto next = llvm::find_if(op->getOperands(), isShaped);
    if (next == op->getOperands().end())
      return all;
    shaped = *next;
  }
}

void PlacementAnalysis::setSizes(Value value, Value from) {
  if (!isa<ShapedType>(value.getType()))
    return;
  Placement placement = ofSizes(from);
  auto [entry, isNew] = sizes.try_emplace(value, placement);
  Placement both = joined(entry->second, placement);
  changed |= !(both == entry->second);
  entry->second = both;
}

void PlacementAnalysis::setWhole(Value value, Placement placement) {
  Value whole = value;
  while (isa_and_nonnull<memref::CastOp, memref::ExpandShapeOp, memref::CollapseShapeOp>(whole.getDefiningOp()))
    whole = whole.getDefiningOp()->getOperand(0);
  if (!isStraight || whole != memoryOf(value))
    return set(value, placement);
  written.insert(whole);
  memory.insert_or_assign(whole, placement);
}

/// Ops by which tensors and memory exchange numbers; false for other ops.
bool PlacementAnalysis::visitMemory(Operation *op) {
  auto inMemory = [&](Value value) {
    Placement stored = of(value);
    return stored.kind == Placement::Uniform ? made(op, Placement::Same) : stored;
  };
  if (auto read = dyn_cast<bufferization::ToTensorOp>(op)) {
    set(read.getResult(), of(read.getBuffer()));
    return true;
  }
  if (auto made = dyn_cast<bufferization::ToBufferOp>(op)) {
    setWhole(made.getResult(), inMemory(made.getTensor()));
    return true;
  }
  if (auto materialize = dyn_cast<bufferization::MaterializeInDestinationOp>(op)) {
    setWhole(materialize.getDest(), inMemory(materialize.getSource()));
    for (Value result : op->getResults())
      set(result, of(materialize.getSource()));
    return true;
  }
  if (auto dim = dyn_cast<memref::DimOp>(op)) {
    set(dim, ofSizes(dim.getSource()));
    return true;
  }
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    Placement in = of(load.getMemRef());
    bool isPlaceSame = llvm::all_of(load.getIndices(), [&](Value place) { return of(place).isSame(); });
    set(load.getResult(), made(op, in.isSame() && isPlaceSame ? Placement::Same : Placement::Own));
    return true;
  }
  if (auto put = dyn_cast<memref::StoreOp>(op)) {
    bool isPlaceSame = llvm::all_of(put.getIndices(), [&](Value place) { return of(place).isSame(); });
    if (isPlaceSame)
      set(put.getMemRef(), inMemory(put.getValue()));
    else
      set(put.getMemRef(), made(op, Placement::Own));
    return true;
  }
  if (auto copy = dyn_cast<memref::CopyOp>(op)) {
    setWhole(copy.getTarget(), inMemory(copy.getSource()));
    return true;
  }
  if (auto upload = dyn_cast<device::UploadOp>(op)) {
    setWhole(upload.getResult(), inMemory(upload.getSource()));
    return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Regions, calls and other ops
//===----------------------------------------------------------------------===//

bool PlacementAnalysis::join(Memory &all, const Memory &other) {
  bool changes = false;
  for (const auto &[value, placement] : other) {
    auto [entry, isNew] = all.insert({value, placement});
    Placement both = isNew ? placement : joined(entry->second, placement);
    changes |= isNew || !(both == entry->second);
    entry->second = both;
  }
  return changes;
}

/// Of what is executed any number of times: it begins with what was there before, or with what the last time left.
void PlacementAnalysis::visitRepeated(Operation *op, llvm::function_ref<void()> body) {
  changed |= join(begins[op], memory);
  memory = begins[op];
  body();
  changed |= join(begins[op], memory);
  memory = begins[op];
}

/// The bodies of an op, and what goes from one to the next.
void PlacementAnalysis::visitBodies(Operation *op) {
  if (isa<scf::IfOp, scf::IndexSwitchOp>(op)) {
    Memory before = memory, after;
    for (Region &region : op->getRegions()) { // An empty one leaves what there was.
      memory = before;
      visitBody(op, region);
      join(after, memory);
    }
    memory = after;
    return;
  }
  auto visitAll = [&] {
    for (Region &region : op->getRegions())
      visitBody(op, region);
  };
  auto branch = dyn_cast<RegionBranchOpInterface>(op);
  branch && !branch.hasLoop() ? visitAll() : visitRepeated(op, visitAll);
}

void PlacementAnalysis::visitBody(Operation *op, Region &region) {
  auto branch = dyn_cast<RegionBranchOpInterface>(op);
  for (Block &block : region) {
    visitBlock(block);
    if (!block.mightHaveTerminator())
      continue;
    Operation *end = block.getTerminator();
    if (auto ending = dyn_cast<RegionBranchTerminatorOpInterface>(end); branch && ending)
      follow(branch, RegionBranchPoint(ending), [&](RegionSuccessor &to) { return ending.getSuccessorOperands(to); });
    else if (!branch && end->getNumOperands() == op->getNumResults())
      for (auto [value, result] : llvm::zip(end->getOperands(), op->getResults()))
        set(result, of(value));
  }
}

/// What goes from a place of an op with bodies to those that are executed next.
void PlacementAnalysis::follow(RegionBranchOpInterface branch, RegionBranchPoint from,
                               llvm::function_ref<OperandRange(RegionSuccessor &)> operandsOf) {
  SmallVector<RegionSuccessor> successors;
  branch.getSuccessorRegions(from, successors);
  for (RegionSuccessor &to : successors)
    for (auto [value, argument] : llvm::zip(operandsOf(to), to.getSuccessorInputs())) {
      if (!isa<BaseMemRefType>(argument.getType()))
        set(argument, of(value));
      setSizes(argument, value);
    }
}

void PlacementAnalysis::visitRegions(Operation *op) {
  // What decides which way ranks take, and how often.
  SmallVector<Value> deciding;
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    deciding = {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()};
    bool isSame = llvm::all_of(deciding, [&](Value bound) { return of(bound).isSame(); });
    set(loop.getInductionVar(), made(op, isSame ? Placement::Same : Placement::Own));
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    deciding = {branch.getCondition()};
  } else if (auto loop = dyn_cast<scf::ParallelOp>(op)) {
    for (Value index : loop.getInductionVars())
      set(index, made(op, Placement::Same));
  }
  if (auto branch = dyn_cast<RegionBranchOpInterface>(op))
    follow(branch, RegionBranchPoint::parent(),
           [&](RegionSuccessor &to) { return branch.getEntrySuccessorOperands(to); });
  visitBodies(op);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    deciding = {loop.getConditionOp().getCondition()};
  for (Value value : deciding) {
    if (of(value).isSame())
      continue;
    if (hasCollective(op)) {
      Operation *first = nullptr;
      op->walk([&](Operation *inside) {
        if (!first && comm::isCollective(inside))
          first = inside;
      });
      auto diag = fail(op, "ranks over " + axis + " may take different ways here, and wait for each other inside");
      if (diag) {
        diag->attachNote(of(value).origin) << "what differs is computed here";
        if (first)
          diag->attachNote(first->getLoc()) << "a rank that comes here waits for the others";
      }
      return;
    }
    for (Value result : op->getResults())
      set(result, made(op, Placement::Own));
  }
}

void PlacementAnalysis::visitCall(func::CallOp call) {
  auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
  if (!callee || callee.isExternal())
    return visitOther(call);
  Memory own;
  for (auto [operand, argument] : llvm::zip(call.getOperands(), callee.getArguments())) {
    if (isa<BaseMemRefType>(operand.getType()))
      own.insert({argument, of(operand)});
    else
      set(argument, of(operand));
    setSizes(argument, operand);
  }
  changed |= join(begins[callee], own);
  own = begins[callee];
  std::swap(own, memory);
  visitFunction(callee);
  std::swap(own, memory);
  auto inCallee = [&](Value value) {
    if (!isa<BaseMemRefType>(value.getType()))
      return of(value);
    auto *found = own.find(memoryOf(value));
    return found == own.end() ? Placement(Placement::Zero, value.getLoc()) : found->second;
  };
  for (auto [operand, argument] : llvm::zip(call.getOperands(), callee.getArguments()))
    if (isa<BaseMemRefType>(operand.getType()) && written.contains(argument))
      setWhole(operand, inCallee(argument));
  callee.walk([&](func::ReturnOp end) {
    for (auto [value, result] : llvm::zip(end.getOperands(), call.getResults()))
      set(result, inCallee(value));
    for (auto [value, result] : llvm::zip(end.getOperands(), call.getResults()))
      setSizes(result, value);
  });
}

/// Of ops without a rule of their own.
void PlacementAnalysis::visitOther(Operation *op) {
  if (op->hasTrait<OpTrait::IsTerminator>() || isa<memref::AllocOp, memref::AllocaOp, gpu::AllocOp>(op))
    return; // Memory is what is stored in it.
  SmallVector<Placement> operands = llvm::map_to_vector(op->getOperands(), [&](Value value) { return of(value); });
  Placement result = made(op, Placement::Own);
  if (op->getNumResults() > 0) { // What is only printed may be anything.
    std::optional<Placement> found = combined(op, operands);
    if (!found)
      return;
    result = *found;
  } else if (llvm::all_of(operands, [](const Placement &operand) { return operand.isSame(); })) {
    result = made(op, Placement::Same);
  }
  setAll(op, result);
  if (!isMemoryEffectFree(op) && !isa<memref::DimOp, memref::DeallocOp, memref::AllocOp, memref::AllocaOp>(op))
    for (Value operand : op->getOperands()) // What the op may write.
      if (isa<BaseMemRefType>(operand.getType()))
        set(operand, made(op, result.kind == Placement::Own ? Placement::Own : Placement::Same));
}
} // namespace lispier
