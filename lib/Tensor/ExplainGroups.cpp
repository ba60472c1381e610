//===- ExplainGroups.cpp - what --explain prints --------------------------===//
//
// A remark for each kernel of tensor ops: its source lines, what it reads, writes
// and computes, and why it does not contain what makes its operands. The IR stays
// as it is.
//
//===----------------------------------------------------------------------===//
#include "SymbolicSize.h"
#include "TensorRoles.h"
#include "lispier/Group/Group.h"
#include "lispier/Tensor/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Path.h"

namespace lispier {
#define GEN_PASS_DEF_EXPLAINGROUPS
#include "lispier/Tensor/Passes.h.inc"
} // namespace lispier

using namespace mlir;

namespace lispier {
namespace {
/// Sizes of memrefs and of the tensors in bodies, with names for what only the run knows: "arg0[1]" is size 1 of the
/// function's argument 0.
class NamedSizes {
public:
  explicit NamedSizes(group::KernelOp kernel) : kernel(kernel) {}

  SymbolicSize of(Value shaped, int64_t dimension) {
    auto type = cast<ShapedType>(shaped.getType());
    if (!type.isDynamicDim(dimension))
      return SymbolicSize(type.getDimSize(dimension));
    if (auto argument = dyn_cast<BlockArgument>(shaped)) {
      if (argument.getOwner()->getParentOp() == kernel)
        return of(kernel->getOperand(argument.getArgNumber()), dimension);
      if (isa<FunctionOpInterface>(argument.getOwner()->getParentOp()))
        return named(("arg" + Twine(argument.getArgNumber()) + "[" + Twine(dimension) + "]").str());
    }
    unsigned i = type.getDynamicDimIndex(dimension);
    Operation *made = shaped.getDefiningOp();
    if (auto alloc = dyn_cast_or_null<memref::AllocOp>(made))
      return ofIndex(alloc.getDynamicSizes()[i]);
    if (auto view = dyn_cast_or_null<memref::ViewOp>(made))
      return ofIndex(view.getSizes()[i]);
    if (auto empty = dyn_cast_or_null<tensor::EmptyOp>(made))
      return ofIndex(empty.getDynamicSizes()[i]);
    if (auto op = dyn_cast_or_null<linalg::LinalgOp>(made))
      return of(op.getDpsInits()[cast<OpResult>(shaped).getResultNumber()], dimension);
    return named("?");
  }

  SymbolicSize elements(Value shaped) {
    SymbolicSize result(1);
    for (int64_t d = 0, rank = cast<ShapedType>(shaped.getType()).getRank(); d < rank; ++d)
      result = result * of(shaped, d);
    return result;
  }

  SymbolicSize bytes(Value shaped) {
    Type element = getElementTypeOrSelf(shaped.getType());
    unsigned bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
    return elements(shaped) * SymbolicSize(llvm::divideCeil(bits, 8));
  }

  SymbolicSize iterations(linalg::LinalgOp op) {
    SymbolicSize result(1);
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      result = result * ofLoop(op, loop);
    return result;
  }

  static std::string text(const SymbolicSize &size) {
    return size.text([](const void *name) { return StringAttr::getFromOpaquePointer(name).str(); });
  }

private:
  SymbolicSize named(const std::string &name) {
    return SymbolicSize::symbol(StringAttr::get(kernel.getContext(), name).getAsOpaquePointer());
  }

