//===- ProgramCache.cpp - on-disk cache of compiled programs --------------===//
//
// An entry is a file: 40 letters, the digest of its key and contents, followed by
// the contents. A program's contents are one line of JSON and the LLVM bitcode of its
// units, of which the line has the sizes; an object's are the object file. Where macros
// ask for options of the program, its source's entry is the list of these, as JSON, and
// the programs for different values of them have entries of their own.
//
//===----------------------------------------------------------------------===//
#include "lispier/Session/ProgramCache.h"
#include "Digest.h"
#include "Files.h"
#include "lispier/Runtime/Core/Trace.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/CachePruning.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;

namespace lispier {
namespace {
constexpr size_t kDigestLength = 40;

/// Whether only this user and the administrator can write to the file: entries are code that will be executed.
bool isOurs(const struct stat &status) {
  return (status.st_uid == ::geteuid() || status.st_uid == 0) && !(status.st_mode & (S_IWGRP | S_IWOTH));
}

std::vector<StringRef> references(ArrayRef<std::string> texts) { return {texts.begin(), texts.end()}; }
} // namespace

ProgramCache::ProgramCache(CacheOptions given, ArrayRef<std::string> asked, std::vector<std::string> arguments)
    : options(std::move(given)), arguments(std::move(arguments)), compiler(compilerDigest()),
      request(digest(references(asked))) {}

std::string ProgramCache::whyNotTrusted(const std::string &directory) {
  struct stat status;
  if (::stat(directory.c_str(), &status) || isOurs(status))
    return ""; // It will be created by this user.
  return status.st_mode & (S_IWGRP | S_IWOTH) ? "others may write there" : "it belongs to another user";
}

//===- Entries ------------------------------------------------------------===//

std::unique_ptr<MemoryBuffer> ProgramCache::read(StringRef key) const {
  SmallString<128> path(options.directory);
  sys::path::append(path, "llvmcache-" + key);
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); // Does not block on a FIFO.
  if (file < 0)
    return nullptr;
  scope_exit close([&] { ::close(file); });
  struct stat status;
  if (::fstat(file, &status) || !S_ISREG(status.st_mode) || !isOurs(status))
    return nullptr;
  // Volatile: reads a copy, so that truncating the file later is harmless.
  auto contents =
      MemoryBuffer::getOpenFile(file, path, /*FileSize=*/-1, /*RequiresNullTerminator=*/false, /*IsVolatile=*/true);
  (void)sys::fs::setLastAccessAndModificationTime(file, std::chrono::system_clock::now()); // prune removes by age.
  if (!contents)
    return nullptr;
  StringRef all = (*contents)->getBuffer();
  if (all.size() < kDigestLength || digest({key, all.drop_front(kDigestLength)}) != all.take_front(kDigestLength))
    return nullptr;
  return std::move(*contents);
}

void ProgramCache::write(StringRef key, StringRef contents) const {
  if (compiler.empty() || sys::fs::create_directories(options.directory, /*IgnoreExisting=*/true, sys::fs::owner_all))
    return;
  SmallString<128> path(options.directory), temporary;
  sys::path::append(path, "llvmcache-" + key);
  int descriptor;
  // prune also matches the temporary name, in case this process ends before renaming it.
  if (sys::fs::createUniqueFile(path + "-%%%%%%%%", descriptor, temporary, sys::fs::OF_None,
                                sys::fs::owner_read | sys::fs::owner_write))
    return;
  raw_fd_ostream os(descriptor, /*shouldClose=*/true);
  os << digest({key, contents}) << contents;
  os.close();
  if (os.has_error() || sys::fs::rename(temporary, path)) {
    os.clear_error();
    (void)sys::fs::remove(temporary);
  }
}

void ProgramCache::prune() const {
  CachePruningPolicy policy;
  policy.Interval = std::chrono::seconds(0);
  policy.Expiration = std::chrono::seconds(0);
  policy.MaxSizePercentageOfAvailableSpace = 0;
  policy.MaxSizeBytes = options.maxBytes;
  // pruneCache opens its time stamp for writing, which blocks where that is a FIFO.
  SmallString<128> stamp(options.directory);
  sys::path::append(stamp, "llvmcache.timestamp");
  if (!sys::fs::is_regular_file(stamp))
    (void)::unlink(stamp.c_str()); // sys::fs::remove leaves a FIFO.
  pruneCache(options.directory, policy);
}

//===- Programs -----------------------------------------------------------===//

json::Value toJSON(const FileAnswer &answer) { return json::Array{int(answer.kind), answer.path, answer.answer}; }

bool fromJSON(const json::Value &value, FileAnswer &answer, json::Path path) {
  const json::Array *parts = value.getAsArray();
  int kind = 0;
  bool good = parts && parts->size() == 3 && json::fromJSON((*parts)[0], kind, path) &&
              json::fromJSON((*parts)[1], answer.path, path) && json::fromJSON((*parts)[2], answer.answer, path);
  answer.kind = static_cast<FileAnswer::Kind>(kind);
  return good;
}

