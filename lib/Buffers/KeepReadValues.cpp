//===- KeepReadValues.cpp - a tensor read from memory is a value ----------===//
//
// Before: a bufferization.to_tensor is what its memref contained there, whatever is
// written to the memory later; a stored tensor is in the memref from the store on.
// After: also bufferization sees that, which takes a tensor to be the memory that it
// was read from, and makes a stored tensor in the memref. What a write may reach
// between the read and its last use is copied where it is read; what may be accessed
// before the store, or changed while the tensor is in use, is copied where it is
// stored. bufferize-tensors, which is next, relies on it: no op moves in between.
//
//===----------------------------------------------------------------------===//
#include "StoredMemory.h"
#include "lispier/Buffers/MemoryOrigins.h"
#include "lispier/Buffers/Passes.h"
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Group/Group.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace lispier {
#define GEN_PASS_DEF_KEEPREADVALUES
#include "lispier/Buffers/Passes.h.inc"
} // namespace lispier

using namespace mlir;
using bufferization::MaterializeInDestinationOp;
using bufferization::ToTensorOp;

namespace lispier {
namespace {
/// Whether the op is one step of the program, whatever its regions are.
bool isOneStep(Operation *op) {
  return op->getNumRegions() == 0 || op->hasTrait<OpTrait::IsIsolatedFromAbove>() || isa<linalg::LinalgOp>(op) ||
         isa_and_nonnull<tensor::TensorDialect>(op->getDialect());
}

/// The step that the op is part of.
Operation *stepOf(Operation *op) {
  Operation *step = op;
  for (Operation *parent = op->getParentOp(); parent && !isa<func::FuncOp>(parent); parent = parent->getParentOp())
    if (isOneStep(parent))
      step = parent;
  return step;
}

/// The steps that may follow `op`: where it has regions they are steps of their own.
void forEachNext(Operation *op, llvm::function_ref<void(Operation *)> visit) {
  auto enter = [&](Region *region) {
    if (!region->empty())
      visit(&region->front().front());
  };
  auto follow = [&](RegionBranchOpInterface branch, RegionBranchPoint point) {
    SmallVector<RegionSuccessor> successors;
    branch.getSuccessorRegions(point, successors);
    for (RegionSuccessor &successor : successors)
      if (Region *region = successor.getSuccessor())
        enter(region);
      else if (Operation *next = branch->getNextNode())
        visit(next);
  };
  if (!op->hasTrait<OpTrait::IsTerminator>()) {
    if (auto branch = dyn_cast<RegionBranchOpInterface>(op); branch && !isOneStep(op))
      return follow(branch, RegionBranchPoint::parent());
    if (!isOneStep(op))
      for (Region &region : op->getRegions())
        enter(&region);
    if (Operation *next = op->getNextNode())
      visit(next);
    return;
  }
  for (Block *block : op->getSuccessors())
    visit(&block->front());
  Operation *parent = op->getParentOp();
  if (op->getNumSuccessors() > 0 || isa<func::FuncOp>(parent))
    return;
  auto terminator = dyn_cast<RegionBranchTerminatorOpInterface>(op);
  if (auto branch = dyn_cast<RegionBranchOpInterface>(parent); branch && terminator)
    return follow(branch, RegionBranchPoint(terminator));
  for (Region &region : parent->getRegions()) // It may be executed several times, as by threads.
    enter(&region);
  if (Operation *next = parent->getNextNode())
    visit(next);
}

bool isTensorView(Operation *op) {
  return isa<tensor::ExtractSliceOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::ReshapeOp, tensor::CastOp>(
      op);
}

/// Whether the op only gives its operand another name.
bool passesOn(Operation *op) {
  return isTensorView(op) || isa<bufferization::ToBufferOp, ToTensorOp, ViewLikeOpInterface, memref::TransposeOp>(op) ||
         isa<RegionBranchOpInterface, BranchOpInterface>(op) || op->hasTrait<OpTrait::IsTerminator>();
}

/// The steps that may read what the use has, under any name. `passing`: the ops whose regions have such a name as
/// argument.
void forEachReader(OpOperand &use, llvm::SmallPtrSetImpl<Operation *> &passing,
                   llvm::function_ref<void(Operation *)> visit) {
  SmallVector<OpOperand *> open{&use};
  llvm::SmallPtrSet<OpOperand *, 8> seen{&use};
  auto follow = [&](Value alias) {
    if (isa<BlockArgument>(alias))
      passing.insert(alias.getParentBlock()->getParentOp());
    for (OpOperand &next : alias.getUses())
      if (seen.insert(&next).second)
        open.push_back(&next);
  };
  while (!open.empty()) {
    OpOperand *operand = open.pop_back_val();
    Operation *user = operand->getOwner();
    if (isa<tensor::DimOp, memref::DimOp>(user))
      continue;
    bool hasAlias = false;
    forEachAlias(*operand, [&](Value alias) {
      hasAlias = true;
      follow(alias);
    });
    if (auto download = dyn_cast<device::DownloadOp>(user))
      follow(download.getResult()); // The target cpu drops it next.
    if (!hasAlias || !passesOn(user))
      visit(stepOf(user));
  }
}

/// The tensor that was read, if the value is that or a view of it.
ToTensorOp readOf(Value tensor) {
  while (Operation *made = tensor.getDefiningOp()) {
    if (auto read = dyn_cast<ToTensorOp>(made))
      return read;
    if (!isTensorView(made))
      break;
    tensor = made->getOperand(0);
  }
  return {};
}

class ReadValues {
public:
  ReadValues(func::FuncOp function, MemoryOrigins &origins) : origins(origins) {
    function.walk([&](Operation *op) {
      if (SmallVector<Value> written = origins.writtenBy(op); !written.empty())
        writers.push_back({op, std::move(written)});
      if (auto read = dyn_cast<ToTensorOp>(op))
        reads.push_back(read);
      else if (auto store = dyn_cast<MaterializeInDestinationOp>(op);
               store && isa<MemRefType>(store.getDest().getType()))
        stores.push_back(store);
    });
  }

