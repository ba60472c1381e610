//===- PrintLisp.h - an MLIR module to core forms ---------------*- C++ -*-===//
//
// The inverse of `generate`, which turns these forms into the same module again.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_IRGEN_PRINTLISP_H
#define LISPIER_IRGEN_PRINTLISP_H

#include "lispier/Syntax/Diag.h"
#include "lispier/Syntax/Form.h"
#include <vector>

namespace mlir {
class ModuleOp;
}

namespace lispier {
/// Converts every op of `module` to a form that leaves nothing to infer: all attributes, the sizes of operand groups
/// and the result types are written out. The forms belong to `arena`. Locations are lost, and functions that the
/// language always declares with a C signature (printf, printI64 ...) become llvm.func. Reports to `diags` what has no
/// form (an op of an unregistered dialect, a resource, a value used above its definition); the forms are then
/// incomplete.
std::vector<const Form *> lispForms(mlir::ModuleOp module, FormArena &arena, DiagSink &diags);
} // namespace lispier
#endif
