//===- Generator.h - one run of IR generation ------------------*- C++ -*-===//
#ifndef LISPIER_LIB_IRGEN_LANGUAGE_GENERATOR_H
#define LISPIER_LIB_IRGEN_LANGUAGE_GENERATOR_H

#include "Values/ValueParts.h"

namespace lispier {
class ConstantReader;
class ControlFlow;
class Exports;
class ExpressionGenerator;
class FunctionGenerator;
class GenericFunctions;
class Gradients;
class InPlace;
class KernelGenerator;
class PrintGenerator;
class ProgramGenerator;
class RecipeReader;
class Records;
class StructGenerator;
class TensorSignatures;
class TilePrograms;
class ValueFfi;

/// All parts: those of Core and Values, and those that know the forms of the language.
class Generator : public ValueParts {
  struct Parts;

public:
  Generator(mlir::MLIRContext &context, DiagSink &diags, const GenerateOptions &options);
  ~Generator();

  Generated result;

private:
  std::unique_ptr<Parts> parts; // Declared first: the references below point into it.

public:
  ProgramGenerator &program;
  RecipeReader &recipes;
  ExpressionGenerator &expressions;
  FunctionGenerator &functions;
  ConstantReader &constants;
  Exports &exports;
  GenericFunctions &generics;
  Gradients &gradients;
  InPlace &inPlace;
  Records &records;
  ControlFlow &control;
  StructGenerator &structs;
  PrintGenerator &print;
  KernelGenerator &kernels;
  TensorSignatures &signatures;
  TilePrograms &tilePrograms;
  ValueFfi &ffi;
};

/// Base class of the parts of Language.
class LanguagePart : public Part {
public:
  explicit LanguagePart(Generator &gen) : Part(gen), gen(gen) {}

protected:
  Generator &gen;
};
} // namespace lispier
#endif
