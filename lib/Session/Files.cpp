//===- Files.cpp - file access of a compilation ---------------------------===//
#include "Files.h"
#include "Digest.h"
#include "lispier/Session/Session.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"

using namespace llvm;

namespace lispier {
namespace {
Error tooLarge() {
  return createStringError("it has more than " + Twine(kMaxSourceBytes >> 20) +
                           " MiB, the most that a source may have");
}

/// Reads a file of unknown size: a pipe, terminal or device.
Expected<std::unique_ptr<MemoryBuffer>> readStream(sys::fs::file_t file, StringRef name) {
  SmallVector<char, 0> text;
  constexpr size_t kChunk = 64 << 10;
  for (size_t end = 0;; end = text.size()) {
    text.resize_for_overwrite(end + kChunk);
    Expected<size_t> count = sys::fs::readNativeFile(file, MutableArrayRef(text).drop_front(end));
    if (!count)
      return count.takeError();
    text.truncate(end + *count);
    if (text.size() > kMaxSourceBytes)
      return tooLarge();
    if (*count == 0)
      return std::make_unique<SmallVectorMemoryBuffer>(std::move(text), name);
  }
}
} // namespace

Expected<std::unique_ptr<MemoryBuffer>> readSource(StringRef path) {
  bool standardInput = path == "-";
  Expected<sys::fs::file_t> file = standardInput ? sys::fs::getStdinHandle() : sys::fs::openNativeFileForRead(path);
  if (!file)
    return file.takeError();
  scope_exit close([&] {
    if (!standardInput)
      (void)sys::fs::closeFile(*file);
  });
  sys::fs::file_status status;
  if (std::error_code error = sys::fs::status(*file, status))
    return errorCodeToError(error);
  // Standard input can be a regular file of which a part has been read.
  if (standardInput || status.type() != sys::fs::file_type::regular_file)
    return readStream(*file, standardInput ? "<stdin>" : path);
  if (status.getSize() > kMaxSourceBytes)
    return tooLarge();
  return errorOrToExpected(MemoryBuffer::getOpenFile(*file, path, status.getSize()));
}

std::unique_ptr<MemoryBuffer> DiskFiles::load(StringRef path, std::string &why) {
  Expected<std::unique_ptr<MemoryBuffer>> buffer = readSource(path);
  if (!buffer) {
    why = toString(buffer.takeError());
    asked.push_back({FileAnswer::Load, path.str(), ""});
    return nullptr;
  }
  asked.push_back({FileAnswer::Load, path.str(), digest((*buffer)->getBuffer())});
  return std::move(*buffer);
}

bool DiskFiles::exists(StringRef path) {
  bool result = FileLoader::exists(path);
  asked.push_back({FileAnswer::Exists, path.str(), result ? "yes" : "no"});
  return result;
}

std::string DiskFiles::canonical(StringRef path) {
  std::string result = FileLoader::canonical(path);
  asked.push_back({FileAnswer::Canonical, path.str(), result});
  return result;
}

std::optional<std::string> DiskFiles::option(StringRef name, ArrayRef<StringRef> flags) {
  std::string query = name.str();
  for (StringRef flag : flags)
    query += "\n" + flag.str();
  std::string answer = answerOption(query, arguments);
  asked.push_back({FileAnswer::Option, query, answer});
  return answer.empty() ? std::nullopt : std::optional(answer.substr(1));
}

std::string DiskFiles::answerOption(StringRef query, ArrayRef<std::string> arguments) {
  SmallVector<StringRef> names;
  query.split(names, '\n');
  std::string answer;
  while (arguments.size() >= 2) {
    bool isFlag = is_contained(drop_begin(names), arguments.front());
    if (!isFlag && arguments.front() == names.front())
      answer = "=" + arguments[1];
    arguments = arguments.drop_front(isFlag ? 1 : 2);
  }
  return answer;
}

bool DiskFiles::stillAnswer(ArrayRef<FileAnswer> answers, SourceMgr &sources) {
  DiskFiles files({});
  return all_of(answers, [&](const FileAnswer &old) {
    std::string why;
    switch (old.kind) {
    case FileAnswer::Canonical:
      files.canonical(old.path);
      break;
    case FileAnswer::Exists:
      files.exists(old.path);
      break;
    case FileAnswer::Option:
      return true; // Part of the program's key.
    case FileAnswer::Load:
      if (!sys::fs::is_regular_file(old.path))
        return old.answer.empty() &&
               !sys::fs::exists(old.path); // Reading a pipe here would consume the compilation's input.
      std::unique_ptr<MemoryBuffer> buffer = files.load(old.path, why);
      if (!buffer)
        return false;
      sources.AddNewSourceBuffer(std::move(buffer), SMLoc());
      break;
    }
    return files.asked.back().answer == old.answer;
  });
}
} // namespace lispier