  void keep() {
    for (ToTensorOp read : reads) {
      keepValue(read.getResult(), read.getBuffer());
      if (read.getWritable())
        keepVersions(read);
    }
    for (MaterializeInDestinationOp store : stores)
      keepStore(store);
  }

private:
  /// Found by a walk from where a value is made: the uses before which its memory may have been written.
  struct Conflicts {
    llvm::SmallSetVector<OpOperand *, 4> uses; ///< Of the value itself.
    llvm::SmallPtrSet<Operation *, 8> late;    ///< All steps behind such a write.
  };

  llvm::SmallPtrSet<Operation *, 8> writersOf(Value memory) {
    llvm::SmallPtrSet<Operation *, 8> found;
    for (auto &[op, written] : writers)
      if (llvm::any_of(written, [&](Value each) { return origins.mayOverlap(each, memory); }))
        found.insert(stepOf(op));
    return found;
  }

  /// `from`: after which the tensor is in the memory.
  Conflicts conflictsOf(Value tensor, Value memory, Operation *from) {
    Conflicts conflicts;
    llvm::SmallPtrSet<Operation *, 8> writing = writersOf(memory);
    writing.erase(from);
    if (writing.empty())
      return conflicts;
    llvm::DenseMap<Operation *, SmallVector<OpOperand *>> readers;
    llvm::SmallPtrSet<Operation *, 4> passing;
    for (OpOperand &use : tensor.getUses())
      forEachReader(use, passing, [&](Operation *reader) { readers[reader].push_back(&use); });
    llvm::SmallPtrSet<Operation *, 4> ends = remakersOf(tensor.getDefiningOp(), passing);
    ends.insert(from);
    using Reached = llvm::PointerIntPair<Operation *, 1, bool>; // Behind a write?
    SmallVector<Reached> open;
    llvm::DenseSet<Reached> seen;
    auto follow = [&](Operation *op, bool isLate) {
      forEachNext(op, [&](Operation *next) {
        if (!ends.contains(next) && seen.insert({next, isLate}).second)
          open.push_back({next, isLate});
      });
    };
    follow(from, false);
    while (!open.empty()) {
      Reached reached = open.pop_back_val();
      Operation *op = reached.getPointer();
      bool isLate = reached.getInt();
      bool writes = writing.contains(op) && !storesItself(op, tensor, memory);
      if (auto found = readers.find(op);
          found != readers.end() && op != from && (isLate || (writes && !storesToSame(op, memory))))
        conflicts.uses.insert(found->second.begin(), found->second.end());
      if (isLate)
        conflicts.late.insert(op);
      follow(op, isLate || writes);
    }
    return conflicts;
  }

  /// The ops behind which a value that `made` has made is not visible any more: itself, and ops around it, unless an op
  /// around these passes the value on.
  static llvm::SmallPtrSet<Operation *, 4> remakersOf(Operation *made,
                                                      const llvm::SmallPtrSetImpl<Operation *> &passing) {
    llvm::SmallPtrSet<Operation *, 4> found;
    for (Operation *op = made; !isa<func::FuncOp>(op); op = op->getParentOp()) {
      bool isPassedOn = false;
      for (Operation *around = op->getParentOp(); around; around = around->getParentOp())
        isPassedOn |= passing.contains(around);
      if (!isPassedOn || op == made)
        found.insert(op);
    }
    return found;
  }

