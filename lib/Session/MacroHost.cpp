//===- MacroHost.cpp - compiled macros ------------------------------------===//
#include "MacroHost.h"
#include "lispier/IRGen/IRGen.h"
#include "lispier/Pipeline/Pipeline.h"
#include "lispier/Runtime/Value/Value.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace lispier {
namespace {
bool isMacro(mlir::FunctionOpInterface function) {
  auto isPointer = [](mlir::Type type) { return isa<mlir::LLVM::LLVMPointerType>(type); };
  return function && !function.isExternal() && function.getNumArguments() == 1 && function.getNumResults() == 1 &&
         isPointer(function.getArgumentTypes()[0]) && isPointer(function.getResultTypes()[0]);
}

/// Converts a form to a value whose parts point to their forms (`origin`). Returns null if memory is exhausted.
lispier_value *toValue(const Form *form) {
  lispier_value *value = nullptr;
  double number = 0;
  switch (form->kind()) {
  case FormKind::List:
    value = value_list_new();
    break;
  case FormKind::Vector:
    value = value_vector_new();
    break;
  case FormKind::Map:
    value = value_map_new();
    break;
  case FormKind::Number:
    form->text().getAsDouble(number);
    [[fallthrough]];
  case FormKind::Symbol:
  case FormKind::Keyword:
  case FormKind::String:
    value = lispier_value_text(static_cast<int32_t>(form->kind()), form->text().data(), form->text().size(), number);
    break;
  case FormKind::Bool:
    value = value_bool_new(form->boolean());
    break;
  case FormKind::Nil:
    value = value_nil_new();
    break;
  }
  for (const Form *item : form->items())
    if (lispier_value *part = value ? toValue(item) : nullptr)
      value_list_push(value, part);
  if (value)
    value->origin = form;
  return value;
}

/// Converts the value that a macro returned to forms. Parts of its arguments become the original forms.
class FromValue {
public:
  FromValue(FormArena &arena, const Expansion *by, std::string &why) : arena(arena), by(by), why(why) {}

  const Form *convert(const lispier_value *value, unsigned depth = 0) {
    auto *origin = static_cast<const Form *>(value->origin);
    SMRange range = origin ? origin->range() : by->call;
    StringRef text = value->text ? StringRef(value->text, value->length) : StringRef();
    if (depth > kMaxDepth)
      return fail("its forms nest too deeply");
    if (origin && value->text && value->kind == static_cast<int32_t>(origin->kind()) && origin->text() == text)
      return origin;
    switch (value->kind) {
    case LISPIER_LIST:
    case LISPIER_VECTOR:
    case LISPIER_MAP:
      return sequence(value, range, depth);
    case LISPIER_SYMBOL:
      return text.empty() ? fail("a symbol without a name") : arena.symbol(text, range, by);
    case LISPIER_KEYWORD:
      return arena.keyword(text, range, by);
    case LISPIER_STRING:
      return arena.string(text, range, by);
    case LISPIER_NUMBER:
      return value->text ? arena.number(text, range, by) : fail("a number that cannot be written");
    case LISPIER_BOOL:
      return arena.boolean(value->truth, range, by);
    case LISPIER_NIL:
      return arena.nil(range, by);
    }
    return fail("memory that is no value");
  }

private:
  static constexpr unsigned kMaxDepth = 1000;

  const Form *fail(StringRef reason) {
    why = reason.str();
    return nullptr;
  }

  const Form *sequence(const lispier_value *value, SMRange range, unsigned depth) {
    SmallVector<const Form *> items;
    for (int64_t i = 0; i < value->count; ++i) {
      const Form *item = convert(value->items[i], depth + 1);
      if (!item)
        return nullptr;
      items.push_back(item);
    }
    if (value->kind == LISPIER_LIST)
      return arena.list(items, range, by);
    if (value->kind == LISPIER_VECTOR)
      return arena.vector(items, range, by);
    if (items.size() % 2)
      return fail("a map with a key that has no value");
    for (size_t i = 0; i < items.size(); i += 2)
      if (!items[i]->isKeyword())
        return fail("a map with a key that is no keyword");
    return arena.map(items, range, by);
  }

