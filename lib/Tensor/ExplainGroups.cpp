//===- ExplainGroups.cpp - what --explain prints --------------------------===//
//
// A remark for each kernel of tensor ops: its source lines, what it reads, writes
// and computes, and why it does not contain what makes its operands. And one for
// each copy between tensors. The IR stays as it is.
//
//===----------------------------------------------------------------------===//
#include "NamedSizes.h"
#include "lispier/Tensor/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
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
  KernelCost cost = NamedSizes(kernel).cost();
  SmallVector<FileLineColRange> places = placesIn(kernel.getLoc());
  Location place = placeOf(places, kernel.getContext());
  InFlightDiagnostic remark = emitRemark(place) << "kernel " << kernel.getName() << ", "
                                                << stringifyKind(kernel.getKind()) << ": " << linesOf(places);
  remark.attachNote(place) << "reads " << NamedSizes::text(cost.reads) << " bytes, writes "
                           << NamedSizes::text(cost.writes) << " bytes, work of " << NamedSizes::text(cost.work)
                           << " additions";
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

/// A copy that bufferization has left: it is a kernel or a loop of its own.
void explainCopy(memref::CopyOp copy) {
  auto isStrided = [](Value memory) {
    auto type = dyn_cast<MemRefType>(memory.getType());
    return !type || !type.getLayout().isIdentity();
  };
  SmallVector<FileLineColRange> places = placesIn(copy.getLoc());
  Location place = placeOf(places, copy.getContext());
  InFlightDiagnostic remark =
      emitRemark(place) << "copy" << (isStrided(copy.getSource()) ? " of a part of a tensor" : "")
                        << (isStrided(copy.getTarget()) ? " to a part of a tensor" : "") << ": " << linesOf(places);
  if (!isa<MemRefType>(copy.getSource().getType()))
    return;
  std::string bytes = NamedSizes::text(NamedSizes(copy.getContext()).bytes(copy.getSource()));
  remark.attachNote(place) << "reads and writes " << bytes << " bytes that no kernel could write where they go";
}

struct ExplainGroups : impl::ExplainGroupsBase<ExplainGroups> {
  void runOnOperation() override {
    bool hasKernels = false; // In other functions copies are the program's own.
    getOperation().walk([&](Operation *op) {
      hasKernels |= isa<group::KernelOp>(op) || op->hasAttr("group.kernel");
      return hasKernels ? WalkResult::interrupt() : WalkResult::advance();
    });
    getOperation().walk([&](Operation *op) {
      if (auto copy = dyn_cast<memref::CopyOp>(op); copy && hasKernels)
        explainCopy(copy);
      else if (auto kernel = dyn_cast<group::KernelOp>(op))
        explain(kernel);
      else if (auto name = op->getAttrOfType<StringAttr>("group.kernel"))
        explainMatched(op, name);
    });
  }
};
} // namespace
} // namespace lispier
