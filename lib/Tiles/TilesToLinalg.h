//===- TilesToLinalg.h - tiles as loops on buffers -------------*- C++ -*-===//
#ifndef LISPIER_TILES_TILESTOLINALG_H
#define LISPIER_TILES_TILESTOLINALG_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir {
class SymbolTable;
}

namespace lispier::tiles {
/// Lowers all vectors of the function, each op of which is one of tile programs, to linalg ops and loops on buffers;
/// any other op is an error. Adds constants to the module whose symbols are given. `readInPlace`: tiles may be views of
/// the memory that they are read from.
llvm::LogicalResult lowerTilesToLinalg(mlir::FunctionOpInterface function, mlir::SymbolTable &symbols,
                                       bool readInPlace);
} // namespace lispier::tiles
#endif
