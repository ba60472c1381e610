//===- TimingProgram.cpp - a program around one kernel --------------------===//
//
// The text is for people, too: they change sizes, numbers and the count of runs.
//
//===----------------------------------------------------------------------===//
#include "TimingProgram.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Support/DebugStringHelper.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace lispier {
namespace {
/// How often the kernel runs after the run that is checked.
constexpr int64_t kRuns = 100;

std::string textOf(Type type) { return debugString(type); }

/// From i32 %b, random bits, to %x, a float from -1 to 1 or an integer 0 or 1, which is an index of most tensors.
std::string elementOfBits(Type element) {
  std::string type = textOf(element);
  if (!isa<FloatType>(element)) {
    std::string bit = "    %one = arith.constant 31 : i32\n    %top = arith.shrui %b, %one : i32\n";
    if (element.isIndex())
      return bit + "    %x = arith.index_cast %top : i32 to index\n";
    if (element.isInteger(32))
      return bit + "    %zero = arith.constant 0 : i32\n    %x = arith.ori %top, %zero : i32\n";
    bool isWide = element.getIntOrFloatBitWidth() > 32;
    return bit + "    %x = arith." + (isWide ? "extui" : "trunci") + " %top : i32 to " + type + "\n";
  }
  std::string text = R"(    %scale = arith.constant 4.6566128730773926e-10 : f32
    %signed = arith.sitofp %b : i32 to f32
)";
  text += element.isF32() ? "    %x = arith.mulf %signed, %scale : f32\n"
                          : "    %number = arith.mulf %signed, %scale : f32\n    %x = arith." +
                                std::string(element.isF64() ? "extf" : "truncf") + " %number : f32 to " + type + "\n";
  return text;
}

/// A function that fills memory with numbers that depend on the place and a seed only.
std::string fillFunction(Type element) {
  return llvm::formatv(R"(
func.func private @fill_{0}(%memory: memref<?x{0}>, %seed: i32) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %memory, %c0 : memref<?x{0}>
  %prime = arith.constant -1640531535 : i32
  %other = arith.constant -2048144789 : i32
  %shift = arith.constant 15 : i32
  scf.for %i = %c0 to %n step %c1 {{
    %place = arith.index_cast %i : index to i32
    %h0 = arith.addi %place, %seed : i32
    %h1 = arith.muli %h0, %prime : i32
    %h2 = arith.shrui %h1, %shift : i32
    %h3 = arith.xori %h1, %h2 : i32
    %h4 = arith.muli %h3, %other : i32
    %h5 = arith.shrui %h4, %shift : i32
    %b = arith.xori %h4, %h5 : i32
{1}    memref.store %x, %memory[%i] : memref<?x{0}>
  }
  return
}
)",
                       textOf(element), elementOfBits(element))
      .str();
}

/// %a, %b of the element type to %p, %q in f64.
std::string toDouble(Type element) {
  auto convert = [&](StringRef from, StringRef to) {
    std::string type = textOf(element);
    if (element.isF64())
      return ("    %zero" + to + " = arith.constant -0.0 : f64\n    %" + to + " = arith.addf %" + from + ", %zero" +
              to + " : f64\n")
          .str();
    if (element.isIndex())
      return ("    %wide" + to + " = arith.index_cast %" + from + " : index to i64\n    %" + to +
              " = arith.sitofp %wide" + to + " : i64 to f64\n")
          .str();
    StringRef op = isa<FloatType>(element) ? "extf" : element.isInteger(1) ? "uitofp" : "sitofp";
    return ("    %" + to + " = arith." + op + " %" + from + " : " + type + " to f64\n").str();
  };
  return convert("a", "p") + convert("b", "q");
}

