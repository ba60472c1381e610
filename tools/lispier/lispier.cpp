//===- lispier.cpp - the driver -------------------------------------------===//
#include "lispier/Session/Session.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace lispier;

namespace {
int emit(Session &session, StringRef stage, StringRef path) {
  std::optional<unsigned> buffer = session.addFile(path);
  if (!buffer)
    return 1;
  if (stage == "forms") {
    for (const Form *form : session.forms(*buffer))
      form->prettyPrint(outs()), outs() << '\n';
    return session.diags().hasErrors();
  }
  Program program = session.core(*buffer);
  if (stage == "core") {
    for (const Form *form : program.forms)
      form->prettyPrint(outs()), outs() << '\n';
    return session.diags().hasErrors();
  }
  if (session.diags().hasErrors())
    return 1;
  Generated generated = session.module(program);
  if (generated.module)
    generated.module->print(outs());
  return session.diags().hasErrors();
}
} // namespace

int main(int argc, char **argv) {
  StringRef stage, path;
  for (StringRef argument : ArrayRef(argv, argc).drop_front())
    if (!argument.consume_front("--emit="))
      path = argument;
    else
      stage = argument;
  if (path.empty() || !is_contained({"forms", "core", "module"}, stage)) {
    errs() << "usage: lispier --emit=forms|core|module FILE\n";
    return 2;
  }
  Session session;
  int status = emit(session, stage, path);
  outs().flush();
  session.diags().print(errs());
  return status;
}
