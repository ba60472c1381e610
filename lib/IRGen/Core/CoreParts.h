//===- CoreParts.h - the parts that generate any op -------------*- C++ -*-===//
//
// A part is a class of its own with its own header; include the headers of those you
// call. The parts of a layer reach those of their own layer and of the layers below,
// by the type of `gen`: here CoreParts, then ValueParts, which adds the parts of
// Values, then Generator, which adds those of Language.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_IRGEN_CORE_COREPARTS_H
#define LISPIER_LIB_IRGEN_CORE_COREPARTS_H

#include "Part.h"
#include <memory>

namespace lispier {
class AttributeReader;
class ConstantIntegers;
class FormEvaluator;
class FunctionScope;
class FunctionTable;
class LinalgOps;
class LiteralReader;
class LiteralValues;
class Messages;
class OpGenerator;
class OpSugar;
class OpVerifier;
class OpenTypeTable;
class OperandGrouper;
class RecordTypes;
class RegionGenerator;
class StringGlobals;
class StructTypes;
class TypeInference;
class TypeReader;

/// The module under construction, and the parts that know types, attributes, names and ops, but no form.
class CoreParts {
  struct Parts;

public:
  CoreParts(mlir::MLIRContext &context, DiagSink &diags, const GenerateOptions &options);
  ~CoreParts();
  CoreParts(const CoreParts &) = delete;

  mlir::MLIRContext &context;
  DiagSink &diags;
  const GenerateOptions &options;
  mlir::OpBuilder builder;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  FormEvaluator *evaluator = nullptr; ///< Language sets it before any form is read.

private:
  std::unique_ptr<Parts> parts; // Declared first: the references below point into it.

public:
  Messages &messages;
  TypeReader &types;
  StructTypes &structTypes;
  RecordTypes &recordTypes;
  LiteralReader &literals;
  LiteralValues &literalValues;
  AttributeReader &attributes;
  FunctionScope &scope;
  FunctionTable &functionTable;
  StringGlobals &strings;
  OpenTypeTable &openTypes;
  OpGenerator &ops;
  OpVerifier &verifier;
  TypeInference &inference;
  OperandGrouper &grouper;
  RegionGenerator &regions;
  OpSugar &sugar;
  LinalgOps &linalg;
  ConstantIntegers &integers;
};
} // namespace lispier
#endif
