//===- CallComm.cpp - ranks and collectives -> runtime calls --------------===//
//
// Before: ops of the comm dialect on contiguous memrefs, and a module with a mesh.
// After: calls of Runtime/Comm/CommProgram.h; `main` begins with one that says what
// the mesh is. On a GPU the memory is the device's, and CallDevice has run.
//
//===----------------------------------------------------------------------===//
#include "lispier/Comm/Comm.h"
#include "lispier/Group/EntryAttributes.h"
#include "lispier/Loops/RuntimeCalls.h"
#include "lispier/Runtime/Comm/CommProgram.h"
#include "lispier/Target/Cpu/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace lispier {
#define GEN_PASS_DEF_CALLCOMM
#include "lispier/Target/Cpu/Passes.h.inc"

namespace {
LispierElement elementOf(Type type) {
  return type.isF64()                           ? LISPIER_F64
         : type.isF32()                         ? LISPIER_F32
         : type.isF16()                         ? LISPIER_F16
         : type.isBF16()                        ? LISPIER_BF16
         : type.isIndex() || type.isInteger(64) ? LISPIER_I64
         : type.isInteger(32)                   ? LISPIER_I32
         : type.isInteger(8)                    ? LISPIER_I8
                                                : LISPIER_I1;
}

LispierCombine combineOf(comm::Combine by) {
  switch (by) {
  case comm::Combine::Add:
    return LISPIER_ADD;
  case comm::Combine::Mean:
    return LISPIER_MEAN;
  case comm::Combine::Max:
    return LISPIER_MAX;
  case comm::Combine::Min:
    return LISPIER_MIN;
  }
  llvm_unreachable("no combination");
}

/// The form that the op was, for messages.
StringRef formOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case([](comm::AllReduceOp) { return "all-reduce"; })
      .Case([](comm::AllGatherOp) { return "all-gather"; })
      .Case([](comm::ReduceScatterOp) { return "reduce-scatter"; })
      .Case([](comm::OwnPartOp) { return "own-part"; })
      .Default(StringRef("from-rank"));
}

class CommCalls {
public:
  CommCalls(ModuleOp module, bool onDevice)
      : module(module), calls(module), mesh(comm::meshOf(module)), onDevice(onDevice) {}

