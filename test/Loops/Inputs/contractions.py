#!/usr/bin/env python3
"""contractions.py: prints a module whose main computes vector.contract in every spelling (order of dimensions and of
each operand's, element types, kinds, shapes) and by plain loops, prints the number of each case that differs, and at the
end -1 and how many elements it compared. Values are small integers other than 0, so that results are exact in any order."""
import itertools

SMALL = {"m": 3, "n": 5, "k": 4, "z": 2, "l": 2}
TALL = {**SMALL, "m": 20, "n": 3}           # Few columns: the factors change places.
LARGE = {"m": 15, "n": 72, "k": 14}  # Loops instead of unrolled code, with a rest of columns.


def memref(dims, sizes, element):
    return "memref<" + "".join(f"{sizes[d]}x" for d in dims) + element + ">"


def vector(dims, sizes, element):
    return "vector<" + "".join(f"{sizes[d]}x" for d in dims) + element + ">" if dims else element


def extended(name, element, to):
    if element == to:
        return "", name
    return f"{name}w = arith.{'extsi' if to[0] == 'i' else 'extf'} {name} : {element} to {to}\n", name + "w"


COMBINE = {"add": ("addf", "addi"), "mul": ("mulf", "muli"), "maxnumf": ("maxnumf",), "minnumf": ("minnumf",),
           "maximumf": ("maximumf",), "minimumf": ("minimumf",), "maxsi": ("maxsi",), "minsi": ("minsi",),
           "maxui": ("maxui",), "minui": ("minui",), "and": ("andi",), "or": ("ori",), "xor": ("xori",)}


def nest(dims, sizes, body):
    """Loops over the dimensions, with index %d in each."""
    opening = "".join(f"scf.for %{d} = %zero to %size{sizes[d]} step %one {{\n" for d in dims)
    return opening + body + "\n" + "}" * len(dims) + "\n"


class Module:
    def __init__(self):
        self.functions, self.calls, self.fills, self.compared = [], [], {}, 0

    def constants(self, sizes):
        return ("%zero = arith.constant 0 : index\n%one = arith.constant 1 : index\n" +
                "".join(f"%size{n} = arith.constant {n} : index\n" for n in sorted(set(sizes.values()))))

    def fill(self, dims, sizes, element):
        """A function that fills a memref with numbers of -3 .. 3 other than 0, other ones for another start."""
        name = "fill_" + "_".join(str(sizes[d]) for d in dims) + "_" + element
        if name not in self.fills:
            mix = "\n".join(f"%f{i} = arith.constant {(5, 3, 7)[i]} : index\n%p{i} = arith.muli %{d}, %f{i} : index\n"
                            f"%s{i + 1} = arith.addi %s{i}, %p{i} : index" for i, d in enumerate(dims))
            convert = (f"%x = arith.sitofp %v : i64 to {element}" if element[0] != "i" else
                       f"%x = arith.trunci %v : i64 to {element}")
            body = f"""{mix}
%r = arith.remui %s{len(dims)}, %six : index
%w = arith.index_cast %r : index to i64
%less = arith.subi %w, %three : i64
%positive = arith.cmpi sge, %less, %none : i64
%more = arith.extui %positive : i1 to i64
%v = arith.addi %less, %more : i64
{convert}
memref.store %x, %to[{', '.join('%' + d for d in dims)}] : {memref(dims, sizes, element)}"""
            self.fills[name] = f"""func.func private @{name}(%to: {memref(dims, sizes, element)}, %s0: index) {{
{self.constants(sizes)}%six = arith.constant 6 : index
%three = arith.constant 3 : i64
%none = arith.constant 0 : i64
{nest(dims, sizes, body)}return }}"""
        return name

    def case(self, dims, a, b, c, types, kind="add", sizes=SMALL):
        number = len(self.functions)
        reduced = [d for d in dims if d not in c]
        maps = ", ".join(f"affine_map<({', '.join(dims)}) -> ({', '.join(ds)})>" for ds in (a, b, c))
        kinds = ", ".join('"reduction"' if d in reduced else '"parallel"' for d in dims)
        operands = list(zip("abc", (a, b, c), types))
        v = {name: vector(ds, sizes, t) for name, ds, t in operands}
        m = {name: memref(ds, sizes, t) for name, ds, t in operands}
        at = lambda ds: "[" + ", ".join("%" + d for d in ds) + "]"
        zeros = lambda ds: "[" + ", ".join("%zero" for _ in ds) + "]"
        load = lambda name, ds: (f"%{name}v = vector.load %{name}{zeros(ds)} : {m[name]}, {v[name]}\n" if ds else
                                 f"%{name}v = memref.load %{name}[] : {m[name]}\n")
        store = (f"vector.store %r, %c{zeros(c)} : {m['c']}, {v['c']}\n" if c else
                 f"memref.store %r, %c[] : {m['c']}\n")
        self.functions.append(f"""func.func private @contract{number}(%a: {m['a']}, %b: {m['b']}, %c: {m['c']}) {{
%zero = arith.constant 0 : index
{load('a', a)}{load('b', b)}{load('c', c)}%r = vector.contract {{indexing_maps = [{maps}],
  iterator_types = [{kinds}], kind = #vector.kind<{kind}>}} %av, %bv, %cv : {v['a']}, {v['b']} into {v['c']}
{store}return }}""")
        to = types[2]
        left, x = extended("%x", types[0], to)
        right, y = extended("%y", types[1], to)
        multiply, combine = ("mulf", COMBINE[kind][0]) if to[0] != "i" else ("muli", COMBINE[kind][-1])
        body = f"""%x = memref.load %a{at(a)} : {m['a']}
%y = memref.load %b{at(b)} : {m['b']}
%old = memref.load %c{at(c)} : {m['c']}
{left}{right}%p = arith.{multiply} {x}, {y} : {to}
%s = arith.{combine} %p, %old : {to}
memref.store %s, %c{at(c)} : {m['c']}"""
        self.functions[-1] += f"""
func.func private @loops{number}(%a: {m['a']}, %b: {m['b']}, %c: {m['c']}) {{
{self.constants(sizes)}{nest(dims, sizes, body)}return }}"""
        body = f"""%x = memref.load %got{at(c)} : {m['c']}
%y = memref.load %want{at(c)} : {m['c']}
%same = arith.{'cmpi eq' if to[0] == 'i' else 'cmpf oeq'}, %x, %y : {to}
%so_far = memref.load %all[] : memref<i1>
%next = arith.andi %so_far, %same : i1
memref.store %next, %all[] : memref<i1>"""
        lines = [f"%{name} = memref.alloc() : {m[kind_of]}" for name, kind_of in
                 (("a", "a"), ("b", "b"), ("got", "c"), ("want", "c"))]
        for name, ds, t, seed in (("a", a, types[0], 0), ("b", b, types[1], 1), ("got", c, to, 2), ("want", c, to, 2)):
            lines.append(f"func.call @{self.fill(ds, sizes, t)}(%{name}, %seed{seed}) : "
                         f"({memref(ds, sizes, t)}, index) -> ()")
        for function, result in (("contract", "got"), ("loops", "want")):
            lines.append(f"func.call @{function}{number}(%a, %b, %{result}) : ({m['a']}, {m['b']}, {m['c']}) -> ()")
        seeds = "".join(f"%seed{i} = arith.constant {number % 6 + i} : index\n" for i in range(3))
        self.calls.append(f"""func.func private @case{number}() {{
{self.constants(sizes)}{seeds}%all = memref.alloca() : memref<i1>
%true = arith.constant true
memref.store %true, %all[] : memref<i1>
""" + "\n".join(lines) + f"""
{nest(list(c), sizes, body)}%right = memref.load %all[] : memref<i1>
%wrong = arith.xori %right, %true : i1
scf.if %wrong {{
%number = arith.constant {number} : i64
func.call @printI64(%number) : (i64) -> ()
func.call @printNewline() : () -> ()
}}
return }}""")
        count = 1
        for d in c:
            count *= sizes[d]
        self.compared += count

    def print(self):
        print("func.func private @printI64(i64)\nfunc.func private @printNewline()")
        print("\n".join(list(self.fills.values()) + self.functions + self.calls))
        calls = "\n".join(f"func.call @case{i}() : () -> ()" for i in range(len(self.calls)))
        print(f"""func.func @main() {{
{calls}
%end = arith.constant -1 : i64
func.call @printI64(%end) : (i64) -> ()
func.call @printNewline() : () -> ()
%compared = arith.constant {self.compared} : i64
func.call @printI64(%compared) : (i64) -> ()
func.call @printNewline() : () -> ()
return }}""")