  /// The memory has the tensor already, and has it afterwards.
  static bool storesItself(Operation *op, Value tensor, Value memory) {
    return storesToSame(op, memory) && cast<MaterializeInDestinationOp>(op).getSource() == tensor && !readOf(tensor);
  }
  static bool storesToSame(Operation *op, Value memory) {
    auto store = dyn_cast<MaterializeInDestinationOp>(op);
    return store && store.getDest() == memory;
  }

  /// Copies the tensor where it is read, or only those parts of it that are in use later.
  void keepValue(Value tensor, Value memory) {
    Conflicts conflicts = conflictsOf(tensor, memory, tensor.getDefiningOp());
    if (conflicts.uses.empty())
      return;
    bool onlyParts = llvm::all_of(conflicts.uses, [&](OpOperand *use) {
      return isTensorView(use->getOwner()) && !conflicts.late.contains(use->getOwner());
    });
    if (!onlyParts)
      return copy(tensor);
    for (OpOperand *use : conflicts.uses)
      keepValue(use->getOwner()->getResult(0), memory);
  }

  /// The same of the tensors that are made of it in its memory.
  void keepVersions(ToTensorOp read) {
    llvm::SmallSetVector<Value, 8> values;
    values.insert(read.getResult());
    for (unsigned i = 0; i < values.size(); ++i)
      for (OpOperand &use : values[i].getUses()) {
        auto op = dyn_cast<DestinationStyleOpInterface>(use.getOwner());
        if (op && op.isDpsInit(&use) && op->getNumResults() > 0) {
          Value version = op.getTiedOpResult(&use);
          if (values.insert(version))
            keepValue(version, read.getBuffer());
        } else if (isa<RegionBranchOpInterface>(use.getOwner()) || use.getOwner()->hasTrait<OpTrait::IsTerminator>()) {
          forEachAlias(use, [&](Value alias) { values.insert(alias); });
        }
      }
  }

  void copy(Value tensor) {
    Operation *made = tensor.getDefiningOp();
    OpBuilder b(made->getContext());
    b.setInsertionPointAfter(made);
    auto copied = bufferization::AllocTensorOp::create(b, made->getLoc(), cast<RankedTensorType>(tensor.getType()),
                                                       ValueRange(), tensor);
    tensor.replaceUsesWithIf(copied, [&](OpOperand &use) {
      if (use.getOwner() == copied || isa<tensor::DimOp>(use.getOwner()))
        return false;
      if (isa<MaterializeInDestinationOp>(use.getOwner()) && !readOf(tensor))
        return false;
      auto op = dyn_cast<DestinationStyleOpInterface>(use.getOwner());
      return !(isWritable(tensor) && op && op.isDpsInit(&use)); // What is made of it is made in its memory.
    });
  }

  static bool isWritable(Value tensor) {
    ToTensorOp read = readOf(tensor);
    return !read || read.getWritable();
  }

  /// Whether the memref may be changed behind the store while the stored tensor is in use.
  bool outlivesMemref(MaterializeInDestinationOp store) {
    Value tensor = store.getSource();
    if (!tensor.getDefiningOp() || origins.mayOverlap(tensor, store.getDest()))
      return false; // It is the memory's, and has been copied where that is necessary.
    return !conflictsOf(tensor, store.getDest(), store).uses.empty();
  }

  /// Ops that access a memref before a tensor is stored there, while bufferization makes the tensor in the memref.
  struct Accesses {
    llvm::SmallSetVector<Value, 2> reads; ///< Those that have it from these tensors, which were read before.
    bool hasOthers = false;
  };

  void keepStore(MaterializeInDestinationOp store) {
    ToTensorOp start = startOf(store.getSource());
    Accesses found = accessesBefore(store);
    if (start && start.getWritable() && !found.hasOthers) { // Rather than the tensor of which a part is written.
      for (Value read : found.reads)
        copy(read);
    } else if (found.hasOthers || !found.reads.empty() || outlivesMemref(store)) {
      if (start)
        start.setWritable(false);
      auto *writer = llvm::find_if(writers, [&](auto &each) { return each.first == store; });
      Operation *copy = storeByCopy(store);
      if (writer != writers.end())
        writer->first = copy;
    }
  }

