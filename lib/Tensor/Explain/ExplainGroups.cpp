//===- ExplainGroups.cpp - what --explain prints --------------------------===//
//
// A remark for each kernel of tensor ops: its source lines, what it reads, writes
// and computes, and why it does not contain what makes its operands. And one for
// each copy between tensors. The IR stays as it is.
//
//===----------------------------------------------------------------------===//
#include "Groups/NamedSizes.h"
#include "Groups/RoundedValues.h"
#include "lispier/Group/MemoryAttributes.h"
#include "lispier/NN/NN.h"
#include "lispier/TargetInfo/TargetInfo.h"
#include "lispier/Tensor/Explain/SourcePlaces.h"
#include "lispier/Tensor/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Support/DebugStringHelper.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

namespace lispier {
#define GEN_PASS_DEF_EXPLAINGROUPS
#include "lispier/Tensor/Passes.h.inc"
} // namespace lispier

using namespace mlir;

namespace lispier {
namespace {
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

void addReasons(InFlightDiagnostic &remark, Location place, ArrayAttr reasons) {
  if (reasons)
    for (auto reason : reasons.getAsRange<StringAttr>())
      remark.attachNote(place) << reason.getValue();
}

/// Writes down at which lines the kernel rounds numbers to 16-bit floats: what replaces it does the same.
void noteRoundings(group::KernelOp kernel) {
  llvm::MapVector<Type, SmallVector<FileLineColRange>> places;
  for (arith::TruncFOp op : roundingsIn(kernel))
    append_range(places[getElementTypeOrSelf(op.getType())], sourcePlacesOf(op.getLoc()));
  Builder b(kernel.getContext());
  SmallVector<Attribute> notes;
  for (auto &[type, lines] : places)
    notes.push_back(b.getStringAttr("rounds to " + debugString(type) + ": " + linesOf(lines)));
  if (!notes.empty())
    kernel->setAttr(kRoundedAttr, b.getArrayAttr(notes));
}

/// Predicts times, and says what it knows of each kernel.
class Explainer {
public:
  Explainer(DeviceSpeed speed, const std::map<std::string, int64_t> &sizes) : speed(speed), sizes(sizes) {}

  void explain(group::KernelOp kernel) const {
    SmallVector<FileLineColRange> places = sourcePlacesOf(kernel.getLoc());
    Location place = firstOf(places, kernel.getContext());
    InFlightDiagnostic remark = emitRemark(place) << "kernel " << kernel.getName() << ", "
                                                  << stringifyKind(kernel.getKind()) << ": " << linesOf(places);
    addCost(remark, place, NamedSizes(kernel).cost(), kernel.getKind() == group::Kind::Attention);
    addReasons(remark, place, kernel->getAttrOfType<ArrayAttr>(kRoundedAttr));
    addReasons(remark, place, kernel.getApartAttr());
  }

  /// An op that lispier-match-kernels has made of a kernel.
  void explainMatched(Operation *op, StringAttr name) const {
    SmallVector<FileLineColRange> places = sourcePlacesOf(op->getLoc());
    Location place = firstOf(places, op->getContext());
    InFlightDiagnostic remark = emitRemark(place)
                                << "kernel " << name.getValue() << ", " << op->getName() << ": " << linesOf(places);
    remark.attachNote(place) << "hand-written; --why-kernel=" << op->getName() << " names the implementation";
    if (auto cost = op->getAttrOfType<ArrayAttr>(kCostAttr))
      addCost(remark, place, KernelCost::of(cost), isa<nn::AttentionOp>(op));
    addReasons(remark, place, op->getAttrOfType<ArrayAttr>(kRoundedAttr));
    addReasons(remark, place, op->getAttrOfType<ArrayAttr>(kApartAttr));
  }

private:
  /// Attention is all that may leave out a part of what it could read, by its mask.
  void addCost(InFlightDiagnostic &remark, Location place, const KernelCost &cost, bool isAttention) const {
    remark.attachNote(place) << "reads " << NamedSizes::text(cost.reads) << " bytes, writes "
                             << NamedSizes::text(cost.writes) << " bytes, work of " << NamedSizes::text(cost.work)
                             << " additions";
    if (!speed.isKnown())
      return;
    std::string times;
    for (const UnitWork &unit : cost.unitWork(speed)) {
      std::optional<std::string> time = timeOf(unit);
      if (!time)
        return;
      times += (times.empty() || time->empty() ? "" : ", ") + *time;
    }
    if (!times.empty())
      remark.attachNote(place) << "at least " << times << (isAttention ? ", if all positions are seen" : "");
  }

