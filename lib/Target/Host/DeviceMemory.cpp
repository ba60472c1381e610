//===- DeviceMemory.cpp - alias classes of host and device memory ---------===//
#include "DeviceMemory.h"
#include "lispier/Comm/Comm.h"
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Group/EntryAttributes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace lispier {
namespace {
bool isMemory(Value value) { return isa<BaseMemRefType>(value.getType()); }

/// Whether only the lowest bits of the address, alone or combined with other numbers, are used.
bool asksForAlignment(Value address) {
  return llvm::all_of(address.getUsers(), [](Operation *user) {
    APInt mask;
    if (isa<arith::AndIOp>(user) && matchPattern(user->getOperand(1), m_ConstantInt(&mask)) && mask.ult(256))
      return true;
    // Of these, the lowest bits depend on the lowest bits of the operands.
    return isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::AddIOp, arith::MulIOp>(user) &&
           asksForAlignment(user->getResult(0));
  });
}

bool asksForAlignment(Operation *op) {
  return isa<memref::ExtractAlignedPointerAsIndexOp>(op) && asksForAlignment(op->getResult(0));
}
} // namespace

bool isView(Operation *op) {
  return isa<ViewLikeOpInterface, memref::CastOp, memref::ExtractStridedMetadataOp, memref::ReinterpretCastOp,
             memref::MemorySpaceCastOp, memref::ReshapeOp, memref::TransposeOp, arith::SelectOp>(op);
}

DeviceMemory::DeviceMemory(ModuleOp module) : module(module), symbols(module) {
  if (std::optional<SymbolTable::UseRange> uses = SymbolTable::getSymbolUses(module))
    for (SymbolTable::SymbolUse use : *uses)
      if (!isa<func::CallOp>(use.getUser()))
        addressed.insert(use.getSymbolRef().getRootReference());
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<gpu::GPUModuleOp>(op))
      return WalkResult::skip();
    visit(op);
    return WalkResult::advance();
  });
  for (memref::CopyOp copy : copies) {
    bool queued = isQueued(copy);
    for (Value memory : copy->getOperands())
      if (queued)
        classOf(memory).queued = true;
      else
        setHost(memory, copy);
  }
  findLaunching();
}

bool DeviceMemory::isConstant(Value pointer) const {
  while (auto part = pointer.getDefiningOp<LLVM::GEPOp>())
    pointer = part.getBase();
  auto address = pointer.getDefiningOp<LLVM::AddressOfOp>();
  auto global = address ? symbols.lookup<LLVM::GlobalOp>(address.getGlobalName()) : LLVM::GlobalOp();
  return global && global.getConstant();
}

unsigned DeviceMemory::node(Value memref) {
  auto [it, isNew] = nodes.try_emplace(memref, parents.size());
  if (isNew) {
    parents.push_back(parents.size());
    classes.emplace_back();
  }
  return it->second;
}

unsigned DeviceMemory::find(unsigned node) const {
  while (parents[node] != node)
    node = parents[node] = parents[parents[node]];
  return node;
}

void DeviceMemory::unite(unsigned a, unsigned b) {
  a = find(a);
  b = find(b);
  if (a == b)
    return;
  parents[b] = a;
  Class &to = classes[a];
  const Class &from = classes[b];
  to.kernel |= from.kernel;
  to.host |= from.host;
  to.loaded |= from.loaded;
  to.allocated |= from.allocated;
  to.queued |= from.queued;
  to.unknown |= from.unknown;
  to.stack |= from.stack;
  to.given |= from.given;
  if (!to.hostOp)
    to.hostOp = from.hostOp;
}

void DeviceMemory::setHost(Value memref, Operation *op) {
  Class &access = classOf(memref);
  access.host = true;
  if (!access.hostOp)
    access.hostOp = op;
}

void DeviceMemory::uniteAll(ValueRange values, ValueRange more) {
  std::optional<unsigned> first;
  for (ValueRange range : {values, more})
    for (Value value : range) {
      if (!isMemory(value))
        continue;
      unsigned next = node(value);
      if (first)
        unite(*first, next);
      first = next;
    }
}

const DeviceMemory::Class &DeviceMemory::of(Value memref) const {
  static const Class unseen;
  auto it = nodes.find(memref);
  return it == nodes.end() ? unseen : classes[find(it->second)];
}

bool DeviceMemory::isQueued(memref::CopyOp copy) const {
  auto isStrided = [](Value memory) {
    auto type = dyn_cast<MemRefType>(memory.getType());
    return type && type.isStrided();
  };
  return isStrided(copy.getSource()) && isStrided(copy.getTarget()) &&
         (of(copy.getSource()).onDevice() || of(copy.getTarget()).onDevice());
}

