//===- Generator.h - one run of IR generation ------------------*- C++ -*-===//
//
// Owns the module under construction and the parts that make it. A part is a
// class of its own with its own header; include the headers of those you call.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_IRGEN_GENERATOR_H
#define LISPIER_LIB_IRGEN_GENERATOR_H

#include "Part.h"
#include <memory>

namespace lispier {
class Arithmetic;
class AttributeReader;
class ConstantIntegers;
class ConstantReader;
class ControlFlow;
class ExpressionGenerator;
class FormEvaluator;
class FunctionGenerator;
class FunctionScope;
class FunctionTable;
class GenericFunctions;
class InPlace;
class KernelGenerator;
class LinalgOps;
class LiteralReader;
class LiteralValues;
class MemoryGenerator;
class Messages;
class OpGenerator;
class OpSugar;
class OpVerifier;
class OpenTypeTable;
class OperandGrouper;
class PrintGenerator;
class ProgramGenerator;
class RecipeReader;
class RecordTypes;
class Records;
class Reductions;
class RegionGenerator;
class StringGlobals;
class StructGenerator;
class StructTypes;
class TensorForms;
class TensorSignatures;
class TensorSizes;
class TileExpressions;
class TilePrograms;
class TypeInference;
class TypeReader;
class ValueFfi;

class Generator {
  struct Parts;

public:
  Generator(mlir::MLIRContext &context, DiagSink &diags, const GenerateOptions &options);
  ~Generator();

  mlir::MLIRContext &context;
  DiagSink &diags;
  const GenerateOptions &options;
  mlir::OpBuilder builder;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Generated result;

private:
  std::unique_ptr<Parts> parts; // Declared first: the references below point into it.

public:
  Messages &messages;
  ProgramGenerator &program;
  RecipeReader &recipes;
  TypeReader &types;
  StructTypes &structTypes;
  RecordTypes &recordTypes;
  LiteralReader &literals;
  LiteralValues &literalValues;
  AttributeReader &attributes;
  FormEvaluator *evaluator;
  ExpressionGenerator &expressions;
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
  FunctionGenerator &functions;
  ConstantReader &constants;
  GenericFunctions &generics;
  InPlace &inPlace;
  Records &records;
  ControlFlow &control;
  Arithmetic &arithmetic;
  StructGenerator &structs;
  PrintGenerator &print;
  MemoryGenerator &memory;
  KernelGenerator &kernels;
  ConstantIntegers &integers;
  Reductions &reductions;
  TensorSizes &sizes;
  TensorForms &tensors;
  TensorSignatures &signatures;
  TileExpressions &tiles;
  TilePrograms &tilePrograms;
  ValueFfi &ffi;
};
} // namespace lispier
#endif
