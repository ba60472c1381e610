//===- Digest.cpp - content digests and the compiler's identity ------------===//
#include "Digest.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include <elf.h>
#include <link.h>
#include <vector>

using namespace llvm;

namespace lispier {
std::string digest(ArrayRef<StringRef> parts) {
  BLAKE3 hash;
  for (StringRef part : parts) {
    uint64_t length = part.size();
    hash.update(ArrayRef(reinterpret_cast<const uint8_t *>(&length), sizeof(length)));
    hash.update(part);
  }
  return toHex(hash.final<20>(), /*LowerCase=*/true);
}

namespace {
/// The linker's build id of a loaded object; empty if it has none.
std::string buildId(const dl_phdr_info &object) {
  for (const ElfW(Phdr) &segment : ArrayRef(object.dlpi_phdr, object.dlpi_phnum)) {
    if (segment.p_type != PT_NOTE)
      continue;
    StringRef notes(reinterpret_cast<const char *>(object.dlpi_addr + segment.p_vaddr), segment.p_memsz);
    while (notes.size() >= sizeof(ElfW(Nhdr))) {
      auto &note = *reinterpret_cast<const ElfW(Nhdr) *>(notes.data());
      size_t name = alignTo<4>(note.n_namesz), description = alignTo<4>(note.n_descsz);
      StringRef body = notes.drop_front(sizeof(note));
      if (body.size() < name + description)
        break;
      if (note.n_type == NT_GNU_BUILD_ID && body.starts_with("GNU"))
        return body.substr(name, note.n_descsz).str();
      notes = body.drop_front(name + description);
    }
  }
  return "";
}

int addBuildId(dl_phdr_info *object, size_t, void *ids) {
  StringRef name(object->dlpi_name);
  if (name.empty() || name.contains("libLLVM") || name.contains("libMLIR"))
    static_cast<std::vector<std::string> *>(ids)->push_back(buildId(*object));
  return 0;
}
} // namespace

std::string compilerDigest() {
  std::vector<std::string> ids;
  dl_iterate_phdr(&addBuildId, &ids);
  std::vector<StringRef> parts(ids.begin(), ids.end());
  return is_contained(parts, "") ? "" : digest(parts);
}
} // namespace lispier
