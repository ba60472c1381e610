#!/usr/bin/env python3
"""linalg-cases.py SECTION: prints a module whose main applies linalg ops to memrefs of odd sizes, and prints for each
case one number made of all of its results. Values are small integers, so that sums and products are exact in any order.

The module is compiled as it is, and with the ops lowered to plain loops; the numbers must be the same.
"""
import itertools
import math
import sys

FLOATS, INTEGERS = ["f32", "f64", "f16", "bf16"], ["i8", "i16", "i32", "i64"]


def chosen(element, sizes):
    """All sizes for one float and one integer, two of them for the other element types."""
    return sizes if element in ("f32", "i8") else sizes[-2:]



class Module:
    def __init__(self):
        self.functions, self.calls, self.fills, self.sums = [], [], {}, {}

    def memref(self, shape, element, layout=""):
        return "memref<" + "".join(f"{d}x" for d in shape) + element + layout + ">"

    def fill(self, rank, element):
        """A function that fills a memref<?x..xT, strided<[?..], offset: ?>> with integers from -3 to 3."""
        name = f"fill_{rank}_{element}"
        if name not in self.fills:
            dims = [f"%i{d}" for d in range(rank)]
            strided = self.strided(rank, element)
            opening = "".join(f"%c{d} = arith.constant {d} : index\n %n{d} = memref.dim %m, %c{d} : {strided}\n"
                              f"scf.for %i{d} = %zero to %n{d} step %one {{\n" for d in range(rank))
            mix = "\n".join(f"%f{d} = arith.constant {[5, 3, 2, 7][d]} : index\n%p{d} = arith.muli %i{d}, %f{d} : index\n"
                            f"%s{d + 1} = arith.addi %s{d}, %p{d} : index" for d in range(rank))
            self.fills[name] = f"""func.func private @{name}(%m: {strided}, %s0: index) {{
              %zero = arith.constant 0 : index
              %one = arith.constant 1 : index
              %seven = arith.constant 7 : index
              %three = arith.constant 3 : i64
              {opening}{mix}
              %r = arith.remui %s{rank}, %seven : index
              %w = arith.index_cast %r : index to i64
              %v = arith.subi %w, %three : i64
              {self.convert('%x', '%v', element)}
              memref.store %x, %m[{', '.join(dims)}] : {strided}
              {'}' * rank}
              return }}"""
        return name

    def sum(self, rank, element):
        name = f"sum_{rank}_{element}"
        if name not in self.sums:
            dims = [f"%i{d}" for d in range(rank)]
            strided = self.strided(rank, element)
            opening = "".join(f"%c{d} = arith.constant {d} : index\n %n{d} = memref.dim %m, %c{d} : {strided}\n"
                              f"%t{d} = scf.for %i{d} = %zero to %n{d} step %one iter_args(%a{d} = %a{d - 1 if d else 'start'}) -> (f64) {{\n"
                              for d in range(rank))
            last = rank - 1
            closing = "".join(f"scf.yield %{'next' if d == last else f't{d + 1}'} : f64 }}\n" for d in range(last, -1, -1))
            mix = "\n".join(f"%f{d} = arith.constant {[5, 3, 2, 7][d]} : index\n%p{d} = arith.muli %i{d}, %f{d} : index\n"
                            f"%s{d + 1} = arith.addi %s{d}, %p{d} : index" for d in range(rank))
            body = f"""{mix}
              %e = memref.load %m[{', '.join(dims)}] : {strided}
              {self.widen('%x', '%e', element)}
              %r = arith.remui %s{rank}, %eleven : index
              %k = arith.index_cast %r : index to i64
              %w0 = arith.sitofp %k : i64 to f64
              %w = arith.addf %w0, %unit : f64
              %p = arith.mulf %x, %w : f64
              %next = arith.addf {f'%a{last}' if rank else '%astart'}, %p : f64"""
            self.sums[name] = f"""func.func private @{name}(%m: {strided}) -> f64 {{
              %zero = arith.constant 0 : index
              %s0 = arith.constant 1 : index
              %one = arith.constant 1 : index
              %eleven = arith.constant 11 : index
              %unit = arith.constant 1.0 : f64
              %astart = arith.constant 0.0 : f64
              {opening}{body}
              {closing}
              return {'%t0' if rank else '%next'} : f64 }}"""
        return name

    @staticmethod
    def strided(rank, element):
        return (f"memref<{'?x' * rank}{element}, strided<[{', '.join('?' * rank)}], offset: ?>>" if rank
                else f"memref<{element}, strided<[], offset: ?>>")

    @staticmethod
    def convert(to, value, element):
        if element[0] == "i":
            return f"{to} = arith.{'trunci' if element != 'i64' else 'bitcast'} {value} : i64 to {element}"
        return f"{to} = arith.sitofp {value} : i64 to {element}"

    @staticmethod
    def widen(to, value, element):
        if element[0] == "i":
            return f"{to} = arith.sitofp {value} : {element} to f64"
        return f"{to} = arith.{'extf' if element != 'f64' else 'bitcast'} {value} : {element} to f64"

    def buffer(self, name, sizes, element, seed):
        """Lines that allocate %name and fill it, and the type by which its elements are filled and summed."""
        rank, whole = len(sizes), self.strided(len(sizes), element)
        lines = [f"{name} = memref.alloc() : {self.memref(sizes, element)}",
                 f"{name}_all = memref.cast {name} : {self.memref(sizes, element)} to {whole}"]
        if rank:
            lines += [f"{name}_seed = arith.constant {seed} : index",
                      f"func.call @{self.fill(rank, element)}({name}_all, {name}_seed) : ({whole}, index) -> ()"]
        else:
            lines += [f"{name}_three = arith.constant {'3' if element[0] == 'i' else '3.0'} : {element}",
                      f"memref.store {name}_three, {name}[] : {self.memref([], element)}"]
        return lines

    def operand(self, name, sizes, element, layout, type, seed):
        """Lines that make %name, of the type, and %name_base, the buffer that holds it and what lies between."""
        rank, base = len(sizes), name + "_base"
        if not layout:
            return self.buffer(base, sizes, element, seed) + [
                f"{name} = memref.cast {base}_all : {self.strided(rank, element)} to {type}"]
        if layout == COLUMNS:
            return self.buffer(base, sizes[::-1], element, seed) + [
                f"{name}_view = memref.transpose {base} (a, b) -> (b, a) : {self.memref(sizes[::-1], element)} to "
                f"memref<{sizes[0]}x{sizes[1]}x{element}, strided<[1, {sizes[0]}]>>",
                f"{name} = memref.cast {name}_view : memref<{sizes[0]}x{sizes[1]}x{element}, strided<[1, {sizes[0]}]>> to {type}"]
        step = 2 if layout == SPARSE else 1
        steps = [1] * (rank - 1) + [step]
        outer = [size * by + 5 for size, by in zip(sizes, steps)]
        strides = [math.prod(outer[d + 1:]) for d in range(rank)]
        view = (f"memref<{'x'.join(map(str, sizes))}x{element}, strided<{[s * by for s, by in zip(strides, steps)]}, "
                f"offset: {2 * sum(strides)}>>")
        return self.buffer(base, outer, element, seed) + [
            f"{name}_view = memref.subview {base}{[2] * rank} {sizes} {steps} : {self.memref(outer, element)} to {view}",
            f"{name} = memref.cast {name}_view : {view} to {type}"]

    def case(self, text, operands):
        """`text`: the ops, on %0, %1 ... of types T0, T1 ...; operands: (shape of the type, sizes, element, strides). All
        memory is summed up, also what lies between the rows of a view."""
        number = len(self.functions)
        types = [self.memref(shape, element, layout) for shape, _, element, layout in operands]
        parameters = ", ".join(f"%arg{i}: {t}" for i, t in enumerate(types))
        for i, t in reversed(list(enumerate(types))):
            text = text.replace(f"%{i}", f"%arg{i}").replace(f"T{i}", t)
        self.functions.append(f"func.func private @case{number}({parameters}) {{\n{text}\nreturn }}")
        lines = []
        for i, ((_, sizes, element, layout), t) in enumerate(zip(operands, types)):
            lines += self.operand(f"%c{number}_{i}", list(sizes), element, layout, t, i * 4 + number % 5)
        names = ", ".join(f"%c{number}_{i}" for i in range(len(operands)))
        lines.append(f"func.call @case{number}({names}) : ({', '.join(types)}) -> ()")
        for i, (_, sizes, element, _) in enumerate(operands):
            rank = len(sizes)
            lines += [f"%r{number}_{i} = func.call @{self.sum(rank, element)}(%c{number}_{i}_base_all) : "
                      f"({self.strided(rank, element)}) -> f64",
                      f"func.call @printF64(%r{number}_{i}) : (f64) -> ()\nfunc.call @printNewline() : () -> ()"]
        self.calls.append("\n".join(lines))

    def print(self):
        print("func.func private @printF64(f64)\nfunc.func private @printNewline()")
        print("\n".join(list(self.fills.values()) + list(self.sums.values()) + self.functions))
        for i, text in enumerate(self.calls):
            print(f"func.func private @call{i}() {{\n{text}\nreturn }}")
        print("func.func @main() {\n" + "\n".join(f"func.call @call{i}() : () -> ()" for i in range(len(self.calls))) + "\nreturn }")