std::string ProgramCache::keyOf(const MemoryBuffer &source) const {
  return digest({"program", compiler, request, source.getBufferIdentifier(), source.getBuffer()});
}

std::string ProgramCache::keyFor(StringRef source, ArrayRef<std::string> queries) const {
  std::vector<std::string> parts{"options", source.str()};
  for (const std::string &query : queries) {
    parts.push_back(query);
    parts.push_back(DiskFiles::answerOption(query, arguments));
  }
  return digest(references(parts));
}

json::Value toJSON(const CodeUnit &unit) {
  return json::Object{{"bytes", int64_t(unit.bitcode.size())},
                      {"functions", json::Array(unit.functions)},
                      {"variables", json::Array(unit.variables)}};
}

bool fromJSON(const json::Value &value, CodeUnit &unit, json::Path path) {
  json::ObjectMapper object(value, path);
  int64_t bytes = 0;
  if (!object || !object.map("bytes", bytes) || !object.map("functions", unit.functions) ||
      !object.map("variables", unit.variables) || bytes < 0)
    return false;
  unit.bitcode.resize(bytes);
  return true;
}

/// Fills the units' bitcode, of which the sizes are known. Returns whether there is as much as they want.
static bool fill(std::vector<CodeUnit> &units, StringRef bitcode) {
  for (CodeUnit &unit : units) {
    if (bitcode.size() < unit.bitcode.size())
      return false;
    unit.bitcode = bitcode.take_front(unit.bitcode.size()).str();
    bitcode = bitcode.drop_front(unit.bitcode.size());
  }
  return bitcode.empty();
}

std::optional<CompiledProgram> ProgramCache::find(const MemoryBuffer &source, SourceMgr &sources) {
  runtime::TraceSpan span("cache", "find the program");
  std::string key = keyOf(source);
  std::unique_ptr<MemoryBuffer> entry = read(key);
  if (entry && entry->getBuffer().substr(kDigestLength).starts_with("[")) {
    std::vector<std::string> queries;
    json::Path::Root root;
    Expected<json::Value> listed = json::parse(entry->getBuffer().drop_front(kDigestLength));
    if (!listed)
      consumeError(listed.takeError());
    else if (json::fromJSON(*listed, queries, root))
      entry = read(keyFor(key, queries));
  }
  if (!entry)
    return std::nullopt;
  auto [line, bitcode] = entry->getBuffer().drop_front(kDigestLength).split('\n');
  Expected<json::Value> description = json::parse(line);
  if (!description) {
    consumeError(description.takeError());
    return std::nullopt;
  }
  CompiledProgram program;
  std::vector<FileAnswer> files;
  int kind = 0;
  json::Path::Root root;
  json::ObjectMapper object(*description, root);
  bool good = object && object.map("files", files) && object.map("takes-arguments", program.main.takesArguments) &&
              object.map("result", kind) && object.map("result-bits", program.main.bits) &&
              object.map("prints-result", program.printsResult) && object.map("libraries", program.libraries) &&
              object.map("messages", program.messages) && object.map("externals", program.externals) &&
              object.map("units", program.units) && fill(program.units, bitcode);
  if (!good || !DiskFiles::stillAnswer(files, sources))
    return std::nullopt;
  program.main.kind = static_cast<MainSignature::Kind>(kind);
  return program;
}

void ProgramCache::store(const MemoryBuffer &source, ArrayRef<FileAnswer> files, const CompiledProgram &program) {
  runtime::TraceSpan span("cache", "keep the program");
  std::string contents;
  raw_string_ostream os(contents);
  os << json::Value(json::Object{{"files", json::Array(files)},
                                 {"takes-arguments", program.main.takesArguments},
                                 {"result", int(program.main.kind)},
                                 {"result-bits", program.main.bits},
                                 {"prints-result", program.printsResult},
                                 {"libraries", json::Array(program.libraries)},
                                 {"messages", program.messages},
                                 {"externals", json::Array(program.externals)},
                                 {"units", json::Array(program.units)}})
     << '\n';
  for (const CodeUnit &unit : program.units)
    os << unit.bitcode;
  std::string key = keyOf(source);
  std::vector<std::string> queries;
  for (const FileAnswer &file : files)
    if (file.kind == FileAnswer::Option && !is_contained(queries, file.path))
      queries.push_back(file.path);
  if (!queries.empty()) {
    std::string listed;
    raw_string_ostream(listed) << json::Value(json::Array(queries));
    write(key, listed);
    key = keyFor(key, queries);
  }
  write(key, contents);
  prune();
}

//===- Objects ------------------------------------------------------------===//

std::unique_ptr<MemoryBuffer> ProgramCache::find(StringRef name) {
  std::unique_ptr<MemoryBuffer> entry = read(digest({"object", compiler, name}));
  return entry ? MemoryBuffer::getMemBufferCopy(entry->getBuffer().drop_front(kDigestLength), name) : nullptr;
}

void ProgramCache::store(StringRef name, StringRef object) { write(digest({"object", compiler, name}), object); }
} // namespace lispier