  /// "8.39 us for the bytes at 1000 GB/s"; empty if the unit does nothing of the kernel, nothing if sizes are not
  /// known.
  std::optional<std::string> timeOf(const UnitWork &unit) const {
    double count = 0, time = 0;
    for (auto &[size, each] : unit.parts) {
      std::optional<int64_t> value = valueOf(size);
      if (!value)
        return std::nullopt;
      count += *value, time += *value * each;
    }
    std::string text;
    llvm::raw_string_ostream os(text);
    if (time > 0)
      os << llvm::format("%.3g", time) << " us for the " << unit.of << " at ";
    if (time > 0 && unit.of == "bytes")
      os << llvm::format("%g", speed.gigabytes) << " GB/s";
    else if (time > 0)
      os << llvm::format("%.4g", 1e-6 * count / time) << "e12 a second";
    return text;
  }

  std::optional<int64_t> valueOf(const SymbolicSize &size) const {
    bool isKnown = true;
    int64_t value = size.evaluate([&](const void *symbol) {
      auto known = sizes.find(NamedSizes::nameOf(symbol));
      isKnown &= known != sizes.end();
      return known == sizes.end() ? 0 : known->second;
    });
    return isKnown ? std::optional(value) : std::nullopt;
  }

  DeviceSpeed speed;
  const std::map<std::string, int64_t> &sizes;
};

/// A copy that bufferization has left: it is a kernel or a loop of its own.
void explainCopy(memref::CopyOp copy) {
  auto isStrided = [](Value memory) {
    auto type = dyn_cast<MemRefType>(memory.getType());
    return !type || !type.getLayout().isIdentity();
  };
  SmallVector<FileLineColRange> places = sourcePlacesOf(copy.getLoc());
  Location place = firstOf(places, copy.getContext());
  InFlightDiagnostic remark =
      emitRemark(place) << "copy" << (isStrided(copy.getSource()) ? " of a part of a tensor" : "")
                        << (isStrided(copy.getTarget()) ? " to a part of a tensor" : "") << ": " << linesOf(places);
  if (!isa<MemRefType>(copy.getSource().getType()))
    return;
  std::string bytes = NamedSizes::text(NamedSizes(copy.getContext()).bytes(copy.getSource()));
  remark.attachNote(place) << "reads and writes " << bytes << " bytes that no kernel could write where they go";
}

struct ExplainGroups : impl::ExplainGroupsBase<ExplainGroups> {
  using ExplainGroupsBase::ExplainGroupsBase;

  void runOnOperation() override {
    if (noteCosts) {
      getOperation().walk([&](group::KernelOp kernel) {
        kernel->setAttr(kCostAttr, NamedSizes(kernel).cost().attribute(&getContext()));
        noteRoundings(kernel);
      });
      return;
    }
    std::map<std::string, int64_t> numbers;
    for (StringRef size : sizes) {
      auto [name, number] = size.rsplit('=');
      if (number.getAsInteger(10, numbers[name.str()]))
        return (void)(getOperation().emitError("a size is written as n0=512, not as `") << size << "`",
                      signalPassFailure());
    }
    Explainer explainer({gigabytes, teraflops, productFlops, exponentials}, numbers);
    bool hasKernels = false; // In other functions copies are the program's own.
    getOperation().walk([&](Operation *op) {
      hasKernels |= isa<group::KernelOp>(op) || op->hasAttr(kKernelNameAttr);
      return hasKernels ? WalkResult::interrupt() : WalkResult::advance();
    });
    getOperation().walk([&](Operation *op) {
      if (auto copy = dyn_cast<memref::CopyOp>(op); copy && hasKernels)
        explainCopy(copy);
      else if (auto kernel = dyn_cast<group::KernelOp>(op))
        explainer.explain(kernel);
      else if (auto name = op->getAttrOfType<StringAttr>(kKernelNameAttr))
        explainer.explainMatched(op, name);
      op->removeAttr(kCostAttr);
      op->removeAttr(kRoundedAttr);
    });
  }
};
} // namespace
} // namespace lispier