  FormArena &arena;
  const Expansion *by;
  std::string &why;
};

/// Lowers `name` and what it calls, and renames it to a name unique among macros; erases the rest.
mlir::LogicalResult lowerQuickly(mlir::ModuleOp module, StringRef name, const TargetMachine &machine) {
  for (auto symbol : module.getOps<mlir::SymbolOpInterface>())
    symbol.setVisibility(symbol.getName() == name ? mlir::SymbolTable::Visibility::Public
                                                  : mlir::SymbolTable::Visibility::Private);
  mlir::PassManager passes(module.getContext());
  passes.addPass(mlir::createSymbolDCEPass());
  PipelineOptions options;
  options.quick = true;
  options.cpuFeatures = featureNames(machine);
  addCpuPipeline(passes, options);
  return passes.run(module);
}
} // namespace

namespace {
/// Whether an external function's result depends only on its arguments.
bool isPure(StringRef name) {
  constexpr StringLiteral prefixes[] = {"value_", "lispier_value", "llvm.", "_mlir_memref_to_llvm_"};
  constexpr StringLiteral names[] = {"lispier_rt_alloc", "lispier_rt_free", "malloc", "free",   "memcpy", "memmove",
                                     "memset",           "memcmp",          "strlen", "strcmp", "strncmp"};
  return is_contained(names, name) || any_of(prefixes, [&](StringRef prefix) { return name.starts_with(prefix); });
}
} // namespace

bool JitMacroHost::define(StringRef name, ArrayRef<const Form *> program, DiagSink &diags, std::string &why) {
  DiagSink attempt(sources);
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diag) {
    if (diag.getSeverity() == mlir::DiagnosticSeverity::Error)
      attempt.error("", SMRange(), diag.str());
  });
  Generated generated = generate(Program{program.vec(), /*library=*/{}}, context, attempt);
  auto function = generated.module ? generated.module->lookupSymbol<mlir::FunctionOpInterface>(name) : nullptr;
  if (generated.module && !attempt.hasErrors() && !isMacro(function))
    attempt.error("", SMRange(), "it does not take one !llvm.ptr and return one");
  if (!attempt.hasErrors() && mlir::succeeded(mlir::verify(*generated.module)) && openJit(why) &&
      mlir::succeeded(lowerQuickly(*generated.module, name, jit->machine())) && compile(*generated.module, name, why))
    return true;
  for (const Diag &diag : attempt.all())
    if (diag.severity == Severity::Error && diag.range.isValid()) // The error is in the program, at its own location.
      diags.error(diag.code, diag.range, diag.message) = diag;
  if (why.empty() && !attempt.all().empty())
    why = attempt.all().front().message;
  return false;
}

bool JitMacroHost::openJit(std::string &why) {
  if (jit)
    return true;
  CpuOptions options;
  options.effort = CodeEffort::Quick;
  Expected<std::unique_ptr<Jit>> created = Jit::create(options);
  if (!created) {
    why = toString(created.takeError());
    return false;
  }
  jit = std::move(*created);
  return true;
}

bool JitMacroHost::compile(mlir::ModuleOp module, StringRef name, std::string &why) {
  auto fail = [&](Error error) {
    why = toString(std::move(error));
    return false;
  };
  auto llvmContext = std::make_unique<LLVMContext>();
  std::unique_ptr<Module> llvmModule = toLlvmIr(module, *llvmContext, jit->machine());
  if (!llvmModule)
    return false;
  std::string unique = "lispier.macro." + std::to_string(compiled++) + "." + name.str();
  llvmModule->getFunction(name)->setName(unique);
  keepOnly(*llvmModule, {unique});
  optimize(*llvmModule, jit->machine(), CodeEffort::Quick);
  if (std::vector<std::string> missing = jit->unresolved(externalNames(*llvmModule)); !missing.empty()) {
    why = "no library defines `" + missing.front() + "`";
    return false;
  }
  pure &= all_of(llvmModule->global_values(),
                 [](const GlobalValue &value) { return !value.isDeclaration() || isPure(value.getName()); });
  if (Error error = jit->add(*llvmModule))
    return fail(std::move(error));
  Expected<void *> address = jit->find(unique);
  if (!address)
    return fail(address.takeError());
  functions[name] = *address;
  return true;
}

const Form *JitMacroHost::call(StringRef name, const Form *arguments, FormArena &arena, const Expansion *by,
                               std::string &why) {
  struct lispier_value_mark mark = lispier_value_mark();
  const Form *form = nullptr;
  if (lispier_value *list = toValue(arguments)) {
    auto *function = reinterpret_cast<const lispier_value *(*)(const lispier_value *)>(functions.lookup(name));
    if (const lispier_value *result = function(list))
      form = FromValue(arena, by, why).convert(result);
    else
      why = "its function returned null";
  } else {
    why = "no memory for its arguments";
  }
  lispier_value_release(mark);
  return form;
}
} // namespace lispier
