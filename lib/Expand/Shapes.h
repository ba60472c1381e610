//===- Shapes.h - do the operands of a special form fit? -------*- C++ -*-===//
#ifndef LISPIER_LIB_EXPAND_SHAPES_H
#define LISPIER_LIB_EXPAND_SHAPES_H

#include "lispier/Expand/SpecialForms.h"
#include "lispier/Syntax/Diag.h"
#include "lispier/Syntax/Form.h"

namespace lispier {
/// Checks the number of operands and what each of them is, as far as no type or name of the
/// program is needed. False: reported, with the expected shape.
bool checkShape(const SpecialFormInfo &info, const Form *form, DiagSink &diags);
} // namespace lispier
#endif
