//===- GenericRules.cpp - rules of gradients, for types that calls have ---===//
//
// The macro defgrad writes a rule as a generic function. An instance of the function
// that it is for gets an instance of the rule, for the same types and constants.
//
//===----------------------------------------------------------------------===//
#include "Core/FunctionTable.h"
#include "Core/Messages.h"
#include "Core/RecordTypes.h"
#include "Core/ValueTypes.h"
#include "Generator.h"
#include "Generics.h"
#include "Values/TensorSizes.h"
#include "lispier/Grad/Grad.h"
#include "mlir/IR/TypeUtilities.h"

using namespace llvm;

namespace lispier {
namespace {
constexpr StringLiteral kRuleSuffix = "%gradient"; ///< As the macro defgrad names rules.
} // namespace

/// Attaches the rule of the function that a call has generated, for the same types and constants.
bool GenericFunctions::attachRule(const GenericFunction &callee, const Call &call, const Instance &instance) {
  GenericFunction *rule = find(callee.name + kRuleSuffix.str());
  if (!rule)
    return true;
  Call own{call.form, {}, call.types, call.functions, {}, {}};
  own.functions.push_back(nullptr);
  for (const GenericFunction::Keyword &keyword : rule->keywords) {
    own.constants.push_back(keyword.otherwise);
    for (auto [known, constant] : zip(callee.keywords, call.constants))
      if (known.name->text() == keyword.name->text())
        own.constants.back() = constant;
  }
  return attachRule(*rule, own, instance.function, *instance.results);
}

bool GenericFunctions::attachRule(StringRef name, mlir::func::FuncOp function, ArrayRef<mlir::Type> types,
                                  ArrayRef<mlir::Type> results) {
  GenericFunction *rule = find((name + kRuleSuffix).str());
  if (!rule)
    return true;
  Call call{rule->form, {}, SmallVector<mlir::Type>(types), {}, {}, {}};
  call.functions.assign(types.size() + 1, nullptr);
  return attachRule(*rule, call, function, results);
}

bool GenericFunctions::attachRule(GenericFunction &rule, Call &call, mlir::func::FuncOp function,
                                  ArrayRef<mlir::Type> results) {
  SmallVector<mlir::Type> own(call.types), wanted;
  erase_if(own, [](mlir::Type type) { return !type; });
  if (results.size() != 1 || rule.parameters.size() != call.types.size() + 1) {
    error("grad-rule", rule.form,
          "`" + function.getName().split('$').first + "` has " + Twine(call.types.size()) + " parameters and " +
              Twine(results.size()) + " results, and this rule takes " + Twine(rule.parameters.size() - 1) +
              " parameters and the cotangent of one result");
    return false;
  }
  call.types.push_back(results.front());
  Instance *found = checkNames(rule) ? instance(rule, call) : nullptr;
  if (!found || !found->results)
    return false;
  SmallVector<mlir::Type> gradients;
  RecordTypes::flatten(own, wanted);
  RecordTypes::flatten(*found->results, gradients);
  erase_if(wanted, [](mlir::Type type) { return !isa<mlir::FloatType>(mlir::getElementTypeOrSelf(type)); });
  bool isGood = wanted.size() == gradients.size();
  for (auto [type, gradient] : zip(wanted, gradients))
    isGood &= mlir::succeeded(mlir::verifyCompatibleShape(type, gradient)) &&
              mlir::getElementTypeOrSelf(type) == mlir::getElementTypeOrSelf(gradient);
  if (!isGood) {
    auto text = [](ArrayRef<mlir::Type> types) {
      return join(map_range(types, [](mlir::Type type) { return typeText(type); }), ", ");
    };
    error("grad-rule", rule.form,
          "the gradients of `" + function.getName().split('$').first + "` are " + text(gradients) +
              ", and its parameters of floats " + text(wanted))
        .withHint("a gradient for each parameter of floats, with its type and its sizes");
    return false;
  }
  function->setAttr(grad::kRule, mlir::FlatSymbolRefAttr::get(&context, found->symbol));
  return checkGradients(rule, found->function);
}

/// Compares the sizes of the gradients that a rule returns with those of its parameters of floats, in the rule.
bool GenericFunctions::checkGradients(const GenericFunction &rule, mlir::func::FuncOp function) {
  if (!checkedRules.insert(function).second)
    return true;
  mlir::OpBuilder::InsertionGuard guard(builder);
  TensorSizes::Separate separate(gen.sizes);
  mlir::Operation *end = function.getBody().back().getTerminator();
  builder.setInsertionPoint(end);
  StringRef name = StringRef(rule.name).drop_back(kRuleSuffix.size());
  unsigned number = 0;
  for (mlir::BlockArgument parameter : function.getArguments().drop_back()) {
    if (!isa<mlir::FloatType>(mlir::getElementTypeOrSelf(parameter.getType())))
      continue;
    mlir::Value gradient = end->getOperand(number++);
    if (isTensor(parameter) &&
        !gen.sizes.checkEqual(rule.form, gradient, "gradient " + Twine(number) + " of `" + name + "`", parameter,
                              "the parameter"))
      return false;
  }
  return true;
}

/// Reports rules that no call can use.
void GenericFunctions::checkRules() {
  for (auto &[name, rule] : known) {
    StringRef callee = name;
    if (!callee.consume_back(kRuleSuffix) || known.contains(callee))
      continue;
    FunctionInfo *function = gen.functionTable.find(callee);
    if (!function || !function->hasBody)
      error("grad-rule", rule->form, "`" + callee + "` is no function of this file, and cannot have a rule here")
          .withHint("write a function that calls it, and a rule of that");
  }
}
} // namespace lispier
