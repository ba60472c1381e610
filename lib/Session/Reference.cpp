//===- Reference.cpp - what names of the language mean --------------------===//
//
// Collected from where each is defined: SpecialForms.def, the documentation strings of
// the Prelude and of the program, and ODS.
//
//===----------------------------------------------------------------------===//
#include "lispier/Session/Reference.h"
#include "lispier/Expand/Expand.h"
#include "lispier/Expand/SpecialForms.h"
#include "lispier/IRGen/OdsTables.h"
#include "lispier/Syntax/OtherNames.h"
#include "lispier/Syntax/Reader.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <optional>

using namespace llvm;

namespace lispier {
namespace {
using Kind = ReferenceEntry::Kind;

std::optional<Kind> definitionKind(const Form *form) {
  return StringSwitch<std::optional<Kind>>(form->head())
      .Case("defn", Kind::Function)
      .Case("defmacro", Kind::Macro)
      .Cases("defkernel", "deftile", Kind::Kernel)
      .Cases("defrecord", "defstruct", Kind::Record)
      .Default(std::nullopt);
}

/// A call as the parameters say it: (softmax x :axis -1).
std::string callOf(const Form *form, const Form *parameters) {
  std::string call = ("(" + (*form)[1]->text()).str();
  for (const Form *item : parameters->items()) {
    if (!item->isMap()) {
      call += " " + item->str();
      continue;
    }
    for (const Form *part : item->items())
      call += " " + part->str();
  }
  // What is behind `&` are keywords with defaults, or the rest of the operands.
  if (size_t at = call.find(" & "); at != std::string::npos)
    call.erase(at, 2);
  return call + ")";
}

/// The documentation string on one line.
std::string joined(StringRef text) {
  SmallVector<StringRef> words;
  SplitString(text, words, " \n\t");
  return join(words, " ");
}

std::string detail(StringRef what, StringRef name, StringRef text) {
  return (what + " " + name + (text.empty() ? "" : ": " + text)).str();
}

StringRef plural(ods::Arity arity) {
  return arity == ods::Arity::One ? "" : arity == ods::Arity::Optional ? " (optional)" : " (any number)";
}
} // namespace

StringRef describe(Kind kind) {
  switch (kind) {
  case Kind::SpecialForm:
    return "special form";
  case Kind::Macro:
    return "macro";
  case Kind::Function:
    return "function";
  case Kind::Kernel:
    return "kernel";
  case Kind::Record:
    return "record";
  case Kind::Op:
    return "op";
  }
  llvm_unreachable("unknown kind");
}

Reference::Reference(ArrayRef<const Form *> program, SourceMgr *sources) {
  addDefinitions(program, sources);
  [[maybe_unused]] size_t defined = entries.size();
  for (const SpecialFormInfo &info : specialForms())
    entries.push_back({Kind::SpecialForm, info.name.str(), info.syntax.str(), info.doc.str(), "", {}});
  addPrelude();
  assert(none_of(drop_begin(entries, defined), [](const ReferenceEntry &entry) { return findOtherName(entry.name); }) &&
         "OtherNames.def has a name of the language");
  addOps();
}

void Reference::addDefinitions(ArrayRef<const Form *> forms, SourceMgr *sources) {
  for (const Form *form : forms) {
    std::optional<Kind> kind = definitionKind(form);
    if (!kind || form->size() < 3 || !(*form)[1]->isSymbol())
      continue;
    ReferenceEntry entry{*kind, (*form)[1]->text().str(), "", "", "", {}};
    if ((*form)[2]->isString())
      entry.text = joined((*form)[2]->text());
    const Form *const *parameters = find_if(form->items().drop_front(2), [](const Form *f) { return f->isVector(); });
    if (parameters != form->items().end())
      entry.usage = callOf(form, *parameters);
    if (StringRef(entry.text).starts_with(("(" + entry.name).c_str())) // A macro's says how it is called.
      std::swap(entry.usage, entry.text), entry.text.clear();
    if (sources) {
      unsigned buffer = sources->FindBufferContainingLoc(form->loc());
      entry.place = (sources->getMemoryBuffer(buffer)->getBufferIdentifier() + ":" +
                     Twine(sources->getLineAndColumn(form->loc(), buffer).first))
                        .str();
    }
    entries.push_back(std::move(entry));
  }
}

void Reference::addPrelude() {
  SourceMgr sources;
  DiagSink diags(sources);
  FormArena arena;
  ReadOptions options;
  options.allDialectsRequired = true;
  for (ArrayRef<PreludeFile> files : {preludeMacroFiles(), preludeTensorFiles()})
    for (const PreludeFile &file : files) {
      unsigned buffer = sources.AddNewSourceBuffer(MemoryBuffer::getMemBuffer(file.text, file.name, false), SMLoc());
      addDefinitions(readForms(buffer, arena, diags, options), nullptr);
    }
}

void Reference::addOps() {
  for (const ods::OpRow &row : ods::Op::all()) {
    ods::Op op(row);
    ReferenceEntry entry{Kind::Op, op.name().str(), ("(" + op.name()).str(), op.summary().str(), "", {}};
    if (!op.attributes().empty())
      entry.usage += " {attributes}";
    for (const ods::AttributeRow &attribute : op.attributes()) {
      const ods::AttributeKindRow &kind = ods::kindOf(attribute);
      std::string text = ods::text(kind.summary).str();
      if (ArrayRef<ods::EnumCaseRow> cases = ods::casesOf(kind); !cases.empty())
        text = "one of " +
               join(map_range(cases, [](const ods::EnumCaseRow &one) { return ods::text(one.word).str(); }), ", ");
      if (attribute.flags & ods::AttributeRow::Optional)
        text += text.empty() ? "optional" : "; optional";
      entry.details.push_back(detail("attribute", (":" + ods::text(attribute.name)).str(), text));
    }
    for (const ods::ValueRow &operand : op.operands()) {
      entry.usage += (" " + ods::text(operand.name) + (operand.arity == ods::Arity::One ? "" : " ...")).str();
      entry.details.push_back(
          detail("operand", ods::text(operand.name), (ods::typesOf(operand) + plural(operand.arity)).str()));
    }
    for (const ods::RegionRow &region : op.regions())
      entry.usage += region.isVariadic ? " (region ...) ..." : " (region ...)";
    entry.usage += ")";
    for (const ods::ValueRow &result : op.results())
      entry.details.push_back(
          detail("result", ods::text(result.name), (ods::typesOf(result) + plural(result.arity)).str()));
    entries.push_back(std::move(entry));
  }
}

std::vector<const ReferenceEntry *> Reference::find(StringRef name) const {
  std::vector<const ReferenceEntry *> found;
  for (const ReferenceEntry &entry : entries)
    if (entry.name == name)
      found.push_back(&entry);
  return found;
}

std::vector<const ReferenceEntry *> Reference::search(ArrayRef<std::string> words) const {
  std::vector<const ReferenceEntry *> found;
  auto hasAll = [&](StringRef text) {
    return all_of(words, [&](StringRef word) { return text.contains_insensitive(word); });
  };
  for (const ReferenceEntry &entry : entries)
    if (hasAll(entry.name))
      found.push_back(&entry);
  for (const ReferenceEntry &entry : entries)
    if (!hasAll(entry.name) && hasAll(entry.name + " " + entry.usage + " " + entry.text))
      found.push_back(&entry);
  return found;
}

std::string Reference::hint(StringRef name) const {
  std::vector<std::string> names;
  for (const ReferenceEntry &entry : entries)
    names.push_back(entry.name);
  return hintFor(name, names);
}
} // namespace lispier
