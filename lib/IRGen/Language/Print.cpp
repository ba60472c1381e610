//===- Print.cpp - print, string globals, checked formats -----------------===//
#include "Print.h"
#include "Core/FormEvaluator.h"
#include "Core/FunctionTable.h"
#include "Core/KeywordOperands.h"
#include "Core/Literals.h"
#include "Core/Messages.h"
#include "Core/OpenTypes.h"
#include "Core/Regions.h"
#include "Core/StringGlobals.h"
#include "Core/ValueTypes.h"
#include "Generator.h"
#include "Values/Arithmetic.h"
#include "Values/TensorForms.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/SymbolTable.h"

using namespace llvm;

namespace lispier {
namespace {
/// One directive `%...` of a printf format.
struct Directive {
  size_t begin, end; ///< Half-open range of the format string.
  char conversion = 0;
  unsigned stars = 0;
  StringRef length;
};

/// The directive that begins with the percent sign at `begin`.
Directive directiveAt(StringRef format, size_t begin) {
  Directive directive{begin, begin + 1, 0, 0, {}};
  size_t at = begin + 1;
  while (at < format.size() && StringRef("-+ #0123456789.*").contains(format[at]))
    directive.stars += format[at++] == '*';
  size_t length = at;
  while (at < format.size() && StringRef("hlLqjzt").contains(format[at]))
    ++at;
  directive.length = format.slice(length, at);
  if (at < format.size())
    directive.conversion = format[at++];
  directive.end = at;
  return directive;
}

SmallVector<Directive> directives(StringRef format) {
  SmallVector<Directive> found;
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%')
      continue;
    if (format.substr(i).starts_with("%%")) {
      ++i;
      continue;
    }
    found.push_back(directiveAt(format, i));
    i = found.back().end - 1;
  }
  return found;
}

/// A format for no values, as in (println "100% of it"): a percent sign that begins no directive is text. `% d` is none
/// either: with nothing to print, the space is more likely that of the text than printf's flag.
std::string withPercentSigns(StringRef text) {
  std::string format;
  for (size_t i = 0; i < text.size(); ++i) {
    format += text[i];
    if (text[i] != '%')
      continue;
    Directive directive = directiveAt(text, i);
    bool isDirective = directive.conversion && StringRef("diuxXocfFeEgGaAsp").contains(directive.conversion) &&
                       !text.slice(directive.begin, directive.end).contains(' ');
    if (text.substr(i).starts_with("%%"))
      ++i;
    if (!isDirective)
      format += '%';
  }
  return format;
}

/// Of `:digits`: as many as read back to the same number. And what a number has without it, as printf's %g.
constexpr unsigned kAllDigits = 0, kDefaultDigits = 6;
constexpr int64_t kMostDigits = 17;

bool isLong(StringRef length) {
  return length == "l" || length == "ll" || length == "z" || length == "j" || length == "t" || length == "q";
}
} // namespace

/// Checks the values against the directives, and fits their sizes: `%d` of an i64 becomes `%ld`, and values are made as
/// long as `%ld` and as short as `%c` and `%hd` take them. False after an error.
bool PrintGenerator::checkDirectives(const Form *form, std::string &written, MutableArrayRef<mlir::Value> arguments,
                                     ArrayRef<const Form *> places) {
  const std::string given = written;
  StringRef format = given;
  SmallVector<Directive> all = directives(format);
  size_t widened = 0; // Directives, each by one character.
  size_t wanted = 0;
  for (const Directive &directive : all)
    wanted += 1 + directive.stars;
  std::string counts = ("the format has " + Twine(wanted) + (wanted == 1 ? " directive" : " directives") +
                        ", and there are " + Twine(arguments.size()) + " values")
                           .str();
  if (wanted > arguments.size()) {
    error("macro-arity", form, counts).withHint(arguments.empty() ? "%% prints a percent sign" : "");
    return false;
  }
  if (wanted < arguments.size())
    warning("macro-arity", places[wanted], counts + ": this one is not printed");
  size_t next = 0;
  auto complain = [&](const Directive &directive, mlir::Type type, StringRef right) {
    error("type-mismatch", places[next - 1],
          "`" + format.slice(directive.begin, directive.end) + "` cannot print " + mlir::debugString(type))
        .withHint(right.empty() ? Twine("") : "write `" + right + "`");
    return false;
  };
  for (const Directive &directive : all) {
    for (unsigned star = 0; star < directive.stars; ++star)
      if (!arguments[next++].getType().isInteger(32))
        return complain(directive, arguments[next - 1].getType(), "");
    mlir::Value &value = arguments[next++];
    mlir::Type type = value.getType();
    StringRef right = type.isF80()                 ? "%Lf"
                      : isa<mlir::FloatType>(type) ? "%f"
                      : type.isInteger(64)         ? "%ld"
                      : type.isInteger()           ? "%d"
                                                   : "%p";
    switch (directive.conversion) {
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'X':
    case 'o':
    case 'c':
      if (!type.isInteger())
        return complain(directive, type, right);
      if (isLong(directive.length) && type.getIntOrFloatBitWidth() < 64)
        value = StringRef("di").contains(directive.conversion)
                    ? make<mlir::arith::ExtSIOp>(form, builder.getI64Type(), value).getResult()
                    : make<mlir::arith::ExtUIOp>(form, builder.getI64Type(), value).getResult();
      else if (!isLong(directive.length) && type.isInteger(64) && directive.length.empty() &&
               directive.conversion != 'c')
        written.insert(directive.end - 1 + widened++, "l");
      else if (!isLong(directive.length) && type.isInteger(64))
        value = make<mlir::arith::TruncIOp>(form, builder.getI32Type(), value);
      break;
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
      if (!isa<mlir::FloatType>(type) || type.isF80() != directive.length.contains('L'))
        return complain(directive, type, right);
      break;
    case 's':
    case 'p':
      if (!isa<mlir::LLVM::LLVMPointerType>(type))
        return complain(directive, type, right);
      break;
    default:
      error("macro-shape", form, "printf has no directive `" + format.slice(directive.begin, directive.end) + "`")
          .withHint("%% prints a percent sign");
      return false;
    }
  }
  return true;
}

