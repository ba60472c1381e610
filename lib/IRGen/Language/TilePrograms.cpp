//===- TilePrograms.cpp - deftile -----------------------------------------===//
#include "TilePrograms.h"
#include "ConstantForms.h"
#include "Core/ConstantIntegers.h"
#include "Core/FormEvaluator.h"
#include "Core/FunctionScope.h"
#include "Core/Literals.h"
#include "Core/Messages.h"
#include "Core/Regions.h"
#include "Functions.h"
#include "Generator.h"
#include "Kernels.h"
#include "lispier/Tile/TileSlots.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
namespace gpu = mlir::gpu;

namespace lispier {
//===----------------------------------------------------------------------===//
// The definition: (deftile name {options} [parameters] body ...)
//===----------------------------------------------------------------------===//

void TilePrograms::collect(const Form *form) {
  auto parts = gen.functions.partsOfDefn(form);
  if (!parts)
    return;
  Program program;
  program.info.name = parts->name->text().str();
  program.info.type = parts->type;
  program.info.form = form;
  program.parameters = parts->parameters;
  program.body = parts->body;
  bool ok = true;
  for (const auto &[parameter, type] : zip(parts->parameters->items(), parts->type.getInputs()))
    if (!isa<mlir::MemRefType>(type) && !type.isIntOrIndexOrFloat()) {
      error("tile-program", parameter,
            "a parameter of a tile program is a memref or a number, not " + mlir::debugString(type))
          .withHint("tiles are loaded in the program: (load memref [index ...] [size ...])");
      ok = false;
    }
  if (ok && readOptions(program, (*form)[2]))
    programs.insert({parts->name->text(), std::move(program)});
}

SmallVector<std::string> TilePrograms::names() const {
  SmallVector<std::string> all;
  for (auto &entry : programs)
    all.push_back(entry.first.str());
  return all;
}

TilePrograms::Program *TilePrograms::find(StringRef name) {
  auto found = programs.find(name);
  return found == programs.end() ? nullptr : &found->second;
}

std::optional<int64_t> TilePrograms::countOption(const Form *form, StringRef key) {
  std::optional<int64_t> count = gen.literals.integerOf(form);
  if (!count)
    error("tile-program", form, "`:" + key + "` is a number, not " + form->str());
  return count;
}

bool TilePrograms::readOptions(Program &program, const Form *options) {
  for (size_t i = 0; i + 1 < options->size(); i += 2) {
    const Form *key = (*options)[i], *value = (*options)[i + 1];
    StringRef name = key->text();
    if (name == "const") {
      if (!readConstants(program, value))
        return false;
    } else if (name == "warps" || name == "stages") {
      std::optional<int64_t> count = countOption(value, name);
      if (!count)
        return false;
      (name == "warps" ? program.warps : program.stages) = *count;
      Captured wrong = capture([&] {
        tile::ProgramAttr::getChecked([&] { return mlir::emitError(location(value)); }, &context, program.warps,
                                      program.stages, program.ring.value_or(false));
      });
      if (!wrong)
        continue;
      error("tile-program", value, wrong.message);
      return false;
    } else if (name == "ring") {
      if (value->str() != "true" && value->str() != "false") {
        error("tile-program", value, "`:ring` is true or false, not " + value->str());
        return false;
      }
      program.ring = value->str() == "true";
    } else if (name != "tune") {
      error("tile-program", key, "`deftile` does not know `:" + name + "`")
          .withHint("its keys are :const, :warps, :stages, :ring, :tune");
      return false;
    }
  }
  const Form *tune = options->get("tune");
  return !tune || readTune(program, tune);
}

/// [name ...]
bool TilePrograms::readConstants(Program &program, const Form *names) {
  if (!names->isVector()) {
    error("tile-program", names, Twine("`:const` is a vector of names, not ") + describe(names->kind()))
        .withHint("write :const [bm bn bk]; their values stand at the launch");
    return false;
  }
  StringMap<SMRange> seen;
  for (const Form *parameter : program.parameters->items())
    seen.try_emplace((*parameter)[1]->text(), (*parameter)[1]->range());
  for (const Form *name : names->items()) {
    if (!name->isSymbol()) {
      error("tile-program", name, Twine("a constant is a name, not ") + describe(name->kind()));
      return false;
    }
    auto [first, isNew] = seen.try_emplace(name->text(), name->range());
    if (!isNew) {
      error("tile-program", name, "the name `" + name->text() + "` is there twice").note(first->second, "first here");
      return false;
    }
    program.constants.push_back(name);
  }
  return true;
}

/// {:name [value ...] ...}, of constants, :warps and :stages.
bool TilePrograms::readTune(Program &program, const Form *map) {
  if (!map->isMap()) {
    error("tile-program", map, Twine("`:tune` is a map, not ") + describe(map->kind()))
        .withHint("write :tune {:bm [64 128]}");
    return false;
  }
  SmallVector<mlir::NamedAttribute> values;
  for (size_t i = 0; i + 1 < map->size(); i += 2) {
    const Form *key = (*map)[i];
    bool isKnown = key->text() == "warps" || key->text() == "stages" ||
                   any_of(program.constants, [&](const Form *name) { return name->text() == key->text(); });
    if (!isKnown) {
      error("tile-program", key, "`" + program.info.name + "` has no constant `" + key->text() + "` to tune");
      return false;
    }
    Numbers members;
    if (!readMembers((*map)[i + 1], members))
      return false;
    values.push_back(builder.getNamedAttr(key->text(), builder.getDenseI64ArrayAttr(members)));
  }
  program.tune = builder.getDictionaryAttr(values);
  return true;
}

/// [number ...], at least one, each once.
bool TilePrograms::readMembers(const Form *vector, Numbers &out) {
  if (!vector->isVector() || vector->size() == 0) {
    error("tile-constant", vector, "the values of a constant are a vector of numbers, not " + vector->str());
    return false;
  }
  for (const Form *item : vector->items()) {
    std::optional<int64_t> number = gen.literals.integerOf(item);
    if (!number) {
      error("tile-constant", item, "a value of a constant is a number, not " + item->str());
      return false;
    }
    if (is_contained(out, *number)) {
      error("tile-constant", item, "the value " + Twine(*number) + " is there twice");
      return false;
    }
    out.push_back(*number);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// The programs.
//===----------------------------------------------------------------------===//

/// Generates what launches have asked for since the last time; a function that a program calls may launch others.
bool TilePrograms::defineInstances(Program &program) {
  bool isChanged = program.defined < program.instances.size();
  while (program.defined < program.instances.size()) {
    Instance instance = program.instances[program.defined++]; // A copy: more may come.
    if (!defineInstance(program, instance))
      program.defined = program.instances.size(); // The others have the same mistakes.
  }
  return isChanged;
}

void TilePrograms::define() {
  if (programs.empty())
    return;
  unsigned errorsBefore = diags.errors();
  for (auto &[name, program] : programs)
    if (program.constants.empty() && program.instances.empty()) // Never launched; its mistakes are still told.
      program.instances.push_back({{}, program.warps, program.stages, program.info.name, program.info.form});
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    for (auto &[name, program] : programs)
      isChanged |= defineInstances(program);
  }
  if (diags.errors() != errorsBefore)
    return;
  for (auto kernel : gen.kernels.kernelModule(programs.front().second.info.form).getOps<gpu::GPUFuncOp>())
    if (tile::programOf(kernel)) {
      inlineFunctions(kernel);
      checkBody(kernel);
    }
  for (const auto &[name, program] : programs)
    (void)all_of(program.instances, [&](const Instance &instance) { return checkGrid(instance); });
  for (const Alias &alias : aliases)
    checkAliases(alias);
  dropInlined();
}

/// Binds the numbers, whose values ConstantIntegers knows, and puts the names of functions and types into `body`.
bool TilePrograms::bindConstants(const Program &program, const Instance &instance,
                                 SmallVectorImpl<const Form *> &body) {
  ConstantForms names;
  for (const auto &[name, constant] : zip(program.constants, instance.constants))
    if (constant.name)
      names[name->text()] = constant.name;
    else
      gen.scope.bind(name, Values{gen.literals.constantInt(name, builder.getIndexType(), constant.number)});
  for (const Form *form : program.body) {
    body.push_back(gen.constants.substitute(form, names));
    if (!body.back())
      return false;
  }
  return true;
}

bool TilePrograms::defineInstance(const Program &program, const Instance &instance) {
  const Form *form = program.info.form;
  builder.setInsertionPointToEnd(gen.kernels.kernelModule(form).getBody());
  auto kernel = gpu::GPUFuncOp::create(builder, location(form), instance.symbol, program.info.type);
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), builder.getUnitAttr());
  kernel->setAttr(tile::kProgram,
                  tile::ProgramAttr::get(&context, instance.warps, instance.stages, program.ring.value_or(false)));
  constexpr int64_t kLeastStages = 3, kLeastWarps = 8;
  if (!program.ring && instance.stages >= kLeastStages && instance.warps >= kLeastWarps)
    kernel->setAttr(tile::kRingAllowed, builder.getUnitAttr());
  if (program.tune)
    kernel->setAttr("tune", program.tune);