/// Puts all values that a loop or branch carries into one class.
void DeviceMemory::visitRegions(Operation *op) {
  SmallVector<Value> carried(op->getResults());
  llvm::append_range(carried, op->getOperands());
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      llvm::append_range(carried, block.getArguments());
      if (block.mightHaveTerminator())
        llvm::append_range(carried, block.getTerminator()->getOperands());
    }
  uniteAll(carried);
}

void DeviceMemory::visitFunction(func::FuncOp function) {
  if (function.isExternal())
    return;
  SmallVector<func::ReturnOp> returns;
  function.walk([&](func::ReturnOp op) { returns.push_back(op); });
  for (unsigned i = 0, count = function.getNumResults(); i < count; ++i)
    for (func::ReturnOp op : returns)
      uniteAll(returns.front().getOperand(i), op.getOperand(i));
  if (function->hasAttr(kEntryAttr)) { // What a library is given, and what it returns, is on the caller's device.
    SmallVector<Value> given(function.getArguments());
    for (func::ReturnOp op : returns)
      llvm::append_range(given, op.getOperands());
    for (Value value : given)
      if (isMemory(value))
        classOf(value).allocated = classOf(value).given = true;
    return;
  }
  if (function.isPrivate() && !addressed.contains(function.getSymNameAttr())) // Only called.
    return;
  for (Value argument : function.getArguments())
    if (isMemory(argument))
      classOf(argument).unknown = true;
  for (func::ReturnOp op : returns)
    for (Value value : op.getOperands())
      if (isMemory(value))
        classOf(value).host = classOf(value).unknown = true;
}

/// Whether nothing accesses memory by the address: it is compared with others, such as those in the lists that say what
/// a function still has to free.
bool DeviceMemory::isOnlyCompared(Value address) const {
  return llvm::all_of(address.getUses(), [&](OpOperand &use) {
    auto store = dyn_cast<memref::StoreOp>(use.getOwner());
    return isa<arith::CmpIOp>(use.getOwner()) ||
           (store && store.getValue() == address && keepsOnlyComparedAddresses(store.getMemRef()));
  });
}

/// Whether what is read of memory that the function makes for addresses, in it and in what it calls, is only compared.
bool DeviceMemory::keepsOnlyComparedAddresses(Value list) const {
  while (auto view = list.getDefiningOp<memref::CastOp>())
    list = view.getSource();
  if (!isa_and_nonnull<memref::AllocOp, memref::AllocaOp>(list.getDefiningOp()))
    return false;
  SmallVector<Value> open{list};
  llvm::SmallPtrSet<Value, 8> seen;
  while (!open.empty()) {
    Value memory = open.pop_back_val();
    if (!seen.insert(memory).second)
      continue;
    for (OpOperand &use : memory.getUses()) {
      Operation *user = use.getOwner();
      if (isa<memref::DeallocOp, memref::DimOp>(user) || (isa<memref::StoreOp>(user) && use.getOperandNumber() == 1))
        continue;
      auto load = dyn_cast<memref::LoadOp>(user);
      auto call = dyn_cast<func::CallOp>(user);
      auto callee = call ? symbols.lookup<func::FuncOp>(call.getCallee()) : func::FuncOp();
      if (isa<memref::CastOp>(user))
        open.push_back(user->getResult(0));
      else if (callee && !callee.isExternal() && callee.isPrivate())
        open.push_back(callee.getArgument(use.getOperandNumber()));
      else if (!load || !llvm::all_of(load.getResult().getUsers(), llvm::IsaPred<arith::CmpIOp>))
        return false;
    }
  }
  return true;
}

/// Puts all memory that is accessible by raw pointers into one class, since pointers are not tracked.
void DeviceMemory::visitPointer(Value memref) {
  if (escaped)
    unite(*escaped, node(memref));
  escaped = node(memref);
  classOf(memref).unknown = true;
}

void DeviceMemory::visitCall(func::CallOp call) {
  auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
  if (!callee || callee.isExternal()) {
    for (Value operand : call.getOperands())
      if (isMemory(operand))
        setHost(operand, call);
    for (Value result : call.getResults())
      if (isMemory(result)) {
        classOf(result).unknown = true;
        setHost(result, call);
      }
    return;
  }
  for (auto [operand, argument] : llvm::zip(call.getOperands(), callee.getArguments()))
    uniteAll(operand, argument);
  callee.walk([&](func::ReturnOp op) {
    for (auto [result, returned] : llvm::zip(call.getResults(), op.getOperands()))
      uniteAll(result, returned);
  });
}

