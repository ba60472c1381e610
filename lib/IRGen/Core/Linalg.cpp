//===- Linalg.cpp - completion and checks of linalg ops -------------------===//
#include "Linalg.h"
#include "CoreParts.h"
#include "Literals.h"
#include "OpDraft.h"
#include "OpVerifier.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Verifier.h"

using namespace llvm;

namespace lispier {
/// The number of inputs and outputs of a named op with a fixed count: the number of its region's arguments.
template <typename... Ops> static std::optional<unsigned> namedOperandCount(StringRef name) {
  std::optional<unsigned> count;
  auto look = [&]<typename Op>() {
    if constexpr (requires { Op::getNumRegionArgs(); })
      if (Op::getOperationName() == name)
        count = Op::getNumRegionArgs();
  };
  (look.template operator()<Ops>(), ...);
  return count;
}

std::optional<unsigned> LinalgOps::linalgOperandCount(const OpDraft &draft) {
  using Limits = mlir::linalg::ElementwiseCaseLimits;
  if (draft.is<mlir::linalg::ElementwiseOp>()) {
    auto kind = dyn_cast_if_present<mlir::linalg::ElementwiseKindAttr>(draft.attributes.get("kind"));
    if (!kind)
      return std::nullopt;
    auto number = static_cast<uint32_t>(kind.getValue());
    return number < static_cast<uint32_t>(Limits::LastUnary)    ? 2
           : number < static_cast<uint32_t>(Limits::LastBinary) ? 3
                                                                : 4;
  }
  return namedOperandCount<
#define GET_OP_LIST
#include "mlir/Dialect/Linalg/IR/LinalgStructuredOps.cpp.inc"
      >(draft.name);
}

/// Checks counts, indexing maps and iterator types, which the op's own verifier accesses unchecked.
bool LinalgOps::linalg(OpDraft &draft) {
  StringRef name = draft.name;
  if (draft.is<mlir::linalg::YieldOp>() || draft.is<mlir::linalg::IndexOp>())
    return true;
  size_t total = draft.operands.size();
  bool countsAreNumbers = true;
  auto given = [&](StringRef key) -> std::optional<int64_t> {
    const Form *form = draft.map ? draft.map->get(key) : nullptr;
    std::optional<int64_t> number = form ? gen.literals.integerOf(form) : std::nullopt;
    if (form && !number) {
      error("linalg-counts", form,
            "`:" + key + "` of `" + name + "` is the number of its " + (key == "ins" ? "inputs" : "outputs") +
                ", not " + form->str());
      countsAreNumbers = false;
    }
    return number;
  };
  std::optional<int64_t> ins = given("ins"), outs = given("outs");
  if (!countsAreNumbers)
    return false;
  if (ins && outs && size_t(*ins + *outs) != total) {
    error("linalg-counts", draft.form,
          "`" + name + "` has " + Twine(total) + " operands; `:ins` and `:outs` make " + Twine(*ins + *outs));
    return false;
  }
  if ((ins && (*ins < 0 || size_t(*ins) > total)) || (outs && (*outs < 0 || size_t(*outs) > total))) {
    error("linalg-counts", draft.form, "`" + name + "` has " + Twine(total) + " operands");
    return false;
  }
  if (total == 0) {
    error("linalg-counts", draft.form, "`" + name + "` needs operands: the last one is the output");
    return false;
  }
  auto maps = dyn_cast_if_present<mlir::ArrayAttr>(draft.attributes.get("indexing_maps"));
  auto iterators = dyn_cast_if_present<mlir::ArrayAttr>(draft.attributes.get("iterator_types"));
  if (!maps)
    return true;
  if (none_of(draft.op->getAttributeNames(), [](mlir::StringAttr each) { return each == "indexing_maps"; })) {
    error("linalg-maps", draft.form, "`" + name + "` has indexing maps of its own, and takes none")
        .withHint("linalg.generic takes :indexing_maps");
    return false;
  }
  if (const auto *other = find_if_not(maps, IsaPred<mlir::AffineMapAttr>); other != maps.end()) {
    error("linalg-maps", draft.form,
          "indexing map " + Twine(other - maps.begin() + 1) + " of `" + name + "` is " + mlir::debugString(*other) +
              ", and not an affine map")
        .withHint("write affine_map<(i, j) -> (j)>");
    return false;
  }
  if (maps.size() != total) {
    error("linalg-maps", draft.form,
          "`" + name + "` has " + Twine(total) + " operands and " + Twine(maps.size()) + " indexing maps");
    return false;
  }
  for (const auto &[i, attribute] : enumerate(maps)) {
    mlir::AffineMap map = cast<mlir::AffineMapAttr>(attribute).getValue();
    auto shaped = dyn_cast<mlir::ShapedType>(draft.operands[i].getType());
    if (shaped && shaped.hasRank() && map.getNumResults() != shaped.getRank()) {
      error("linalg-maps", draft.form,
            "indexing map " + Twine(i + 1) + " gives " + Twine(map.getNumResults()) +
                " indices for an operand of type " + mlir::debugString(shaped));
      return false;
    }
    if (iterators && map.getNumDims() != iterators.size()) {
      error("linalg-maps", draft.form,
            "indexing map " + Twine(i + 1) + " has " + Twine(map.getNumDims()) + " dimensions, and there are " +
                Twine(iterators.size()) + " iterator types");
      return false;
    }
  }
  return true;
}

/// Checks that there is exactly one output, which the builders of named ops assume.
bool LinalgOps::linalgOutputs(OpDraft &draft) {
  auto sizes = dyn_cast_if_present<mlir::DenseI32ArrayAttr>(draft.attributes.get("operandSegmentSizes"));
  if (!linalgOperandCount(draft) || !sizes || sizes.size() != 2 || sizes[1] == 1)
    return true;
  error("linalg-counts", draft.form, "`" + draft.name + "` has one output, not " + Twine(sizes[1]))
      .withHint("the last operand is the output");
  return false;
}

/// Builds the region of a named op from its definition; false with the message in `why`.
bool LinalgOps::buildNamedRegion(mlir::linalg::LinalgOp op, mlir::Region &region, Captured &why) {
  mlir::OpBuilder::InsertionGuard guard(builder);
  mlir::Block *block = builder.createBlock(&region);
  for (mlir::Value operand : op->getOperands())
    block->addArgument(mlir::getElementTypeOrSelf(operand.getType()), op->getLoc());
  mlir::ImplicitLocOpBuilder inner(op->getLoc(), builder);
  bool ok = true;
  why = capture([&] {
    op.getRegionBuilder()(inner, *block, op->getAttrs(), [&] {
      ok = false;
      return op->emitError();
    });
  });
  return ok && !why;
}

/// Builds the region that the program leaves out.
bool LinalgOps::linalgRegion(OpDraft &draft, mlir::Operation *op) {
  auto structured = dyn_cast<mlir::linalg::LinalgOp>(op);
  if (!structured || op->getNumRegions() != 1 || !op->getRegion(0).empty())
    return true;
  if (!structured.getRegionBuilder()) {
    error("op-regions", draft.form, "`" + draft.name + "` needs its region")
        .withHint("write (region (block [(: x f32) ...] ... (linalg.yield value)))");
    return false;
  }
  // The builder does not check the number of block arguments.
  if (structured.getIndexingMapsArray().size() != op->getNumOperands()) {
    error("linalg-counts", draft.form,
          "`" + draft.name + "` takes " + Twine(structured.getIndexingMapsArray().size()) + " operands, not " +
              Twine(op->getNumOperands()));
    return false;
  }
  for (mlir::OpOperand &output : cast<mlir::DestinationStyleOpInterface>(op).getDpsInitsMutable())
    if (isa<mlir::VectorType>(output.get().getType())) {
      unsigned i = output.getOperandNumber();
      error("type-mismatch", i < draft.places.size() ? draft.places[i] : draft.form,
            "the output of `" + draft.name + "` is a memref or a tensor, and this is " +
                mlir::debugString(output.get().getType()))
          .withHint("forms such as + and max work on vectors");
      return false;
    }
  Captured why;
  bool ok = buildNamedRegion(structured, op->getRegion(0), why);
  if (ok) // What it yields need not be what the op has.
    why = capture([&] {
      for (mlir::Operation &each : op->getRegion(0).front())
        ok = ok && succeeded(mlir::verify(&each));
    });
  if (ok)
    return true;
  gen.verifier.reportInvalid(draft.name, draft.form, why, op, draft.places);
  return false;
}

/// Whether two single-block bodies consist of the same ops, up to the operand order of commutative ops.
static bool sameBody(mlir::Region &a, mlir::Region &b) {
  if (!a.hasOneBlock() || !b.hasOneBlock() || a.front().getArgumentTypes() != b.front().getArgumentTypes() ||
      a.front().getOperations().size() != b.front().getOperations().size())
    return false;
  mlir::IRMapping toB;
  toB.map(a.front().getArguments(), b.front().getArguments());
  for (auto [x, y] : llvm::zip(a.front(), b.front())) {
    if (x.getName() != y.getName() || x.getAttrDictionary() != y.getAttrDictionary() ||
        x.getResultTypes() != y.getResultTypes() || x.getNumOperands() != y.getNumOperands() || x.getNumRegions())
      return false;
    SmallVector<mlir::Value> mapped;
    for (mlir::Value operand : x.getOperands())
      mapped.push_back(toB.lookupOrDefault(operand));
    bool equal = mlir::ValueRange(mapped) == y.getOperands();
    if (!equal && mapped.size() == 2 && x.hasTrait<mlir::OpTrait::IsCommutative>()) {
      std::swap(mapped[0], mapped[1]);
      equal = mlir::ValueRange(mapped) == y.getOperands();
    }
    if (!equal)
      return false;
    toB.map(x.getResults(), y.getResults());
  }
  return true;
}

/// Replaces a named op by linalg.generic if the program wrote another region than the op's own: passes infer the
/// semantics from the name.
mlir::Operation *LinalgOps::demoteNamed(mlir::Operation *op) {
  auto structured = dyn_cast<mlir::linalg::LinalgOp>(op);
  if (!structured || isa<mlir::linalg::GenericOp>(op) || !structured.getRegionBuilder() ||
      !op->hasAttr("operandSegmentSizes"))
    return op;
  mlir::Region usual;
  Captured why;
  bool same = buildNamedRegion(structured, usual, why) && sameBody(op->getRegion(0), usual);
  if (same)
    return op;
  builder.setInsertionPointAfter(op);
  auto generic = mlir::linalg::GenericOp::create(builder, op->getLoc(), op->getResultTypes(), structured.getDpsInputs(),
                                                 structured.getDpsInits(), structured.getIndexingMapsArray(),
                                                 structured.getIteratorTypesArray());
  generic.getRegion().takeBody(op->getRegion(0));
  op->erase();
  return generic;
}
} // namespace lispier
