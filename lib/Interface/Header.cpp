//===- Header.cpp - the C header of a library -----------------------------===//
//
// The header stands alone. Several libraries' headers may be included in one file.
//
//===----------------------------------------------------------------------===//
#include "lispier/Interface/Interface.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace lispier {
namespace {
constexpr StringLiteral kDeclarations = R"(
/* DLPack's tensors, of dlpack.h where a program has it. */
#if defined(__has_include)
#if __has_include(<dlpack/dlpack.h>)
#include <dlpack/dlpack.h>
#endif
#endif
#if !defined(DLPACK_DLPACK_H_) && !defined(LISPIER_DLTENSOR)
#define LISPIER_DLTENSOR
typedef struct {
  int32_t device_type; /* 1: the host's memory, 2: CUDA, 10: ROCm. */
  int32_t device_id;
} DLDevice;
typedef struct {
  uint8_t code; /* 0: signed integer, 2: float, 4: bfloat, 6: bool. */
  uint8_t bits;
  uint16_t lanes; /* 1 */
} DLDataType;
typedef struct {
  void *data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape;
  int64_t *strides; /* In elements; NULL: row-major. */
  uint64_t byte_offset;
} DLTensor;
#endif

/* What each function takes first; NULL stands for one of zeros. Fields are only appended. */
#ifndef LISPIER_ABI
#define LISPIER_ABI 1
typedef struct lispier_call {
  uint32_t size, flags; /* size: sizeof(lispier_call); flags: 0, or LISPIER_ASYNC to return when work is enqueued. */
  void *stream;         /* A CUstream or hipStream_t of the tensors' device; NULL: its default stream. */
  int32_t device;       /* Reserved: 0. */
} lispier_call;
enum { LISPIER_ASYNC = 1 };
#endif
)";

constexpr StringLiteral kManners = R"(
/* Functions return 0, or 1 after an error, of which %ERROR() returns the message: valid until the thread's next call;
 * or 2 when %INTERRUPT() has ended them, which any thread and a signal handler may call. %CATCH() lets
 * SIGINT do so, and then what it did before. Tensors are the caller's, results too: no memory is copied or kept. They are row-major, and what is written overlaps
 * nothing else. Functions may be called by any number of threads; loops that run in parallel are then one call's. */
)";

/// The C type of a number.
StringRef cType(StringRef type) {
  return StringSwitch<StringRef>(type)
      .Case("f64", "double")
      .Case("f32", "float")
      .Cases("f16", "bf16", "uint16_t")
      .Case("i1", "bool")
      .Case("i8", "int8_t")
      .Case("i16", "int16_t")
      .Case("i32", "int32_t")
      .Default("int64_t");
}

/// A C name that is no keyword of C or C++.
std::string parameterName(StringRef name) {
  static const StringSet<> words{
      "auto",     "bool",      "break",   "case",     "char",     "class",  "const",    "default", "delete",   "do",
      "double",   "else",      "enum",    "extern",   "float",    "for",    "goto",     "if",      "inline",   "int",
      "long",     "namespace", "new",     "operator", "private",  "public", "register", "return",  "short",    "signed",
      "sizeof",   "static",    "struct",  "switch",   "template", "this",   "try",      "typedef", "typename", "union",
      "unsigned", "using",     "virtual", "void",     "volatile", "while",  "call",     "sizes"};
  std::string result = cName(name);
  return words.contains(result) ? result + "_" : result;
}

constexpr StringLiteral kDeviceManners = R"(
/* This library was built for %TARGETS. The tensors of a call are all on one device, which says what code runs. On a GPU
 * the work is enqueued in the call's stream, and nothing is waited for with LISPIER_ASYNC, except by a function that reads
 * numbers of the device to decide what it does next. The stream may be captured into a graph of the caller's, by
 * calls with LISPIER_ASYNC: temporary memory is then part of the graph. A function that waits, or that copies memory of
 * the host, fails in a capture with a message. Calls are enqueued one at a time. A process that has called a function on
 * a GPU must not do so in a fork. */
)";

class HeaderWriter {
public:
  HeaderWriter(const Interface &interface, raw_ostream &os) : interface(interface), os(os) {}

  void records(ArrayRef<InterfaceValue> values) {
    for (const InterfaceValue &value : values)
      if (value.isRecord())
        record(value);
  }

