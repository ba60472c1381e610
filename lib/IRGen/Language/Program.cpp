//===- Program.cpp - top-level forms, in two walks ------------------------===//
//
// The first walk collects structs and functions, so that bodies may use them before
// their definition. The second generates the ops, in the order of the program.
//
//===----------------------------------------------------------------------===//
#include "Program.h"
#include "Core/Attributes.h"
#include "Core/FormEvaluator.h"
#include "Core/FunctionScope.h"
#include "Core/FunctionTable.h"
#include "Core/LiteralValues.h"
#include "Core/Messages.h"
#include "Core/OpenTypes.h"
#include "Core/Operations.h"
#include "Core/RecordTypes.h"
#include "Core/Regions.h"
#include "Core/StringGlobals.h"
#include "Core/StructTypes.h"
#include "Exports.h"
#include "Expressions.h"
#include "FormTable.h"
#include "Functions.h"
#include "Generator.h"
#include "Generics.h"
#include "Kernels.h"
#include "Recipes.h"
#include "TilePrograms.h"
#include "Values/Collectives.h"
#include "Values/TileForms.h"
#include "lispier/Tile/Tile.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace llvm;

namespace lispier {
/// LLVM scalarizes large vectors, in time that is quadratic in the number of elements. Tiles are distributed before.
static constexpr int64_t kMostVectorElements = 65536;

void checkVectorSizes(mlir::ModuleOp module, DiagSink &diags) {
  int64_t most = kMostVectorElements;
  auto isTooLarge = [&](mlir::Type type) {
    auto vector = dyn_cast<mlir::VectorType>(type);
    // Compare after each dimension: the product of all might overflow.
    int64_t elements = 1;
    for (int64_t size : vector ? vector.getShape() : ArrayRef<int64_t>())
      if (size > most || (elements *= size) > most)
        return true;
    return false;
  };
  module.walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
    if (isa<mlir::FunctionOpInterface>(op))
      most = op->hasAttr(tile::kProgram) ? kMostTileElements : kMostVectorElements;
    mlir::Type wrong;
    for (mlir::Type type : op->getResultTypes())
      wrong = isTooLarge(type) ? type : wrong;
    for (mlir::Region &region : op->getRegions())
      for (mlir::Block &block : region)
        for (mlir::Type type : block.getArgumentTypes())
          wrong = isTooLarge(type) ? type : wrong;
    if (!wrong)
      return mlir::WalkResult::advance();
    diags
        .error("type-size", sourceRange(op->getLoc(), diags.sourceMgr()),
               "a vector has at most " + Twine(most) + " elements, and this one is " + mlir::debugString(wrong))
        .withHint(most == kMostTileElements
                      ? "walk over it in chunks: (fold [acc init] [i 0 n chunk] ...)"
                      : "vectors are for registers; what is larger belongs in a memref or a tensor");
    return mlir::WalkResult::interrupt();
  });
}

Generated ProgramGenerator::run(const Program &program) {
  unsigned errorsBefore = diags.errors();
  module = mlir::ModuleOp::create(program.forms.empty() ? gen.messages.fileLocation(program.buffer)
                                                        : gen.messages.fileLocation(program.forms.back()));
  builder.setInsertionPointToEnd(module->getBody());
  Scope scope(gen.scope.scopes);
  gen.functions.evaluates = program.evaluates;
  collect(program);
  for (const Form *form : program.forms) {
    builder.setInsertionPointToEnd(module->getBody());
    topLevel(form);
  }
  gen.tilePrograms.define(); // They call generic functions.
  builder.setInsertionPointToEnd(module->getBody());
  gen.exports.attach(program);
  gen.generics.checkRules();
  gen.generics.checkUncalled();
  gen.kernels.copyDeviceFunctions();
  gen.literalValues.dropMarks();
  gen.collectives.sign();
  checkVectorSizes(*module, diags);
  if (diags.errors() == errorsBefore)
    gen.result.module = std::move(module);
  return std::move(gen.result);
}

void ProgramGenerator::collect(const Program &program) {
  for (const Form *form : program.forms) {
    if (form->isCall("defmesh"))
      gen.collectives.define(form);
    if (form->isCall("defstruct"))
      gen.structTypes.collect(form);
    if (form->isCall("defrecord"))
      gen.recordTypes.collect(form);
    if (form->isCall("def-string") && form->size() == 3 && (*form)[1]->isSymbol() && (*form)[2]->isString())
      gen.strings.define(form);
  }
  gen.recipes.chooseRecipe(program);
  for (auto &known : gen.structTypes.known)
    gen.structTypes.layOut(known.second);
  gen.recordTypes.define();
  gen.generics.setLibrary(program.library);
  for (const Form *form : program.forms)
    if (!gen.generics.declare(form))
      if (std::optional<FunctionInfo> info = gen.functions.functionOfForm(form))
        gen.functionTable.declare(std::move(*info));
  for (const Form *form : program.forms) {
    if (form->isCall("defkernel"))
      gen.kernels.collectKernel(form);
    if (form->isCall("deftile"))
      gen.tilePrograms.collect(form);
    if (form->isCall(mlir::gpu::GPUModuleOp::getOperationName()) || form->isCall(mlir::ModuleOp::getOperationName()))
      collectNested(form);
  }
  for (const Form *form : program.forms)
    if (form->isCall("tuned"))
      gen.tilePrograms.readTuned(form);
}