  /// Where bufferization begins to make the tensor, given the memory at its end; null if it is somewhere else.
  static Operation *beginOf(Value value) {
    Operation *first = nullptr;
    while (Operation *made = value.getDefiningOp()) {
      if (isa<tensor::EmptyOp>(made))
        return first;
      if (auto read = dyn_cast<ToTensorOp>(made))
        return read.getWritable() ? first : nullptr;
      if (isa<bufferization::AllocTensorOp>(made))
        return nullptr;
      if (auto part = dyn_cast<tensor::InsertSliceOp>(made)) { // The part is made in its place, too.
        Operation *whole = beginOf(part.getDest()), *begin = beginOf(part.getSource());
        return earliest(made, earliest(whole, begin));
      }
      first = made;
      if (auto op = dyn_cast<DestinationStyleOpInterface>(made))
        value = op.getTiedOpOperand(cast<OpResult>(value))->get();
      else if (auto loop = dyn_cast<LoopLikeOpInterface>(made); loop && loop.getTiedLoopInit(cast<OpResult>(value)))
        value = loop.getTiedLoopInit(cast<OpResult>(value))->get();
      else if (isTensorView(made) && !isa<tensor::ExtractSliceOp>(made))
        value = made->getOperand(0);
      else
        return first;
    }
    return nullptr;
  }

  /// Of two in one block; of others the one that is in the outer block, which is executed before the store or not.
  static Operation *earliest(Operation *a, Operation *b) {
    if (!a || !b)
      return a ? a : b;
    if (a->getBlock() == b->getBlock())
      return a->isBeforeInBlock(b) ? a : b;
    return b->getBlock()->findAncestorOpInBlock(*a) ? b : a;
  }

  /// Those that bufferization does not know to be of the same memory.
  Accesses accessesBefore(MaterializeInDestinationOp store) {
    Accesses found;
    Operation *first = beginOf(store.getSource());
    if (!first)
      return found;
    found.hasOthers = first->getBlock() != store->getBlock(); // The store may not be reached.
    ToTensorOp known = startOf(store.getSource());
    if (!known)
      known = lastReadBefore(store.getDest(), first, origins);
    if (!found.hasOthers)
      for (auto it = first->getIterator(), end = store->getIterator(); it != end; ++it)
        it->walk([&](Operation *inside) { addAccesses(inside, store.getDest(), known, found); });
    return found;
  }

  void addAccesses(Operation *op, Value memory, ToTensorOp known, Accesses &found) {
    for (Value written : origins.writtenBy(op))
      found.hasOthers |= origins.mayOverlap(written, memory);
    if (isa<group::KernelOp>(op->getParentOp()) || isTensorView(op) ||
        isa<tensor::DimOp, memref::DimOp, bufferization::ToBufferOp, ViewLikeOpInterface>(op))
      return;
    for (Value operand : op->getOperands())
      if (isa<BaseMemRefType, LLVM::LLVMPointerType>(operand.getType()))
        found.hasOthers |= origins.mayOverlap(operand, memory);
      else if (isa<TensorType>(operand.getType()))
        for (Value read : origins.readsOf(operand))
          if (read.getDefiningOp() != known && origins.mayOverlap(read, memory))
            found.reads.insert(read);
  }

  /// The read whose memory the tensor is, also if ops have written that in place since.
  static ToTensorOp startOf(Value tensor) {
    while (!readOf(tensor)) {
      auto made = dyn_cast<OpResult>(tensor);
      if (!made)
        return {};
      if (auto op = dyn_cast<DestinationStyleOpInterface>(made.getOwner()))
        tensor = op.getTiedOpOperand(made)->get();
      else if (auto loop = dyn_cast<LoopLikeOpInterface>(made.getOwner()); loop && loop.getTiedLoopInit(made))
        tensor = loop.getTiedLoopInit(made)->get();
      else if (isTensorView(made.getOwner()))
        tensor = made.getOwner()->getOperand(0);
      else
        return {};
    }
    return readOf(tensor);
  }

  MemoryOrigins &origins;
  SmallVector<std::pair<Operation *, SmallVector<Value>>> writers;
  SmallVector<ToTensorOp> reads;
  SmallVector<MaterializeInDestinationOp> stores;
};

struct KeepReadValues : impl::KeepReadValuesBase<KeepReadValues> {
  void runOnOperation() override {
    SmallVector<func::FuncOp> functions;
    getOperation().walk([&](func::FuncOp function) {
      bool hasReads = function
                          .walk([](Operation *op) {
                            return isa<ToTensorOp, MaterializeInDestinationOp>(op) ? WalkResult::interrupt()
                                                                                   : WalkResult::advance();
                          })
                          .wasInterrupted();
      if (hasReads)
        functions.push_back(function);
    });
    MemoryOrigins origins(getOperation());
    for (func::FuncOp function : functions)
      ReadValues(function, origins).keep();
  }
};
} // namespace
} // namespace lispier