  void entry(const InterfaceEntry &entry) {
    std::string usage = entry.usage();
    os << "\n/* ";
    SmallVector<StringRef> lines;
    StringRef(usage).rtrim().split(lines, '\n');
    for (StringRef line : lines)
      os << (line.data() == usage.data() ? "" : " * ") << comment(line) << '\n';
    os << " * " << comment(entry.place) << " */\n";
    os << "int32_t " << entry.symbol << "(const lispier_call *call";
    parameters(entry.parameters, /*areResults=*/false);
    parameters(entry.results, /*areResults=*/true);
    os << ");\n";
    if (none_of(entry.results, [](const InterfaceValue &result) { return result.isTensor; }))
      return;
    os << "/* Writes the sizes of the results, one tensor after the other; -1 for those that only the call knows. */\n"
       << "int32_t " << entry.symbol << "__sizes(const lispier_call *call";
    parameters(entry.parameters, /*areResults=*/false);
    os << ", int64_t *sizes);\n";
  }

private:
  /// The text with nothing that ends a comment.
  static std::string comment(StringRef text) {
    std::string result = text.str();
    for (size_t at = 0; (at = result.find("*/", at)) != std::string::npos;)
      result.replace(at, 2, "* /");
    return result;
  }

  std::string typeOf(const InterfaceValue &value) const {
    return value.isRecord() ? structName(value) : value.isTensor ? "const DLTensor *" : cType(value.type).str() + " ";
  }
  std::string structName(const InterfaceValue &record) const {
    return "struct " + interface.prefix + "_" + cName(record.record);
  }
  /// The type of a field with the names that sizes have in the record: without its path.
  static std::string ownSizes(InterfaceValue field) {
    for (auto &size : field.sizes)
      if (auto *name = std::get_if<std::string>(&size))
        *name = StringRef(*name).rsplit('.').second.empty() ? *name : StringRef(*name).rsplit('.').second.str();
    return field.text();
  }

  void record(const InterfaceValue &value) {
    records(value.fields);
    std::string name = structName(value);
    if (!known.insert(name).second)
      return;
    os << '\n' << name << " {\n";
    for (const InterfaceValue &field : value.fields)
      os << "  " << typeOf(field) << (field.isRecord() ? " " : "") << parameterName(field.name) << ";"
         << (field.isTensor ? " /* " + comment(ownSizes(field)) + " */" : "") << '\n';
    os << "};\n";
  }

  void parameters(ArrayRef<InterfaceValue> values, bool areResults) {
    for (const InterfaceValue &value : values) {
      os << ", ";
      if (value.isRecord())
        os << "const " << structName(value) << " *";
      else if (value.isTensor)
        os << "const DLTensor *";
      else
        os << cType(value.type) << (areResults ? " *" : " ");
      os << parameterName(value.name);
    }
  }

  const Interface &interface;
  raw_ostream &os;
  StringSet<> known;
};
} // namespace

std::string Interface::toHeader(StringRef file) const {
  std::string text, guard = StringRef(cName(file)).upper();
  raw_string_ostream os(text);
  os << "/* " << file << ": made by `lispier build --shared`. */\n#ifndef " << guard << "\n#define " << guard
     << "\n\n#include <stdbool.h>\n#include <stdint.h>\n"
     << kDeclarations << "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n";
  std::string manners = kManners.str();
  for (auto [word, name] : {std::pair<StringRef, StringRef>{"%ERROR", "_error"},
                            {"%INTERRUPT", "_interrupt"},
                            {"%CATCH", "_catch_interrupts"}})
    manners.replace(manners.find(word), word.size(), prefix + name.str());
  os << manners;
  if (any_of(targets, [](StringRef target) { return target != "cpu"; })) {
    std::string deviceManners = kDeviceManners.str();
    deviceManners.replace(deviceManners.find("%TARGETS"), 8, join(targets, ", "));
    os << deviceManners;
  }
  os << "const char *" << prefix << "_error(void);\nvoid " << prefix << "_interrupt(void);\nvoid " << prefix
     << "_catch_interrupts(void);\n";
  HeaderWriter writer(*this, os);
  for (const InterfaceEntry &entry : entries) {
    writer.records(entry.parameters);
    writer.entry(entry);
  }
  os << "\n#ifdef __cplusplus\n}\n#endif\n#endif\n";
  return text;
}
} // namespace lispier
