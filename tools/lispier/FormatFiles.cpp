//===- FormatFiles.cpp - the command fmt ----------------------------------===//
#include "FormatFiles.h"
#include "Options.h"
#include "Output.h"
#include "lispier/Syntax/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace lispier;

namespace {
/// Returns false if the file cannot be read or written, or if it would change under --check.
bool format(Session &session, const Invocation &invocation, const std::string &path) {
  std::optional<unsigned> buffer = session.addFile(path);
  std::optional<std::string> text = buffer ? formatSource(*buffer, session.diags()) : std::nullopt;
  if (!text)
    return false;
  bool changes = session.sources().getMemoryBuffer(*buffer)->getBuffer() != *text;
  if (invocation.onlyCheck) {
    if (changes)
      outs() << path << '\n';
    return !changes;
  }
  std::string output = invocation.output.empty() ? path : invocation.output;
  if (!changes && output == path && path != "-")
    return true; // Keeps the modification time, too.
  return writeOutput(output, session, [&](raw_ostream &file) {
    file << *text;
    return true;
  });
}

} // namespace

bool formatFiles(Session &session, const Invocation &invocation) {
  bool ok = format(session, invocation, invocation.input);
  for (const std::string &path : invocation.arguments)
    ok &= format(session, invocation, path);
  return ok;
}
