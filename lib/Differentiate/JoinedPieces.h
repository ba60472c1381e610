//===- JoinedPieces.h - pieces one behind the other -------------*- C++ -*-===//
//
// Pieces of a tensor that follow each other along a dimension, as those of
// (split x n) and (concat a b ...) do: nothing has to be added where they are put.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_DIFFERENTIATE_JOINEDPIECES_H
#define LISPIER_LIB_DIFFERENTIATE_JOINEDPIECES_H

#include "Reverse.h"

namespace lispier {
/// The dimension along which the pieces, which are sorted, are known to follow each other from 0 on. Along the others
/// they begin at 0.
std::optional<unsigned> sortAlongOne(llvm::MutableArrayRef<Piece> pieces);

/// Whether sorted pieces are known to be all of the tensor: by its sizes, or as the program has checked before `place`.
bool areAllOf(mlir::Value tensor, unsigned axis, llvm::ArrayRef<Piece> pieces, mlir::Operation *place);

/// A tensor of undefined elements with the pieces put into it.
mlir::Value joinAll(mlir::OpBuilder &b, mlir::Location loc, unsigned axis, llvm::ArrayRef<Piece> pieces);
} // namespace lispier
#endif
