//===- Generator.cpp - construction of all parts --------------------------===//
#include "Generator.h"
#include "ConstantForms.h"
#include "Control.h"
#include "Exports.h"
#include "Expressions.h"
#include "Functions.h"
#include "Generics.h"
#include "Gradients.h"
#include "InPlace.h"
#include "Kernels.h"
#include "Print.h"
#include "Program.h"
#include "Recipes.h"
#include "Records.h"
#include "Structs.h"
#include "TensorSignatures.h"
#include "TilePrograms.h"
#include "ValueFfi.h"

namespace lispier {
struct Generator::Parts {
  explicit Parts(Generator &gen)
      : program(gen), recipes(gen), expressions(gen), functions(gen), constants(gen), exports(gen), generics(gen),
        gradients(gen), inPlace(gen), records(gen), control(gen), structs(gen), print(gen), kernels(gen),
        signatures(gen), tilePrograms(gen), ffi(gen) {}
  ProgramGenerator program;
  RecipeReader recipes;
  ExpressionGenerator expressions;
  FunctionGenerator functions;
  ConstantReader constants;
  Exports exports;
  GenericFunctions generics;
  Gradients gradients;
  InPlace inPlace;
  Records records;
  ControlFlow control;
  StructGenerator structs;
  PrintGenerator print;
  KernelGenerator kernels;
  TensorSignatures signatures;
  TilePrograms tilePrograms;
  ValueFfi ffi;
};

Generator::Generator(mlir::MLIRContext &context, DiagSink &diags, const GenerateOptions &options)
    : ValueParts(context, diags, options), parts(std::make_unique<Parts>(*this)), program(parts->program),
      recipes(parts->recipes), expressions(parts->expressions), functions(parts->functions),
      constants(parts->constants), exports(parts->exports), generics(parts->generics), gradients(parts->gradients),
      inPlace(parts->inPlace), records(parts->records), control(parts->control), structs(parts->structs),
      print(parts->print), kernels(parts->kernels), signatures(parts->signatures), tilePrograms(parts->tilePrograms),
      ffi(parts->ffi) {
  evaluator = &expressions;
}

Generator::~Generator() = default;

Generated generate(const Program &program, mlir::MLIRContext &context, DiagSink &diags,
                   const GenerateOptions &options) {
  return Generator(context, diags, options).program.run(program);
}
} // namespace lispier
