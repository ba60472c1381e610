"""every-op.py SOURCE: compares the ops that lib/IRGen makes where it makes tensors with the rules of lib/Differentiate."""
import glob, os, re, sys

os.chdir(sys.argv[1])
# Parts that make no ops on tensors, or that a body of a function of tensors cannot hold.
OTHERS = {"Kernels", "Memory", "Structs", "TilePrograms", "TileLaunches", "TunedLaunches", "TileAliases", "TileForms",
          "TileShapes", "TileSums", "TileMemory", "TileProducts", "ValueFfi", "Templates", "Print", "Program", "Replayable"}
NOT_OF_VALUES = {"scf::YieldOp", "scf::ConditionOp", "linalg::YieldOp", "device::YieldOp", "func::ReturnOp", "func::FuncOp",
                 "cf::AssertOp", "grad::YieldOp"}


def text_of(path):
    with open(path) as file:
        return file.read()


made = {}
for path in glob.glob("lib/IRGen/Values/*.cpp") + glob.glob("lib/IRGen/Language/*.cpp"):
    if os.path.basename(path)[:-4] not in OTHERS:
        for op in re.findall(r"(?:make<|\b)((?:mlir::)?(?:[a-z]\w*::)+\w+Op)(?:>\(|::create\()", text_of(path)):
            made.setdefault(op.replace("mlir::", ""), path)
rules = text_of("lib/Differentiate/Rules.def")
listed = {op for op in re.findall(r"^(?:RULE|CONSTANT|REFUSED)\((?:mlir|lispier)::([\w:]+),?", rules, re.M)}
scalar = set(re.findall(r"\b((?:arith|math)::\w+Op)\b", text_of("lib/Differentiate/ScalarRules.cpp")))
# Of integers and conditions, and of values that are no tensors.
OTHER_OPS = re.compile(r"arith::(\w+(I|SI|UI|SIToFP|IndexCast|Extended)|IndexCast\w*|Cmp\w|FPTo\w+)Op$|math::(AbsI|CountLeading\w+)Op$"
                       r"|(LLVM|memref|gpu|tile|vector)::")
missing = [f"{op}, which {path} makes, has no row in lib/Differentiate/Rules.def and no rule in ScalarRules.cpp"
           for op, path in sorted(made.items())
           if op not in listed | scalar | NOT_OF_VALUES and not OTHER_OPS.match(op)]
if missing:
    sys.exit("\n".join(missing))
print(f"{len(made)} ops, all with a rule")