  LogicalResult run() {
    SmallVector<Operation *> ops;
    module.walk([&](Operation *op) {
      if (op->getDialect() && op->getDialect()->getNamespace() == comm::CommDialect::getDialectNamespace())
        ops.push_back(op);
    });
    if (mesh.empty())
      return ops.empty() ? success() : LogicalResult(ops.front()->emitError("the module has no mesh"));
    if (failed(start(ops)))
      return failure();
    for (Operation *op : ops) {
      if (auto together = dyn_cast<comm::TogetherOp>(op)) {
        unpack(together);
        continue;
      }
      if (failed(lower(op)))
        return failure();
      op->erase();
    }
    module->removeAttr(comm::kMesh);
    module->removeAttr(comm::kDigest);
    return success();
  }

private:
  /// Tells the runtime at the beginning of `main`.
  LogicalResult start(ArrayRef<Operation *> ops) {
    auto main = module.lookupSymbol<func::FuncOp>("main");
    if (!main || main.isExternal()) {
      for (auto function : module.getOps<func::FuncOp>())
        if (function->hasAttr(kEntryAttr))
          return function.emitError("a library has no mesh: only a program with `main` runs as several ranks");
      return success();
    }
    auto digest = module->getAttrOfType<IntegerAttr>(comm::kDigest);
    // Behind the registration of the program's kernels, since ranks that join open the device.
    Block::iterator place = main.front().begin();
    for (auto at = place; at != main.front().end(); ++at)
      if (auto call = dyn_cast<func::CallOp>(*at); call && call.getCallee() == "lispier_rt_device_image")
        place = std::next(at);
    OpBuilder b(&main.front(), place);
    Location loc = main.getLoc();
    auto *first = llvm::find_if(ops, [](Operation *op) { return comm::isCollective(op) && !isa<comm::OwnPartOp>(op); });
    Value collective =
        first == ops.end()
            ? LLVM::ZeroOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext())).getResult()
            : calls.text(b, loc, ("`" + formOf(*first) + "` at " + RuntimeCalls::placeOf((*first)->getLoc())).str());
    std::string site = RuntimeCalls::placeOf(loc);
    calls.call(b, loc, onDevice ? "lispier_rt_comm_device_mesh" : "lispier_rt_comm_mesh",
               {calls.text(b, loc, module->getAttrOfType<StringAttr>(comm::kMesh)), collective,
                calls.text(b, loc, StringRef(site).split(':').first), number(b, loc, digest ? digest.getInt() : 0),
                calls.site(b, loc)});
    return success();
  }

  /// Replaces the op, whose collectives are calls by now, by these between two others.
  void unpack(comm::TogetherOp together) {
    OpBuilder b(together);
    Location loc = together.getLoc();
    calls.call(b, loc, "lispier_rt_comm_together_begin", {});
    for (Operation &op : llvm::make_early_inc_range(*together.getBody()))
      op.moveBefore(together);
    calls.call(b, loc, "lispier_rt_comm_together_end", calls.site(b, loc));
    together->erase();
  }

  Value number(OpBuilder &b, Location loc, int64_t value, unsigned width = 64) {
    return arith::ConstantIntOp::create(b, loc, value, width);
  }

  /// The mask of the axes that the op goes over; nothing after an error.
  std::optional<int64_t> maskOf(Operation *op) {
    int64_t mask = 0;
    for (StringRef name : op->getAttrOfType<ArrayAttr>("axes").getAsValueRange<StringAttr>()) {
      auto *axis = llvm::find_if(mesh, [&](const comm::Axis &axis) { return axis.name == name; });
      if (axis == mesh.end()) {
        op->emitOpError("goes over ") << name << ", which is no axis of the mesh";
        return std::nullopt;
      }
      mask |= int64_t(1) << (axis - mesh.begin());
    }
    return mask;
  }

  Value wide(OpBuilder &b, Location loc, Value index) {
    return arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
  }

  Value startOf(OpBuilder &b, Location loc, Value memref) {
    Value address = wide(b, loc, memref::ExtractAlignedPointerAsIndexOp::create(b, loc, memref));
    return LLVM::IntToPtrOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext()), address);
  }

  /// The product of the sizes of dimensions [from, to).
  Value sizes(OpBuilder &b, Location loc, Value memref, int64_t from, int64_t to) {
    auto type = cast<MemRefType>(memref.getType());
    Value product;
    int64_t known = 1;
    for (int64_t d = from; d < to; ++d) {
      if (!type.isDynamicDim(d)) {
        known *= type.getDimSize(d);
        continue;
      }
      Value size = wide(b, loc, memref::DimOp::create(b, loc, memref, d));
      product = product ? arith::MulIOp::create(b, loc, product, size).getResult() : size;
    }
    Value constant = number(b, loc, known);
    return product ? arith::MulIOp::create(b, loc, product, constant).getResult() : constant;
  }

  LogicalResult lower(Operation *op) {
    std::optional<int64_t> mask = maskOf(op);
    if (!mask)
      return failure();
    OpBuilder b(op);
    Location loc = op->getLoc();
    Value axes = number(b, loc, *mask);
    if (isa<comm::RankOp, comm::SizeOp>(op)) {
      StringRef name = isa<comm::RankOp>(op) ? "lispier_rt_comm_rank" : "lispier_rt_comm_size";
      Value result = calls.call(b, loc, name, axes, b.getI64Type()).getResult(0);
      op->getResult(0).replaceAllUsesWith(arith::IndexCastOp::create(b, loc, b.getIndexType(), result));
      return success();
    }
    Value in = op->getOperand(comm::kInOperand), out = op->getOperand(comm::kOutOperand);
    for (Value memory : {in, out}) {
      auto type = dyn_cast<MemRefType>(memory.getType());
      if (!type || !type.getLayout().isIdentity())
        return op->emitOpError("is lowered on contiguous memrefs, not ") << memory.getType();
    }
    Value site = calls.site(b, loc), from = startOf(b, loc, in), to = startOf(b, loc, out);
    int64_t rank = cast<MemRefType>(in.getType()).getRank();
    Value element = number(b, loc, elementOf(cast<MemRefType>(in.getType()).getElementType()), 32);
    auto by = [&](auto combining) { return number(b, loc, combineOf(combining.getBy()), 32); };
    auto call = [&](StringRef name, ValueRange arguments) {
      calls.call(b, loc, ("lispier_rt_comm_" + name).str(), arguments);
      return success();
    };
    if (auto reduce = dyn_cast<comm::AllReduceOp>(op))
      return call("all_reduce", {from, to, sizes(b, loc, in, 0, rank), element, by(reduce), axes, site});
    if (auto root = dyn_cast<comm::FromRankOp>(op))
      return call("from_rank",
                  {from, to, sizes(b, loc, in, 0, rank), element, wide(b, loc, root.getRank()), axes, site});
    int64_t dimension = op->getAttrOfType<IntegerAttr>("dimension").getInt();
    bool joins = isa<comm::AllGatherOp>(op);
    Value outer = sizes(b, loc, in, 0, dimension), part = sizes(b, loc, joins ? in : out, dimension, rank);
    Value whole = sizes(b, loc, joins ? out : in, dimension, rank);
    if (joins)
      return call("all_gather", {from, to, outer, part, whole, element, axes, site});
    if (auto reduce = dyn_cast<comm::ReduceScatterOp>(op))
      return call("reduce_scatter", {from, to, outer, part, whole, element, by(reduce), axes, site});
    return call("own_part", {from, to, outer, part, whole, element, axes, site});
  }

  ModuleOp module;
  RuntimeCalls calls;
  SmallVector<comm::Axis> mesh;
  bool onDevice;
};

struct CallComm : impl::CallCommBase<CallComm> {
  using CallCommBase::CallCommBase;

  void runOnOperation() override {
    bool uses = getOperation()->hasAttr(comm::kMesh);
    if (!uses)
      getOperation().walk(
          [&](Operation *op) { uses |= comm::isCollective(op) || isa<comm::RankOp, comm::SizeOp>(op); });
    if (uses && failed(CommCalls(getOperation(), onDevice).run()))
      signalPassFailure();
  }
};
} // namespace
} // namespace lispier