def dynamic(sizes, element, layout=""):
    return (["?"] * len(sizes), list(sizes), element, layout)


def static(sizes, element, layout=""):
    return (list(sizes), list(sizes), element, layout)


ROWS = ", strided<[?, 1], offset: ?>"  # Rows apart from each other.
COLUMNS = ", strided<[1, ?], offset: ?>"
SPARSE = ", strided<[?, ?], offset: ?>"


def ops(element):
    if element[0] == "i":
        return {"add": f"arith.addi %a, %b : {element}", "mul": f"arith.muli %a, %b : {element}",
                "max": f"arith.maxsi %a, %b : {element}"}
    return {"add": f"arith.addf %a, %b : {element}", "mul": f"arith.mulf %a, %b : {element}",
            "max": f"arith.maximumf %a, %b : {element}"}


def generic(maps, kinds, count, outs, arguments, body):
    ins = ", ".join(f"%{i}" for i in range(count))
    types = ", ".join(f"T{i}" for i in range(count))
    out = ", ".join(f"%{count + i}" for i in range(outs))
    out_types = ", ".join(f"T{count + i}" for i in range(outs))
    maps = ", ".join(f"affine_map<{m}>" for m in maps)
    kinds = ", ".join(f'"{k}"' for k in kinds)
    inputs = f"ins({ins} : {types}) " if count else ""
    return (f"linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} {inputs}outs({out} : {out_types}) {{\n"
            f"^bb0({arguments}):\n{body}\n}}")