/// A function that returns the largest difference of two memories' elements, and the largest number of the second one.
/// A NaN in one of them only is an infinite difference.
std::string compareFunction(Type element) {
  return llvm::formatv(R"(
func.func private @compare_{0}(%left: memref<?x{0}>, %right: memref<?x{0}>) -> (f64, f64) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant 0.0 : f64
  %infinite = arith.constant 0x7FF0000000000000 : f64
  %n = memref.dim %left, %c0 : memref<?x{0}>
  %most:2 = scf.for %i = %c0 to %n step %c1 iter_args(%d = %none, %m = %none) -> (f64, f64) {{
    %a = memref.load %left[%i] : memref<?x{0}>
    %b = memref.load %right[%i] : memref<?x{0}>
{1}    %far = arith.subf %p, %q : f64
    %distance = math.absf %far : f64
    %same = arith.cmpf oeq, %p, %q : f64
    %pnan = arith.cmpf uno, %p, %p : f64
    %qnan = arith.cmpf uno, %q, %q : f64
    %both = arith.andi %pnan, %qnan : i1
    %equal = arith.ori %same, %both : i1
    %either = arith.cmpf uno, %distance, %distance : f64
    %known = arith.select %either, %infinite, %distance : f64
    %here = arith.select %equal, %none, %known : f64
    %size = math.absf %q : f64
    %next = arith.maxnumf %d, %here : f64
    %larger = arith.maxnumf %m, %size : f64
    scf.yield %next, %larger : f64, f64
  }
  return %most#0, %most#1 : f64, f64
}
)",
                       textOf(element), toDouble(element))
      .str();
}

class Text {
public:
  explicit Text(const TimedKernel &kernel) : kernel(kernel) {}

  std::string run() {
    for (auto [k, operand] : llvm::enumerate(kernel.operands))
      makeOperand(k, operand);
    main += call(kernel.name, "d") + call(kernel.reference, "r");
    main += "  %none = arith.constant 0.0 : f64\n";
    difference = largest = "%none";
    for (auto [k, operand] : llvm::enumerate(kernel.operands))
      if (operand.isWritten)
        compare(k, operand);
    timeRuns();
    return functions() + main + "  return\n}\n";
  }

private:
  static Type elementOf(const TimedKernel::Operand &operand) { return getElementTypeOrSelf(operand.type); }
  static MemRefType shaped(const TimedKernel::Operand &operand) {
    return MemRefType::get(operand.shape, elementOf(operand));
  }
  static MemRefType flat(const TimedKernel::Operand &operand) {
    return MemRefType::get({shaped(operand).getNumElements()}, elementOf(operand));
  }
  static std::string anyFlat(const TimedKernel::Operand &operand) {
    return "memref<?x" + textOf(elementOf(operand)) + ">";
  }

  void add(const char *format, std::vector<std::string> values) {
    std::string text = format;
    for (auto [i, value] : llvm::enumerate(values)) {
      std::string mark = "$" + std::to_string(i);
      for (size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += value.size())
        text.replace(at, mark.size(), value);
    }
    main += text;
  }