def main():
    module = Module()
    f32, i32 = ("f32",) * 3, ("i32",) * 3
    orders = [(a, b, c) for a in ("mk", "km") for b in ("kn", "nk") for c in ("mn", "nm")]
    for dims in itertools.permutations("mnk"):
        for a, b, c in orders:
            module.case(dims, a, b, c, f32)
    for types in (("bf16", "bf16", "f32"), ("f16", "f16", "f32"), ("f64",) * 3, ("i8", "i8", "i32"), i32,
                  ("bf16",) * 3):
        for a, b, c in orders[::2]:
            module.case("mnk", a, b, c, types)
    for kind in ("mul", "maxnumf", "minnumf", "maximumf", "minimumf"):
        module.case("mnk", "mk", "kn", "mn", f32, kind)
    for kind in ("mul", "maxsi", "minsi", "maxui", "minui", "and", "or", "xor"):
        module.case("mnk", "mk", "kn", "mn", i32, kind)
    for a in ("zmk", "mzk", "kmz"):
        for b in ("zkn", "nkz"):
            module.case("zmnk", a, b, "zmn", f32)
    module.case("k", "k", "k", "", f32)
    module.case("k", "k", "k", "", ("bf16", "bf16", "f32"))
    module.case("mk", "mk", "k", "m", f32)
    module.case("mk", "k", "mk", "m", f32)
    module.case("mk", "km", "k", "m", f32)
    module.case("mnkl", "mkl", "lkn", "mn", f32)
    module.case("kl", "kl", "lk", "", f32)
    for a, b, c in orders:
        module.case("mnk", a, b, c, f32, sizes=TALL)
    for a, b, c in orders[::6]:
        module.case("mnk", a, b, c, f32, sizes=LARGE)
    for types in (("bf16", "bf16", "f32"), ("i8", "i8", "i32"), ("f64",) * 3):
        module.case("mnk", "mk", "nk", "mn", types, sizes=LARGE)
    module.print()


main()