P, R = "parallel", "reduction"


def elementwise(m):
    for element in FLOATS + INTEGERS:
        for sizes in chosen(element, [(0, 3), (1, 1), (3, 7), (7, 1), (1, 33), (33, 70), (15, 17)]):
            for a, b, c in [("", "", ""), (ROWS, ROWS, ROWS), (COLUMNS, "", ""), (SPARSE, COLUMNS, ROWS), ("", "", COLUMNS)]:
                if (a or c) and sizes in [(0, 3), (7, 1)]:
                    continue
                text = generic(["(i, j) -> (i, j)"] * 3, [P, P], 2, 1, f"%a: {element}, %b: {element}, %o: {element}",
                               f"%r = {ops(element)['add']}\nlinalg.yield %r : {element}")
                m.case(text, [dynamic(sizes, element, a), dynamic(sizes, element, b), dynamic(sizes, element, c)])
    for element, sizes in itertools.product(["f32", "bf16", "i8"], [(3, 7), (17, 33), (70, 16)]):
        # A row and a column to all rows and columns; indices; a transposed copy; in place.
        one = "1" if element[0] == "i" else "1.0"
        m.case(generic(["(i, j) -> (j)", "(i, j) -> (i)", "(i, j) -> (i, j)"], [P, P], 2, 1,
                       f"%a: {element}, %b: {element}, %o: {element}",
                       f"%s = {ops(element)['add']}\n%c = arith.constant {one} : {element}\n"
                       f"%r = {ops(element)['add'].replace('%a', '%s').replace('%b', '%c')}\nlinalg.yield %r : {element}"),
               [dynamic(sizes[1:], element), dynamic(sizes[:1], element), dynamic(sizes, element)])
        m.case(generic(["(i, j) -> (i, j)"], [P, P], 0, 1, f"%o: {element}",
                       "%i = linalg.index 0 : index\n%j = linalg.index 1 : index\n%k = arith.subi %j, %i : index\n"
                       "%t = arith.constant 3 : index\n%q = arith.remui %k, %t : index\n%w = arith.index_cast %q : index to i64\n"
                       + Module.convert("%x", "%w", element) + f"\n%r = {ops(element)['add'].replace('%a', '%x').replace('%b', '%o')}\n"
                       f"linalg.yield %r : {element}"), [dynamic(sizes, element)])
        for shape in (dynamic, static):
            m.case("linalg.transpose ins(%0 : T0) outs(%1 : T1) permutation = [1, 0]",
                   [shape(sizes, element), shape(sizes[::-1], element)])
            m.case("linalg.broadcast ins(%0 : T0) outs(%1 : T1) dimensions = [0]",
                   [shape(sizes[1:], element), shape(sizes, element)])
    m.case("linalg.transpose ins(%0 : T0) outs(%1 : T1) permutation = [2, 0, 1]",
           [dynamic((5, 18, 33), "f32"), dynamic((33, 5, 18), "f32")])
    m.case("linalg.transpose ins(%0 : T0) outs(%1 : T1) permutation = [1, 0, 2]",
           [dynamic((5, 18, 33), "i16"), dynamic((18, 5, 33), "i16")])
    m.case("linalg.copy ins(%0 : T0) outs(%1 : T1)", [dynamic((9, 33), "f32", COLUMNS), dynamic((9, 33), "f32", SPARSE)])


