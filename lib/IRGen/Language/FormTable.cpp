//===- FormTable.cpp - what generates each special form -------------------===//
//
// One row for each form. A row calls the part that the form belongs to.
//
//===----------------------------------------------------------------------===//
#include "FormTable.h"
#include "Control.h"
#include "Core/FormEvaluator.h"
#include "Core/FunctionScope.h"
#include "Core/Messages.h"
#include "Core/StringGlobals.h"
#include "Exports.h"
#include "Expressions.h"
#include "Functions.h"
#include "Gradients.h"
#include "InPlace.h"
#include "Kernels.h"
#include "Print.h"
#include "Program.h"
#include "Recipes.h"
#include "Records.h"
#include "Structs.h"
#include "TilePrograms.h"
#include "ValueFfi.h"
#include "Values/Arithmetic.h"
#include "Values/Collectives.h"
#include "Values/Memory.h"
#include "Values/TensorForms.h"
#include "Values/TileForms.h"
#include "Values/ValueForms.h"
#include <array>

using namespace llvm;

namespace lispier {
namespace {
using Result = mlir::FailureOr<Values>;
using Call = const FormCall &;

template <typename Function> struct FormRow {
  SpecialForm form;
  Function function;
};

Result block(Generator &gen, Call call) {
  Scope scope(gen.scope.scopes);
  return gen.evaluator->emitBody(call.operands(), call.hint);
}

Result loopOverRange(Generator &gen, Call call) { return gen.control.emitFor(call.form); }

Result arithmetic(Generator &gen, Call call) {
  return gen.arithmetic.emitArithmetic(call.form, call.kind(), call.hint);
}

Result bits(Generator &gen, Call call) { return gen.arithmetic.emitBits(call.form, call.kind(), call.hint); }

Result random(Generator &gen, Call call) { return gen.tensors.emitRandom(call.form, call.kind()); }

Result comparison(Generator &gen, Call call) { return gen.arithmetic.emitComparison(call.form, call.kind()); }

Result elementary(Generator &gen, Call call) {
  return gen.arithmetic.emitElementary(call.form, call.kind(), call.hint);
}

Result junction(Generator &gen, Call call) {
  return gen.arithmetic.emitJunction(call.form, call.operands(), call.kind());
}

Result scanned(Generator &gen, Call call) { return gen.values.emitScan(call.form, call.kind()); }

Result reduced(Generator &gen, Call call) { return gen.values.emitReduction(call.form, call.kind()); }

Result argExtreme(Generator &gen, Call call) { return gen.values.emitArgExtreme(call.form, call.kind()); }

Result filled(Generator &gen, Call call) { return gen.values.emitFull(call.form, call.kind(), call.hint); }

Result scatter(Generator &gen, Call call) { return gen.tiles.emitScatter(call.form, call.kind()); }

Result concatenation(Generator &gen, Call call) { return gen.tensors.emitConcat(call.form, call.kind()); }

Result place(Generator &gen, Call call) { return gen.collectives.emitPlace(call.form, call.kind()); }

Result collective(Generator &gen, Call call) { return gen.collectives.emit(call.form, call.kind()); }

Result gradient(Generator &gen, Call call) { return gen.gradients.emit(call.form, call.kind()); }

Result programNumber(Generator &gen, Call call) { return gen.tilePrograms.emitProgramId(call.form, call.kind()); }

Result cstring(Generator &gen, Call call) {
  const Form *text = (*call.form)[1];
  if (text->isString())
    return Values{gen.strings.address(text->text(), call.form)};
  gen.messages.error("macro-shape", text, "`cstring` takes a text in quotes");
  return mlir::failure();
}

Result deviceMemory(Generator &gen, Call call) { return gen.memory.emitMemory(call.form, call.kind()); }

Result threadReduction(Generator &gen, Call call) { return gen.kernels.emitReduce(call.form, call.kind()); }

Result partOfOp(Generator &gen, Call call) {
  gen.messages.error("parse-head", call.form, "a " + call.info.name + " stands inside an op")
      .withHint(call.info.syntax + " is an operand of an op with regions");
  return mlir::failure();
}

Result functionType(Generator &gen, Call call) {
  gen.messages.error("parse-head", call.form, "a function type is not a value");
  return mlir::failure();
}

Result doneByExpand(Generator &, Call) { return Values{}; }

Result useDialect(Generator &gen, Call call) {
  gen.program.useDialect(call.form);
  return Values{};
}

constexpr FormRow<FunctionForm> kFunctionForms[] = {
    {SpecialForm::Def, [](Generator &gen, Call call) { return gen.expressions.emitDef(call.form); }},
    {SpecialForm::Let, [](Generator &gen, Call call) { return gen.expressions.emitLet(call.form, call.hint); }},
    {SpecialForm::Do, block},
    {SpecialForm::Replayable,
     [](Generator &gen, Call call) { return gen.control.emitReplayable(call.form, call.hint); }},
    {SpecialForm::Typed, [](Generator &gen, Call call) { return gen.expressions.emitTyped(call.form); }},
    {SpecialForm::If, [](Generator &gen, Call call) { return gen.control.emitIf(call.form, call.hint); }},
    {SpecialForm::ForEach, loopOverRange},
    {SpecialForm::For, loopOverRange},
    {SpecialForm::Fold, [](Generator &gen, Call call) { return gen.control.emitFold(call.form, call.hint); }},
    {SpecialForm::Parallel, [](Generator &gen, Call call) { return gen.control.emitParallel(call.form); }},
    {SpecialForm::Loop, [](Generator &gen, Call call) { return gen.control.emitLoop(call.form, call.hint); }},
    {SpecialForm::Add, arithmetic},
    {SpecialForm::Sub, arithmetic},
    {SpecialForm::Mul, arithmetic},
    {SpecialForm::Div, arithmetic},
    {SpecialForm::Rem, arithmetic},
    {SpecialForm::Min, arithmetic},
    {SpecialForm::Max, arithmetic},
    {SpecialForm::BitAnd, bits},
    {SpecialForm::BitOr, bits},
    {SpecialForm::BitXor, bits},
    {SpecialForm::ShiftLeft, bits},
    {SpecialForm::ShiftRight, bits},
    {SpecialForm::Less, comparison},
    {SpecialForm::LessEqual, comparison},
    {SpecialForm::Greater, comparison},
    {SpecialForm::GreaterEqual, comparison},
    {SpecialForm::Equal, comparison},
    {SpecialForm::NotEqual, comparison},
    {SpecialForm::Exp, elementary},
    {SpecialForm::Log, elementary},
    {SpecialForm::Log1p, elementary},
    {SpecialForm::Expm1, elementary},
    {SpecialForm::Sqrt, elementary},
    {SpecialForm::Rsqrt, elementary},
    {SpecialForm::Sin, elementary},
    {SpecialForm::Cos, elementary},
    {SpecialForm::Tanh, elementary},
    {SpecialForm::Erf, elementary},
    {SpecialForm::Sigmoid, elementary},
    {SpecialForm::Floor, elementary},
    {SpecialForm::Ceil, elementary},
    {SpecialForm::Round, elementary},
    {SpecialForm::Abs, elementary},
    {SpecialForm::Pow, elementary},
    {SpecialForm::Bits, [](Generator &gen, Call call) { return gen.arithmetic.emitBitsOf(call.form); }},
    {SpecialForm::BitWidth, [](Generator &gen, Call call) { return gen.arithmetic.emitBitWidth(call.form); }},
    {SpecialForm::Cast, [](Generator &gen, Call call) { return gen.arithmetic.emitCast(call.form); }},
    {SpecialForm::And, junction},
    {SpecialForm::Or, junction},
    {SpecialForm::Not, [](Generator &gen, Call call) { return gen.arithmetic.emitNot(call.form); }},
    {SpecialForm::Where, [](Generator &gen, Call call) { return gen.arithmetic.emitWhere(call.form, call.hint); }},
    {SpecialForm::Neg,
     [](Generator &gen, Call call) { return gen.arithmetic.emitArithmetic(call.form, SpecialForm::Sub, call.hint); }},
    {SpecialForm::Sum, reduced},
    {SpecialForm::Mean, reduced},
    {SpecialForm::Prod, reduced},
    {SpecialForm::Any, reduced},
    {SpecialForm::All, reduced},
    {SpecialForm::Cumsum, scanned},
    {SpecialForm::Cumprod, scanned},
    {SpecialForm::Cummax, scanned},
    {SpecialForm::Cummin, scanned},
    {SpecialForm::Argmax, argExtreme},
    {SpecialForm::Argmin, argExtreme},
    {SpecialForm::Zeros, filled},
    {SpecialForm::Empty, filled},
    {SpecialForm::Full, filled},
    {SpecialForm::Iota, [](Generator &gen, Call call) { return gen.values.emitIota(call.form, call.hint); }},
    {SpecialForm::Reshape, [](Generator &gen, Call call) { return gen.values.emitReshape(call.form); }},
    {SpecialForm::Broadcast, [](Generator &gen, Call call) { return gen.values.emitBroadcast(call.form); }},
    {SpecialForm::Transpose, [](Generator &gen, Call call) { return gen.values.emitTranspose(call.form); }},
    {SpecialForm::Dot, [](Generator &gen, Call call) { return gen.tiles.emitDot(call.form); }},
    {SpecialForm::Load, [](Generator &gen, Call call) { return gen.values.emitLoad(call.form); }},
    {SpecialForm::Store, [](Generator &gen, Call call) { return gen.values.emitStore(call.form); }},
    {SpecialForm::Gather, [](Generator &gen, Call call) { return gen.values.emitGather(call.form); }},
    {SpecialForm::Scatter, scatter},
    {SpecialForm::AtomicAdd, scatter},
    {SpecialForm::Einsum, [](Generator &gen, Call call) { return gen.tensors.emitEinsum(call.form); }},
    {SpecialForm::Matmul, [](Generator &gen, Call call) { return gen.tensors.emitMatmul(call.form); }},
    {SpecialForm::RandomBits, random},
    {SpecialForm::Uniform, random},
    {SpecialForm::Normal, random},
    {SpecialForm::Concat, concatenation},
    {SpecialForm::Stack, concatenation},
    {SpecialForm::Split, [](Generator &gen, Call call) { return gen.tensors.emitSplit(call.form); }},
    {SpecialForm::Slice, [](Generator &gen, Call call) { return gen.tensors.emitSlice(call.form); }},
    {SpecialForm::Windows, [](Generator &gen, Call call) { return gen.tensors.emitWindows(call.form); }},
    {SpecialForm::Update, [](Generator &gen, Call call) { return gen.inPlace.emitUpdate(call.form); }},
    {SpecialForm::AddAt, [](Generator &gen, Call call) { return gen.tensors.emitAddAt(call.form); }},
    {SpecialForm::FirstPlaces, [](Generator &gen, Call call) { return gen.tensors.emitFirstPlaces(call.form); }},
    {SpecialForm::Pad, [](Generator &gen, Call call) { return gen.tensors.emitPad(call.form); }},
    {SpecialForm::Dim, [](Generator &gen, Call call) { return gen.tensors.emitDim(call.form); }},
    {SpecialForm::At, [](Generator &gen, Call call) { return gen.tensors.emitAt(call.form); }},
    {SpecialForm::ProgramId, programNumber},
    {SpecialForm::NumPrograms, programNumber},
    {SpecialForm::NextPowerOf2, [](Generator &gen, Call call) { return gen.tilePrograms.emitNextPowerOf2(call.form); }},
    {SpecialForm::ValueAndGrad, gradient},
    {SpecialForm::Grad, gradient},
    {SpecialForm::Vjp, gradient},
    {SpecialForm::Recompute, [](Generator &gen, Call call) { return gen.gradients.emitRecompute(call.form); }},
    {SpecialForm::StopGradient, [](Generator &gen, Call call) { return gen.gradients.emitStop(call.form); }},
    {SpecialForm::Rank, place},
    {SpecialForm::Ranks, place},
    {SpecialForm::AllReduce, collective},
    {SpecialForm::AllGather, collective},
    {SpecialForm::ReduceScatter, collective},
    {SpecialForm::OwnPart, collective},
    {SpecialForm::Assume, collective},
    {SpecialForm::FromRank, collective},
    {SpecialForm::Print, [](Generator &gen, Call call) { return gen.print.emitPrint(call.form, /*newline=*/false); }},
    {SpecialForm::Println, [](Generator &gen, Call call) { return gen.print.emitPrint(call.form, /*newline=*/true); }},
    {SpecialForm::SaveNpy, [](Generator &gen, Call call) { return gen.tensors.emitSaveNpy(call.form); }},
    {SpecialForm::Host, [](Generator &gen, Call call) { return gen.tensors.emitHost(call.form); }},
    {SpecialForm::LoadNpy, [](Generator &gen, Call call) { return gen.tensors.emitLoadNpy(call.form); }},
    {SpecialForm::With, [](Generator &gen, Call call) { return gen.records.emitWith(call.form); }},
    {SpecialForm::LoadCheckpoint, [](Generator &gen, Call call) { return gen.records.emitLoadCheckpoint(call.form); }},
    {SpecialForm::PrintI64, [](Generator &gen, Call call) { return gen.print.emitPrintI64(call.form); }},
    {SpecialForm::New, [](Generator &gen, Call call) { return gen.structs.emitNew(call.form); }},
    {SpecialForm::Cstring, cstring},
    {SpecialForm::PtrToMemref, [](Generator &gen, Call call) { return gen.memory.emitPtrToMemref(call.form); }},
    {SpecialForm::DeviceAlloc, deviceMemory},
    {SpecialForm::DeviceFree, deviceMemory},
    {SpecialForm::ToMemref, [](Generator &gen, Call call) { return gen.tensors.emitToMemref(call.form); }},
    {SpecialForm::ToDevice, deviceMemory},
    {SpecialForm::Upload, deviceMemory},
    {SpecialForm::Download, deviceMemory},
    {SpecialForm::Launch, [](Generator &gen, Call call) { return gen.kernels.emitLaunch(call.form); }},
    {SpecialForm::Shared, [](Generator &gen, Call call) { return gen.kernels.emitShared(call.form); }},
    {SpecialForm::WarpReduce, threadReduction},
    {SpecialForm::BlockReduce, threadReduction},
    {SpecialForm::Quasiquote, [](Generator &gen, Call call) { return gen.ffi.emitQuasiquote(call.form); }},
    {SpecialForm::Region, partOfOp},
    {SpecialForm::Block, partOfOp},
    {SpecialForm::FunctionType, functionType},
    {SpecialForm::SourcePath, doneByExpand},
    {SpecialForm::RequireDialect, doneByExpand},
    {SpecialForm::UseDialect, useDialect},
};

/// Expand or the first walk over the program has handled the form.
void before(Generator &, Call) {}

void each(Generator &gen, Call call) {
  for (const Form *item : call.operands())
    gen.program.topLevel(item);
}

void checkDefString(Generator &gen, Call call) {
  if (!(*call.form)[1]->isSymbol() || !(*call.form)[2]->isString())
    gen.messages.error("macro-shape", call.form, "`def-string` takes a name and a text")
        .withHint(Twine("write ") + call.info.syntax);
}

void compilation(Generator &gen, Call call) { gen.recipes.compilation(call.form, call.kind()); }

constexpr FormRow<TopLevelForm> kTopLevelForms[] = {
    {SpecialForm::Defn, [](Generator &gen, Call call) { gen.functions.defineDefn(call.form); }},
    {SpecialForm::Deftemplate, [](Generator &gen, Call call) { gen.functions.defineTemplate(call.form); }},
    {SpecialForm::ExternFn, [](Generator &gen, Call call) { gen.functions.defineExternFn(call.form); }},
    {SpecialForm::Extern, [](Generator &gen, Call call) { gen.ffi.declareValueFfi(call.form); }},
    {SpecialForm::LinkLibrary, [](Generator &gen, Call call) { gen.program.linkLibrary(call.form); }},
    {SpecialForm::Export, [](Generator &gen, Call call) { gen.exports.add(call.form); }},
    {SpecialForm::UseDialect, [](Generator &gen, Call call) { gen.program.useDialect(call.form); }},
    {SpecialForm::Module, [](Generator &gen, Call call) { gen.program.moduleStatements(call.form); }},
    {SpecialForm::Do, each},
    {SpecialForm::DefString, checkDefString},
    {SpecialForm::Defkernel, [](Generator &gen, Call call) { gen.kernels.defineKernel(call.form); }},
    {SpecialForm::Deftile, before}, // TilePrograms::define makes them, once all launches are known.
    {SpecialForm::Tuned, before},   // TilePrograms::readTuned has read them, since launches ask for them.
    {SpecialForm::Compilation, compilation},
    {SpecialForm::CompilationGpu, compilation},
    {SpecialForm::CompilationCpu, compilation},
    {SpecialForm::Defstruct, before},
    {SpecialForm::Defmesh, before},
    {SpecialForm::Defrecord, before},
    {SpecialForm::Require, before},
    {SpecialForm::RequireMacros, before},
    {SpecialForm::RequireDialect, before},
    {SpecialForm::Defmacro, before},
};

constexpr FormPlace kPlaces[] = {
#define FORM(Kind, name, min, max, stage, place, first, operands, syntax, doc) FormPlace::place,
#include "lispier/Expand/SpecialForms.def"
};
constexpr size_t kFormCount = std::size(kPlaces);

/// Whether each form has one row, and those that stand only at the other place have none.
template <typename Function, size_t N>
constexpr bool isComplete(const FormRow<Function> (&rows)[N], FormPlace otherPlace) {
  for (size_t form = 0; form < kFormCount; ++form) {
    size_t found = 0;
    for (const FormRow<Function> &row : rows)
      found += size_t(row.form) == form;
    if (found != (kPlaces[form] == otherPlace ? 0 : 1))
      return false;
  }
  return true;
}
static_assert(isComplete(kFunctionForms, FormPlace::Top), "each form that may stand in a function has one row");
static_assert(isComplete(kTopLevelForms, FormPlace::Function), "each form that may stand at the top level has one row");

template <typename Function, size_t N>
constexpr std::array<Function, kFormCount> byForm(const FormRow<Function> (&rows)[N]) {
  std::array<Function, kFormCount> table{};
  for (const FormRow<Function> &row : rows)
    table[size_t(row.form)] = row.function;
  return table;
}
constexpr auto kFunctionTable = byForm(kFunctionForms);
constexpr auto kTopLevelTable = byForm(kTopLevelForms);
} // namespace

FunctionForm functionForm(SpecialForm form) { return kFunctionTable[size_t(form)]; }

TopLevelForm topLevelForm(SpecialForm form) { return kTopLevelTable[size_t(form)]; }
} // namespace lispier
