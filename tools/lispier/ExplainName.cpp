//===- ExplainName.cpp - lispier doc --------------------------------------===//
#include "ExplainName.h"
#include "Options.h"
#include "lispier/Session/Reference.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace lispier;

namespace {
void printWhole(raw_ostream &os, const ReferenceEntry &entry) {
  os << entry.name << ": " << describe(entry.kind);
  if (!entry.place.empty())
    os << " of " << entry.place;
  os << '\n';
  if (!entry.usage.empty())
    os << "  " << entry.usage << '\n';
  if (!entry.text.empty())
    os << "  " << entry.text << '\n';
  for (const std::string &detail : entry.details)
    os << "    " << detail << '\n';
}

void printLine(raw_ostream &os, const ReferenceEntry &entry) {
  os << left_justify(entry.name, 28) << ' ' << left_justify(describe(entry.kind), 13) << entry.text << '\n';
}

/// The forms of the program and of the files that it requires, as they were read: expansion drops macros and texts.
std::vector<const Form *> definitionsOf(Session &session, unsigned program) {
  session.core(program); // Loads what it requires.
  std::vector<const Form *> forms = session.diags().hasErrors() ? std::vector<const Form *>() : session.forms(program);
  for (unsigned buffer = 1; buffer <= session.sources().getNumBuffers() && !forms.empty(); ++buffer)
    if (buffer != program && !session.sources().getMemoryBuffer(buffer)->getBufferIdentifier().starts_with("prelude/"))
      append_range(forms, session.forms(buffer));
  return forms;
}
} // namespace

bool explainName(const Invocation &invocation) {
  Session session(invocation.session);
  std::vector<const Form *> program;
  if (!invocation.arguments.empty()) {
    if (std::optional<unsigned> buffer = session.addFile(invocation.arguments.front()))
      program = definitionsOf(session, *buffer);
    if (session.diags().hasErrors()) {
      session.diags().print(errs());
      return false;
    }
  }
  Reference reference(program, &session.sources());
  StringRef name = invocation.input;
  std::vector<const ReferenceEntry *> found;
  if (invocation.searches) {
    SmallVector<StringRef> parts;
    SplitString(name, parts);
    SmallVector<std::string> words(parts.begin(), parts.end());
    found = reference.search(words);
  } else {
    found = reference.find(name);
  }
  for (const ReferenceEntry *entry : found)
    invocation.searches ? printLine(outs(), *entry) : printWhole(outs(), *entry);
  if (!found.empty())
    return true;
  std::string hint = reference.hint(name);
  errs() << "lispier: `" << name << "` is no name of the language" << (program.empty() ? "" : " or the program")
         << (hint.empty() ? "; lispier doc --search WORD looks in the texts" : "; " + hint) << '\n';
  return false;
}
