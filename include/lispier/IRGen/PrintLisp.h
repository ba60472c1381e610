//===- PrintLisp.h - an MLIR module to core forms ---------------*- C++ -*-===//
//
// The way back: what `generate` makes of these forms is the module again.
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
/// Every op of `module` in its generic form, with nothing left to infer: all attributes, the sizes of operand groups
/// and the result types are written out. Locations are not kept, and functions that the language always declares as C
/// does (printf, printI64 and its like) come back as llvm.func. What no form can say (an op of an unknown dialect, a
/// resource, a value used above its definition) is an error in `diags`, and the forms are then incomplete.
std::vector<const Form *> lispForms(mlir::ModuleOp module, FormArena &arena, DiagSink &diags);
} // namespace lispier
#endif
