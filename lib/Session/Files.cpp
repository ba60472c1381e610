//===- Files.cpp - the files of a compilation, and what was asked ---------===//
#include "Files.h"
#include "Digest.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;

namespace lispier {
std::unique_ptr<MemoryBuffer> DiskFiles::load(StringRef path, std::string &why) {
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer) {
    why = buffer.getError().message();
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

bool DiskFiles::stillAnswer(ArrayRef<FileAnswer> answers, SourceMgr &sources) {
  DiskFiles files;
  return all_of(answers, [&](const FileAnswer &old) {
    std::string why;
    switch (old.kind) {
    case FileAnswer::Canonical:
      files.canonical(old.path);
      break;
    case FileAnswer::Exists:
      files.exists(old.path);
      break;
    case FileAnswer::Load:
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
