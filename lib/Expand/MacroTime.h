//===- MacroTime.h - the language that macros are written in ---*- C++ -*-===//
//
// Evaluates the body of an interpreted `defmacro`. Its values are forms and,
// while a macro runs, functions. Nothing here knows a core form.
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
  llvm::StringRef shape;            ///< The documentation string: how a call looks.
  const Form *parameters = nullptr; ///< Null: a compiled function of this name.
  llvm::ArrayRef<const Form *> body;
  bool prelude = false; ///< Part of the language: messages point at the call alone.
};

class MacroInterpreter;
struct Scope;
struct Native;

struct Function {
  llvm::StringRef name;
  const Native *native = nullptr; ///< Else a (fn [parameters] body ...).
  const Form *parameters = nullptr;
  llvm::ArrayRef<const Form *> body;
  const Scope *scope = nullptr;
};

/// A form or a function; neither: the failure has been reported.
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
  llvm::StringLiteral name;
  unsigned min, max;
  Value (*run)(MacroInterpreter &, llvm::ArrayRef<Value> arguments, const Form *at);
};
llvm::ArrayRef<Native> macroTimeFunctions();

struct Scope {
  const Scope *outer = nullptr;
  llvm::SmallVector<std::pair<llvm::StringRef, Value>, 4> names;
};

class MacroInterpreter {
public:
  MacroInterpreter(FormArena &arena, DiagSink &diags);

  /// Runs a macro on the unexpanded arguments of `call`; null after reporting. `helpers` finds the
  /// interpreted macros that a macro's body may itself call.
  const Form *expand(const Macro &macro, const Form *call, const Expansion *by,
                     llvm::function_ref<const Macro *(llvm::StringRef)> helpers);
  /// Did a macro of the language itself write this symbol? Then the user's names do not catch it.
  bool isPreludeSymbol(const Form *symbol) const { return preludeSymbols.contains(symbol); }
  /// Null: macros may not ask what the target can do.
  void setMachine(const MacroMachine *newMachine) { target = newMachine; }
  const MacroMachine *machine() const { return target; }

  // For the functions of MacroFunctions.cpp.
  Value apply(const Function &function, llvm::ArrayRef<Value> arguments, const Form *at);
  /// Reports at the macro call, with a note at `at`, the place in the macro.
  Value fail(llvm::StringRef code, const Form *at, const llvm::Twine &message);
  /// The user's own message: (error "text" form).
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
  /// A name that no source text holds.
  const Form *gensym(llvm::StringRef prefix);
  /// Charges work against the limit of a macro call; false, after reporting, when it is used up.
  bool spend(size_t work, const Form *at);

private:
  using Forms = llvm::ArrayRef<const Form *>;
  using Marks = llvm::StringMap<const Form *>; ///< `x#` of one template to its generated name.

  Value eval(const Form *form, const Scope &scope);
  Value evalList(const Form *form, const Scope &scope);
  Value evalCall(const Form *form, const Scope &scope);
  Value evalBody(Forms body, const Scope &scope, const Form *at);
  Value evalIf(const Form *form, const Scope &scope);
  Value evalCond(const Form *form, const Scope &scope);
  Value evalLet(const Form *form, const Scope &scope);
  Value evalFn(const Form *form, const Scope &scope);
  Value evalJunction(const Form *form, const Scope &scope, bool isAnd);
  Value evalName(const Form *symbol, const Scope &scope);
  Value evalItems(const Form *form, const Scope &scope);
  const Value *find(llvm::StringRef name, const Scope &scope) const;

  const Form *fill(const Form *form, unsigned depth, const Scope &scope, Marks &marks);
  bool fillItems(const Form *form, unsigned depth, const Scope &scope, Marks &marks,
                 llvm::SmallVectorImpl<const Form *> &out);
  const Form *copy(const Form *atom);
  const Form *limited(const Form *form);
  const Form *rebuild(const Form *form, Forms items);
  const Form *asForm(Value value, const Form *at);

  Scope &newScope(const Scope *outer);
  bool bind(const Form *pattern, const Form *value, Scope &scope, const Form *at);
  bool bindAll(const Form *parameters, llvm::ArrayRef<Value> arguments, Scope &scope, llvm::StringRef name,
               const Form *at);
  llvm::SMRange here() const { return call->range(); }

  FormArena &arena;
  DiagSink &diags;
  llvm::StringMap<Function> natives;
  llvm::DenseSet<const Form *> preludeSymbols;
  std::deque<Scope> scopes;
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
/// Do so many arguments fit the parameters?
bool fits(const Form *parameters, size_t given);
} // namespace lispier
#endif