def reductions(m):
    for element in FLOATS + INTEGERS:
        for sizes in chosen(element, [(0, 3), (1, 1), (3, 0), (3, 7), (15, 17), (300, 2), (33, 70), (2, 300)]):
            for op, layout in itertools.product(["add", "max"], ["", COLUMNS]):
                if layout and (0 in sizes or op == "max" and element not in ("f32", "i8")):
                    continue
                body = f"%r = {ops(element)[op].replace('%a', '%o').replace('%b', '%a')}\nlinalg.yield %r : {element}"
                arguments = f"%a: {element}, %o: {element}"
                m.case(generic(["(i, j) -> (i, j)", "(i, j) -> (i)"], [P, R], 1, 1, arguments, body),
                       [dynamic(sizes, element, layout), dynamic(sizes[:1], element)])
                m.case(generic(["(i, j) -> (i, j)", "(i, j) -> (j)"], [R, P], 1, 1, arguments, body),
                       [dynamic(sizes, element, layout), dynamic(sizes[1:], element)])
                m.case(generic(["(i, j) -> (i, j)", "(i, j) -> ()"], [R, R], 1, 1, arguments, body),
                       [dynamic(sizes, element, layout), dynamic((), element)])
    # The sum and the largest at once; of three dimensions the middle one; a sum of products.
    two = ("%r = arith.addf %s, %a : f32\n%q = arith.maximumf %t, %a : f32\nlinalg.yield %r, %q : f32, f32")
    m.case(generic(["(i, j) -> (i, j)", "(i, j) -> (i)", "(i, j) -> (i)"], [P, R], 1, 2, "%a: f32, %s: f32, %t: f32", two),
           [dynamic((9, 77), "f32"), dynamic((9,), "f32"), dynamic((9,), "f32")])
    m.case("linalg.reduce { arith.addf } ins(%0 : T0) outs(%1 : T1) dimensions = [1]",
           [dynamic((4, 9, 37), "f32"), dynamic((4, 37), "f32")])
    m.case("linalg.reduce { arith.maxsi } ins(%0 : T0) outs(%1 : T1) dimensions = [0, 2]",
           [dynamic((4, 9, 37), "i32"), dynamic((9,), "i32")])
    for n in (1000, 40000):  # The longer one has whole chunks, which are read as several streams.
        m.case("linalg.dot ins(%0, %1 : T0, T1) outs(%2 : T2)", [dynamic((n,), "f32"), dynamic((n,), "f32"), dynamic((), "f32")])
    m.case(generic(["(i) -> (i)", "(i) -> ()"], [R], 1, 1, "%a: i8, %o: i32",
                   "%w = arith.extsi %a : i8 to i32\n%r = arith.addi %o, %w : i32\nlinalg.yield %r : i32"),
           [dynamic((70000,), "i8"), dynamic((), "i32")])
    # A prefix: the last value wins; partial results cannot be combined.
    m.case(generic(["(i, j) -> (i, j)", "(i, j) -> (i)"], [P, R], 1, 1, "%a: f32, %o: f32", "linalg.yield %a : f32"),
           [dynamic((9, 33), "f32"), dynamic((9,), "f32")])


