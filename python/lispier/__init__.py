"""Calls functions of Lispier programs on arrays of NumPy, PyTorch and all that has DLPack.

    m = lispier.load("softmax.lisp")      # or lispier.source("(defn ...)")
    y = m.softmax(x)                      # compiled for x's type, or taken from the cache
    m.softmax(x, out=y)                   # into memory that is there

Compiling happens in a child process, the tool `lispier`: $LISPIER, else the wheel's, else that of this source tree,
else of $PATH.
"""
from ._compiler import CompileError, Diagnostic
from ._library import Error
from ._module import Function, Module, load, source

__all__ = ["CompileError", "Diagnostic", "Error", "Function", "Module", "load", "source"]


def load_ipython_extension(shell):
    """%load_ext lispier: a cell that begins with %%lisp NAME is a program, and NAME its module."""
    shell.register_magic_function(lambda line, cell: shell.push({line.strip(): source(cell)}), "cell", "lisp")
