//===- DistinctFunctions.cpp - functions by what they compute -------------===//
#include "lispier/Device/DistinctFunctions.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace lispier {
namespace {
DictionaryAttr attributesWithoutName(FunctionOpInterface function) {
  NamedAttrList attributes(function->getAttrDictionary());
  attributes.erase(SymbolTable::getSymbolAttrName());
  return attributes.getDictionary(function.getContext());
}

/// Equal for equal functions. Which value is an operand is left to the comparison.
size_t hashOf(FunctionOpInterface function) {
  llvm::hash_code hash = hash_value(Attribute(attributesWithoutName(function)));
  function.getFunctionBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    hash = llvm::hash_combine(hash, OperationEquivalence::computeHash(op, OperationEquivalence::ignoreHashValue,
                                                                      OperationEquivalence::ignoreHashValue,
                                                                      OperationEquivalence::IgnoreLocations));
  });
  return hash;
}

bool areEqual(FunctionOpInterface one, FunctionOpInterface other) {
  return one->getName() == other->getName() && attributesWithoutName(one) == attributesWithoutName(other) &&
         OperationEquivalence::isRegionEquivalentTo(&one.getFunctionBody(), &other.getFunctionBody(),
                                                    OperationEquivalence::IgnoreLocations);
}
} // namespace

FunctionOpInterface DistinctFunctions::equalOf(FunctionOpInterface function) {
  SmallVectorImpl<FunctionOpInterface> &alike = byHash[hashOf(function)];
  auto *same = llvm::find_if(alike, [&](FunctionOpInterface other) { return areEqual(other, function); });
  if (same != alike.end())
    return *same;
  alike.push_back(function);
  return nullptr;
}
} // namespace lispier