def products(m):
    for a, b, c in [("f32", "f32", "f32"), ("f64", "f64", "f64"), ("bf16", "bf16", "f32"), ("f16", "f16", "f32"), ("i8", "i8", "i32"),
                    ("i32", "i32", "i32"), ("bf16", "bf16", "bf16")]:
        for M, N, K in ([(3, 7, 15), (7, 33, 0), (1, 70, 33), (70, 1, 33), (8, 16, 5)] if (a, c) == ("f32", "f32") else []) + [
                (1, 1, 1), (17, 48, 20), (33, 17, 7)]:
            m.case("linalg.matmul ins(%0, %1 : T0, T1) outs(%2 : T2)", [dynamic((M, K), a), dynamic((K, N), b), dynamic((M, N), c)])
            for x, y in [("(k, m)", "(k, n)"), ("(m, k)", "(n, k)"), ("(k, m)", "(n, k)")]:
                maps = ", ".join(f"affine_map<(m, n, k) -> {r}>" for r in (x, y, "(m, n)"))
                m.case(f"linalg.matmul indexing_maps = [{maps}] ins(%0, %1 : T0, T1) outs(%2 : T2)",
                       [dynamic((M, K) if x == "(m, k)" else (K, M), a), dynamic((K, N) if y == "(k, n)" else (N, K), b),
                        dynamic((M, N), c)])
            m.case("linalg.matmul ins(%0, %1 : T0, T1) outs(%2 : T2)",
                   [dynamic((M, K), a, COLUMNS), dynamic((K, N), b, ROWS), dynamic((M, N), c, ROWS)])
            m.case("linalg.matmul ins(%0, %1 : T0, T1) outs(%2 : T2)",
                   [dynamic((M, K), a, SPARSE), dynamic((K, N), b, SPARSE), dynamic((M, N), c, COLUMNS)])
            m.case("linalg.matvec ins(%0, %1 : T0, T1) outs(%2 : T2)", [dynamic((M, K), a), dynamic((K,), b), dynamic((M,), c)])
            m.case("linalg.vecmat ins(%0, %1 : T0, T1) outs(%2 : T2)", [dynamic((K,), a), dynamic((K, N), b), dynamic((N,), c)])
        m.case("linalg.batch_matmul ins(%0, %1 : T0, T1) outs(%2 : T2)",
               [dynamic((3, 9, 20), a), dynamic((3, 20, 37), b), dynamic((3, 9, 37), c)])
        m.case("linalg.matmul ins(%0, %1 : T0, T1) outs(%2 : T2)", [static((13, 21), a), static((21, 39), b), static((13, 39), c)])


