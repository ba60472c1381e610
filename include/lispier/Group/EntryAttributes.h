//===- EntryAttributes.h - functions that a library exports -----*- C++ -*-===//
//
// A function that other programs call has one discardable attribute, a dictionary. IR
// generation writes what the program says, of which MLIR's types keep little: names
// of parameters and sizes, records, documentation. lispier-pass-destinations adds how
// results are returned. lib/Interface reads it.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_GROUP_ENTRYATTRIBUTES_H
#define LISPIER_GROUP_ENTRYATTRIBUTES_H

#include "llvm/ADT/StringRef.h"

namespace lispier {
inline constexpr llvm::StringLiteral kEntryAttr = "group.entry";

/// A function of a module with entries and without `main`: it registers the kernels of the module with the runtime.
inline constexpr llvm::StringLiteral kRegisterKernels = "lispier_register_kernels";

/// The keys of the dictionary.
namespace entry {
inline constexpr llvm::StringLiteral kName = "name";   ///< A string: as other programs know the function.
inline constexpr llvm::StringLiteral kDoc = "doc";     ///< A string, which may be empty.
inline constexpr llvm::StringLiteral kPlace = "place"; ///< A string, "file:line:column".
/// Arrays of values: dictionaries as below. The leaves of all parameters, in order, are the function's arguments; the
/// results are those before the last values of arguments with `group.inout`.
inline constexpr llvm::StringLiteral kParameters = "parameters", kResults = "results";
/// A function of the same arguments. It returns the sizes of the results that are tensors, one after the other.
inline constexpr llvm::StringLiteral kSizeFunction = "size_function";
/// An array of integers: the results that the function writes to memory of the caller, its last arguments in this
/// order. The others it returns.
inline constexpr llvm::StringLiteral kDestinations = "destinations";

/// Of a value: its name; its type, that of a number or of a tensor's elements; for a tensor its sizes, an array of
/// strings (names, or for results also expressions; "_" for any) and integers; whether a parameter is written. A record
/// has its name and its fields, which are values, in the place of a type; those of records in a list have the list's
/// sizes as their first ones.
inline constexpr llvm::StringLiteral kValueName = "name", kType = "type", kSizes = "sizes", kWritten = "written",
                                     kRecord = "record", kFields = "fields";
} // namespace entry
} // namespace lispier
#endif
