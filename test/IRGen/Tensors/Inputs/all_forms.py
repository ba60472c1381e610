"""Lists of forms: those that gradients are tested of, and all."""
import math
import maker_forms, row_forms, trap_forms, window_forms
from tensor_forms import *

log1p = on_floats("log1p", math.log1p, 2.0, lambda v: v > -0.5)
EXPONENTIALS = [on_floats("exp", math.exp, 8.0, lambda v: abs(v) < 2), on_floats("expm1", math.expm1, 8.0, lambda v: abs(v) < 2)]
ROOTS = [on_floats("sqrt", math.sqrt, 2.0, lambda v: v > 0.1), on_floats("rsqrt", lambda v: v ** -0.5, 12.0, lambda v: v > 0.15),
         on_floats("log", math.log, 7.0, lambda v: v > 0.15), log1p]
SMOOTH = [steady("tanh", math.tanh), steady("sigmoid", sigmoid), on_floats("cos", math.cos), on_floats("sin", math.sin),
          steady("erf", math.erf, 1.2), steady("relu", lambda v: max(v, 0))]

DIFFERENTIABLE = [
    *SMOOTH, *EXPONENTIALS, *ROOTS, whole, absolute, literal, literal, two, two, two, quotient, bits, random_numbers, compare,
    compare, logic, where, where, cast, cast, reduction, reduction, reduction, row_forms.softmax, row_forms.scan, row_forms.order,
    window_forms.windows, window_forms.windows, window_forms.convolution, argmax, transpose, transpose, reshape, reshape,
    broadcast_to, product, product, product, concat, stack, pad, slice_, slice_, gather, add_at, update, update, write, loop, loop,
    rows_of, branch, helper]
FORMS = DIFFERENTIABLE + [limited, sign, power, matmul, matmul, matmul, split] + row_forms.FORMS + maker_forms.FORMS + window_forms.FORMS + 2 * trap_forms.FORMS
