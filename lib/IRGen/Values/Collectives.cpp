//===- Collectives.cpp - the mesh, and what ranks compute together --------===//
#include "Collectives.h"
#include "Core/FormEvaluator.h"
#include "Core/KeywordOperands.h"
#include "Core/Literals.h"
#include "Core/Messages.h"
#include "Core/RecordTypes.h"
#include "Core/Regions.h"
#include "Core/ValueTypes.h"
#include "TensorForms.h"
#include "ValueForms.h"
#include "lispier/Comm/Comm.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;
namespace arith = mlir::arith;

namespace lispier {
void Collectives::define(const Form *form) {
  if (mesh) {
    error("mesh-axis", form, "a program has one mesh").note(mesh->range(), "it is here");
    return;
  }
  std::string text;
  SmallVector<std::string> found;
  unsigned open = 0;
  for (const Form *axis : form->items().drop_front()) {
    int64_t size = 0;
    bool isAxis = axis->isVector() && (axis->size() == 1 || axis->size() == 2) && (*axis)[0]->isSymbol();
    if (!isAxis ||
        (axis->size() == 2 && (!(*axis)[1]->isNumber() || (*axis)[1]->text().getAsInteger(10, size) || size < 1))) {
      error("mesh-axis", axis,
            "an axis of a mesh is its name in brackets, with or without its size, not " + axis->str())
          .withHint("write (defmesh [dp] [tp 2])");
      return;
    }
    StringRef name = (*axis)[0]->text();
    if (is_contained(found, name)) {
      error("mesh-axis", axis, "the mesh has two axes `" + name + "`");
      return;
    }
    open += size == 0;
    found.push_back(name.str());
    text += (text.empty() ? "" : ",") + name.str() + (size ? "=" + std::to_string(size) : "");
  }
  if (open > 1) {
    error("mesh-axis", form, "at most one axis of a mesh takes what is left, and " + Twine(open) + " have no size")
        .withHint("write (defmesh [dp] [tp 2])");
    return;
  }
  mesh = form;
  names = std::move(found);
  context.loadDialect<comm::CommDialect>(); // Few programs need it.
  (*module)->setAttr(comm::kMesh, builder.getStringAttr(text));
}

void Collectives::sign() {
  if (mesh)
    (*module)->setAttr(comm::kDigest, builder.getI64IntegerAttr(int64_t(xxh3_64bits(mlir::debugString(**module)))));
}

std::string Collectives::axesText() const {
  std::string text;
  for (auto [i, name] : enumerate(names))
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + ("`" + name + "`");
  return text;
}

/// Whether the form stands in code of the host, of a program with a mesh; reports it otherwise.
bool Collectives::isOnHost(const Form *form) {
  if (gen.regions.kernelAround() || gen.values.makesTiles()) {
    error("mesh-axis", form, "`" + form->head() + "` stands in code of the host, not in a kernel")
        .withHint("pass its value to the kernel as an argument");
    return false;
  }
  if (mesh)
    return true;
  error("mesh-axis", form, "`" + form->head() + "` is for a program with a mesh")
      .withHint("(defmesh [tp]) at the top level names an axis along which ranks are numbered");
  return false;
}

mlir::StringAttr Collectives::axisNamed(const Form *name) {
  if (name->isSymbol() && is_contained(names, name->text()))
    return builder.getStringAttr(name->text());
  error("mesh-axis", name, "the mesh has no axis " + name->str() + "; it has " + axesText())
      .note(mesh->range(), "the mesh is here");
  return {};
}

mlir::FailureOr<Values> Collectives::emitPlace(const Form *form, SpecialForm kind) {
  if (!isOnHost(form))
    return mlir::failure();
  SmallVector<mlir::Attribute> axes;
  for (const Form *name : form->items().drop_front()) {
    axes.push_back(axisNamed(name));
    if (!axes.back())
      return mlir::failure();
  }
  if (kind == SpecialForm::Rank)
    return resultOf(make<comm::RankOp>(form, builder.getIndexType(), builder.getArrayAttr(axes)));
  return resultOf(make<comm::SizeOp>(form, builder.getIndexType(), builder.getArrayAttr(axes)));
}

/// The axes that `:over` names; null after an error.
mlir::ArrayAttr Collectives::over(const Form *form, const KeywordOperands &call) {
  const Form *given = call.get("over");
  if (!given) {
    error("mesh-axis", form, "`" + form->head() + "` needs `:over`, an axis of the mesh: " + axesText());
    return {};
  }
  return axes(given);
}

mlir::ArrayAttr Collectives::axes(const Form *given) {
  ArrayRef<const Form *> items = given->isVector() ? given->items() : ArrayRef(given);
  SmallVector<mlir::Attribute> axes;
  for (const Form *name : items) {
    axes.push_back(axisNamed(name));
    if (!axes.back())
      return {};
    if (is_contained(ArrayRef(axes).drop_back(), axes.back())) {
      error("mesh-axis", name, "the axis `" + name->text() + "` is given twice");
      return {};
    }
  }
  if (axes.empty()) {
    error("mesh-axis", given, "`:over` names no axis; the mesh has " + axesText());
    return {};
  }
  return builder.getArrayAttr(axes);
}

bool Collectives::combination(const KeywordOperands &call, Request &request) {
  const Form *given = call.get("by");
  std::optional<comm::Combine> by = comm::Combine::Add;
  if (given)
    by = given->isSymbol("+") ? by : given->isSymbol() ? comm::symbolizeCombine(given->text()) : std::nullopt;
  if (!by || (given && given->isSymbol("add"))) {
    error("macro-shape", given, "`:by` is +, mean, max or min, not " + given->str());
    return false;
  }
  request.by = comm::CombineAttr::get(&context, *by);
  return true;
}

mlir::FailureOr<Values> Collectives::emit(const Form *form, SpecialForm kind) {
  bool combines = kind == SpecialForm::AllReduce || kind == SpecialForm::ReduceScatter;
  bool hasAxis = kind != SpecialForm::AllReduce && kind != SpecialForm::FromRank;
  SmallVector<StringRef> keywords{"over"};
  if (hasAxis)
    keywords.push_back(kind == SpecialForm::Assume ? "split" : "axis");
  if (combines)
    keywords.push_back("by");
  if (kind == SpecialForm::FromRank)
    keywords.push_back("rank");
  if (kind == SpecialForm::ReduceScatter || kind == SpecialForm::OwnPart)
    keywords.push_back("pad");
  if (kind == SpecialForm::AllGather)
    keywords.push_back("size");
  auto call = splitKeywords(gen.messages, form, keywords, 1, 1);
  if (!call || !isOnHost(form))
    return mlir::failure();
  Request request{form, kind, over(form, *call), call->get(kind == SpecialForm::Assume ? "split" : "axis"), {}, {}};
  std::optional<bool> pads = gen.values.flag(*call, "pad");
  if (!request.axes || (combines && !combination(*call, request)) || !pads)
    return mlir::failure();
  request.pads = *pads;
  if (const Form *whole = call->get("size")) {
    FormArena arena;
    std::optional<Sizes> sizes = gen.sizes.read(form, arena.vector({whole}, whole->range(), whole->expansion()));
    if (!sizes)
      return mlir::failure();
    request.whole = sizes->front();
  }
  const Form *place = call->operands[0];
  mlir::Value value = gen.evaluator->emitValue(place);
  if (!value)
    return mlir::failure();
  if (kind == SpecialForm::FromRank) {
    const Form *rank = call->get("rank");
    request.rank =
        rank ? gen.evaluator->emitLoopBound(rank) : gen.literals.constantInt(form, builder.getIndexType(), 0);
    if (!request.rank)
      return mlir::failure();
  }
  if (isa<mlir::MemRefType>(value.getType())) {
    if (hasAxis) {
      error("tensor-operand", place, "`" + form->head() + "` takes a tensor, not " + typeText(value.getType()))
          .withHint("(load " + place->str() + ") reads a memref as a tensor");
      return mlir::failure();
    }
    auto type = cast<mlir::MemRefType>(value.getType());
    if (!type.getLayout().isIdentity()) {
      error("type-mismatch", place, "`" + form->head() + "` takes contiguous memory, not " + typeText(type))
          .withHint("(load " + place->str() + ") reads a memref as a tensor");
      return mlir::failure();
    }
    if (!checkElement(request, place, type.getElementType()))
      return mlir::failure();
    create(request, value, value, -1, nullptr);
    return Values{};
  }
  auto record = dyn_cast<RecordType>(value.getType());
  if (!record)
    return resultOf(ofValue(request, place, value));
  Values parts;
  for (mlir::Value part : RecordTypes::partsOf(value)) {
    parts.push_back(ofValue(request, place, part));
    if (!parts.back())
      return mlir::failure();
  }
  return Values{gen.recordTypes.pack(form, record, parts)};
}

bool Collectives::checkElement(const Request &request, const Form *place, mlir::Type element) {
  bool isMean = request.by && cast<comm::CombineAttr>(request.by).getValue() == comm::Combine::Mean;
  bool isFloat = element.isF64() || element.isF32() || element.isF16() || element.isBF16();
  bool isInteger = element.isIndex() || element.isInteger(64) || element.isInteger(32) || element.isInteger(8) ||
                   element.isInteger(1);
  if (isMean ? isFloat : isFloat || isInteger)
    return true;
  error("type-mismatch", place,
        "`" + request.form->head() + "` " +
            (isMean ? "takes the mean of floats" : "exchanges no numbers of this type") + ": " +
            mlir::debugString(element))
      .withHint("(cast f32 " + place->str() + ") converts");
  return false;
}

/// Of a tensor or a number; null after an error.
mlir::Value Collectives::ofValue(const Request &request, const Form *place, mlir::Value value) {
  mlir::Type type = value.getType();
  if (isTensor(type))
    return ofTensor(request, place, value);
  bool moves = request.kind == SpecialForm::AllReduce || request.kind == SpecialForm::FromRank;
  if (!type.isIntOrIndexOrFloat() || !moves) {
    error("tensor-operand", place,
          "`" + request.form->head() + "` takes a tensor" + (moves ? " or a number" : "") + ", not " + typeText(type));
    return {};
  }
  mlir::Value tensor = make<mlir::tensor::FromElementsOp>(request.form, mlir::RankedTensorType::get({}, type), value);
  tensor = ofTensor(request, place, tensor);
  return tensor ? make<mlir::tensor::ExtractOp>(request.form, tensor, mlir::ValueRange()).getResult() : mlir::Value();
}

/// The size of a rank's part. One that is rounded down, where it should not be, is an error of the run.
mlir::Value Collectives::partOf(const Request &request, mlir::Value whole, mlir::Value ranks) {
  const Form *form = request.form;
  if (request.pads) {
    mlir::Value one = gen.literals.constantInt(form, builder.getIndexType(), 1);
    whole = make<arith::SubIOp>(form, make<arith::AddIOp>(form, whole, ranks), one);
  }
  return make<arith::DivUIOp>(form, whole, ranks);
}

mlir::Value Collectives::ofTensor(const Request &request, const Form *place, mlir::Value tensor) {
  const Form *form = request.form;
  auto type = cast<mlir::RankedTensorType>(tensor.getType());
  if (!checkElement(request, place, type.getElementType()))
    return {};
  Sizes sizes = gen.sizes.sizes(form, tensor);
  int64_t dimension = -1;
  if (request.kind != SpecialForm::AllReduce && request.kind != SpecialForm::FromRank) {
    dimension = 0;
    if (request.axis || type.getRank() == 0) {
      std::optional<int64_t> axis = gen.values.axis(request.axis ? request.axis : form, type.getShape(), "tensor");
      if (!axis)
        return {};
      dimension = *axis;
    }
    if (request.kind == SpecialForm::Assume)
      return make<comm::AssumeOp>(form, type, tensor, dimension, request.axes, /*joins=*/false, /*partial=*/false);
    mlir::Value ranks = make<comm::SizeOp>(form, builder.getIndexType(), request.axes);
    if (request.kind == SpecialForm::AllGather)
      sizes[dimension] = request.whole ? request.whole : gen.sizes.product(form, {sizes[dimension], ranks});
    else
      sizes[dimension] = partOf(request, gen.sizes.value(form, sizes[dimension]), ranks);
  }
  mlir::Value out = gen.tensors.empty(form, sizes, type.getElementType()), result;
  create(request, tensor, out, dimension, &result);
  return result;
}

/// Creates the op. `result`, if there is one, becomes that of the op.
void Collectives::create(const Request &request, mlir::Value in, mlir::Value out, int64_t dimension,
                         mlir::Value *result) {
  const Form *form = request.form;
  auto by = cast_if_present<comm::CombineAttr>(request.by);
  mlir::TypeRange results = result ? mlir::TypeRange(out.getType()) : mlir::TypeRange();
  mlir::Operation *op;
  switch (request.kind) {
  case SpecialForm::AllReduce:
    op = make<comm::AllReduceOp>(form, results, in, out, by, request.axes);
    break;
  case SpecialForm::AllGather:
    op = make<comm::AllGatherOp>(form, results, in, out, dimension, request.axes);
    break;
  case SpecialForm::ReduceScatter:
    op = make<comm::ReduceScatterOp>(form, results, in, out, dimension, by.getValue(), request.axes);
    break;
  case SpecialForm::OwnPart:
    op = make<comm::OwnPartOp>(form, results, in, out, dimension, request.axes);
    break;
  default:
    op = make<comm::FromRankOp>(form, results, in, out, request.rank, request.axes);
  }
  if (result)
    *result = op->getResult(0);
}
} // namespace lispier
