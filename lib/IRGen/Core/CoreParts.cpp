//===- CoreParts.cpp - construction of the parts of Core ------------------===//
#include "CoreParts.h"
#include "Attributes.h"
#include "ConstantIntegers.h"
#include "FormEvaluator.h"
#include "FunctionScope.h"
#include "FunctionTable.h"
#include "Linalg.h"
#include "LiteralValues.h"
#include "Literals.h"
#include "Messages.h"
#include "OpVerifier.h"
#include "OpenTypes.h"
#include "Operations.h"
#include "RecordTypes.h"
#include "Regions.h"
#include "Results.h"
#include "Segments.h"
#include "StringGlobals.h"
#include "StructTypes.h"
#include "Sugar.h"
#include "Types.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace llvm;

namespace lispier {
struct CoreParts::Parts {
  explicit Parts(CoreParts &gen)
      : messages(gen), types(gen), structTypes(gen), recordTypes(gen), literals(gen), literalValues(gen),
        attributes(gen), functionTable(gen), strings(gen), openTypes(gen), ops(gen), verifier(gen), inference(gen),
        grouper(gen), regions(gen), sugar(gen), linalg(gen), integers(gen) {}
  Messages messages;
  TypeReader types;
  StructTypes structTypes;
  RecordTypes recordTypes;
  LiteralReader literals;
  LiteralValues literalValues;
  AttributeReader attributes;
  FunctionScope scope;
  FunctionTable functionTable;
  StringGlobals strings;
  OpenTypeTable openTypes;
  OpGenerator ops;
  OpVerifier verifier;
  TypeInference inference;
  OperandGrouper grouper;
  RegionGenerator regions;
  OpSugar sugar;
  LinalgOps linalg;
  ConstantIntegers integers;
};

CoreParts::CoreParts(mlir::MLIRContext &context, DiagSink &diags, const GenerateOptions &options)
    : context(context), diags(diags), options(options), builder(&context), parts(std::make_unique<Parts>(*this)),
      messages(parts->messages), types(parts->types), structTypes(parts->structTypes), recordTypes(parts->recordTypes),
      literals(parts->literals), literalValues(parts->literalValues), attributes(parts->attributes),
      scope(parts->scope), functionTable(parts->functionTable), strings(parts->strings), openTypes(parts->openTypes),
      ops(parts->ops), verifier(parts->verifier), inference(parts->inference), grouper(parts->grouper),
      regions(parts->regions), sugar(parts->sugar), linalg(parts->linalg), integers(parts->integers) {
  context.loadDialect<mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::LLVM::LLVMDialect>();
  for (StringRef dialect : {"scf", "memref", "gpu", "linalg", "vector", "cf", "affine", "device", "math", "tile",
                            "tensor", "bufferization", "grad"})
    context.getOrLoadDialect(dialect);
}

CoreParts::~CoreParts() = default;

Part::Part(CoreParts &gen)
    : gen(gen), context(gen.context), diags(gen.diags), builder(gen.builder), module(gen.module) {}

Diag &Part::error(StringRef code, const Form *form, const Twine &message) {
  return gen.messages.error(code, form, message);
}

Diag &Part::warning(StringRef code, const Form *form, const Twine &message) {
  return gen.messages.warning(code, form, message);
}

mlir::Location Part::location(const Form *form) { return gen.messages.location(form); }

Captured Part::capture(function_ref<void()> body) { return gen.messages.capture(body); }
} // namespace lispier