void DeviceMemory::visit(Operation *op) {
  if (auto function = dyn_cast<func::FuncOp>(op))
    return visitFunction(function);
  if (auto call = dyn_cast<func::CallOp>(op))
    return visitCall(call);
  if (auto copy = dyn_cast<memref::CopyOp>(op)) {
    copies.push_back(copy);
    node(copy.getSource());
    node(copy.getTarget());
    return;
  }
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    classOf(load.getMemRef()).loaded = true;
    if (isMemory(load.getResult()))
      classOf(load.getResult()).unknown = classOf(load.getResult()).host = true;
    return;
  }
  if (auto upload = dyn_cast<device::UploadOp>(op)) {
    classOf(upload.getSource()).queued = true;
    classOf(upload.getResult()).allocated = true;
    return;
  }
  if (auto download = dyn_cast<device::DownloadOp>(op)) {
    classOf(download.getSource()).queued = true;
    node(download.getResult()); // The copy to it is waited for.
    return;
  }
  if (auto global = dyn_cast<memref::GetGlobalOp>(op)) {
    Value &first = globals.try_emplace(global.getNameAttr(), global).first->second;
    return uniteAll(first, global.getResult());
  }
  bool launch = comm::isCollective(op) ||
                isa<gpu::LaunchFuncOp, gpu::HostRegisterOp, gpu::HostUnregisterOp, nvgpu::TmaCreateDescriptorOp>(op);
  bool queue = isa<gpu::MemcpyOp, gpu::MemsetOp>(op);
  if (launch || queue) {
    for (Value operand : op->getOperands())
      if (isMemory(operand))
        (launch ? classOf(operand).kernel : classOf(operand).queued) = true;
    return;
  }
  if (isa<gpu::AllocOp>(op))
    classOf(op->getResult(0)).allocated = true;
  else if (isa<memref::AllocaOp>(op))
    classOf(op->getResult(0)).stack = true;
  else if (isView(op))
    uniteAll(op->getOperands(), op->getResults());
  else if (isa<BranchOpInterface>(op))
    for (auto [i, successor] : llvm::enumerate(op->getSuccessors())) {
      SuccessorOperands operands = cast<BranchOpInterface>(op).getSuccessorOperands(i);
      for (auto [value, argument] : llvm::zip(operands.getForwardedOperands(),
                                              successor->getArguments().drop_front(operands.getProducedOperandCount())))
        uniteAll(value, argument);
    }
  else if (op->getNumRegions() && !isa<ModuleOp>(op) &&
           llvm::any_of(op->getRegions(), [](Region &r) { return !r.empty(); }))
    visitRegions(op);
  else if (asksForAlignment(op) ||
           (isa<memref::ExtractAlignedPointerAsIndexOp>(op) && isOnlyCompared(op->getResult(0))))
    return; // Neither can be used to access memory.
  else if (isa<UnrealizedConversionCastOp, memref::ExtractAlignedPointerAsIndexOp>(op)) {
    for (ValueRange values : {ValueRange(op->getOperands()), ValueRange(op->getResults())})
      for (Value value : values)
        if (isMemory(value))
          visitPointer(value);
  } else if (isa<memref::AllocOp, memref::DeallocOp, gpu::DeallocOp, memref::DimOp, memref::RankOp>(op) ||
             op->hasTrait<OpTrait::IsTerminator>())
    return; // visitRegions handles the operands of terminators.
  else {
    for (Value operand : op->getOperands())
      if (isMemory(operand))
        setHost(operand, op);
    for (Value value : op->getResults())
      if (isMemory(value)) {
        classOf(value).unknown = true;
        setHost(value, op);
      }
  }
}

void DeviceMemory::findLaunching() {
  for (bool changed = true; changed;) {
    changed = false;
    for (auto function : module.getOps<func::FuncOp>())
      if (!launching.contains(function) && launches(function))
        changed = launching.insert(function).second;
  }
}

bool DeviceMemory::launches(Operation *op) const {
  return op
      ->walk([&](Operation *inner) {
        bool does = comm::isCollective(inner) || isa<gpu::LaunchFuncOp, gpu::MemcpyOp, gpu::MemsetOp, device::UploadOp,
                                                     device::DownloadOp, func::CallIndirectOp>(inner);
        if (auto call = dyn_cast<func::CallOp>(inner))
          does |= launching.contains(symbols.lookup(call.getCallee()));
        if (auto copy = dyn_cast<memref::CopyOp>(inner))
          does = isQueued(copy);
        return does ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}
} // namespace lispier