mlir::FailureOr<Values> PrintGenerator::callPrintf(const Form *form, StringRef format,
                                                   ArrayRef<mlir::Value> arguments) {
  SmallVector<mlir::Value> values(arguments);
  if (gen.regions.kernelAround()) {
    make<mlir::gpu::PrintfOp>(form, builder.getStringAttr(format), values);
    return Values{};
  }
  mlir::Type pointer = mlir::LLVM::LLVMPointerType::get(&context);
  gen.functionTable.runtimeFunction("printf", builder.getFunctionType({pointer}, {builder.getI32Type()}),
                                    /*isVariadic=*/true, form);
  FunctionInfo *callee = gen.functionTable.find("printf");
  values.insert(values.begin(), gen.strings.address(format, form));
  if (!gen.functionTable.checkCall(form, *callee, values) ||
      failed(gen.functionTable.callValues(form, *callee, values)))
    return mlir::failure();
  return Values{};
}

/// A value as printf takes it, of `item`, which is an operand of `form`; null after an error.
mlir::Value PrintGenerator::promoted(const Form *form, const Form *item, mlir::Value value) {
  if (isTensor(value) && cast<mlir::RankedTensorType>(value.getType()).getRank() == 0)
    value = make<mlir::tensor::ExtractOp>(item, value, mlir::ValueRange());
  if (value.getType().isIntOrIndexOrFloat() || isa<mlir::LLVM::LLVMPointerType>(value.getType()))
    return gen.functionTable.promote(value, item);
  error("type-mismatch", item,
        "printf cannot take " +
            (isa<mlir::VectorType>(value.getType()) ? mlir::debugString(value.getType()) : typeText(value.getType())))
      .withHint(isTensor(value)                          ? "(println " + item->str() + ") prints a tensor"
                : isa<mlir::VectorType>(value.getType()) ? "(vector.print value) prints a vector"
                : isa<mlir::MemRefType>(value.getType()) ? "(println " + item->str() + ") prints a memref, on the host"
                : isa<mlir::BaseMemRefType>(value.getType()) ? "printMemrefF32 prints a memref cast to memref<*xf32>"
                                                             : "");
  return {};
}

/// Whether a value is printed with its type and shape.
bool PrintGenerator::isShaped(mlir::Value value) {
  return isTensor(value) || (isa<mlir::MemRefType>(value.getType()) && !gen.regions.kernelAround());
}

mlir::FailureOr<Values> PrintGenerator::printTensor(const Form *form, mlir::Value value, unsigned digits) {
  if (isa<mlir::MemRefType>(value.getType())) {
    auto loaded = gen.tensors.load(form, {}, value);
    if (failed(loaded))
      return mlir::failure();
    value = loaded->front();
  }
  return gen.tensors.emitPrint(form, value, digits);
}

mlir::FailureOr<Values> PrintGenerator::printShaped(const Form *form, mlir::ValueRange values) {
  Values others;
  for (mlir::Value value : values)
    if (!isShaped(value))
      others.push_back(value);
    else if (failed(printTensor(form, value, kDefaultDigits)))
      return mlir::failure();
  return others;
}

/// The value of `:digits`; nullopt after an error.
std::optional<unsigned> PrintGenerator::digitsOf(const Form *given) {
  if (given->isSymbol("full"))
    return kAllDigits;
  std::optional<int64_t> number = gen.literals.integerOf(given);
  if (number && *number > 0 && *number <= kMostDigits)
    return unsigned(*number);
  error("macro-shape", given,
        "`:digits` is a number of digits from 1 to " + Twine(kMostDigits) + ", not " + given->str())
      .withHint("`:digits full` prints as many as read back to the same number");
  return std::nullopt;
}

