//===- Linalg.cpp - linalg ops with as little said as possible ------------===//
#include "Generator.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace llvm;

namespace lispier {
/// Counts, maps and iterators, before the op trusts them.
bool Generator::linalg(OpDraft &draft) {
  StringRef name = draft.name;
  if (name == "linalg.yield" || name == "linalg.index")
    return true;
  size_t total = draft.operands.size();
  auto given = [&](StringRef key) -> std::optional<int64_t> {
    const Form *form = draft.map ? draft.map->get(key) : nullptr;
    return form ? integerOf(form) : std::nullopt;
  };
  std::optional<int64_t> ins = given("ins"), outs = given("outs");
  if (ins && outs && size_t(*ins + *outs) != total) {
    error("linalg-counts", draft.form, "`" + name + "` has " + Twine(total) + " operands; `:ins` and `:outs` make " + Twine(*ins + *outs));
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
  if (maps.size() != total) {
    error("linalg-maps", draft.form, "`" + name + "` has " + Twine(total) + " operands and " + Twine(maps.size()) + " indexing maps");
    return false;
  }
  for (const auto &[i, attribute] : enumerate(maps)) {
    mlir::AffineMap map = cast<mlir::AffineMapAttr>(attribute).getValue();
    auto shaped = dyn_cast<mlir::ShapedType>(draft.operands[i].getType());
    if (shaped && shaped.hasRank() && map.getNumResults() != shaped.getRank()) {
      error("linalg-maps", draft.form, "indexing map " + Twine(i + 1) + " gives " + Twine(map.getNumResults()) + " indices for an operand of type " +
                                           mlir::debugString(shaped));
      return false;
    }
    if (iterators && map.getNumDims() != iterators.size()) {
      error("linalg-maps", draft.form, "indexing map " + Twine(i + 1) + " has " + Twine(map.getNumDims()) + " dimensions, and there are " +
                                           Twine(iterators.size()) + " iterator types");
      return false;
    }
  }
  return true;
}

/// Fills the region that a named op leaves out; a region that means something else makes a linalg.generic of it.
bool Generator::linalgRegion(OpDraft &draft, mlir::Operation *op) {
  auto structured = dyn_cast<mlir::linalg::LinalgOp>(op);
  if (!structured || op->getNumRegions() != 1)
    return true;
  auto build = structured.getRegionBuilder();
  mlir::Region &region = op->getRegion(0);
  if (!build) {
    if (!region.empty())
      return true;
    error("op-regions", draft.form, "`" + draft.name + "` needs its region").withHint("write (region (block [(: x f32) ...] ... (linalg.yield value)))");
    return false;
  }
  if (!region.empty())
    return true;
  mlir::OpBuilder::InsertionGuard guard(builder);
  mlir::Block *block = builder.createBlock(&region);
  for (mlir::Value operand : op->getOperands())
    block->addArgument(mlir::getElementTypeOrSelf(operand.getType()), op->getLoc());
  mlir::ImplicitLocOpBuilder inner(op->getLoc(), builder);
  bool ok = true;
  Captured why = capture([&] {
    build(inner, *block, op->getAttrs(), [&] {
      ok = false;
      return op->emitError();
    });
  });
  if (ok && !why)
    return true;
  reportInvalid(draft.name, draft.form, why, op);
  return false;
}
} // namespace lispier
