//===- Enums.cpp - keywords and integers for enumerations -----------------===//
//
// An enumeration is an attribute of its dialect under some mnemonic, or a bare
// integer. The mnemonic is usually near the attribute's name; the table holds
// where it is not.
//
//===----------------------------------------------------------------------===//
#include "AttributeReadings.h"
#include "Generator.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace llvm;

namespace lispier {
namespace {
struct Mnemonic {
  StringLiteral dialect, key, mnemonic;
};
constexpr Mnemonic kMnemonics[] = {
    {"amdgpu", "kind", "dpp_perm"},
    {"arith", "overflowFlags", "overflow"},
    {"gpu", "broadcast_type", "broadcast"},
    {"gpu", "mode", "shuffle_mode"},
    {"index", "pred", "cmp_predicate"},
    {"gpu", "dimension", "dim"},
    {"gpu", "op", "all_reduce_op"},
    {"gpu", "opType", "mma_element_wise"},
    {"gpu", "modeA", "mat_transpose_mode"},
    {"gpu", "modeB", "mat_transpose_mode"},
    {"linalg", "iterator_types", "iterator_type"},
    {"linalg", "cast", "type_fn"},
    {"linalg", "fun", "unary_fn"},
    {"linalg", "fun", "binary_fn"},
    {"linalg", "fun", "ternary_fn"},
    {"linalg", "kind", "elementwise_kind"},
    {"llvm", "CConv", "cconv"},
    {"llvm", "TailCallKind", "tailcallkind"},
    {"llvm", "fastmathFlags", "fastmath"},
    {"llvm", "visibility_", "visibility"},
    {"math", "fastmath", "fastmath"},
    {"vector", "iterator_types", "iterator_type"},
    {"nvvm", "kind", "shfl_kind"},
    {"nvvm", "kind", "redux_kind"},
    {"nvvm", "kind", "vote_sync_kind"},
};

/// Integer enumerations and their words: the value of `word` for this op and key.
std::optional<int64_t> integerEnum(StringRef op, StringRef key, StringRef word) {
  auto value = [](auto symbol) -> std::optional<int64_t> {
    return symbol ? std::optional<int64_t>(static_cast<int64_t>(*symbol)) : std::nullopt;
  };
  if (key == "predicate") {
    if (op == "arith.cmpi")
      return value(mlir::arith::symbolizeCmpIPredicate(word));
    if (op == "arith.cmpf")
      return value(mlir::arith::symbolizeCmpFPredicate(word == "false" ? "false" : word));
    if (op == "llvm.icmp")
      return value(mlir::LLVM::symbolizeICmpPredicate(word));
    if (op == "llvm.fcmp")
      return value(mlir::LLVM::symbolizeFCmpPredicate(word));
    return value(mlir::arith::symbolizeCmpIPredicate(word)); // index.cmp and its like have their own attribute
  }
  if (key == "kind" && !op.starts_with("vector.") && !op.starts_with("nvvm."))
    return value(mlir::arith::symbolizeAtomicRMWKind(word));
  if (key == "bin_op")
    return value(mlir::LLVM::symbolizeAtomicBinOp(word));
  if (key.contains("ordering"))
    return value(mlir::LLVM::symbolizeAtomicOrdering(word));
  if (key == "roundingmode")
    return value(mlir::arith::symbolizeRoundingMode(word));
  return std::nullopt;
}
} // namespace

void Generator::enumCandidates(StringRef op, StringRef key, const Form *value, SmallVectorImpl<mlir::Attribute> &out) {
  if (value->isNumber()) {
    std::optional<int64_t> number = integerOf(value);
    if (!number)
      return;
    // The numbers of the programs that exist: 0 is private, 10 external.
    using L = mlir::LLVM::Linkage;
    constexpr L linkages[] = {L::Private,   L::Internal,   L::AvailableExternally, L::Linkonce, L::Weak,    L::Common,
                              L::Appending, L::ExternWeak, L::LinkonceODR,         L::WeakODR,  L::External};
    if (key == "linkage" && *number >= 0 && *number < int64_t(std::size(linkages)))
      out.push_back(mlir::LLVM::LinkageAttr::get(&context, linkages[*number]));
    return;
  }
  StringRef word = value->text();
  if (word.empty() || word.contains('<') || word.starts_with("@"))
    return;
  if (std::optional<int64_t> number = integerEnum(op, key, word)) {
    out.push_back(builder.getI64IntegerAttr(*number));
    out.push_back(builder.getI32IntegerAttr(int32_t(*number)));
  }
  StringRef dialect = op.split('.').first;
  auto attempt = [&](StringRef home, StringRef mnemonic) {
    for (const std::string &text : {"#" + home.str() + "." + mnemonic.str() + "<" + word.str() + ">",
                                    "#" + home.str() + "<" + mnemonic.str() + " " + word.str() + ">"})
      if (mlir::Attribute parsed = parseAttributeText(text)) {
        out.push_back(parsed);
        return;
      }
  };
  attempt(dialect, key);
  for (const Mnemonic &row : kMnemonics)
    if (row.dialect == dialect && row.key == key)
      attempt(dialect, row.mnemonic);
  if (key == "fastmath" && dialect != "arith")
    attempt("arith", "fastmath");
}

StringRef renamedKey(StringRef op, StringRef key) {
  if ((op == "vector.extract" || op == "vector.insert") && key == "position")
    return "static_position";
  if (op == "llvm.call" && key == "vararg")
    return "var_callee_type";
  if (op == "index.cmp" && key == "predicate") // as arith has it
    return "pred";
  return key;
}

bool isUnitKey(StringRef key) {
  return StringSwitch<bool>(key)
      .Cases({"gpu.kernel", "gpu.container_module", "nvvm.kernel", "rocdl.kernel"}, true)
      .Cases({"transform.with_named_sequence", "transform.readonly", "transform.consumed"}, true)
      .Cases({"llvm.noalias", "llvm.nonnull", "llvm.noundef", "llvm.nofree", "llvm.nocapture", "llvm.readnone"}, true)
      .Cases({"llvm.readonly", "llvm.writeonly", "llvm.returned", "llvm.signext", "llvm.zeroext", "llvm.inreg"}, true)
      .Cases({"llvm.nest", "llvm.allocptr", "llvm.immarg", "llvm.swiftself", "llvm.swifterror"}, true)
      .Default(false);
}

bool isUndeclaredKey(StringRef op, StringRef key) { return op == "gpu.func" && key == "workgroup_attributions"; }

bool isSugarKey(StringRef op, StringRef key) {
  return (op == "memref.subview" && key == "drop-unit-dims") || (op == "gpu.launch" && key == "dynamic-shared") ||
         (op == "scf.forall" && (key == "bounds" || key == "outs")) ||
         ((op == "affine.for") && (key == "lower_bound" || key == "upper_bound"));
}
} // namespace lispier