/// Prints a number that printf takes, of which `value` was promoted, followed by `end`.
mlir::FailureOr<Values> PrintGenerator::printNumber(const Form *form, mlir::Value value, mlir::Value promoted,
                                                    unsigned digits, StringRef end) {
  mlir::Type type = promoted.getType();
  if (digits == kAllDigits && type.isF64()) {
    if (gen.regions.kernelAround()) {
      error("kernel-place", form, "a kernel prints a number of digits, not all that there are")
          .withHint(":digits 9 suffices for f32, :digits 17 for f64");
      return mlir::failure();
    }
    std::string name = "lispier_print_" + mlir::debugString(mlir::getElementTypeOrSelf(value.getType()));
    gen.functionTable.runtimeFunction(name, builder.getFunctionType(promoted.getType(), {}), /*isVariadic=*/false,
                                      form);
    SmallVector<mlir::Value> values{promoted};
    if (failed(gen.functionTable.callValues(form, *gen.functionTable.find(name), values)))
      return mlir::failure();
    return end.empty() ? Values{} : callPrintf(form, end, {});
  }
  std::string format = isa<mlir::FloatType>(type) ? ("%." + Twine(digits) + (type.isF80() ? "Lg" : "g")).str()
                       : type.isInteger(64)       ? "%ld"
                       : type.isInteger()         ? "%d"
                                                  : "%p";
  if (digits == kDefaultDigits && isa<mlir::FloatType>(type))
    format = type.isF80() ? "%Lg" : "%g";
  return callPrintf(form, format + end.str(), promoted);
}

/// (print value), (print value :digits n): all results of a call of several, each on a line of its own for println.
mlir::FailureOr<Values> PrintGenerator::emitPrintBare(const Form *form, bool newline) {
  std::optional<KeywordOperands> call = splitKeywords(gen.messages, form, {"digits"}, 1, 1);
  const Form *given = call ? call->get("digits") : nullptr;
  std::optional<unsigned> digits = given ? digitsOf(given) : std::optional<unsigned>(kDefaultDigits);
  if (!call || !digits)
    return mlir::failure();
  const Form *item = call->operands[0];
  auto values = gen.evaluator->emitResults(item);
  if (failed(values))
    return mlir::failure();
  for (auto [i, value] : enumerate(*values)) {
    gen.openTypes.settle(value);
    if (isShaped(value)) {
      if (failed(printTensor(form, value, *digits)))
        return mlir::failure();
      continue;
    }
    mlir::Value number = promoted(form, item, value);
    if (!number || failed(printNumber(form, value, number, *digits,
                                      newline                  ? "\n"
                                      : i + 1 < values->size() ? " "
                                                               : "")))
      return mlir::failure();
  }
  return Values{};
}

/// (print "format" value ...), (print value :digits n); a newline after it for println.
mlir::FailureOr<Values> PrintGenerator::emitPrint(const Form *form, bool newline) {
  ArrayRef<const Form *> items = form->items().drop_front();
  std::string format;
  if (!items.empty() && items[0]->isString()) {
    format = items[0]->text().str();
    if (StringRef(format).contains('\0'))
      warning("macro-shape", items[0], "a format ends at its first NUL; what follows is not printed")
          .withHint("(print \"%c\" (: 0 i32)) prints a NUL");
    items = items.drop_front();
    if (items.empty())
      format = withPercentSigns(format);
  } else if (items.size() == 1 || (items.size() > 1 && items[1]->isKeyword()))
    return emitPrintBare(form, newline);
  else if (!items.empty() || !newline) {
    error("macro-shape", form, "the first operand of `" + form->head() + "` is the format, a text in quotes")
        .withHint("write (" + form->head() + " \"value %d\\n\" value)");
    return mlir::failure();
  }
  SmallVector<mlir::Value> values;
  for (const Form *item : items) {
    mlir::Value value = gen.evaluator->emitValue(item);
    if (!value)
      return mlir::failure();
    if (value = promoted(form, item, value); !value)
      return mlir::failure();
    values.push_back(value);
  }
  if (newline)
    format += "\n";
  if (!checkDirectives(form, format, values, items))
    return mlir::failure();
  return callPrintf(form, format, values);
}

mlir::FailureOr<Values> PrintGenerator::emitPrintI64(const Form *form) {
  mlir::Value value = gen.evaluator->emitValue((*form)[1], builder.getI64Type());
  if (!value)
    return mlir::failure();
  if (!value.getType().isIntOrIndex()) {
    error("type-mismatch", (*form)[1], "`print-i64` takes an integer, not " + mlir::debugString(value.getType()));
    return mlir::failure();
  }
  value = gen.arithmetic.convert(value, builder.getI64Type(), form);
  return value ? callPrintf(form, "%ld\n", value) : mlir::FailureOr<Values>(mlir::failure());
}
} // namespace lispier