  unsigned errorsBefore = diags.errors();
  gen.scope.inTileProgram = true;
  current = {&program, &instance};
  {
    Scope scope(gen.scope.scopes);
    gen.scope.everDefined.clear();
    gen.scope.labels.emplace_back();
    for (auto [parameter, argument] : zip(program.parameters->items(), kernel.getArguments())) {
      argument.setLoc(location(parameter));
      gen.scope.bind((*parameter)[1], Values{argument});
    }
    builder.setInsertionPointToEnd(&kernel.getBody().front());
    SmallVector<const Form *> body;
    mlir::FailureOr<Values> last = mlir::failure();
    if (bindConstants(program, instance, body))
      last = gen.evaluator->emitBody(body);
    gen.scope.labels.pop_back();
    if (succeeded(last) && !gen.regions.isTerminated()) {
      builder.setInsertionPointToEnd(&kernel.getBody().back());
      make<gpu::ReturnOp>(program.body.back());
    }
  }
  gen.scope.inTileProgram = false;
  current = {};
  return diags.errors() == errorsBefore;
}

void TilePrograms::noteLaunch(Diag &diag) {
  auto [program, instance] = current;
  if (!instance || instance->constants.empty())
    return;
  std::string values;
  for (const auto &[name, constant] : zip(program->constants, instance->constants))
    values += (values.empty() ? "" : ", ") + name->text().str() + " = " + constant.text();
  diag.note(instance->launch->range(), "the launch that asks for " + values);
}

