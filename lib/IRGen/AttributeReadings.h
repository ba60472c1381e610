//===- AttributeReadings.h - the properties of an op, outside of an op -----===//
#ifndef LISPIER_LIB_IRGEN_ATTRIBUTEREADINGS_H
#define LISPIER_LIB_IRGEN_ATTRIBUTEREADINGS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OperationSupport.h"
#include <cstddef>
#include <vector>

namespace lispier {
/// Properties of `op` that belong to no op yet: to try attributes, and to infer results.
class PropertyStorage {
public:
  explicit PropertyStorage(mlir::RegisteredOperationName op);
  ~PropertyStorage();
  PropertyStorage(const PropertyStorage &) = delete;
  /// Fails with a diagnostic when a value does not fit.
  mlir::LogicalResult set(mlir::DictionaryAttr values);
  mlir::OpaqueProperties get() { return mlir::OpaqueProperties(storage.empty() ? nullptr : storage.data()); }

private:
  struct alignas(std::max_align_t) Word {
    std::byte bytes[alignof(std::max_align_t)];
  };
  mlir::RegisteredOperationName op;
  std::vector<Word> storage;
};

/// Whether brackets in `text` nest deeper than MLIR's parser, which calls itself for each, is given to read.
bool nestsTooDeep(llvm::StringRef text);
/// The deepest that it is given.
constexpr unsigned kMaxTextNesting = 200;
/// The name that an attribute has today, for what older programs write.
llvm::StringRef renamedKey(llvm::StringRef op, llvm::StringRef key);
/// Attributes that an op reads by name without declaring them.
bool isUndeclaredKey(llvm::StringRef op, llvm::StringRef key);
/// Attributes of dialects that are there or not, for which `true` and `false` stand, too.
bool isUnitKey(llvm::StringRef key);
/// Whether an llvm.call has operand bundles, which only the sizes that are given divide.
bool hasBundles(const mlir::NamedAttrList &attributes);
/// Keys of our own sugar, which never become attributes.
bool isSugarKey(llvm::StringRef op, llvm::StringRef key);
} // namespace lispier
#endif
