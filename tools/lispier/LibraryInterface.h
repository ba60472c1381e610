//===- LibraryInterface.h - what a library says of itself -----------------===//
#ifndef LISPIER_TOOLS_LISPIER_LIBRARYINTERFACE_H
#define LISPIER_TOOLS_LISPIER_LIBRARYINTERFACE_H

#include <string>

/// Opens a shared library of `build --shared`, and prints its interface. Returns false, after a message on standard
/// error, if it is none.
bool printLibraryInterface(const std::string &path);
#endif