def packed(m):
    """Products large enough for blocks of which the factors are copied; BF16 pairs soon are, F32 beyond 2^28 products (of
    AVX2 2^25), or 2^18 where the right factor is transposed."""
    for t, sizes in [("bf16", [(8, 512, 16), (33, 40, 70), (250, 70, 401), (57, 300, 17), (9, 1, 8000)]), ("f32", [(650, 645, 641), (33, 100, 90)])]:
        for M, N, K in sizes:
            for x, y in [("(m, k)", "(k, n)"), ("(k, m)", "(n, k)")]:
                maps = ", ".join(f"affine_map<(m, n, k) -> {r}>" for r in (x, y, "(m, n)"))
                m.case(f"linalg.matmul indexing_maps = [{maps}] ins(%0, %1 : T0, T1) outs(%2 : T2)",
                       [dynamic((M, K) if x == "(m, k)" else (K, M), t), dynamic((K, N) if y == "(k, n)" else (N, K), t, ROWS),
                        dynamic((M, N), "f32", ROWS)])
    # Factors of several types, which the copies widen.
    for t, u, c in [("f32", "bf16", "f32"), ("bf16", "f32", "f32"), ("bf16", "f32", "f64")]:
        widen = "\n".join(f"%{to} = arith.extf %{of} : {e} to {c}" for of, to, e in [("a", "x", t), ("b", "y", u)] if e != c)
        x, y = (to if e != c else of for of, to, e in [("a", "x", t), ("b", "y", u)])
        body = f"{widen}\n%p = arith.mulf %{x}, %{y} : {c}\n%r = arith.addf %o, %p : {c}\nlinalg.yield %r : {c}"
        for (M, N, K), left, right in [((47, 90, 101), "(m, k)", "(n, k)"), ((32, 64, 128), "(k, m)", "(n, k)"),
                                       ((32, 2055, 513), "(m, k)", "(k, n)")]:
            m.case(generic([f"(m, n, k) -> {r}" for r in (left, right, "(m, n)")], [P, P, R], 2, 1,
                           f"%a: {t}, %b: {u}, %o: {c}", body),
                   [dynamic((M, K) if left == "(m, k)" else (K, M), t), dynamic((K, N) if right == "(k, n)" else (N, K), u),
                    dynamic((M, N), c)])
    # Windows of a convolution, read at strided places too, of which the last panel is a part.
    for t, u, (B, C, O, N, I, J), (s, d) in [("f32", "f32", (2, 3, 49, 51, 2, 3), (1, 1)), ("f32", "f32", (1, 7, 30, 48, 1, 3), (3, 4)),
                                             ("bf16", "f32", (2, 6, 12, 65, 3, 2), (2, 3))]:
        widen = "%x = arith.extf %a : bf16 to f32\n" if t == "bf16" else ""
        body = f"{widen}%p = arith.mulf %{'x' if widen else 'a'}, %b : f32\n%r = arith.addf %o, %p : f32\nlinalg.yield %r : f32"
        maps = [f"(b, o, p, q, c, i, j) -> (b, c, 2 * p + i, {s} * q + {d} * j)", "(b, o, p, q, c, i, j) -> (o, c, i, j)",
                "(b, o, p, q, c, i, j) -> (b, o, p, q)"]
        for shape in (dynamic, static):
            m.case(generic(maps, [P] * 4 + [R] * 3, 2, 1, f"%a: {t}, %b: {u}, %o: f32", body),
                   [shape((B, C, 2 * 3 + I, s * (N - 1) + d * (J - 1) + 1), t), shape((O, C, I, J), u), shape((B, O, 3, N), "f32")])
    # A few rows and a right factor beyond the caches.
    for t, sizes in [("bf16", (1, 2051, 2053)), ("f32", (5, 1030, 4099)), ("f32", (3, 4100, 1029))]:
        M, N, K = sizes
        for shape in (dynamic, static) if M == 5 else (dynamic,):
            m.case("linalg.matmul ins(%0, %1 : T0, T1) outs(%2 : T2)",
                   [shape((M, K), t), shape((K, N), t, "" if shape == static else ROWS), shape((M, N), "f32")])
    # The transposed result; a batch; sizes known when compiling.
    m.case(generic(["(m, n, k) -> (m, k)", "(m, n, k) -> (k, n)", "(m, n, k) -> (n, m)"], [P, P, R], 2, 1, "%a: bf16, %b: bf16, %o: f32",
                   "%x = arith.extf %a : bf16 to f32\n%y = arith.extf %b : bf16 to f32\n%p = arith.mulf %x, %y : f32\n"
                   "%r = arith.addf %o, %p : f32\nlinalg.yield %r : f32"),
           [dynamic((41, 90), "bf16"), dynamic((90, 33), "bf16"), dynamic((33, 41), "f32")])
    m.case("linalg.batch_matmul ins(%0, %1 : T0, T1) outs(%2 : T2)",
           [dynamic((3, 41, 90), "bf16"), dynamic((3, 90, 37), "bf16"), dynamic((3, 41, 37), "f32")])
    m.case("linalg.matmul ins(%0, %1 : T0, T1) outs(%2 : T2)", [static((64, 128), "bf16"), static((128, 96), "bf16"), static((64, 96), "f32")])