/// Replaces the call by the ops of the callee, whose body is one block.
void TilePrograms::inlineCall(mlir::func::CallOp call, mlir::func::FuncOp callee) {
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(call);
  mlir::IRMapping mapping;
  mlir::Block &body = callee.getBody().front();
  if (body.empty() || !body.back().hasTrait<mlir::OpTrait::IsTerminator>()) { // After an error in the function.
    if (call.getNumResults())
      call.replaceAllUsesWith(
          mlir::UnrealizedConversionCastOp::create(builder, call.getLoc(), call.getResultTypes(), mlir::ValueRange())
              .getResults());
    return call.erase();
  }
  mapping.map(body.getArguments(), call.getOperands());
  for (mlir::Operation &op : body.without_terminator()) {
    mlir::Operation *copy = builder.clone(op, mapping);
    copy->walk([&](mlir::Operation *part) { part->setLoc(mlir::CallSiteLoc::get(part->getLoc(), call.getLoc())); });
  }
  for (auto [result, value] : zip(call.getResults(), body.getTerminator()->getOperands()))
    result.replaceAllUsesWith(mapping.lookupOrDefault(value));
  call.erase();
}

/// A tile belongs to a block of threads, which no calling convention knows: the functions that a tile program calls
/// become part of it.
void TilePrograms::inlineFunctions(gpu::GPUFuncOp kernel) {
  SetVector<mlir::func::FuncOp> called;
  auto collectCalls = [&](mlir::Operation *op) {
    op->walk([&](mlir::func::CallOp call) {
      if (auto callee = module->lookupSymbol<mlir::func::FuncOp>(call.getCallee()); callee && !callee.isExternal())
        called.insert(callee);
    });
  };
  collectCalls(kernel);
  for (size_t i = 0; i < called.size(); ++i)
    collectCalls(mlir::func::FuncOp(called[i]));
  if (!gen.kernels.checkRecursion(called))
    return;
  inlined.insert(called.begin(), called.end());
  while (true) {
    SmallVector<mlir::func::CallOp> calls;
    kernel.walk([&](mlir::func::CallOp call) { calls.push_back(call); });
    bool isChanged = false;
    for (mlir::func::CallOp call : calls) {
      auto callee = module->lookupSymbol<mlir::func::FuncOp>(call.getCallee());
      if (!callee || callee.isExternal())
        continue; // copyDeviceFunctions reports it.
      if (!callee.getBody().hasOneBlock()) {
        diags
            .error("kernel-call", sourceRange(call->getLoc(), diags.sourceMgr()),
                   "a tile program calls `" + callee.getName() + "`, whose body has several blocks")
            .withHint("write its control flow with if, for, fold and loop");
        return;
      }
      inlineCall(call, callee);
      isChanged = true;
    }
    if (!isChanged)
      return;
  }
}

