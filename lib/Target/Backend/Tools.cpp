//===- Tools.cpp - external assemblers and linkers ------------------------===//
#include "lispier/Target/Backend/Codegen.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

using namespace mlir;

namespace lispier {
std::string findTool(StringRef given, StringRef name, ArrayRef<StringRef> folders, Search search) {
  if (!given.empty())
    return given.str();
  llvm::ErrorOr<std::string> inPath = llvm::sys::findProgramByName(name);
  llvm::ErrorOr<std::string> inFolders = llvm::sys::findProgramByName(name, folders);
  if (inFolders && (search == Search::FoldersFirst || !inPath))
    return *inFolders;
  return inPath ? *inPath : "";
}

std::string spillText(uint64_t count, StringRef unit) {
  return count == 0 ? "no spills" : std::to_string(count) + " " + unit.str() + " spilled";
}

namespace {
std::string readFile(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().trim().str() : std::string();
}
} // namespace

llvm::Expected<GpuBytes>
runTool(StringRef program, ArrayRef<ArrayRef<char>> inputs,
        llvm::function_ref<std::vector<std::string>(ArrayRef<std::string>, const std::string &)> arguments,
        std::string *printed, StringRef calledAs) {
  SmallVector<std::string> files; // inputs, then output, then messages
  llvm::scope_exit removeFiles([&] {
    for (const std::string &file : files)
      llvm::sys::fs::remove(file);
  });
  for (size_t i = 0; i < inputs.size() + 2; ++i) {
    int descriptor;
    SmallString<128> path;
    if (std::error_code error = llvm::sys::fs::createTemporaryFile("lispier", "bin", descriptor, path))
      return llvm::createStringError("cannot make a temporary file: " + error.message());
    files.push_back(path.str().str());
    llvm::raw_fd_ostream os(descriptor, /*shouldClose=*/true);
    if (i < inputs.size())
      os.write(inputs[i].data(), inputs[i].size());
    os.close();
    if (std::error_code error = os.error()) {
      os.clear_error();
      return llvm::createStringError("cannot write the temporary file " + path + ": " + error.message());
    }
  }
  const std::string &output = files[inputs.size()], &messages = files[inputs.size() + 1];
  std::vector<std::string> words{(calledAs.empty() ? program : calledAs).str()};
  llvm::append_range(words, arguments(ArrayRef(files).take_front(inputs.size()), output));
  SmallVector<StringRef> argv(words.begin(), words.end());
  std::optional<StringRef> redirects[] = {StringRef(), StringRef(messages), StringRef(messages)};
  std::string why;
  int status = llvm::sys::ExecuteAndWait(program, argv, std::nullopt, redirects, 0, 0, &why);
  if (status != 0)
    return llvm::createStringError(program + " failed: " + (why.empty() ? readFile(messages) : why));
  if (printed)
    *printed = readFile(messages);
  auto buffer = llvm::MemoryBuffer::getFile(output, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return llvm::createStringError("cannot read what " + program + " wrote: " + buffer.getError().message());
  return GpuBytes((*buffer)->getBufferStart(), (*buffer)->getBufferEnd());
}
} // namespace lispier
