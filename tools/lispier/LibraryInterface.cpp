//===- LibraryInterface.cpp - what a library says of itself ---------------===//
#include "LibraryInterface.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <dlfcn.h>

using namespace llvm;

bool printLibraryInterface(const std::string &path) {
  SmallString<128> absolute(path); // Without a slash, the system's folders would be searched.
  sys::fs::make_absolute(absolute);
  void *library = dlopen(absolute.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    errs() << "error: cannot open " << path << ": " << dlerror() << '\n';
    return false;
  }
  auto interface = reinterpret_cast<const char *(*)()>(dlsym(library, "lispier_library_interface"));
  if (!interface) {
    errs() << "error: " << path << " is no library of `lispier build --shared`\n";
    return false;
  }
  outs() << interface() << '\n';
  return true;
}
