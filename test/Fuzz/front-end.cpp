//===- front-end.cpp - libFuzzer target for reader and expander -----------===//
//
// Whatever the bytes: nothing crashes, and what was read without an error
// prints as text that reads back equal.
//   build-asan/bin/front-end-fuzzer -max_len=4096 CORPUS test/Syntax/Inputs/nasty
//
//===----------------------------------------------------------------------===//
#include "lispier/Expand/Expand.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace lispier;

namespace {
class NoFiles : public FileLoader {
  std::unique_ptr<MemoryBuffer> load(StringRef, std::string &why) override {
    why = "there are no files here";
    return nullptr;
  }
  bool exists(StringRef) override { return false; }
  std::string canonical(StringRef path) override { return path.str(); }
};

struct Reading {
  explicit Reading(StringRef text)
      : diags(sources), buffer(sources.AddNewSourceBuffer(MemoryBuffer::getMemBufferCopy(text, "input"), SMLoc())) {
    forms = readForms(buffer, arena, diags, ReadOptions());
  }
  SourceMgr sources;
  DiagSink diags;
  FormArena arena;
  unsigned buffer;
  std::vector<const Form *> forms;
};

void checkRoundTrip(const Reading &first) {
  std::string text;
  for (const Form *form : first.forms)
    text += form->str() + "\n";
  Reading second(text);
  if (second.diags.hasErrors() || first.forms.size() != second.forms.size())
    __builtin_trap();
  for (size_t i = 0; i < first.forms.size(); ++i)
    if (!equal(first.forms[i], second.forms[i]))
      __builtin_trap();
}
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Reading reading(StringRef(reinterpret_cast<const char *>(data), size));
  if (!reading.diags.hasErrors())
    checkRoundTrip(reading);
  NoFiles files;
  ExpandContext context{reading.arena, reading.diags, files};
  expand(reading.buffer, context);
  std::string messages;
  raw_string_ostream os(messages);
  reading.diags.print(os);
  return 0;
}
