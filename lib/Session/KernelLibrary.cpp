//===- KernelLibrary.cpp - the library of kernel implementations ----------===//
#include "KernelLibrary.h"
#include "lispier/NN/NN.h"
#include "lispier/TargetInfo/TargetInfo.h"
#include "mlir/AsmParser/AsmParser.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace lispier {
namespace {
/// Defines a macro that lists the choices of an op's enum as [[number name] ...].
template <typename Choice>
std::string listOf(StringRef macro, unsigned most, std::optional<Choice> (*choice)(uint32_t),
                   StringRef (*name)(Choice)) {
  std::string text = ("(defmacro " + macro + " [] (quote (quote [").str();
  for (unsigned number = 0; number <= most; ++number)
    if (std::optional<Choice> known = choice(number))
      text += "[" + utostr(number) + " " + name(*known).str() + "]";
  return text + "]))) ";
}

/// (activations) of nn.linear and (masks) of nn.attention.
std::string definitions() {
  return listOf<nn::Activation>("activations", nn::getMaxEnumValForActivation(), nn::symbolizeActivation,
                                nn::stringifyActivation) +
         listOf<nn::Mask>("masks", nn::getMaxEnumValForMask(), nn::symbolizeMask, nn::stringifyMask);
}

/// The location of an implementation in its file; for a macro's output, that of the outermost call.
mlir::Location placeOf(const Form *form, mlir::MLIRContext &context, const SourceMgr &sources) {
  SMRange range = form->range();
  for (const Expansion *by = form->expansion(); by; by = by->parent)
    range = by->call;
  unsigned buffer = range.isValid() ? sources.FindBufferContainingLoc(range.Start) : 0;
  if (!buffer)
    return mlir::UnknownLoc::get(&context);
  auto [line, column] = sources.getLineAndColumn(range.Start, buffer);
  return mlir::FileLineColLoc::get(&context, sources.getMemoryBuffer(buffer)->getBufferIdentifier(), line, column);
}

std::vector<std::string> words(const Form *given) {
  std::vector<std::string> words;
  for (const Form *word : !given ? ArrayRef<const Form *>() : given->isVector() ? given->items() : ArrayRef(given))
    words.push_back(word->text().str());
  return words;
}

/// Whether the body contains an op of this name, which the following implementations then handle.
bool contains(const Form *form, StringRef op) {
  return form->isCall(op) || any_of(form->items(), [&](const Form *item) { return contains(item, op); });
}
} // namespace

KernelLibrary::KernelLibrary(mlir::MLIRContext &context, FormArena &arena, DiagSink &diags,
                             const DialectNames &dialects)
    : arena(arena), diags(diags), files(definitions()) {
  SourceMgr &sources = diags.sourceMgr();
  unsigned all = sources.AddNewSourceBuffer(MemoryBuffer::getMemBufferCopy(requireAllKernels(), "kernels"), SMLoc());
  texts = std::make_unique<TemplateLibrary>(all, ExpandContext{arena, diags, files, &dialects, nullptr});
  readTuning(dialects);
  if (diags.hasErrors())
    return;
  for (const Form *form : texts->templates())
    heads.push_back(read(form, context));
}

/// Reads a head as IRGen would. Errors in it are reported when the body is generated.
kernels::Implementation KernelLibrary::read(const Form *form, mlir::MLIRContext &context) {
  const Form *map = (*form)[2], *parameters = (*form)[3];
  kernels::Implementation head(placeOf(form, context, diags.sourceMgr()));
  head.op = (*form)[1]->text().str();
  head.targets = words(map->get("for"));
  for (const std::string &name : words(map->get("attrs")))
    head.attributes.push_back(mlir::StringAttr::get(&context, name));
  for (const std::string &name : words(map->get("values"))) {
    head.attributes.push_back(mlir::StringAttr::get(&context, name));
    head.values.insert(head.attributes.back());
  }
  for (const std::string &name : words(map->get("groups")))
    if (std::optional<nn::GroupKind> kind = nn::groupKindOf(name))
      head.groups.push_back(*kind);
  for (const Form *parameter : parameters->items())
    head.operands.push_back(mlir::parseType((*parameter)[2]->text(), &context));
  if (const Form *sizes = map->get("sizes"))
    for (const Form *known : sizes->items()) {
      auto *parameter =
          find_if(parameters->items(), [&](const Form *parameter) { return equal((*parameter)[1], (*known)[0]); });
      kernels::KnownSizes read{unsigned(parameter - parameters->items().begin()), 0, {}};
      (*known)[1]->text().getAsInteger(10, read.dimension);
      for (const Form *size : known->items().drop_front(2))
        size->text().getAsInteger(10, read.sizes.emplace_back());
      head.sizes.push_back(std::move(read));
    }
  return head;
}

void KernelLibrary::readTuning(const DialectNames &dialects) {
  PreludeFile file = kernelTuning();
  unsigned buffer =
      diags.sourceMgr().AddNewSourceBuffer(MemoryBuffer::getMemBuffer(file.text, file.name, false), SMLoc());
  for (const Form *form : readForms(buffer, arena, diags, ReadOptions{&dialects}))
    if (form->isCall("tuning") && form->size() == 3 && (*form)[2]->isMap())
      tunings.push_back(form);
    else
      diags.error("macro-shape", form->range(), "what is tuned is written (tuning ability {:key value ...})");
}

/// Merges the tuning entries for the target; later entries are more specific and override earlier ones.
const Form *KernelLibrary::tuningFor(const KernelTarget &target) {
  SmallVector<const Form *> entries;
  for (const Form *tuning : tunings) {
    StringRef wanted = (*tuning)[1]->text();
    if (wanted != target.name && !is_contained(target.abilities, wanted))
      continue;
    ArrayRef<const Form *> items = (*tuning)[2]->items();
    for (size_t i = 0; i < items.size(); i += 2) {
      size_t at = 0;
      while (at < entries.size() && entries[at]->text() != items[i]->text())
        at += 2;
      if (at == entries.size())
        entries.append({items[i], items[i + 1]});
      entries[at + 1] = items[i + 1];
    }
  }
  return arena.map(entries, SMRange());
}

std::vector<int64_t> KernelLibrary::tuning(const KernelTarget &target, StringRef key) {
  const Form *value = tuningFor(target)->get(key);
  std::vector<int64_t> numbers;
  for (const Form *number : !value ? ArrayRef<const Form *>() : value->isVector() ? value->items() : ArrayRef(value))
    number->text().getAsInteger(10, numbers.emplace_back());
  return numbers;
}

Program KernelLibrary::expand(const BitVector &chosen, const KernelTarget &target) {
  MacroMachine machine{target.abilities, {}, tuningFor(target), target.multiprocessors};
  for (StringRef name : kAbilityNames)
    machine.known.push_back(name.str());
  append_range(machine.known, std::vector<std::string>{"warp32", "warp64", "reports-errors"});
  SmallVector<const Form *> forms;
  for (unsigned i : chosen.set_bits())
    forms.push_back(texts->templates()[i]);
  Program program = texts->expand(forms, machine);
  auto bodies = make_filter_range(program.forms, [](const Form *form) { return form->isCall("deftemplate"); });
  for (auto [i, form] : zip(chosen.set_bits(), bodies))
    heads[i].leavesOp =
        any_of(form->items().drop_front(4), [&, i = i](const Form *item) { return contains(item, heads[i].op); });
  return program;
}
} // namespace lispier
