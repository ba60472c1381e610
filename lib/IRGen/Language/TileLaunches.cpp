//===- TileLaunches.cpp - launches of tile programs -----------------------===//
//
// A launch gives each constant a number, or a run-time value and the numbers that it
// may be: one gpu.launch_func for each of them, chosen by scf.index_switch.
//
//===----------------------------------------------------------------------===//
#include "ConstantForms.h"
#include "Core/ConstantIntegers.h"
#include "Core/FormEvaluator.h"
#include "Core/FunctionScope.h"
#include "Core/Literals.h"
#include "Core/Types.h"
#include "Generator.h"
#include "Kernels.h"
#include "TilePrograms.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
namespace gpu = mlir::gpu;

namespace lispier {
/// Each set of constants is a program that is compiled.
static constexpr int64_t kMostVariants = 256;

bool TilePrograms::checkKeys(const Program &program, const Form *map) {
  for (size_t i = 0; i < map->size(); i += 2) {
    const Form *key = (*map)[i];
    if (key->text() != "block" && key->text() != "shared" && key->text() != "cluster")
      continue;
    error("tile-launch", key,
          "`:" + key->text() + "` of a launch of the tile program `" + program.info.name +
              "`: its threads and their "
              "memory are the compiler's")
        .note(program.info.form->range(), "`" + program.info.name + "` is defined here")
        .withHint("the keys are :grid and :const; :warps of deftile says how many warps a block has");
    return false;
  }
  return true;
}

/// The name of a function or a type.
std::optional<TilePrograms::Choice> TilePrograms::namedChoice(const Program &program, const Form *name,
                                                              const Form *form) {
  if (gen.constants.isCallable(form->text()) || gen.types.readType(form->text()))
    return Choice{{}, {{0, form}}, form};
  error("tile-constant", form,
        "the constant `" + name->text() + "` of `" + program.info.name + "` is `" + form->text() +
            "`, which is no value, function or type")
      .note(program.info.form->range(), "`" + program.info.name + "` is defined here");
  return std::nullopt;
}

/// A number, an expression of numbers, (among expression [number ...]), or the name of a function or a type.
std::optional<TilePrograms::Choice> TilePrograms::choice(const Program &program, const Form *name, const Form *form) {
  if (form->isBool())
    return Choice{{}, {{form->boolean(), nullptr}}, form};
  if (form->isSymbol() && !gen.scope.scopes.count(form->text()))
    return namedChoice(program, name, form);
  const Form *expression = form;
  Numbers members;
  if (form->isCall("among")) {
    if (form->size() != 3) {
      error("macro-shape", form, "`among` takes an expression and a vector of numbers");
      return std::nullopt;
    }
    if (!readMembers((*form)[2], members))
      return std::nullopt;
    expression = (*form)[1];
  }
  std::optional<int64_t> number = gen.literals.integerOf(expression);
  mlir::Value value;
  if (!number) {
    value = gen.evaluator->emitLoopBound(expression); // Once: it may call functions.
    if (!value)
      return std::nullopt;
    number = ConstantIntegers::known(value);
  }
  if (!number && members.empty()) {
    error("tile-constant", form,
          "the constant `" + name->text() + "` of `" + program.info.name + "` is known only when the program runs")
        .withHint("list the values that it may have: {:" + name->text() + " (" +
                  (form->isList() ? form->str().substr(1, form->str().size() - 2) : form->str()) +
                  " :among [64 128])}");
    return std::nullopt;
  }
  if (number && !members.empty() && !is_contained(members, *number)) {
    error("tile-constant", expression,
          "the constant `" + name->text() + "` is " + Twine(*number) + " here, which is not among " +
              (*form)[2]->str());
    return std::nullopt;
  }
  if (number)
    return Choice{{}, {{*number, nullptr}}, form};
  Choice choice{value, {}, form};
  for (int64_t member : members)
    choice.members.push_back({member, nullptr});
  return choice;
}

/// One choice for each constant of the program, in its order.
bool TilePrograms::choices(const Program &program, const Form *launch, const Form *map, SmallVectorImpl<Choice> &out) {
  auto isConstant = [&](StringRef name) {
    return any_of(program.constants, [&](const Form *constant) { return constant->text() == name; });
  };
  std::string names;
  for (const Form *name : program.constants)
    names += (names.empty() ? ":" : ", :") + name->text().str();
  auto defined = [&](Diag &diag) {
    diag.note(program.info.form->range(), "`" + program.info.name + "` is defined here");
    return false;
  };
  if (map && !map->isMap()) {
    error("tile-constant", map, Twine("`:const` of a launch is a map, not ") + describe(map->kind()))
        .withHint("write :const {:name value}");
    return false;
  }
  for (size_t i = 0; map && i < map->size(); i += 2)
    if (const Form *key = (*map)[i]; !isConstant(key->text()))
      return defined(error("tile-constant", key, "`" + program.info.name + "` has no constant `" + key->text() + "`")
                         .withHint(names.empty() ? "it has none" : "its constants are " + names));
  int64_t variants = 1;
  for (const Form *name : program.constants) {
    const Form *value = map ? map->get(name->text()) : nullptr;
    if (!value && program.tune && program.tune.get(name->text())) {
      out.push_back({{}, {}, launch}); // Left to the compiler.
      continue;
    }
    if (!value)
      return defined(error("tile-constant", map ? map : launch,
                           "the constant `" + name->text() + "` of `" + program.info.name + "` has no value")
                         .withHint("write :const {:" + name->text() + " value}; its constants are " + names));
    std::optional<Choice> found = choice(program, name, value);
    if (!found)
      return false;
    variants *= found->members.size();
    if (variants > kMostVariants) {
      error("tile-constant", map,
            "this launch asks for more than " + Twine(kMostVariants) +
                " programs, one for each "
                "set of constants");
      return false;
    }
    out.push_back(std::move(*found));
  }
  return true;
}

/// The kernel of the program for a set of constants, which is generated later.
std::string TilePrograms::symbolFor(Launch &launch, ArrayRef<Constant> constants) {
  Program &program = launch.program;
  const Form *grid = (*launch.form)[2]->get("grid");
  for (Instance &instance : program.instances)
    if (ArrayRef(instance.constants) == constants && instance.warps == launch.warps &&
        instance.stages == launch.stages) {
      if (grid && (!instance.grid || grid->size() < instance.grid->size()))
        instance.grid = grid;
      return instance.symbol;
    }
  std::string symbol = program.info.name;
  for (const Constant &constant : constants) {
    std::string part = constant.number < 0 ? "m" + utostr(-constant.number) : constant.text();
    std::replace_if(part.begin(), part.end(), [](char c) { return !isAlnum(c) && c != '-'; }, '_');
    symbol += "_" + part;
  }
  if (launch.warps != program.warps)
    symbol += "_w" + utostr(launch.warps);
  if (launch.stages != program.stages)
    symbol += "_s" + utostr(launch.stages);
  while (symbol != program.info.name && (gen.kernels.contains(symbol) || programs.contains(symbol)))
    symbol += "_";
  program.instances.push_back({Constants(constants), launch.warps, launch.stages, symbol, launch.form, grid});
  return symbol;
}

void TilePrograms::assertMember(const Program &program, const Form *name, const Choice &choice) {
  mlir::Value isMember;
  std::string members;
  for (const Constant &member : choice.members) {
    mlir::Value known = gen.literals.constantInt(choice.form, builder.getIndexType(), member.number);
    mlir::Value equal = make<mlir::arith::CmpIOp>(choice.form, mlir::arith::CmpIPredicate::eq, choice.value, known);
    isMember = isMember ? make<mlir::arith::OrIOp>(choice.form, isMember, equal).getResult() : equal;
    members += (members.empty() ? "" : ", ") + member.text();
  }
  make<mlir::cf::AssertOp>(choice.form, isMember,
                           "the constant `" + name->text().str() + "` of `" + program.info.name + "` is none of " +
                               members);
}

/// Launches for the constants from `chosen.size()` on.
void TilePrograms::emitVariants(Launch &launch, Constants &chosen) {
  if (chosen.size() == launch.choices.size()) {
    mlir::Value one = gen.literals.constantInt(launch.form, builder.getIndexType(), 1);
    ArrayRef<mlir::Value> grid = launch.shape.grid;
    std::string symbol = symbolFor(launch, chosen);
    noteAliases(launch, symbol);
    make<gpu::LaunchFuncOp>(launch.form, gen.kernels.symbolOf(symbol), gpu::KernelDim3{grid[0], grid[1], grid[2]},
                            gpu::KernelDim3{one, one, one},
                            /*dynamicSharedMemorySize=*/mlir::Value(), launch.arguments);
    return;
  }
  const Choice &choice = launch.choices[chosen.size()];
  if (!choice.value) {
    chosen.push_back(choice.members[0]);
    emitVariants(launch, chosen);
    chosen.pop_back();
    return;
  }
  assertMember(launch.program, launch.program.constants[chosen.size()], choice);
  Numbers cases = map_to_vector(choice.members, [](const Constant &member) { return member.number; });
  auto branch =
      make<mlir::scf::IndexSwitchOp>(choice.form, mlir::TypeRange(), choice.value, cases, choice.members.size());
  auto fill = [&](mlir::Region &region, function_ref<void()> body) {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.createBlock(&region);
    body();
    make<mlir::scf::YieldOp>(launch.form);
  };
  for (const auto &[member, region] : zip(choice.members, branch.getCaseRegions())) {
    chosen.push_back(member);
    fill(region, [&] { emitVariants(launch, chosen); });
    chosen.pop_back();
  }
  fill(branch.getDefaultRegion(), [] {}); // The assertion excludes it.
}

mlir::FailureOr<Values> TilePrograms::emitLaunch(const Form *form) {
  const Form *map = (*form)[2];
  Program &program = *find((*form)[1]->text());
  Launch launch{program, form, program.warps, program.stages, {}, {}, {}};
  SmallVector<mlir::NamedAttribute> open = openConstants(program, map->get("const"));
  // :grid may name the open constants, so that it is computed with each of their values.
  bool ok = checkKeys(program, map) &&
            (!open.empty() || gen.kernels.launchShape(form, map, {"grid", "const"}, launch.shape)) &&
            choices(program, form, map->get("const"), launch.choices) &&
            gen.kernels.launchArguments(form, program.info, launch.arguments) &&
            (open.empty() || emitTunedLaunch(launch, map, open));
  if (!ok)
    return mlir::failure();
  if (!open.empty())
    return Values{};
  Constants chosen;
  emitVariants(launch, chosen);
  return Values{};
}

/// (next-power-of-2 n): 1 for n <= 1, else 1 << (64 - the leading zeros of n - 1).
mlir::FailureOr<Values> TilePrograms::emitNextPowerOf2(const Form *form) {
  const Form *place = (*form)[1];
  mlir::Type index = builder.getIndexType(), i64 = builder.getI64Type();
  mlir::Value n = gen.evaluator->emitLoopBound(place);
  if (!n)
    return mlir::failure();
  if (std::optional<int64_t> number = ConstantIntegers::known(n))
    return Values{gen.literals.constantInt(form, index, *number <= 1 ? 1 : int64_t(PowerOf2Ceil(*number)))};
  auto constant = [&](int64_t value) { return gen.literals.constantInt(form, i64, value); };
  mlir::Value least = make<mlir::arith::MaxSIOp>(form, make<mlir::arith::IndexCastOp>(form, i64, n), constant(1));
  mlir::Value below = make<mlir::arith::SubIOp>(form, least, constant(1));
  mlir::Value zeros = make<mlir::math::CountLeadingZerosOp>(form, below);
  // With n = 1, 64 - 64 = 0 bits are shifted.
  mlir::Value bits = make<mlir::arith::SubIOp>(form, constant(64), zeros);
  mlir::Value power = make<mlir::arith::ShLIOp>(form, constant(1), bits);
  return Values{make<mlir::arith::IndexCastOp>(form, index, power)};
}
} // namespace lispier
