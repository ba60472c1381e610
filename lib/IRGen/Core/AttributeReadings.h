//===- AttributeReadings.h - the properties of an op, outside of an op -----===//
#ifndef LISPIER_LIB_IRGEN_CORE_ATTRIBUTEREADINGS_H
#define LISPIER_LIB_IRGEN_CORE_ATTRIBUTEREADINGS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OperationSupport.h"
#include <cstddef>
#include <vector>

namespace lispier {
/// Property storage for `op` outside of an operation: lets IRGen check attributes and infer results before it creates
/// one.
class PropertyStorage {
public:
  explicit PropertyStorage(mlir::RegisteredOperationName op);
  ~PropertyStorage();
  PropertyStorage(const PropertyStorage &) = delete;
  /// Fails with a diagnostic if the op rejects a value.
  mlir::LogicalResult set(mlir::DictionaryAttr values);
  mlir::OpaqueProperties get() { return mlir::OpaqueProperties(storage.empty() ? nullptr : storage.data()); }

private:
  struct alignas(std::max_align_t) Word {
    std::byte bytes[alignof(std::max_align_t)];
  };
  mlir::RegisteredOperationName op;
  std::vector<Word> storage;
};

/// Whether brackets in `text` nest deeper than `kMaxTextNesting`. MLIR's parser recurses for each bracket, so such a
/// text could overflow the stack.
bool nestsTooDeep(llvm::StringRef text);
constexpr unsigned kMaxTextNesting = 200;
/// Whether an llvm.call has operand bundles. Its operands then need explicit segment sizes.
bool hasBundles(const mlir::NamedAttrList &attributes);
} // namespace lispier
#endif