  /// `name` = the memory as memref<?xT>.
  void flatten(const std::string &name, const std::string &memory, const TimedKernel::Operand &operand) {
    add(R"(  $0_all = memref.reinterpret_cast $1 to offset: [0], sizes: [$2], strides: [1] : $3 to $4
  $0 = memref.cast $0_all : $4 to $5
)",
        {name, memory, std::to_string(flat(operand).getNumElements()), textOf(shaped(operand)), textOf(flat(operand)),
         anyFlat(operand)});
  }

  void allocate(const std::string &name, const std::string &seed, const TimedKernel::Operand &operand) {
    add("  $0 = memref.alloc() {alignment = 64 : i64} : $1\n", {name, textOf(shaped(operand))});
    flatten(name + "_flat", name, operand);
    add("  func.call @fill_$0($1_flat, $2) : ($3, i32) -> ()\n",
        {textOf(elementOf(operand)), name, seed, anyFlat(operand)});
    elements.insert({elementOf(operand).getAsOpaquePointer(), elementOf(operand)});
  }

  /// %d0 is what the kernel gets as operand 0, %r0 what the reference gets.
  void makeOperand(unsigned k, const TimedKernel::Operand &operand) {
    std::string i = std::to_string(k), type = textOf(operand.type);
    if (!isa<MemRefType>(operand.type)) {
      std::string number = isa<FloatType>(operand.type) ? "0.5"
                           : operand.type.isInteger(1)  ? (operand.number ? "true" : "false")
                                                        : std::to_string(operand.number);
      add(operand.type.isInteger(1) ? "  %d$0 = arith.constant $1\n  %r$0 = arith.constant $1\n"
                                    : "  %d$0 = arith.constant $1 : $2\n  %r$0 = arith.constant $1 : $2\n",
          {i, number, type});
      return;
    }
    std::string own = textOf(shaped(operand));
    add("  %seed$0 = arith.constant $1 : i32\n", {i, std::to_string(1000003 * (k + 1))});
    allocate("%host" + i, "%seed" + i, operand);
    add("  %device$0 = device.upload %host$0 : $1\n  %d$0 = memref.cast %device$0 : $1 to $2\n", {i, own, type});
    if (operand.isWritten)
      allocate("%expected" + i, "%seed" + i, operand);
    add("  %r$0 = memref.cast %$3$0 : $1 to $2\n", {i, own, type, operand.isWritten ? "expected" : "host"});
  }

  std::string call(StringRef callee, StringRef operands) {
    std::string values, types;
    for (auto [k, operand] : llvm::enumerate(kernel.operands)) {
      values += (k ? ", %" : "%") + operands.str() + std::to_string(k);
      types += (k ? ", " : "") + textOf(operand.type);
    }
    return ("  func.call @" + callee + "(" + values + ") : (" + types + ") -> ()\n").str();
  }

  void compare(unsigned k, const TimedKernel::Operand &operand) {
    std::string i = std::to_string(k), own = textOf(shaped(operand));
    add("  %got$0 = device.download %device$0 : $1 to $1\n", {i, own});
    flatten("%got" + i + "_flat", "%got" + i, operand);
    add(R"(  %most$0:2 = func.call @compare_$1(%got$0_flat, %expected$0_flat) : ($2, $2) -> (f64, f64)
  %difference$0 = arith.maxnumf $3, %most$0#0 : f64
  %largest$0 = arith.maxnumf $4, %most$0#1 : f64
)",
        {i, textOf(elementOf(operand)), anyFlat(operand), difference, largest});
    difference = "%difference" + i;
    largest = "%largest" + i;
  }

  /// The clock stops when an element of the last result is on the host.
  void timeRuns() {
    const TimedKernel::Operand &last = kernel.operands.back();
    std::string i = std::to_string(kernel.operands.size() - 1), one = "memref<1x" + textOf(elementOf(last)) + ">";
    add(R"(  %start = func.call @rtclock() : () -> f64
  %zero = arith.constant 0 : index
  %step = arith.constant 1 : index
  %runs = arith.constant $0 : index
  scf.for %run = %zero to %runs step %step {
  $1  }
  %first = memref.reinterpret_cast %device$2 to offset: [0], sizes: [1], strides: [1] : $3 to $4
  %done = device.download %first : $4 to $4
  %end = func.call @rtclock() : () -> f64
)",
        {std::to_string(kRuns), call(kernel.name, "d"), i, textOf(shaped(last)), one});
    add(R"(  %runs64 = arith.index_cast %runs : index to i64
  %count = arith.sitofp %runs64 : i64 to f64
  %all = arith.subf %end, %start : f64
  %seconds = arith.divf %all, %count : f64
  %million = arith.constant 1.0e6 : f64
  %microseconds = arith.mulf %seconds, %million : f64
  %bytes = arith.constant $0.0e-9 : f64
  %bandwidth = arith.divf %bytes, %seconds : f64
  %work = arith.constant $1.0e-9 : f64
  %speed = arith.divf %work, %seconds : f64
  %text = llvm.mlir.addressof @text : !llvm.ptr
  %printed = llvm.call @printf(%text, %microseconds, %bandwidth, %speed, $2, $3) vararg(!llvm.func<i32 (ptr, ...)>)
    : (!llvm.ptr, f64, f64, f64, f64, f64) -> i32
)",
        {std::to_string(kernel.bytes), std::to_string(kernel.work), difference, largest});
  }

  std::string functions() {
    std::string types = llvm::join(
        llvm::map_range(kernel.operands, [](const TimedKernel::Operand &operand) { return textOf(operand.type); }),
        ", ");
    std::string message =
        kernel.name + ": %.2f us, %.2f GB/s, %.2f GFLOP/s; largest difference %g of numbers up to %g\\0A\\00";
    std::string text = "llvm.mlir.global internal constant @text(\"" + message + "\")\n" +
                       "llvm.func @printf(!llvm.ptr, ...) -> i32\nfunc.func private @rtclock() -> f64\n" +
                       "func.func private @" + kernel.name + "(" + types + ")\nfunc.func private @" + kernel.reference +
                       "(" + types + ")\n";
    for (auto &[key, element] : elements)
      text += fillFunction(element) + compareFunction(element);
    return text + "\nfunc.func @main() {\n";
  }

  const TimedKernel &kernel;
  std::string main, difference, largest;
  llvm::MapVector<const void *, Type> elements;
};
} // namespace

std::string timingProgram(const TimedKernel &kernel) { return Text(kernel).run(); }
} // namespace lispier