def tiles(m):
    """Products in pairs of BF16, of which tiles of 16 x 32 and 32 x 16 have rests in each dimension; of few rows and of
    many, and of more than one slice. Most sizes are known, so that the program has one of the ways only."""
    for (M, N, K), x, y, shape, layout in [((8, 512, 16), "(m, k)", "(k, n)", dynamic, ROWS),
                                           ((33, 16, 401), "(k, m)", "(n, k)", static, ""),
                                           ((65, 33, 70), "(m, k)", "(n, k)", static, ""),
                                           ((163, 50, 1041), "(k, m)", "(n, k)", static, "")]:
        maps = ", ".join(f"affine_map<(m, n, k) -> {r}>" for r in (x, y, "(m, n)"))
        m.case(f"linalg.matmul indexing_maps = [{maps}] ins(%0, %1 : T0, T1) outs(%2 : T2)",
               [shape((M, K) if x == "(m, k)" else (K, M), "bf16"), shape((K, N) if y == "(k, n)" else (N, K), "bf16"),
                shape((M, N), "f32", layout)])
    m.case("linalg.batch_matmul ins(%0, %1 : T0, T1) outs(%2 : T2)",
           [static((2, 130, 40), "bf16"), static((2, 40, 70), "bf16"), static((2, 130, 70), "f32", "")])


def convolutions(m):
    strides = "dilations = dense<1> : tensor<2xi64>, strides = dense<{}> : tensor<2xi64>"
    for a, c in [("f32", "f32"), ("bf16", "f32"), ("i8", "i32")]:
        for H, W, C, KH, KW, F in [(9, 11, 3, 3, 3, 20), (5, 21, 16, 1, 1, 33), (4, 4, 2, 4, 4, 1)]:
            for s in (1, 2):
                OH, OW = (H - KH) // s + 1, (W - KW) // s + 1
                at = "{" + strides.format(s) + "}"
                for shape in (dynamic, static):
                    m.case(f"linalg.conv_2d_nhwc_hwcf {at} ins(%0, %1 : T0, T1) outs(%2 : T2)",
                           [shape((2, H, W, C), a), shape((KH, KW, C, F), a), shape((2, OH, OW, F), c)])
                m.case(f"linalg.conv_2d_nchw_fchw {at} ins(%0, %1 : T0, T1) outs(%2 : T2)",
                       [dynamic((2, C, H, W), a), dynamic((F, C, KH, KW), a), dynamic((2, F, OH, OW), c)])
                m.case(f"linalg.depthwise_conv_2d_nhwc_hwc {at} ins(%0, %1 : T0, T1) outs(%2 : T2)",
                       [dynamic((2, H, W, C), a), dynamic((KH, KW, C), a), dynamic((2, OH, OW, C), c)])
    for kind in ("sum", "max"):
        m.case(f"linalg.pooling_nhwc_{kind} {{{strides.format(2)}}} ins(%0, %1 : T0, T1) outs(%2 : T2)",
               [dynamic((2, 9, 11, 19), "f32"), dynamic((3, 3), "f32"), dynamic((2, 4, 5, 19), "f32")])


