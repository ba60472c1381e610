//===- Segments.cpp - which operands belong to which group ----------------===//
#include "AttributeReadings.h"
#include "Generator.h"
#include "OpTraits.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/OpDefinition.h"
#include <numeric>

using namespace llvm;

namespace lispier {
namespace {
struct SegmentNames {
  StringLiteral op, names;
};
constexpr SegmentNames kSegmentNames[] = {
    {"gpu.launch", "async dependencies, grid x, y, z, block x, y, z, cluster x, y, z, dynamic shared memory"},
    {"gpu.launch_func", "async dependencies, grid x, y, z, block x, y, z, cluster x, y, z, dynamic shared memory, "
                        "arguments, async object"},
    {"scf.parallel", "lower bounds, upper bounds, steps, initial values"},
    {"scf.forall", "lower bounds, upper bounds, steps, outputs"},
    {"cf.cond_br", "condition, first label's operands, second label's operands"},
    {"memref.alloc", "dynamic sizes, symbols"},
    {"memref.alloca", "dynamic sizes, symbols"},
    {"memref.subview", "source, offsets, sizes, strides"},
    {"memref.reinterpret_cast", "source, offsets, sizes, strides"},
    {"tensor.extract_slice", "source, offsets, sizes, strides"},
    {"tensor.insert_slice", "source, destination, offsets, sizes, strides"},
    {"llvm.call", "callee operands, operand bundles"},
    {"affine.for", "lower bound operands, upper bound operands, initial values"},
    {"nn.linear", "x, w, bias, residual, out"},
};

std::string segmentNames(StringRef op) {
  for (const SegmentNames &row : kSegmentNames)
    if (row.op == op)
      return row.names.str();
  return op.starts_with("linalg.") ? "inputs, outputs" : "";
}
} // namespace

/// acc.parallel has about twenty.
constexpr unsigned kMostSegments = 48;

/// How many groups the op has; nullopt when it has more than anyone writes.
std::optional<unsigned> Generator::segmentCount(mlir::RegisteredOperationName op) {
  // Sizes of an op are a property: one of the wrong length is refused, or read as the right length.
  auto fits = [&](unsigned n) {
    bool ok = true;
    capture([&] {
      PropertyStorage scratch(op);
      mlir::NamedAttrList one;
      SmallVector<int32_t> zeros(n);
      one.set("operandSegmentSizes", builder.getDenseI32ArrayAttr(zeros));
      Captured message = capture([&] { ok = succeeded(scratch.set(one.getDictionary(&context))); });
      if (!ok && message && !StringRef(message.message).contains_insensitive("segment") &&
          !StringRef(message.message).contains("size"))
        ok = true;
    });
    return ok;
  };
  for (unsigned count = 1; count <= kMostSegments; ++count)
    if (fits(count))
      return count;
  return std::nullopt;
}

/// Sizes of groups that the op does not have.
void Generator::segmentsDoNotFit(OpDraft &draft, mlir::RegisteredOperationName op, const Form *given, size_t groups) {
  std::optional<unsigned> count = segmentCount(op);
  Diag &diag = error("op-segments", given,
                     "`" + draft.name + "` has " + (count ? Twine(*count) : Twine("other")) +
                         " groups of operands, not " + Twine(groups));
  if (std::string names = segmentNames(draft.name); !names.empty())
    diag.withHint("the groups of its operands are: " + names);
}

bool hasBundles(const mlir::NamedAttrList &attributes) {
  auto sizes = dyn_cast_if_present<mlir::DenseI32ArrayAttr>(attributes.get("op_bundle_sizes"));
  return sizes && !sizes.empty();
}

bool Generator::segments(OpDraft &draft, mlir::RegisteredOperationName op) {
  if (!op.hasTrait<mlir::OpTrait::AttrSizedOperandSegments>())
    return true;
  std::optional<unsigned> count = segmentCount(op);
  if (!count)
    return true;
  auto complain = [&](const Twine &message) {
    Diag &diag = error("op-segments", draft.form, message);
    if (std::string names = segmentNames(draft.name); !names.empty())
      diag.withHint("the groups of its operands are: " + names);
    return false;
  };
  int32_t total = draft.operands.size();
  if (auto given = dyn_cast_if_present<mlir::DenseI32ArrayAttr>(draft.attributes.get("operandSegmentSizes"));
      given && (draft.name != "llvm.call" || hasBundles(draft.attributes))) {
    ArrayRef<int32_t> sizes = given;
    if (any_of(sizes, [](int32_t size) { return size < 0; }))
      return complain("the size of a group of operands cannot be negative");
    if (std::accumulate(sizes.begin(), sizes.end(), int64_t(0)) != total)
      return complain("`:operandSegmentSizes` of `" + draft.name + "` counts " +
                      Twine(std::accumulate(sizes.begin(), sizes.end(), int64_t(0))) + " operands; there are " +
                      Twine(total));
    return true;
  }
  std::optional<SmallVector<int32_t>> sizes = knownSegments(draft, *count);
  if (!sizes && draft.groups.size() == *count && (draft.hasVectorGroups || !draft.successors.empty()))
    sizes.emplace(draft.groups.begin(), draft.groups.end());
  if (sizes && std::accumulate(sizes->begin(), sizes->end(), 0) == total && sizes->size() == *count &&
      none_of(*sizes, [](int32_t size) { return size < 0; })) {
    draft.attributes.set("operandSegmentSizes", builder.getDenseI32ArrayAttr(*sizes));
    return true;
  }
  if (sizes)
    return complain("`" + draft.name + "` cannot divide " + Twine(total) + " operands into its groups");
  return searchSegments(draft, op, *count);
}

/// How many operands of an scf.parallel are bounds and steps: said by vectors, or by the arguments of its block.
unsigned Generator::parallelBounds(const OpDraft &draft) {
  if (draft.hasVectorGroups && draft.groups.size() >= 3)
    return draft.groups[0] + draft.groups[1] + draft.groups[2];
  for (const Form *item : draft.regionForms.empty() ? ArrayRef<const Form *>() : draft.regionForms[0]->items())
    if (item->isCall("block") && item->size() > 1) {
      const Form *arguments = (*item)[1]->isVector() ? (*item)[1] : item->size() > 2 ? (*item)[2] : nullptr;
      return arguments && arguments->isVector() ? 3 * arguments->size() : 0;
    }
  return 0;
}

std::optional<SmallVector<int32_t>> Generator::knownSegments(OpDraft &draft, unsigned count) {
  StringRef name = draft.name;
  int32_t total = draft.operands.size();
  using Sizes = SmallVector<int32_t>;
  int32_t tokens =
      count_if(draft.operands, [](mlir::Value operand) { return isa<mlir::gpu::AsyncTokenType>(operand.getType()); });
  // Its verifier takes the sizes of grid and block for there, so that no search may try without them.
  if (name == "gpu.launch_func" && !(draft.hasVectorGroups && draft.groups.size() == count)) {
    Sizes sizes(count, 0);
    sizes[0] = tokens;
    std::fill_n(sizes.begin() + 1, 6, 1);
    sizes[count - 2] = total - tokens - 6;
    return sizes;
  }
  if (name == "gpu.launch") {
    int32_t shared = draft.map && draft.map->get("dynamic-shared") ? 1 : 0;
    Sizes sizes(count, 0);
    int32_t cluster = total - tokens - shared >= 9;
    sizes[0] = tokens;
    for (unsigned i = 1; i < count; ++i)
      sizes[i] = i <= 6 ? 1 : i <= 9 ? cluster : shared;
    return sizes;
  }
  if (name == "scf.parallel" && (!draft.hasVectorGroups || draft.groups.size() < 3)) {
    int32_t dims = parallelBounds(draft) / 3;
    return Sizes{dims, dims, dims, total - 3 * dims};
  }
  if (name == "scf.parallel")
    return Sizes{draft.groups[0], draft.groups[1], draft.groups[2],
                 total - draft.groups[0] - draft.groups[1] - draft.groups[2]};
  if ((name == "memref.alloc" || name == "memref.alloca") && draft.groups.size() < 2)
    return Sizes{total, 0};
  if (name == "memref.alloc" || name == "memref.alloca") {
    int32_t dynamic = total;
    if (draft.resultTypes && draft.resultTypes->size() == 1)
      if (auto type = dyn_cast<mlir::MemRefType>(draft.resultTypes->front()))
        dynamic = std::min<int32_t>(total, type.getNumDynamicDims());
    return Sizes{dynamic, total - dynamic};
  }
  if (name == "llvm.call" || name == "llvm.call_intrinsic") {
    draft.attributes.set("op_bundle_sizes", builder.getDenseI32ArrayAttr({}));
    return Sizes{total, 0};
  }
  if (name.starts_with("linalg.") && count == 2) {
    auto given = [&](StringRef key) -> std::optional<int32_t> {
      const Form *form = draft.map ? draft.map->get(key) : nullptr;
      std::optional<int64_t> number = form ? integerOf(form) : std::nullopt;
      return number ? std::optional<int32_t>(*number) : std::nullopt;
    };
    std::optional<int32_t> ins = given("ins"), outs = given("outs");
    if (!ins && !outs && draft.hasVectorGroups && draft.groups.size() == 2)
      return Sizes{draft.groups[0], draft.groups[1]};
    int32_t outputs = outs ? *outs : ins ? total - *ins : 1;
    return Sizes{ins ? *ins : total - outputs, outputs};
  }
  if (!draft.successors.empty() && name != "cf.switch" && count == draft.successors.size() + 1) {
    // cf.cond_br and its like: what is not for a label is the op's own.
    Sizes sizes{0};
    for (size_t i = 0; i < draft.operandForms.size(); ++i)
      sizes[0] += draft.groups[i];
    for (size_t i = 0; i < draft.successors.size(); ++i)
      sizes.push_back(draft.groups[draft.operandForms.size() + i]);
    return sizes;
  }
  if (name == "cf.switch" && !draft.successors.empty()) {
    Sizes caseSizes;
    for (size_t i = 1; i < draft.successors.size(); ++i)
      caseSizes.push_back(draft.groups[draft.operandForms.size() + i]);
    if (!draft.attributes.get("case_operand_segments"))
      draft.attributes.set("case_operand_segments", builder.getDenseI32ArrayAttr(caseSizes));
    return Sizes{1, draft.groups[draft.operandForms.size()], std::accumulate(caseSizes.begin(), caseSizes.end(), 0)};
  }
  return std::nullopt;
}

/// Every way to divide the operands is tried against the op's own constraints; one must remain.
bool Generator::searchSegments(OpDraft &draft, mlir::RegisteredOperationName op, unsigned count) {
  constexpr unsigned kMostAttempts = 4000;
  unsigned total = draft.operands.size(), attempts = 0;
  SmallVector<SmallVector<int32_t>> fits;
  SmallVector<int32_t> sizes(count, 0);
  std::function<void(unsigned, unsigned)> divide = [&](unsigned group, unsigned rest) {
    if (attempts >= kMostAttempts || fits.size() > 8)
      return;
    if (group + 1 == count) {
      sizes[group] = rest;
      ++attempts;
      OpDraft trial = draft;
      trial.attributes.set("operandSegmentSizes", builder.getDenseI32ArrayAttr(sizes));
      bool ok = true;
      Captured why = capture([&] { ok = trialFits(trial, op); });
      if (ok)
        fits.push_back(sizes);
      return;
    }
    for (unsigned size = 0; size <= rest; ++size) {
      sizes[group] = size;
      divide(group + 1, rest - size);
    }
  };
  // These verifiers read device-type attributes beside each group without looking whether they are there.
  if (!StringRef(draft.name).starts_with("acc."))
    divide(0, total);
  if (fits.size() == 1) {
    draft.attributes.set("operandSegmentSizes", builder.getDenseI32ArrayAttr(fits[0]));
    return true;
  }
  std::string names = segmentNames(draft.name);
  std::string message = "`" + draft.name + "` divides its operands into " + std::to_string(count) +
                        " groups, and it is not clear which of these " + std::to_string(total) + " belong where";
  if (fits.empty())
    message = "`" + draft.name + "` cannot divide " + std::to_string(total) + " operands into its " +
              std::to_string(count) + " groups";
  std::string hint = "put each group in a vector: (" + draft.name + " [a b] [c] [] ...)";
  error("op-segments", draft.form, message).withHint(names.empty() ? hint : hint + "; the groups are: " + names);
  return false;
}

/// Whether the constraints of the op's definition hold, as far as its results allow to tell.
bool Generator::trialFits(OpDraft &trial, mlir::RegisteredOperationName op) {
  SmallVector<mlir::Type> types;
  if (trial.resultTypes)
    types.assign(trial.resultTypes->begin(), trial.resultTypes->end());
  else
    types.append(resultCount(op).value_or(0), builder.getNoneType());
  mlir::Operation *probe = create(trial, op, types, {}, regionCount(op, trial.regionForms.size()));
  if (!probe)
    return false;
  bool ok = true;
  Captured why = capture([&] { ok = succeeded(op.verifyInvariants(probe)); });
  StringRef message = why.message;
  message.consume_front("'" + trial.name + "' op ");
  // Results, regions and successors come later: only operands and attributes count here.
  if (!ok && (message.starts_with("result") || message.starts_with("region") || message.contains("successor") ||
              (!trial.resultTypes && (message.contains("result") || message.contains("inferred")))))
    ok = true;
  probe->destroy();
  return ok;
}

void Generator::resultSegments(OpDraft &draft, mlir::RegisteredOperationName op) {
  if (!op.hasTrait<mlir::OpTrait::AttrSizedResultSegments>() || draft.attributes.get("resultSegmentSizes") ||
      !draft.resultTypes)
    return;
  // One result each, from the first on, is what nearly every op means.
  for (unsigned count = 1; count <= 16; ++count) {
    SmallVector<int32_t> sizes(count, 0);
    for (unsigned i = 0; i < count && i < draft.resultTypes->size(); ++i)
      sizes[i] = 1;
    if (draft.resultTypes->size() > count)
      sizes[count - 1] += draft.resultTypes->size() - count;
    if (accepts(op, "resultSegmentSizes", builder.getDenseI32ArrayAttr(sizes))) {
      draft.attributes.set("resultSegmentSizes", builder.getDenseI32ArrayAttr(sizes));
      return;
    }
  }
}
} // namespace lispier
