//===- Shapes.h - syntax checks of special forms ----------------*- C++ -*-===//
#ifndef LISPIER_LIB_EXPAND_SHAPES_H
#define LISPIER_LIB_EXPAND_SHAPES_H

#include "lispier/Expand/SpecialForms.h"
#include "lispier/Syntax/Diag.h"
#include "lispier/Syntax/Form.h"

namespace lispier {
/// Checks the number of operands and the syntax of each, as far as that needs no types or names of the program. On
/// failure reports an error with the expected syntax and returns false.
bool checkShape(const SpecialFormInfo &info, const Form *form, DiagSink &diags);
} // namespace lispier
#endif
