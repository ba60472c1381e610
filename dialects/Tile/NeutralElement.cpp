//===- NeutralElement.cpp - what changes no value that it is combined with ===//
#include "lispier/Tile/Tile.h"

using namespace mlir;

namespace lispier::tile {
TypedAttr neutralElement(Builder b, vector::CombiningKind kind, Type type) {
  if (auto real = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = real.getFloatSemantics();
    switch (kind) {
    case vector::CombiningKind::ADD:
      return FloatAttr::get(type, APFloat::getZero(semantics, /*Negative=*/true));
    case vector::CombiningKind::MUL:
      return FloatAttr::get(type, 1.0);
    case vector::CombiningKind::MINIMUMF:
    case vector::CombiningKind::MAXIMUMF:
      return FloatAttr::get(type, APFloat::getInf(semantics, /*Negative=*/kind == vector::CombiningKind::MAXIMUMF));
    default: // MINNUMF and MAXNUMF ignore NaNs.
      return FloatAttr::get(type, APFloat::getNaN(semantics));
    }
  }
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  switch (kind) {
  case vector::CombiningKind::MUL:
    return b.getIntegerAttr(type, APInt(width, 1));
  case vector::CombiningKind::MINSI:
    return b.getIntegerAttr(type, APInt::getSignedMaxValue(width));
  case vector::CombiningKind::MAXSI:
    return b.getIntegerAttr(type, APInt::getSignedMinValue(width));
  case vector::CombiningKind::MINUI:
  case vector::CombiningKind::AND:
    return b.getIntegerAttr(type, APInt::getAllOnes(width));
  default: // ADD, MAXUI, OR, XOR
    return b.getIntegerAttr(type, APInt::getZero(width));
  }
}
} // namespace lispier::tile