def rows(m):
    """Ops over the same rows, one after the other; values stay integers."""
    row, all2, column = "(i, j) -> (i)", "(i, j) -> (i, j)", "(i, j) -> (j)"
    less = "%r = arith.subf %a, %b : f32\nlinalg.yield %r : f32"
    total = "%r = arith.addf %o, %a : f32\nlinalg.yield %r : f32"

    def op(maps, kinds, operands, arguments, body):
        ins, out = operands[:-1], operands[-1]
        maps = ", ".join(f"affine_map<{m}>" for m in maps)
        kinds = ", ".join(f'"{k}"' for k in kinds)
        inputs = f"ins({', '.join('%' + str(i) for i in ins)} : {', '.join('T' + str(i) for i in ins)}) " if ins else ""
        return (f"linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} {inputs}outs(%{out} : T{out}) {{\n"
                f"^bb0({arguments}):\n{body}\n}}\n")

    def softmax(x, m_, s, y):
        return (op([all2, row], [P, R], [x, m_], "%a: f32, %o: f32", "%r = arith.maximumf %o, %a : f32\nlinalg.yield %r : f32")
                + op([all2, row, all2], [P, P], [x, m_, y], "%a: f32, %b: f32, %o: f32", less)
                + op([all2, row], [P, R], [y, s], "%a: f32, %o: f32", total)
                + op([row, all2], [P, P], [s, y], "%b: f32, %o: f32", "%r = arith.addf %o, %b : f32\nlinalg.yield %r : f32"))

    for sizes in [(0, 3), (3, 0), (1, 1), (3, 7), (33, 17), (5, 100)]:
        vector = dynamic(sizes[:1], "f32")
        m.case(softmax(0, 1, 2, 3), [dynamic(sizes, "f32"), vector, vector, dynamic(sizes, "f32")])
        m.case(softmax(0, 1, 2, 0), [dynamic(sizes, "f32"), vector, vector])  # In place.
        m.case(softmax(0, 1, 2, 3), [static(sizes, "f32"), static(sizes[:1], "f32"), static(sizes[:1], "f32"), static(sizes, "f32")])
        m.case(softmax(0, 1, 2, 3), [dynamic(sizes, "f32", ROWS), vector, vector, dynamic(sizes, "f32", ROWS)])
    # Weights of the columns; the row's number; the sum of columns, which is no work of rows, in between.
    m.case(op([all2, row], [P, R], [0, 1], "%a: f32, %o: f32", total)
           + op([all2, row, column, all2], [P, P], [0, 1, 2, 3], "%a: f32, %b: f32, %c: f32, %o: f32",
                "%i = linalg.index 0 : index\n%w = arith.index_cast %i : index to i64\n%f = arith.sitofp %w : i64 to f32\n"
                "%p = arith.mulf %a, %c : f32\n%q = arith.addf %p, %b : f32\n%r = arith.addf %q, %f : f32\nlinalg.yield %r : f32")
           + op([all2, column], [R, P], [3, 2], "%a: f32, %o: f32", total) + op([all2, row], [P, R], [3, 1], "%a: f32, %o: f32", total),
           [dynamic((9, 37), "f32"), dynamic((9,), "f32"), dynamic((37,), "f32"), dynamic((9, 37), "f32")])
    # Rows of two dimensions.
    deep, outer = "(i, j, k) -> (i, j, k)", "(i, j, k) -> (i, j)"
    m.case(op([deep, outer], [P, P, R], [0, 1], "%a: f32, %o: f32", total)
           + op([outer, deep], [P, P, P], [1, 0], "%b: f32, %o: f32", "%r = arith.subf %o, %b : f32\nlinalg.yield %r : f32"),
           [dynamic((4, 5, 37), "f32"), dynamic((4, 5), "f32")])
    # The result is the input, one row further on: each op must be done before the next.
    m.case("""%c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n0 = memref.dim %0, %c0 : T0
      %n1 = memref.dim %0, %c1 : T0
      %less = arith.subi %n0, %c1 : index
      %a = memref.subview %0[0, 0] [%less, %n1] [1, 1] : T0 to memref<?x?xf32, strided<[?, 1]>>
      %b = memref.subview %0[1, 0] [%less, %n1] [1, 1] : T0 to memref<?x?xf32, strided<[?, 1], offset: ?>>
      %m = memref.subview %1[0] [%less] [1] : T1 to memref<?xf32, strided<[1]>>
""" + op([all2, row], [P, R], ["a", "m"], "%e: f32, %o: f32", "%r = arith.addf %o, %e : f32\nlinalg.yield %r : f32")
           .replace("Ta", "memref<?x?xf32, strided<[?, 1]>>").replace("Tm", "memref<?xf32, strided<[1]>>")
           + op([row, all2], [P, P], ["m", "b"], "%e: f32, %o: f32", "linalg.yield %e : f32")
           .replace("Tb", "memref<?x?xf32, strided<[?, 1], offset: ?>>").replace("Tm", "memref<?xf32, strided<[1]>>"),
           [dynamic((9, 37), "f32"), dynamic((9,), "f32")])


m = Module()
globals()[sys.argv[1]](m)
m.print()