  SymbolicSize ofLoop(linalg::LinalgOp op, unsigned loop) {
    for (OpOperand &operand : op->getOpOperands())
      for (auto [d, result] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
        if (auto dim = dyn_cast<AffineDimExpr>(result); dim && dim.getPosition() == loop)
          return of(operand.get(), d);
    return named("?");
  }

  SymbolicSize ofIndex(Value index) {
    return SymbolicSize::of(index, [&](Value leaf) {
      if (auto argument = dyn_cast<BlockArgument>(leaf); argument && argument.getOwner()->getParentOp() == kernel)
        return ofIndex(kernel->getOperand(argument.getArgNumber()));
      if (auto dim = leaf.getDefiningOp<memref::DimOp>(); dim && dim.getConstantIndex())
        return of(dim.getSource(), *dim.getConstantIndex());
      if (auto dim = leaf.getDefiningOp<tensor::DimOp>(); dim && dim.getConstantIndex())
        return of(dim.getSource(), *dim.getConstantIndex());
      return named("?");
    });
  }

  group::KernelOp kernel;
};

/// Files whose text is part of the tool; their places mean nothing to a user.
bool isLibrary(FileLineColRange place) { return place.getFilename().getValue().starts_with("prelude/"); }

/// The places in source files that a location has, without those of calls around them. What a function of the library
/// does is at its call.
SmallVector<FileLineColRange> placesIn(Location location) {
  if (auto fused = dyn_cast<FusedLoc>(location)) {
    SmallVector<FileLineColRange> all;
    for (Location part : fused.getLocations())
      llvm::append_range(all, placesIn(part));
    return all;
  }
  if (auto call = dyn_cast<CallSiteLoc>(location)) {
    SmallVector<FileLineColRange> inside = placesIn(call.getCallee());
    return llvm::all_of(inside, isLibrary) ? placesIn(call.getCaller()) : inside;
  }
  if (auto name = dyn_cast<NameLoc>(location))
    return placesIn(name.getChildLoc());
  if (auto place = dyn_cast<FileLineColRange>(location))
    return {place};
  return {};
}

/// The lines, and for those in other files than the first place the file's name.
std::string linesOf(ArrayRef<FileLineColRange> places) {
  llvm::MapVector<StringRef, llvm::SmallSetVector<unsigned, 8>> files;
  for (FileLineColRange place : places)
    files[place.getFilename().getValue()].insert(place.getStartLine());
  std::string text;
  for (auto &[file, lines] : files) {
    text += text.empty() ? "" : "; " + llvm::sys::path::filename(file).str() + ": ";
    text += lines.size() == 1 ? "line " : "lines ";
    SmallVector<unsigned> sorted = lines.takeVector();
    llvm::sort(sorted);
    llvm::interleave(sorted, [&](unsigned line) { text += std::to_string(line); }, [&] { text += ", "; });
  }
  return text.empty() ? "no source line" : text;
}

Location placeOf(ArrayRef<FileLineColRange> places, MLIRContext *context) {
  return places.empty() ? Location(UnknownLoc::get(context)) : Location(places.front());
}

void addReasons(InFlightDiagnostic &remark, Location place, ArrayAttr reasons) {
  if (reasons)
    for (auto reason : reasons.getAsRange<StringAttr>())
      remark.attachNote(place) << reason.getValue();
}

void explain(group::KernelOp kernel) {
  NamedSizes sizes(kernel);
  SymbolicSize reads, writes, work;
  llvm::SmallPtrSet<Value, 8> read;
  for (OpOperand &operand : kernel->getOpOperands()) {
    if (!isa<ShapedType>(operand.get().getType()))
      continue;
    if (kernel.reads(operand) && read.insert(operand.get()).second)
      reads = reads + sizes.bytes(operand.get());
    if (kernel.isDpsInit(&operand))
      writes = writes + sizes.bytes(operand.get());
  }
  for (auto op : kernel.getBody().getOps<linalg::LinalgOp>())
    work = work + sizes.iterations(op) * SymbolicSize(elementCost(op));
  SmallVector<FileLineColRange> places = placesIn(kernel.getLoc());
  Location place = placeOf(places, kernel.getContext());
  InFlightDiagnostic remark = emitRemark(place) << "kernel " << kernel.getName() << ", "
                                                << stringifyKind(kernel.getKind()) << ": " << linesOf(places);
  remark.attachNote(place) << "reads " << NamedSizes::text(reads) << " bytes, writes " << NamedSizes::text(writes)
                           << " bytes, work of " << NamedSizes::text(work) << " additions";
  addReasons(remark, place, kernel.getApartAttr());
}

/// An op that lispier-match-kernels has made of a kernel.
void explainMatched(Operation *op, StringAttr name) {
  SmallVector<FileLineColRange> places = placesIn(op->getLoc());
  Location place = placeOf(places, op->getContext());
  InFlightDiagnostic remark = emitRemark(place)
                              << "kernel " << name.getValue() << ", " << op->getName() << ": " << linesOf(places);
  remark.attachNote(place) << "hand-written; --why-kernel=" << op->getName() << " names the implementation";
  addReasons(remark, place, op->getAttrOfType<ArrayAttr>("group.apart"));
}

struct ExplainGroups : impl::ExplainGroupsBase<ExplainGroups> {
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (auto kernel = dyn_cast<group::KernelOp>(op))
        explain(kernel);
      else if (auto name = op->getAttrOfType<StringAttr>("group.kernel"))
        explainMatched(op, name);
    });
  }
};
} // namespace
} // namespace lispier
