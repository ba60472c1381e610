//===- Main.cpp - `main` and its result -----------------------------------===//
#include "lispier/Session/Main.h"
#include "lispier/NN/TemplateAttributes.h"
#include "lispier/Session/Session.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include <charconv>
#include <cmath>

using namespace llvm;

namespace lispier {
namespace {
/// The shortest digits that read back as `value`, padded with zeros instead of using an exponent.
template <typename T> std::string shortest(T value) {
  if (std::isnan(value))
    return "NaN";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  char buffer[64];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific).ptr;
  StringRef text(buffer, end - buffer);
  bool negative = text.consume_front("-");
  auto [mantissa, exponentText] = text.split('e');
  int exponent = 0;
  std::from_chars(exponentText.begin() + (exponentText.front() == '+'), exponentText.end(), exponent);
  std::string digits = (mantissa.take_front(1) + mantissa.drop_front(1).ltrim('.')).str();
  int point = exponent + 1; // Number of digits before the decimal point.
  if (point <= 0)
    digits.insert(0, 1 - point, '0'), point = 1;
  if (point > static_cast<int>(digits.size()))
    digits.append(point - digits.size(), '0');
  std::string result = (negative ? "-" : "") + digits.substr(0, point);
  StringRef fraction = StringRef(digits).drop_front(point).rtrim('0');
  return fraction.empty() ? result : result + "." + fraction.str();
}

int64_t signExtend(uint64_t value, unsigned bits) {
  if (bits == 1)
    return value & 1;
  return bits >= 64 ? static_cast<int64_t>(value) : static_cast<int64_t>(value << (64 - bits)) >> (64 - bits);
}

MainSignature::Kind kindOf(mlir::Type type, unsigned &bits) {
  if (type.isIndex()) {
    bits = 64;
    return MainSignature::Integer;
  }
  bits = type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 0;
  if (bits == 0 || bits > 64)
    return MainSignature::Other;
  if (type.isBF16())
    return MainSignature::BFloat;
  if (type.isF16() || type.isF32() || type.isF64())
    return MainSignature::Float;
  return type.isInteger() ? MainSignature::Integer : MainSignature::Other;
}

bool isArguments(mlir::TypeRange inputs) {
  return inputs.size() == 2 && (inputs[0].isInteger(32) || inputs[0].isInteger(64)) &&
         isa<mlir::LLVM::LLVMPointerType>(inputs[1]);
}
} // namespace

std::string MainResult::text() const {
  switch (signature.kind) {
  case MainSignature::None:
  case MainSignature::Other:
    return "";
  case MainSignature::Integer:
    return itostr(signExtend(value, signature.bits));
  case MainSignature::BFloat:
    return shortest(APFloat(APFloat::BFloat(), APInt(16, value & 0xffff)).convertToFloat());
  case MainSignature::Float:
    if (signature.bits == 16)
      return shortest(APFloat(APFloat::IEEEhalf(), APInt(16, value & 0xffff)).convertToFloat());
    return signature.bits == 32 ? shortest(bit_cast<float>(static_cast<uint32_t>(value)))
                                : shortest(bit_cast<double>(value));
  }
  return "";
}

int MainResult::exitStatus() const {
  return signature.kind == MainSignature::Integer ? static_cast<int>(signExtend(value, signature.bits)) : 0;
}

std::optional<MainSignature> Session::findMain(mlir::ModuleOp module) {
  std::string names;
  mlir::FunctionOpInterface main;
  module.walk([&](mlir::FunctionOpInterface function) {
    if (function.isExternal() || function->hasAttr(nn::kTemplate))
      return;
    if (function.getName() == "main")
      main = function;
    names += (names.empty() ? "`" : ", `") + function.getName().str() + "`";
  });
  if (!main) {
    diags()
        .error("main-missing", sourceRange(module.getLoc(), sources()), "this program has no function `main`")
        .withHint(names.empty() ? "write (defn main [] -> i64 ...)" : "its functions are " + Twine(names));
    return std::nullopt;
  }
  MainSignature signature;
  mlir::ArrayRef<mlir::Type> inputs = main.getArgumentTypes(), results = main.getResultTypes();
  SMRange range = sourceRange(main->getLoc(), sources());
  signature.takesArguments = isArguments(inputs);
  if (!inputs.empty() && !signature.takesArguments) {
    diags()
        .error("main-signature", range, "`main` cannot be called with these parameters")
        .withHint("it takes none, or [(: argc i64) (: argv !llvm.ptr)]");
    return std::nullopt;
  }
  if (!results.empty() && !isa<mlir::LLVM::LLVMVoidType>(results[0]))
    signature.kind = kindOf(results[0], signature.bits);
  if (signature.kind == MainSignature::Other)
    diags().warning("main-signature", range, "the result of `main` is not printed: it is no scalar");
  return signature;
}

namespace {
/// Erases the functions that nothing else in the module can call. A template stays: passes choose it by its op.
void eraseUncalled(mlir::ModuleOp module) {
  DenseSet<mlir::Operation *> uncalled;
  std::vector<mlir::Operation *> kept;
  for (mlir::Operation &op : module.getOps()) {
    auto function = dyn_cast<mlir::func::FuncOp>(op);
    if (function && function.isPrivate() && !function.isExternal() && !function->hasAttr(nn::kTemplate))
      uncalled.insert(&op);
    else
      kept.push_back(&op);
  }
  mlir::SymbolTable symbols(module);
  auto keepNamed = [&](mlir::SymbolRefAttr name) {
    mlir::Operation *op = symbols.lookup(name.getRootReference());
    if (uncalled.erase(op))
      kept.push_back(op);
  };
  while (!kept.empty()) {
    mlir::Operation *op = kept.back();
    kept.pop_back();
    op->walk([&](mlir::Operation *inside) { inside->getAttrDictionary().walk(keepNamed); });
  }
  for (mlir::Operation *op : uncalled)
    op->erase();
}
} // namespace

void Session::keepOnlyFunctions(mlir::ModuleOp module, ArrayRef<std::string> functions) {
  for (auto symbol : module.getOps<mlir::SymbolOpInterface>())
    if (is_contained(functions, symbol.getName()))
      symbol.setPublic();
    else if (auto function = dyn_cast<mlir::FunctionOpInterface>(symbol.getOperation());
             function && !function.isExternal())
      symbol.setPrivate();
  eraseUncalled(module);
}
} // namespace lispier
