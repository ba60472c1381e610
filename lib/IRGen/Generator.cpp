//===- Generator.cpp - construction of the parts --------------------------===//
#include "Generator.h"
#include "Arithmetic.h"
#include "Attributes.h"
#include "ConstantForms.h"
#include "ConstantIntegers.h"
#include "Control.h"
#include "Expressions.h"
#include "FunctionScope.h"
#include "FunctionTable.h"
#include "Functions.h"
#include "Generics.h"
#include "InPlace.h"
#include "Kernels.h"
#include "Linalg.h"
#include "LiteralValues.h"
#include "Literals.h"
#include "Memory.h"
#include "Messages.h"
#include "OpVerifier.h"
#include "OpenTypes.h"
#include "Operations.h"
#include "Print.h"
#include "Program.h"
#include "Recipes.h"
#include "RecordTypes.h"
#include "Records.h"
#include "Reductions.h"
#include "Regions.h"
#include "Results.h"
#include "Segments.h"
#include "StringGlobals.h"
#include "StructTypes.h"
#include "Structs.h"
#include "Sugar.h"
#include "TensorForms.h"
#include "TensorSignatures.h"
#include "TensorSizes.h"
#include "TileExpressions.h"
#include "TilePrograms.h"
#include "Types.h"
#include "ValueFfi.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace llvm;

namespace lispier {
struct Generator::Parts {
  explicit Parts(Generator &gen)
      : messages(gen), program(gen), recipes(gen), types(gen), structTypes(gen), recordTypes(gen), literals(gen),
        literalValues(gen), attributes(gen), expressions(gen), functionTable(gen), strings(gen), openTypes(gen),
        ops(gen), verifier(gen), inference(gen), grouper(gen), regions(gen), sugar(gen), linalg(gen), functions(gen),
        constants(gen), generics(gen), inPlace(gen), records(gen), control(gen), arithmetic(gen), structs(gen),
        print(gen), memory(gen), kernels(gen), integers(gen), reductions(gen), sizes(gen), tensors(gen),
        signatures(gen), tiles(gen), tilePrograms(gen), ffi(gen) {}
  Messages messages;
  ProgramGenerator program;
  RecipeReader recipes;
  TypeReader types;
  StructTypes structTypes;
  RecordTypes recordTypes;
  LiteralReader literals;
  LiteralValues literalValues;
  AttributeReader attributes;
  ExpressionGenerator expressions;
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
  FunctionGenerator functions;
  ConstantReader constants;
  GenericFunctions generics;
  InPlace inPlace;
  Records records;
  ControlFlow control;
  Arithmetic arithmetic;
  StructGenerator structs;
  PrintGenerator print;
  MemoryGenerator memory;
  KernelGenerator kernels;
  ConstantIntegers integers;
  Reductions reductions;
  TensorSizes sizes;
  TensorForms tensors;
  TensorSignatures signatures;
  TileExpressions tiles;
  TilePrograms tilePrograms;
  ValueFfi ffi;
};

Generator::Generator(mlir::MLIRContext &context, DiagSink &diags, const GenerateOptions &options)
    : context(context), diags(diags), options(options), builder(&context), parts(std::make_unique<Parts>(*this)),
      messages(parts->messages), program(parts->program), recipes(parts->recipes), types(parts->types),
      structTypes(parts->structTypes), recordTypes(parts->recordTypes), literals(parts->literals),
      literalValues(parts->literalValues), attributes(parts->attributes), evaluator(&parts->expressions),
      expressions(parts->expressions), scope(parts->scope), functionTable(parts->functionTable),
      strings(parts->strings), openTypes(parts->openTypes), ops(parts->ops), verifier(parts->verifier),
      inference(parts->inference), grouper(parts->grouper), regions(parts->regions), sugar(parts->sugar),
      linalg(parts->linalg), functions(parts->functions), constants(parts->constants), generics(parts->generics),
      inPlace(parts->inPlace), records(parts->records), control(parts->control), arithmetic(parts->arithmetic),
      structs(parts->structs), print(parts->print), memory(parts->memory), kernels(parts->kernels),
      integers(parts->integers), reductions(parts->reductions), sizes(parts->sizes), tensors(parts->tensors),
      signatures(parts->signatures), tiles(parts->tiles), tilePrograms(parts->tilePrograms), ffi(parts->ffi) {
  context.loadDialect<mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::LLVM::LLVMDialect>();
  for (StringRef dialect : {"scf", "memref", "gpu", "linalg", "vector", "cf", "affine", "device", "math", "tile",
                            "tensor", "bufferization"})
    context.getOrLoadDialect(dialect);
}

Generator::~Generator() = default;

Part::Part(Generator &gen)
    : gen(gen), context(gen.context), diags(gen.diags), builder(gen.builder), module(gen.module) {}

Diag &Part::error(StringRef code, const Form *form, const Twine &message) {
  return gen.messages.error(code, form, message);
}

Diag &Part::warning(StringRef code, const Form *form, const Twine &message) {
  return gen.messages.warning(code, form, message);
}

mlir::Location Part::location(const Form *form) { return gen.messages.location(form); }

Captured Part::capture(function_ref<void()> body) { return gen.messages.capture(body); }

Generated generate(const Program &program, mlir::MLIRContext &context, DiagSink &diags,
                   const GenerateOptions &options) {
  return Generator(context, diags, options).program.run(program);
}
} // namespace lispier
