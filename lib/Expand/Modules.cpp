//===- Modules.cpp - require: paths, cycles, loading files ----------------===//
#include "Modules.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace lispier {
bool FileLoader::exists(StringRef path) { return sys::fs::exists(path); }

std::string FileLoader::canonical(StringRef path) {
  SmallString<256> real;
  if (!sys::fs::real_path(path, real))
    return std::string(real);
  real = path;
  sys::path::remove_dots(real, /*remove_dot_dot=*/true);
  return std::string(real);
}

std::optional<std::string> FileLoader::option(StringRef, ArrayRef<StringRef>) { return std::nullopt; }

SourceFile *Modules::loadMain(unsigned buffer) {
  std::string path = context.diags.sourceMgr().getMemoryBuffer(buffer)->getBufferIdentifier().str();
  auto &file = files[context.files.canonical(path)];
  file = std::make_unique<SourceFile>();
  file->buffer = buffer;
  file->path = path;
  read(*file);
  for (SourceFile *required : order)
    required->inProgram = true;
  return file.get();
}

SmallVector<SourceFile *> Modules::closure(SourceFile &file) const {
  SmallVector<SourceFile *> all{&file};
  for (size_t i = 0; i < all.size(); ++i)
    for (const auto &alias : all[i]->aliases)
      if (!is_contained(all, alias.second))
        all.push_back(alias.second);
  SmallVector<SourceFile *> sorted;
  for (SourceFile *known : order)
    if (is_contained(all, known))
      sorted.push_back(known);
  return sorted;
}

void Modules::read(SourceFile &file) {
  loading.push_back(&file);
  size_t before = context.diags.all().size();
  file.forms = readForms(file.buffer, context.arena, context.diags, ReadOptions{context.dialects});
  for (const Diag &diag : drop_begin(context.diags.all(), before))
    if (diag.severity == Severity::Error && diag.code != "read-dialect")
      file.readable = false;
  if (context.followRequires)
    followAll(file.forms, file);
  loading.pop_back();
  order.push_back(&file);
}

/// Follows `require` forms at the top level and inside top-level `module` and `do` forms.
void Modules::followAll(ArrayRef<const Form *> forms, SourceFile &file) {
  for (const Form *form : forms) {
    if (form->isCall("module") || form->isCall("do"))
      followAll(form->items().drop_front(), file);
    else if (form->isCall("require"))
      for (const Form *spec : form->items().drop_front())
        follow(spec, file);
  }
}

void Modules::follow(const Form *spec, SourceFile &file) {
  bool good = spec->isVector() && spec->size() == 3 && (*spec)[0]->isString() && (*spec)[1]->isKeyword("as") &&
              (*spec)[2]->isSymbol();
  if (!good) {
    bool unnamed = spec->isString() || (spec->isVector() && spec->size() == 1);
    context.diags
        .error("macro-shape", spec->range(),
               unnamed ? "`require` needs a name for the file: `:as` is missing"
                       : "`require` takes a vector for each file")
        .withHint("(require [\"./lib/math.lisp\" :as m])");
    return;
  }
  SourceFile *target = load((*spec)[0], file);
  if (!target)
    return;
  auto [old, isNew] = file.aliases.try_emplace((*spec)[2]->text(), target);
  if (!isNew && old->second != target)
    context.diags
        .error("macro-shape", (*spec)[2]->range(), "the name `" + (*spec)[2]->text() + "` stands for two files")
        .note({}, "the other is " + old->second->path);
}

SourceFile *Modules::loadMacros(const Form *path, SourceFile &from) {
  loading.push_back(&from);
  SourceFile *file = load(path, from);
  loading.pop_back();
  return file;
}

SourceFile *Modules::load(const Form *path, SourceFile &from) {
  std::string place = resolve(path->text(), from), key = context.files.canonical(place);
  if (auto known = files.find(key); known != files.end()) {
    if (!is_contained(loading, known->second.get()))
      return known->second.get();
    reportCycle(path, known->second.get());
    return nullptr;
  }
  std::string why;
  std::unique_ptr<MemoryBuffer> buffer = context.files.load(place, why);
  if (!buffer) {
    Diag &diag = context.diags.error("mod-not-found", path->range(), "cannot read the file " + place + ": " + why);
    if (!path->text().starts_with("@"))
      diag.withHint("the path is relative to the file that holds it; \"@p\" is relative to the project's root");
    else if (projectRoot(from).empty())
      diag.withHint("\"@p\" is relative to the project's root, the nearest folder that holds lispier.toml, Cargo.toml "
                    "or .git; none does, so this path is relative to the file that holds it");
    return nullptr;
  }
  auto &file = files[key];
  file = std::make_unique<SourceFile>();
  file->path = place;
  file->buffer =
      context.diags.sourceMgr().AddNewSourceBuffer(MemoryBuffer::getMemBufferCopy(buffer->getBuffer(), place), SMLoc());
  SourceFile *result = file.get(); // Reading may rehash the map.
  read(*result);
  return result;
}

/// The nearest enclosing folder that is the root of a project; empty if there is none.
std::string Modules::projectRoot(const SourceFile &from) const {
  StringRef folder = sys::path::parent_path(from.path);
  std::string start = context.files.canonical(folder.empty() ? "." : folder);
  for (StringRef at = start; !at.empty(); at = sys::path::parent_path(at)) {
    auto holds = [&](StringRef name) { return context.files.exists((at + "/" + name).str()); };
    if (holds("lispier.toml") || holds("Cargo.toml") || holds(".git"))
      return at.str();
  }
  return "";
}

std::string Modules::resolve(StringRef path, const SourceFile &from) const {
  SmallString<256> result(sys::path::parent_path(from.path));
  if (path.consume_front("@"))
    if (std::string root = projectRoot(from); !root.empty())
      result = root;
  if (sys::path::is_absolute(path))
    result.clear();
  sys::path::append(result, path);
  sys::path::remove_dots(result);
  return std::string(result);
}

void Modules::reportCycle(const Form *path, const SourceFile *target) {
  std::string chain;
  for (SourceFile *file : ArrayRef(find(loading, target), loading.end()))
    chain += file->path + " -> ";
  context.diags.error("mod-cycle", path->range(), "files require each other: " + chain + target->path);
}

SourceFile *Modules::fileOf(SMLoc place) const {
  unsigned buffer = context.diags.sourceMgr().FindBufferContainingLoc(place);
  for (const auto &entry : files)
    if (entry.second->buffer == buffer)
      return entry.second.get();
  return nullptr;
}
} // namespace lispier