/// Reports a dimension that the grid of a launch does not have.
bool TilePrograms::checkGrid(const Instance &instance) {
  auto kernel = gen.kernels.kernelModule(instance.launch).lookupSymbol<gpu::GPUFuncOp>(instance.symbol);
  if (!kernel || !instance.grid)
    return true;
  mlir::WalkResult checked = kernel.walk([&](gpu::BlockIdOp id) {
    size_t dimension = static_cast<size_t>(id.getDimension()), rank = instance.grid->size();
    if (dimension < rank)
      return mlir::WalkResult::advance();
    diags
        .error("tile-axis", sourceRange(id->getLoc(), diags.sourceMgr()),
               "this program asks for its id in dimension " + Twine(dimension) + ", and a launch has a grid of " +
                   Twine(rank) + (rank == 1 ? " dimension" : " dimensions"))
        .note(instance.grid->range(), "the grid is here")
        .withHint("dimensions are counted from 0");
    return mlir::WalkResult::interrupt();
  });
  return !checked.wasInterrupted();
}

/// Reports what belongs to threads or to the host.
void TilePrograms::checkBody(gpu::GPUFuncOp kernel) {
  auto wrong = [&](mlir::Operation *op, const Twine &why, const Twine &hint) {
    diags
        .error("kernel-place", sourceRange(op->getLoc(), diags.sourceMgr()),
               "`" + op->getName().getStringRef() + "` " + why)
        .withHint(hint);
    return mlir::WalkResult::interrupt();
  };
  kernel.walk([&](mlir::Operation *op) {
    if (isa<gpu::ThreadIdOp, gpu::BlockDimOp, gpu::GlobalIdOp, gpu::LaneIdOp, gpu::SubgroupIdOp, gpu::SubgroupSizeOp,
            gpu::NumSubgroupsOp, gpu::ShuffleOp, gpu::BarrierOp, gpu::AllReduceOp, gpu::SubgroupReduceOp,
            gpu::DynamicSharedMemoryOp>(op))
      return wrong(op, "belongs to threads, and those of a tile program are the compiler's",
                   "a tile program says what its block computes: (program-id 0), (iota index [n]), (sum tile :axis 0)");
    if (isa<gpu::LaunchFuncOp, gpu::LaunchOp>(op))
      return wrong(op, "launches a kernel, and this is one", "launch from a function that only the host calls");
    StringRef dialect = op->getName().getDialectNamespace();
    if (isa<gpu::PrintfOp, gpu::AllocOp, gpu::DeallocOp, gpu::MemcpyOp, mlir::vector::PrintOp>(op) ||
        dialect == "device")
      return wrong(op, "belongs to the host, and this is a tile program",
                   "store what a function is to print or to copy: (store value memref [index ...])");
    return mlir::WalkResult::advance();
  });
}

/// Erases functions of tiles that only tile programs call: the host could not compile their large vectors.
void TilePrograms::dropInlined() {
  auto isTile = [](mlir::Type type) { return isa<mlir::VectorType>(type); };
  for (bool changed = true; changed;) {
    changed = false;
    for (mlir::func::FuncOp function : SmallVector<mlir::func::FuncOp>(inlined.getArrayRef())) {
      bool hasTiles = any_of(function.getArgumentTypes(), isTile) || any_of(function.getResultTypes(), isTile);
      if (!hasTiles || !mlir::SymbolTable::symbolKnownUseEmpty(function, *module))
        continue;
      inlined.remove(function);
      function.erase();
      changed = true;
    }
  }
}

//===----------------------------------------------------------------------===//
// Forms in the body.
//===----------------------------------------------------------------------===//

/// (program-id 0), (num-programs 0)
mlir::FailureOr<Values> TilePrograms::emitProgramId(const Form *form, SpecialForm kind) {
  bool isFailed;
  std::optional<int64_t> axis = gen.integers.evaluate((*form)[1], isFailed);
  if (isFailed)
    return mlir::failure();
  if (!axis || *axis < 0 || *axis > 2) {
    error("tile-axis", (*form)[1], "a grid has the dimensions 0, 1 and 2, and `" + (*form)[1]->str() + "` is none")
        .withHint("write (" + form->head() + " 0)");
    return mlir::failure();
  }
  auto dimension = static_cast<gpu::Dimension>(*axis);
  if (kind == SpecialForm::ProgramId)
    return Values{make<gpu::BlockIdOp>(form, dimension)};
  return Values{make<gpu::GridDimOp>(form, dimension)};
}
} // namespace lispier