/// Collects the functions of a nested module; only code of that module can call them.
void ProgramGenerator::collectNested(const Form *form) {
  for (const Form *item : form->items().drop_front()) {
    const Form *map = item->isCall(mlir::func::FuncOp::getOperationName()) && item->size() > 1 && (*item)[1]->isMap()
                          ? (*item)[1]
                          : nullptr;
    if (const Form *name = map ? map->get("sym_name") : nullptr)
      gen.functionTable.nested.insert(name->text().ltrim('@'));
    else if (item->isCall("region") || item->isCall("do") || item->isCall("block") ||
             item->isCall(mlir::gpu::GPUModuleOp::getOperationName()) ||
             item->isCall(mlir::ModuleOp::getOperationName()))
      collectNested(item);
  }
}

/// `(module {:key value} ...)`: Expand passes the map on; its keys become attributes of the module.
void ProgramGenerator::moduleAttributes(const Form *map) {
  for (size_t i = 0; i + 1 < map->size(); i += 2) {
    const Form *key = (*map)[i], *value = (*map)[i + 1];
    unsigned errorsBefore = diags.errors();
    if (!key->text().contains('.') && !is_contained(mlir::ModuleOp::getAttributeNames(), key->text())) {
      error("attr-unknown", key, "a module has no attribute `:" + key->text() + "`")
          .withHint("its own are: " + join(mlir::ModuleOp::getAttributeNames(), ", ") +
                    "; all others belong to a dialect, whose name stands in front: :llvm.ident");
      continue;
    }
    if (mlir::Attribute attribute = gen.attributes.dialectAttribute(key->text(), value)) {
      if (attribute != gen.attributes.absent())
        (*module)->setAttr(key->text(), attribute);
    } else if (diags.errors() == errorsBefore)
      error("attr-kind", value, "`:" + key->text() + "` cannot be " + value->str());
  }
}

void ProgramGenerator::topLevel(const Form *form) {
  if (form->isMap())
    return moduleAttributes(form);
  if (!form->isList() || form->size() == 0) {
    error("parse-head", form, Twine(describe(form->kind())) + " cannot stand at the top level")
        .withHint("the top level holds definitions: (defn name [...] body ...), (func.func {...} ...)");
    return;
  }
  const Form *head = (*form)[0];
  if (head->isSymbol(mlir::func::FuncOp::getOperationName()) ||
      head->isSymbol(mlir::LLVM::LLVMFuncOp::getOperationName()))
    return gen.functions.defineFunc(form);
  if (const SpecialFormInfo *special = findSpecialForm(form->head())) {
    size_t operands = form->size() - 1;
    if (operands < special->minOperands || operands > special->maxOperands) {
      error("macro-arity", form, "`" + special->name + "` does not take " + Twine(operands) + " operands")
          .withHint("write " + special->syntax);
      return;
    }
    if (TopLevelForm define = topLevelForm(special->form))
      return define(gen, {form, *special, {}});
    error("parse-head", form, "`" + special->name + "` stands in a function")
        .withHint("put it into (defn main [] ...)");
    return;
  }
  if (!head->isOpName() && !head->isSymbol()) {
    error("parse-head", head, "a list begins with the name of an op or a form");
    return;
  }
  if (!head->isOpName()) {
    if (gen.functionTable.find(head->text()) || gen.generics.find(head->text())) {
      error("parse-head", form, "a call of `" + head->text() + "` stands in a function")
          .withHint("put it into (defn main [] ...)");
      return;
    }
    (void)gen.expressions.emitUnqualified(form, {});
    return;
  }
  gen.scope.everDefined.clear();
  if (failed(gen.ops.emitOp(form)) || module->getBody()->empty())
    return;
  mlir::Operation &op = module->getBody()->back();
  if (op.getNumResults() || op.hasTrait<mlir::OpTrait::IsTerminator>()) {
    error("parse-head", form, "`" + head->text() + "` stands in a function").withHint("put it into (defn main [] ...)");
    op.erase();
  }
}

void ProgramGenerator::moduleStatements(const Form *form) {
  Scope scope(gen.scope.scopes);
  gen.scope.everDefined.clear();
  OpenTypes opened(gen.openTypes);
  ArrayRef<const Form *> statements = form->items().drop_front();
  gen.scope.foreseeNames(statements);
  for (const Form *statement : statements) {
    gen.scope.unused = statement;
    if (failed(gen.evaluator->emit(statement)) || !gen.regions.isTerminated())
      continue;
    error("parse-head", statement, "a terminator stands in a function").withHint("put it into (defn main [] ...)");
    module->getBody()->back().erase();
  }
}

void ProgramGenerator::useDialect(const Form *form) {
  for (const Form *item : form->items().drop_front()) {
    const Form *name = item->isVector() && item->size() ? (*item)[0] : item;
    if (!name->isSymbol()) {
      error("macro-shape", item, "`use-dialect` takes the names of dialects");
      continue;
    }
    if (!context.getOrLoadDialect(name->text())) {
      std::vector<std::string> names;
      for (StringRef available : context.getAvailableDialects())
        names.push_back(available.str());
      error("op-unregistered", name, "unknown dialect `" + name->text() + "`")
          .withHint(didYouMean(name->text(), names));
      continue;
    }
    if (!is_contained(usedDialects, name->text()))
      usedDialects.push_back(name->text().str());
  }
}

void ProgramGenerator::linkLibrary(const Form *form) {
  const Form *library = (*form)[1];
  if (library->isString()) {
    gen.result.libraries.push_back({library->text().str(), library->range()});
    return;
  }
  // libc and the runtime are already loaded in the process.
  if (library->isKeyword() && is_contained({"c", "libc", "m", "libm", "value-ffi"}, library->text()))
    return;
  error("macro-shape", library, "`link-library` does not know " + library->str())
      .withHint("write (link-library :c) or (link-library \"path.so\")");
}
} // namespace lispier
