//===- Sugar.cpp - shorter spellings of particular ops --------------------===//
#include "Sugar.h"
#include "AttributeReadings.h"
#include "CoreParts.h"
#include "FormEvaluator.h"
#include "FunctionTable.h"
#include "Linalg.h"
#include "Literals.h"
#include "OpDraft.h"
#include "OpVerifier.h"
#include "Operations.h"
#include "Regions.h"
#include "Types.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/SymbolTable.h"

using namespace llvm;

namespace lispier {
std::optional<mlir::FailureOr<Values>> OpSugar::sugarBefore(OpDraft &draft, mlir::Type hint) {
#define LISPIER_SHORT_FORM(OP, METHOD)                                                                                 \
  if (draft.name == OP)                                                                                                \
    return METHOD(draft, hint);
#include "OpForms.def"
  return std::nullopt;
}

bool OpSugar::sugarAfter(OpDraft &draft) {
#define LISPIER_DEFAULTS(OP, METHOD)                                                                                   \
  if (draft.name == OP)                                                                                                \
    return METHOD(draft);
#include "OpForms.def"
  return !draft.isOf<mlir::linalg::LinalgDialect>() || gen.linalg.linalg(draft);
}

/// The older spelling of a call: the callee as a string before the operands.
OpSugar::Generated OpSugar::calleeAsString(OpDraft &draft, mlir::Type) {
  if (!draft.operandForms.empty() && draft.operandForms[0]->isString() && !draft.attributes.get("callee")) {
    StringRef callee = draft.operandForms[0]->text();
    callee.consume_front("@");
    draft.attributes.set("callee", mlir::FlatSymbolRefAttr::get(&context, callee));
    draft.operandForms.erase(draft.operandForms.begin());
  }
  return std::nullopt;
}

/// (gpu.launch {:dynamic-shared bytes} ...): the last operand.
OpSugar::Generated OpSugar::launchMemory(OpDraft &draft, mlir::Type) {
  if (const Form *bytes = draft.map ? draft.map->get("dynamic-shared") : nullptr)
    draft.operandForms.push_back(bytes);
  return std::nullopt;
}

OpSugar::Generated OpSugar::pointerIndices(OpDraft &draft, mlir::Type) {
  if (!draft.attributes.get("rawConstantIndices"))
    draft.attributes.set("rawConstantIndices", builder.getDenseI32ArrayAttr(to_vector_of<int32_t>(
                                                   splitIndices(draft, 1, mlir::LLVM::GEPOp::kDynamicIndex))));
  return std::nullopt;
}

OpSugar::Generated OpSugar::extractPosition(OpDraft &draft, mlir::Type) { return position(draft, 1); }
OpSugar::Generated OpSugar::insertPosition(OpDraft &draft, mlir::Type) { return position(draft, 2); }

/// (vector.extract v 1 i): the position follows the other operands.
OpSugar::Generated OpSugar::position(OpDraft &draft, unsigned first) {
  if (!draft.attributes.get("static_position"))
    draft.attributes.set("static_position",
                         builder.getDenseI64ArrayAttr(splitIndices(draft, first, mlir::ShapedType::kDynamic)));
  return std::nullopt;
}

/// Takes the indices from operand `first` on out of the draft: returns the numbers, with `dynamic` for each index that
/// stays an operand.
SmallVector<int64_t> OpSugar::splitIndices(OpDraft &draft, unsigned first, int64_t dynamic) {
  SmallVector<const Form *> kept;
  SmallVector<int64_t> indices;
  for (const auto &[i, item] : enumerate(draft.operandForms)) {
    if (i < first) {
      kept.push_back(item);
      continue;
    }
    for (const Form *index : item->isVector() ? item->items() : ArrayRef(item)) {
      std::optional<int64_t> number = gen.literals.integerOf(index);
      if (number && *number >= -1 && *number < (int64_t(1) << 29))
        indices.push_back(*number);
      else {
        kept.push_back(index);
        indices.push_back(dynamic);
      }
    }
  }
  draft.operandForms = std::move(kept);
  return indices;
}

OpSugar::Generated OpSugar::funcCall(OpDraft &draft, mlir::Type hint) {
  calleeAsString(draft, hint);
  return gen.evaluator->emitCall(draft, hint);
}

/// (memref.subview m [offsets] [sizes] [strides]): numbers are static, the rest dynamic.
OpSugar::Generated OpSugar::subview(OpDraft &draft, mlir::Type) {
  if (draft.attributes.get("static_offsets") || draft.operandForms.size() != 4)
    return std::nullopt;
  auto failed = [] { return mlir::FailureOr<Values>(mlir::failure()); };
  for (const Form *list : ArrayRef(draft.operandForms).drop_front())
    if (!list->isVector())
      return std::nullopt;
  mlir::Value source = gen.evaluator->emitValue(draft.operandForms[0]);
  if (!source)
    return failed();
  SmallVector<mlir::OpFoldResult> parts[3];
  for (unsigned k = 0; k < 3; ++k)
    for (const Form *item : draft.operandForms[k + 1]->items()) {
      if (std::optional<int64_t> number = gen.literals.integerOf(item)) {
        parts[k].push_back(builder.getIndexAttr(*number));
        continue;
      }
      mlir::Value value = gen.evaluator->emitValue(item, builder.getIndexType());
      if (value && value.getType().isInteger())
        value = make<mlir::arith::IndexCastOp>(item, builder.getIndexType(), value);
      if (!value)
        return failed();
      if (!value.getType().isIndex()) {
        error("op-operands", item, "an offset, size or stride is an index, not " + mlir::debugString(value.getType()));
        return failed();
      }
      parts[k].push_back(value);
    }
  auto shaped = dyn_cast<mlir::ShapedType>(source.getType());
  bool isTensor = draft.is<mlir::tensor::ExtractSliceOp>(), isView = draft.is<mlir::memref::SubViewOp>();
  if (!shaped || !(isTensor ? isa<mlir::RankedTensorType>(shaped)
                   : isView ? isa<mlir::MemRefType>(shaped)
                            : isa<mlir::BaseMemRefType>(shaped))) {
    error("op-operands", draft.operandForms[0],
          "`" + draft.name + "` does not take " + mlir::debugString(source.getType()));
    return failed();
  }
  if (!draft.is<mlir::memref::ReinterpretCastOp>())
    for (unsigned k = 0; k < 3; ++k)
      if (parts[k].size() != size_t(shaped.getRank())) {
        error("op-operands", draft.operandForms[k + 1],
              Twine(parts[k].size()) +
                  (k == 0   ? " offsets"
                   : k == 1 ? " sizes"
                            : " strides") +
                  " for " + Twine(shaped.getRank()) + " dimensions");
        return failed();
      }
  mlir::Type given = draft.resultTypes && draft.resultTypes->size() == 1 ? draft.resultTypes->front() : mlir::Type();
  const Form *drop = draft.map ? draft.map->get("drop-unit-dims") : nullptr;
  SmallVector<int64_t> kept;
  for (mlir::OpFoldResult size : parts[1])
    if (auto fixed = mlir::getConstantIntValue(size); fixed != 1)
      kept.push_back(fixed.value_or(mlir::ShapedType::kDynamic));
  bool drops = drop && drop->isBool() && drop->boolean();
  mlir::Operation *created;
  if (isTensor) {
    mlir::Type type = given ? given : drops ? mlir::RankedTensorType::get(kept, shaped.getElementType()) : mlir::Type();
    if (type && !isa<mlir::RankedTensorType>(type)) {
      error("op-results", draft.form, "`tensor.extract_slice` returns a ranked tensor");
      return failed();
    }
    created = make<mlir::tensor::ExtractSliceOp>(draft.form, cast_if_present<mlir::RankedTensorType>(type), source,
                                                 parts[0], parts[1], parts[2]);
  } else {
    mlir::MemRefType type = dyn_cast_if_present<mlir::MemRefType>(given);
    if (given && !type) {
      error("op-results", draft.form, "`" + draft.name + "` returns a memref, not " + mlir::debugString(given));
      return failed();
    }
    if (isView) {
      if (!type && drops)
        type = mlir::memref::SubViewOp::inferRankReducedResultType(kept, cast<mlir::MemRefType>(shaped), parts[0],
                                                                   parts[1], parts[2]);
      created = make<mlir::memref::SubViewOp>(draft.form, type, source, parts[0], parts[1], parts[2]);
    } else {
      if (parts[0].size() != 1 || parts[1].size() != parts[2].size()) {
        error("op-operands", draft.form, "`memref.reinterpret_cast` takes one offset, and as many strides as sizes");
        return failed();
      }
      created = type ? make<mlir::memref::ReinterpretCastOp>(draft.form, type, source, parts[0][0], parts[1], parts[2])
                     : make<mlir::memref::ReinterpretCastOp>(draft.form, source, parts[0][0], parts[1], parts[2]);
    }
  }
  if (!gen.verifier.verifyNow(created, draft.form)) {
    gen.ops.discard(created);
    return failed();
  }
  return mlir::FailureOr<Values>(Values(created->getResults()));
}

/// (scf.forall {:bounds [10 n]} out... (region (block [i j o...] ...)))
OpSugar::Generated OpSugar::forall(OpDraft &draft, mlir::Type) {
  auto failed = [] { return mlir::FailureOr<Values>(mlir::failure()); };
  const Form *bounds = draft.map ? draft.map->get("bounds") : nullptr;
  if (!bounds)
    return std::nullopt;
  SmallVector<mlir::OpFoldResult> upper;
  for (const Form *item : bounds->isVector() ? bounds->items() : ArrayRef(bounds)) {
    if (std::optional<int64_t> number = gen.literals.integerOf(item)) {
      upper.push_back(builder.getIndexAttr(*number));
      continue;
    }
    mlir::Value value = gen.evaluator->emitLoopBound(item);
    if (!value)
      return failed();
    upper.push_back(value);
  }
  if (!gen.ops.operands(draft))
    return failed();
  auto mapping = dyn_cast_if_present<mlir::ArrayAttr>(draft.attributes.get("mapping"));
  std::optional<mlir::ArrayAttr> mappingOrNone = mapping ? std::optional(mapping) : std::nullopt;
  if (draft.regionForms.size() != 1) {
    error("op-regions", draft.form, "`scf.forall` has one region");
    return failed();
  }
  auto loop = make<mlir::scf::ForallOp>(draft.form, upper, draft.operands, mappingOrNone);
  mlir::OpBuilder::InsertionGuard guard(builder);
  loop.getRegion().getBlocks().clear();
  if (!gen.regions.region(draft.regionForms[0], loop, 0) || !gen.verifier.verifyNow(loop, draft.form)) {
    gen.ops.discard(loop);
    return failed();
  }
  return mlir::FailureOr<Values>(Values(loop->getResults()));
}

/// func.func requires declarations to be private, but its default is public.
bool OpSugar::declaration(OpDraft &draft) {
  if (!draft.attributes.get("sym_visibility") &&
      none_of(draft.regionForms, [](const Form *region) { return region->size() > 1; }))
    draft.attributes.set("sym_visibility", builder.getStringAttr("private"));
  return true;
}

bool OpSugar::functionReturn(OpDraft &draft) { return gen.evaluator->completeReturn(draft); }

/// Constant bounds: {:lower_bound 0 :upper_bound 10 :step 1}; the operands carry values.
bool OpSugar::affineFor(OpDraft &draft) {
  auto bound = [&](StringRef key, StringRef attribute, int64_t otherwise) {
    if (draft.attributes.get(attribute))
      return true;
    int64_t value = otherwise;
    if (const Form *form = draft.map ? draft.map->get(key) : nullptr) {
      std::optional<int64_t> number = gen.literals.integerOf(form);
      if (!number) {
        error("attr-kind", form, "`:" + key + "` of `affine.for` is an integer")
            .withHint("for other bounds give `:" + attribute + "` an affine_map");
        return false;
      }
      value = *number;
    } else if (otherwise < 0) {
      error("attr-required", draft.form, "`affine.for` needs `:" + key + "`")
          .withHint("write (affine.for {:lower_bound 0 :upper_bound 10} ...)");
      return false;
    }
    draft.attributes.set(attribute, mlir::AffineMapAttr::get(mlir::AffineMap::getConstantMap(value, &context)));
    return true;
  };
  bool constant = !draft.attributes.get("lowerBoundMap") && !draft.attributes.get("upperBoundMap");
  if (!bound("lower_bound", "lowerBoundMap", 0) || !bound("upper_bound", "upperBoundMap", -1))
    return false;
  if (!draft.attributes.get("step"))
    draft.attributes.set("step", builder.getIndexAttr(1));
  if (constant && !draft.attributes.get("operandSegmentSizes"))
    draft.attributes.set("operandSegmentSizes", builder.getDenseI32ArrayAttr({0, 0, int32_t(draft.operands.size())}));
  return true;
}

bool OpSugar::affineLoad(OpDraft &draft) { return indexMap(draft, 1); }
bool OpSugar::affineStore(OpDraft &draft) { return indexMap(draft, 2); }

/// The operands from `first` on are the indices, unless a map says otherwise.
bool OpSugar::indexMap(OpDraft &draft, unsigned first) {
  if (!draft.attributes.get("map") && draft.operands.size() >= first)
    draft.attributes.set("map",
                         mlir::AffineMapAttr::get(builder.getMultiDimIdentityMap(draft.operands.size() - first)));
  return true;
}

/// Completes a call of a variadic function: its type and C's argument promotions follow from the declaration.
bool OpSugar::llvmCall(OpDraft &draft) {
  auto symbol = dyn_cast_if_present<mlir::FlatSymbolRefAttr>(draft.attributes.get("callee"));
  FunctionInfo *callee = symbol ? gen.functionTable.find(symbol.getValue()) : nullptr;
  if (!callee || !callee->isLlvm || hasBundles(draft.attributes)) {
    if (!draft.resultTypes)
      draft.resultTypes.emplace(callee ? SmallVector<mlir::Type>(callee->type.getResults())
                                       : SmallVector<mlir::Type>());
    return true;
  }
  if (!gen.functionTable.checkCall(draft.form, *callee, draft.operands, draft.places))
    return false;
  for (size_t i = callee->type.getNumInputs(); i < draft.operands.size(); ++i)
    draft.operands[i] = gen.functionTable.promote(draft.operands[i], draft.form);
  if (callee->isVariadic && !draft.attributes.get("var_callee_type")) {
    mlir::Type type = gen.types.llvmFunctionType(
        {SmallVector<mlir::Type>(callee->type.getInputs()), SmallVector<mlir::Type>(callee->type.getResults()), true},
        draft.form);
    if (!type)
      return false;
    draft.attributes.set("var_callee_type", mlir::TypeAttr::get(type));
  }
  if (!draft.resultTypes)
    draft.resultTypes.emplace(callee->type.getResults());
  return true;
}

/// Checks the initial value of a memref.global here: MLIR's verifier assumes elements of a tensor.
bool OpSugar::memrefGlobal(OpDraft &draft) {
  auto value = dyn_cast_if_present<mlir::ElementsAttr>(draft.attributes.get("initial_value"));
  if (!value || isa<mlir::TensorType>(value.getType()))
    return true;
  Diag &diag = error("attr-kind", draft.map->get("initial_value"),
                     "the initial value of a `memref.global` has the type of a tensor, not " +
                         mlir::debugString(value.getType()));
  if (auto type = dyn_cast_if_present<mlir::TypeAttr>(draft.attributes.get("type")))
    if (auto memref = dyn_cast<mlir::MemRefType>(type.getValue()))
      diag.withHint("write " + mlir::debugString(mlir::memref::getTensorTypeFromMemRefType(memref)));
  return false;
}
} // namespace lispier
