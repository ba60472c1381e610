//===- MacroTime.h - interpreter of interpreted macros ----------*- C++ -*-===//
//
// Evaluates the bodies of interpreted `defmacro` forms. Values are forms and, while
// a macro runs, functions. Independent of the table of special forms.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_EXPAND_MACROTIME_H
#define LISPIER_LIB_EXPAND_MACROTIME_H

#include "lispier/Syntax/Diag.h"
#include "lispier/Syntax/Form.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include <deque>

namespace lispier {
struct MacroMachine;

struct Macro {
  llvm::StringRef name;
  const Form *definition = nullptr;
  llvm::StringRef shape;            ///< The documentation string, which shows the syntax of a call.
  const Form *parameters = nullptr; ///< Null: the macro is a compiled function of this name.
  llvm::ArrayRef<const Form *> body;
  bool prelude = false; ///< Part of the language: messages show the call only.
};

class FileLoader;
class MacroInterpreter;
struct MacroScope;
struct Native;

struct Function {
  llvm::StringRef name;
  const Native *native = nullptr; ///< Null for a (fn [parameters] body ...).
  const Form *parameters = nullptr;
  llvm::ArrayRef<const Form *> body;
  const MacroScope *scope = nullptr;
};

/// A form or a function; neither after an error, which has been reported.
struct Value {
  Value() = default;
  Value(const Form *form) : form(form) {}
  Value(const Function *function) : function(function) {}
  explicit operator bool() const { return form || function; }
  bool truthy() const { return function || !(form->isNil() || (form->isBool() && !form->boolean())); }

  const Form *form = nullptr;
  const Function *function = nullptr;
};

/// A function of the macro-time language written in C++.
struct Native {
  static constexpr unsigned kAny = ~0u;
  llvm::StringLiteral name;
  unsigned min, max; ///< Numbers of arguments; kAny: no limit.
  Value (*run)(MacroInterpreter &, llvm::ArrayRef<Value> arguments, const Form *at);
};
llvm::ArrayRef<Native> macroNumberFunctions(); ///< Of MacroNumbers.cpp.
llvm::ArrayRef<Native> macroInputFunctions();  ///< Of MacroInputs.cpp.
llvm::ArrayRef<Native> macroFunctions();       ///< All others, of MacroFunctions.cpp.

struct MacroScope {
  const MacroScope *outer = nullptr;
  llvm::SmallVector<std::pair<llvm::StringRef, Value>, 4> names;
};

class MacroInterpreter {
public:
  MacroInterpreter(FormArena &arena, DiagSink &diags, FileLoader &files);

  /// Runs a macro on the unexpanded arguments of `call` and returns the expansion; null after a reported error.
  /// `helpers` looks up the interpreted macros that the macro's body may call.
  const Form *expand(const Macro &macro, const Form *call, const Expansion *by,
                     llvm::function_ref<const Macro *(llvm::StringRef)> helpers);
  /// Whether a macro of the language generated this symbol; the user's definitions then do not apply to it.
  bool isPreludeSymbol(const Form *symbol) const { return preludeSymbols.contains(symbol); }
  /// Sets the target that macros can query. Null: a query is an error.
  void setMachine(const MacroMachine *newMachine) { target = newMachine; }
  const MacroMachine *machine() const { return target; }
  FileLoader &files() const { return loader; }
  /// The definitions of records so far, (defrecord Name [field type] ...), by name.
  llvm::StringMap<const Form *> records;

  // For the functions of MacroFunctions.cpp and MacroNumbers.cpp.
  Value apply(const Function &function, llvm::ArrayRef<Value> arguments, const Form *at);
  /// Reports an error at the macro call, with a note at `at`, a form of the macro's body.
  Value fail(llvm::StringRef code, const Form *at, const llvm::Twine &message);
  /// Reports the message of (error "text" form).
  Value userError(llvm::StringRef message, const Form *place);
  const Form *list(llvm::ArrayRef<const Form *> items);
  const Form *vector(llvm::ArrayRef<const Form *> items);
  const Form *map(llvm::ArrayRef<const Form *> keysAndValues);
  const Form *symbol(llvm::StringRef text);
  const Form *keyword(llvm::StringRef text);
  const Form *string(llvm::StringRef text);
  const Form *number(llvm::StringRef text);
  const Form *boolean(bool value);
  const Form *nil();
  /// Returns a symbol that occurs nowhere in the source.
  const Form *gensym(llvm::StringRef prefix);
  /// Adds `work`, about one for each form that is evaluated or made, to the running macro call; reports an error and
  /// returns false if that exceeds the limit.
  bool spend(size_t work, const Form *at);

private:
  using Forms = llvm::ArrayRef<const Form *>;
  using GeneratedNames = llvm::StringMap<const Form *>; ///< Generated name of each `x#` in one quasi-quote.

  Value eval(const Form *form, const MacroScope &scope);
  Value evalList(const Form *form, const MacroScope &scope);
  Value evalCall(const Form *form, const MacroScope &scope);
  Value evalBody(Forms body, const MacroScope &scope, const Form *at);
  Value evalIf(const Form *form, const MacroScope &scope);
  Value evalCond(const Form *form, const MacroScope &scope);
  Value evalLet(const Form *form, const MacroScope &scope);
  Value evalFn(const Form *form, const MacroScope &scope);
  Value evalJunction(const Form *form, const MacroScope &scope, bool isAnd);
  Value evalName(const Form *symbol, const MacroScope &scope);
  Value evalItems(const Form *form, const MacroScope &scope);
  const Value *find(llvm::StringRef name, const MacroScope &scope) const;

  const Form *fill(const Form *form, unsigned depth, const MacroScope &scope, GeneratedNames &fresh);
  bool fillItems(const Form *form, unsigned depth, const MacroScope &scope, GeneratedNames &fresh,
                 llvm::SmallVectorImpl<const Form *> &out);
  const Form *copy(const Form *atom);
  const Form *limited(const Form *form);
  const Form *rebuild(const Form *form, Forms items);
  const Form *asForm(Value value, const Form *at);

  MacroScope &newScope(const MacroScope *outer);
  bool bind(const Form *pattern, const Form *value, MacroScope &scope, const Form *at);
  bool bindAll(const Form *parameters, llvm::ArrayRef<Value> arguments, MacroScope &scope, llvm::StringRef name,
               const Form *at);
  llvm::SMRange here() const { return call->range(); }

  FormArena &arena;
  DiagSink &diags;
  FileLoader &loader;
  llvm::StringMap<Function> natives;
  llvm::DenseSet<const Form *> preludeSymbols;
  std::deque<MacroScope> scopes;
  std::deque<Function> functions;
  const MacroMachine *target = nullptr;
  unsigned generated = 0;

  // The macro call that is running.
  const Macro *macro = nullptr;
  const Form *call = nullptr;
  const Expansion *by = nullptr;
  llvm::function_ref<const Macro *(llvm::StringRef)> helpers;
  size_t work = 0;
  unsigned depth = 0;
};

/// "takes 2 arguments, got 3", for parameters such as [a b & rest].
std::string arityMessage(const Form *parameters, size_t given);
/// Whether `given` arguments fit the parameters.
bool fits(const Form *parameters, size_t given);
} // namespace lispier
#endif
