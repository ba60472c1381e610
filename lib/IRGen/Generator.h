//===- Generator.h - the state that IR generation shares -------*- C++ -*-===//
//
// One class, its methods filed by noun: types, attributes, ops, functions and
// the special forms each have a file. A null value, type or attribute and a
// failure mean that the error has been reported; nothing is reported twice.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_LIB_IRGEN_GENERATOR_H
#define LISPIER_LIB_IRGEN_GENERATOR_H

#include "lispier/Expand/SpecialForms.h"
#include "lispier/IRGen/IRGen.h"
#include "lispier/IRGen/OdsTables.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Support/DebugStringHelper.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/ScopedHashTable.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <memory>

namespace mlir::linalg {
class LinalgOp;
}

namespace lispier {
using Values = llvm::SmallVector<mlir::Value, 2>;

/// What a name means. `values` is empty after an error: uses of the name then stay silent.
struct Binding {
  Values values;
  llvm::SMRange range;
};
using Scopes = llvm::ScopedHashTable<llvm::StringRef, Binding>;
using Scope = llvm::ScopedHashTableScope<llvm::StringRef, Binding>;

/// A function of the program, known before any body is generated.
struct FunctionInfo {
  std::string name;
  mlir::FunctionType type; ///< For a variadic function, without the `...`.
  const Form *form = nullptr;
  bool isVariadic = false; ///< Declared with llvm.func.
  bool isLlvm = false;
  bool hasBody = false;
  mlir::Operation *op = nullptr;
};

struct StructInfo {
  struct Field {
    std::string name;
    mlir::Type type;
  };
  std::string name;
  llvm::SmallVector<Field> fields;
  const Form *form = nullptr;
  mlir::Type type;      ///< !llvm.struct<(...)>, null after an error.
  bool laidOut = false; ///< Begun: a struct that is met again meanwhile holds itself.
};

/// A label's block and where it stands.
struct Label {
  mlir::Block *block;
  llvm::SMRange range;
};

/// An op under construction.
struct OpDraft {
  const Form *form = nullptr; ///< The whole `(dialect.op ...)`.
  std::string name;
  const Form *map = nullptr;
  llvm::SmallVector<const Form *> operandForms; ///< Vectors not yet flattened.
  llvm::SmallVector<const Form *> regionForms;
  struct Successor {
    const Form *label;
    llvm::SmallVector<const Form *> operandForms;
  };
  llvm::SmallVector<Successor> successors;

  llvm::SmallVector<mlir::Value> operands;
  llvm::SmallVector<const Form *> places; ///< The form of each operand, as far as the form gave them.
  /// Operand count of each item of operandForms, then of each successor: what delimits segments.
  llvm::SmallVector<int32_t> groups;
  bool hasVectorGroups = false;
  /// Inherent and discardable attributes; later words win.
  mlir::NamedAttrList attributes;
  std::optional<llvm::SmallVector<mlir::Type>> resultTypes;
  mlir::Type hint; ///< Wanted of the first result, if known.
  bool resultsGiven = false;
};

struct Captured {
  std::string message;
  llvm::SmallVector<std::string, 1> notes;
  explicit operator bool() const { return !message.empty(); }
};

/// The type of a bare number that a loop starts from, before the loop's body has said what it is.
struct OpenType {
  llvm::SmallVector<mlir::Value, 4> values; ///< All that have it.
  mlir::Type otherwise;                     ///< When nobody says.
  bool isFraction = false;
};

class Generator;
/// While it lives, types may be open; what was opened meanwhile is settled at its end.
class OpenTypes {
public:
  explicit OpenTypes(Generator &generator);
  OpenTypes(const OpenTypes &) = delete;
  ~OpenTypes();

private:
  Generator &generator;
  size_t first;
};

class Generator {
public:
  Generator(mlir::MLIRContext &context, DiagSink &diags);
  Generated run(const Program &program);

private:
  friend class OpenTypes;
  // Messages.cpp: places and messages.
  Diag &error(llvm::StringRef code, const Form *form, const llvm::Twine &message);
  Diag &warning(llvm::StringRef code, const Form *form, const llvm::Twine &message);
  mlir::Location location(const Form *form);
  mlir::Location location(llvm::SMRange range);
  mlir::Location calledFrom(mlir::Location place, const Expansion *by);
  mlir::Location fileLocation(const Form *form);
  /// Runs `body` and returns the first error that MLIR reported meanwhile.
  Captured capture(llvm::function_ref<void()> body);

  // Program.cpp: top-level forms.
  void collect(const Program &program);
  void collectNested(const Form *form);
  void topLevel(const Form *form);
  void moduleAttributes(const Form *map);
  void moduleStatements(const Form *form);
  void topLevelSpecial(const Form *form, const SpecialFormInfo &info);
  void useDialect(const Form *form);
  void linkLibrary(const Form *form);

  // Recipes.cpp: compilation forms.
  void chooseRecipe(const Program &program);
  void compilation(const Form *form, SpecialForm kind);
  bool recipeGroup(const Form *group, RecipeGroup::Scope scope, Recipe &recipe);
  std::optional<RecipePass> recipePass(const Form *form);

  // Types.cpp
  mlir::Type parseType(const Form *form);
  /// The type that `text` spells; null, without a message, when it is none.
  mlir::Type readType(llvm::StringRef text);
  mlir::Type parseTypeText(llvm::StringRef text, const Form *form, unsigned columnOffset);
  mlir::FailureOr<llvm::SmallVector<mlir::Type>> parseTypes(const Form *form);
  struct Signature {
    llvm::SmallVector<mlir::Type> inputs, results;
    bool isVariadic = false;
  };
  mlir::FailureOr<Signature> parseSignature(const Form *arrow);
  mlir::Type llvmFunctionType(const Signature &signature, const Form *form);

  // Literals.cpp
  mlir::TypedAttr literal(const Form *form, mlir::Type type);
  mlir::Attribute plainNumber(const Form *form);
  mlir::Value constant(const Form *form, mlir::Type type);
  mlir::Value constantInt(const Form *form, mlir::Type type, int64_t value);
  std::optional<int64_t> integerOf(const Form *form);

  // Attributes.cpp
  bool attributes(OpDraft &draft);
  /// The attribute that `form` denotes by itself, before it is coerced to what the op declares. Null without a message
  /// when `form` has no such reading.
  mlir::Attribute naturalAttribute(const Form *form);
  /// Of a key that the op does not declare; absent() for `false` of a unit attribute.
  mlir::Attribute dialectAttribute(llvm::StringRef key, const Form *value);
  mlir::Attribute symbolReference(llvm::StringRef text);
  mlir::Attribute denseElements(const Form *form, mlir::Type type);
  bool checkShape(const Form *form, mlir::ShapedType type, int64_t level);
  mlir::Attribute absent();
  mlir::Attribute coerce(OpDraft &draft, llvm::StringRef key, const Form *value);
  bool accepts(mlir::RegisteredOperationName op, llvm::StringRef key, mlir::Attribute value,
               std::string *why = nullptr);
  bool isInherent(mlir::RegisteredOperationName op, llvm::StringRef key);
  void candidates(mlir::RegisteredOperationName op, llvm::StringRef key, const Form *value,
                  llvm::SmallVectorImpl<mlir::Attribute> &out);
  mlir::Attribute linkageOf(const Form *number);
  mlir::Attribute spelledAttribute(llvm::StringRef mnemonic, llvm::StringRef word);
  mlir::Attribute readAs(const ods::AttributeKindRow &kind, const Form *value);
  mlir::Attribute readNumberAs(const ods::AttributeKindRow &kind, const Form *value);
  mlir::Attribute readWordAs(const ods::AttributeKindRow &kind, llvm::StringRef word);
  mlir::Attribute readArrayAs(const ods::AttributeKindRow &kind, const Form *value);
  void arrayCandidates(mlir::RegisteredOperationName op, llvm::StringRef key, const Form *value,
                       llvm::SmallVectorImpl<mlir::Attribute> &out);
  mlir::Attribute parseAttributeText(llvm::StringRef text, mlir::Type type = {}, std::string *why = nullptr);

  // Expressions.cpp
  /// All results of an expression; `hint` is the type wanted of the first, if known.
  mlir::FailureOr<Values> emit(const Form *form, mlir::Type hint = {});
  /// The first result; null after an error, also when there is no result.
  mlir::Value emitValue(const Form *form, mlir::Type hint = {});
  /// The same; its type may be open.
  mlir::Value emitOpenValue(const Form *form, mlir::Type hint = {});
  mlir::FailureOr<Values> emitSpecial(const Form *form, const SpecialFormInfo &info, mlir::Type hint);
  /// Statements of a body; the values of the last one.
  /// What these statements will define, so that a name used too early is not called unknown.
  void foreseeNames(llvm::ArrayRef<const Form *> statements);
  mlir::FailureOr<Values> emitBody(llvm::ArrayRef<const Form *> forms, mlir::Type hint = {});
  bool statementAllowed(const Form *form);
  mlir::FailureOr<Values> lookup(const Form *symbol);
  void bind(const Form *name, Values values);
  mlir::FailureOr<Values> emitDef(const Form *form);
  mlir::FailureOr<Values> bindNames(const Form *target, const Form *expression, llvm::StringRef code);
  mlir::FailureOr<Values> emitLet(const Form *form, mlir::Type hint);
  mlir::FailureOr<Values> emitTyped(const Form *form);
  bool isTerminated() const;

  // OpenTypes.cpp
  bool isOpen(mlir::Value value) const;
  mlir::Value openValue(const Form *number, mlir::Type hint);
  bool fits(const OpenType &open, mlir::Type type) const;
  mlir::Type evidentType(const Form *form);
  void unify(mlir::Value a, mlir::Value b);
  void settle(mlir::Value value, mlir::Type type = {});
  bool settleStarts(mlir::Operation *loop);
  void forgetOpen(mlir::Operation *op);

  // Operations.cpp
  mlir::FailureOr<Values> emitUnqualified(const Form *form, mlir::Type hint);
  mlir::FailureOr<Values> emitOp(const Form *form, mlir::Type hint = {}, llvm::StringRef spelled = {});
  std::optional<mlir::RegisteredOperationName> registeredOp(const Form *head, llvm::StringRef name);
  bool splitOp(const Form *form, OpDraft &draft);
  bool operands(OpDraft &draft);
  std::optional<mlir::Type> startType(const OpDraft &draft, unsigned index, unsigned count);
  mlir::Type literalHint(OpDraft &draft, llvm::ArrayRef<const Form *> forms, llvm::ArrayRef<mlir::Value> known,
                         unsigned index, bool isNumber);
  std::optional<mlir::Type> definedHint(const OpDraft &draft, ods::Op op, llvm::ArrayRef<mlir::Value> known,
                                        unsigned index);
  std::optional<mlir::Type> contextHint(const OpDraft &draft, unsigned index);
  mlir::Operation *build(OpDraft &draft, mlir::RegisteredOperationName op);
  bool buildRegions(OpDraft &draft, mlir::Operation *made);
  mlir::Operation *create(OpDraft &draft, mlir::RegisteredOperationName op, llvm::ArrayRef<mlir::Type> types,
                          mlir::BlockRange successors, unsigned regions);
  bool checkOperandCount(OpDraft &draft, mlir::RegisteredOperationName op);
  bool readyForRegions(mlir::Operation *op, const OpDraft &draft);
  /// `places`: the forms of the operands, where a message is about one of them.
  bool verifyNow(mlir::Operation *op, const Form *form, llvm::ArrayRef<const Form *> places = {});
  void reportInvalid(llvm::StringRef name, const Form *form, const Captured &why, mlir::Operation *op = nullptr,
                     llvm::ArrayRef<const Form *> places = {});
  void discard(mlir::Operation *op);

  // Results.cpp
  bool results(OpDraft &draft, mlir::RegisteredOperationName op);
  bool inferResults(OpDraft &draft, mlir::RegisteredOperationName op);
  bool knownResults(OpDraft &draft, mlir::RegisteredOperationName op);
  bool resultsFromRegions(mlir::Operation *op, llvm::SmallVectorImpl<mlir::Type> &types);

  // Segments.cpp
  bool segments(OpDraft &draft, mlir::RegisteredOperationName op);
  unsigned parallelBounds(const OpDraft &draft);
  std::optional<unsigned> segmentCount(mlir::RegisteredOperationName op);
  void segmentsDoNotFit(OpDraft &draft, mlir::RegisteredOperationName op, const Form *given, size_t groups);
  std::optional<llvm::SmallVector<int32_t>> groupSizes(const OpDraft &draft, llvm::ArrayRef<mlir::Value> values);
  std::optional<llvm::SmallVector<int32_t>> sugarGroups(const OpDraft &draft, llvm::ArrayRef<mlir::Value> values);
  std::optional<llvm::SmallVector<int32_t>> definedGroups(const OpDraft &draft, ods::Op op, size_t total);
  bool hasUnsizedGroups(const OpDraft &draft, ods::Op op);
  void sizeNestedGroups(OpDraft &draft, ods::Op op);
  bool searchSegments(OpDraft &draft, mlir::RegisteredOperationName op, unsigned count);
  bool trialFits(OpDraft &trial, mlir::RegisteredOperationName op);
  void resultSegments(OpDraft &draft, mlir::RegisteredOperationName op);

  // Regions.cpp
  bool regions(OpDraft &draft, mlir::Operation *op);
  bool region(const Form *form, mlir::Operation *op, unsigned index);
  mlir::Block *findLabel(const Form *label);
  void blockArgumentTypes(mlir::Operation *op, unsigned index, llvm::SmallVectorImpl<mlir::Type> &types);
  bool blockArguments(const Form *vector, mlir::Block *block, llvm::ArrayRef<mlir::Type> inferred);
  bool checkArguments(mlir::Operation *op, mlir::Block *block, const Form *vector, llvm::ArrayRef<mlir::Type> wanted);
  bool blockBody(llvm::ArrayRef<const Form *> statements, mlir::Operation *op, mlir::Block *block, const Form *form);
  void implicitTerminator(mlir::Operation *op, mlir::Block *block, const Form *form);

  // Sugar.cpp: shorter spellings of particular ops. nullopt: not the sugar's shape.
  std::optional<mlir::FailureOr<Values>> sugarBefore(OpDraft &draft, mlir::Type hint);
  bool sugarAfter(OpDraft &draft);
  std::optional<mlir::FailureOr<Values>> funcCall(OpDraft &draft);
  std::optional<mlir::FailureOr<Values>> subview(OpDraft &draft);
  std::optional<mlir::FailureOr<Values>> forall(OpDraft &draft);
  void splitIndices(OpDraft &draft, unsigned first, llvm::StringRef key);
  bool affineFor(OpDraft &draft);
  bool affineAccess(OpDraft &draft);
  bool llvmCall(OpDraft &draft);
  bool memrefGlobal(OpDraft &draft);

  // Linalg.cpp
  bool linalg(OpDraft &draft);
  std::optional<unsigned> linalgOperandCount(const OpDraft &draft);
  bool linalgOutputs(OpDraft &draft);
  bool linalgRegion(OpDraft &draft, mlir::Operation *op);
  bool buildNamedRegion(mlir::linalg::LinalgOp op, mlir::Region &region, Captured &why);
  mlir::Operation *demoteNamed(mlir::Operation *op);

  // Functions.cpp
  void declareFunction(FunctionInfo info);
  std::optional<FunctionInfo> functionOfForm(const Form *form);
  FunctionInfo *findFunction(llvm::StringRef name);
  void unknownFunction(const Form *form, llvm::StringRef name);
  mlir::FailureOr<Values> emitCall(const Form *form, FunctionInfo &callee, llvm::ArrayRef<const Form *> arguments);
  bool checkCall(const Form *form, const FunctionInfo &callee, mlir::ValueRange arguments,
                 llvm::ArrayRef<const Form *> places = {});
  void defineDefn(const Form *form);
  void defineFunc(const Form *form);
  void defineExternFn(const Form *form);
  void defineTemplate(const Form *form);
  struct DefnParts {
    const Form *name, *parameters;
    mlir::FunctionType type;
    llvm::ArrayRef<const Form *> body;
  };
  std::optional<DefnParts> partsOfDefn(const Form *form);
  void functionBody(mlir::func::FuncOp function, const Form *parameters, llvm::ArrayRef<const Form *> body,
                    const Form *form);
  mlir::Operation *declareOp(FunctionInfo &info, const Form *form);
  mlir::FailureOr<Values> callValues(const Form *form, FunctionInfo &callee,
                                     llvm::SmallVectorImpl<mlir::Value> &values);
  /// Declares `name` unless the program has it.
  mlir::Operation *runtimeFunction(llvm::StringRef name, mlir::FunctionType type, bool isVariadic, const Form *form);
  FunctionInfo &declareRuntime(llvm::StringRef name, mlir::FunctionType type, bool isVariadic, const Form *form);
  mlir::Value promote(mlir::Value value, const Form *form);

  // Control.cpp: what each special form means.
  mlir::FailureOr<Values> emitIf(const Form *form, mlir::Type hint);
  mlir::FailureOr<Values> emitFor(const Form *form);
  mlir::FailureOr<Values> emitFold(const Form *form, mlir::Type hint);
  mlir::FailureOr<Values> emitParallel(const Form *form);
  mlir::FailureOr<Values> emitLoop(const Form *form, mlir::Type hint);
  mlir::FailureOr<Values> emitInside(mlir::Block *block, llvm::ArrayRef<const Form *> body, mlir::Type hint = {});
  mlir::Value loopBound(const Form *form);
  bool loopRange(const Form *range, const Form *&name, mlir::Value &low, mlir::Value &high, mlir::Value &step);
  bool carriedValues(const Form *carried, llvm::ArrayRef<mlir::Type> wanted, mlir::Type hint,
                     llvm::SmallVectorImpl<const Form *> &names, Values &inits);
  bool carriesOn(const Form *form, mlir::ValueRange next, mlir::ValueRange carried, llvm::StringRef what);

  // Arithmetic.cpp
  mlir::FailureOr<Values> emitArithmetic(const Form *form, SpecialForm kind, mlir::Type hint);
  mlir::FailureOr<Values> emitComparison(const Form *form, SpecialForm kind);
  mlir::Value arithmetic(const Form *form, SpecialForm kind, mlir::Value a, mlir::Value b);
  bool operandsOfOneType(llvm::ArrayRef<const Form *> forms, mlir::Type hint, llvm::SmallVectorImpl<mlir::Value> &out,
                         const Form *form);
  mlir::FailureOr<Values> emitCast(const Form *form);
  mlir::Value truncated(const llvm::APFloat &number, mlir::Type type, const Form *form);
  mlir::Value saturated(mlir::Value value, mlir::Type type, const Form *form);
  mlir::Value convert(mlir::Value value, mlir::Type type, const Form *form);

  // Structs.cpp
  void collectStruct(const Form *form);
  void layOutStruct(StructInfo &info);
  mlir::FailureOr<Values> emitNew(const Form *form);
  std::optional<mlir::FailureOr<Values>> structAccess(const Form *form);
  mlir::Value fieldAddress(StructInfo &info, unsigned index, mlir::Value pointer, const Form *form);
  mlir::Value structSize(StructInfo &info, const Form *form);

  // Print.cpp
  mlir::FailureOr<Values> emitPrint(const Form *form, bool newline);
  mlir::FailureOr<Values> emitPrintI64(const Form *form);
  bool checkDirectives(const Form *form, llvm::StringRef format, llvm::MutableArrayRef<mlir::Value> arguments,
                       llvm::ArrayRef<const Form *> places);
  mlir::FailureOr<Values> callPrintf(const Form *form, llvm::StringRef format, llvm::ArrayRef<mlir::Value> arguments);
  mlir::Value stringAddress(llvm::StringRef text, const Form *form);
  mlir::Operation *stringGlobal(llvm::StringRef name, llvm::StringRef text, const Form *form);
  mlir::Value addressOf(mlir::Operation *global, const Form *form);
  void defString(const Form *form);

  // Memory.cpp
  mlir::FailureOr<Values> emitPtrToMemref(const Form *form);
  bool memrefSizes(mlir::MemRefType type, const Form *forms, llvm::SmallVectorImpl<mlir::Value> &sizes,
                   const Form *form);
  mlir::FailureOr<Values> emitMemory(const Form *form, SpecialForm kind);
  mlir::FailureOr<Values> emitReplayable(const Form *form, mlir::Type hint);

  // Kernels.cpp
  void collectKernel(const Form *form);
  void defineKernel(const Form *form);
  mlir::FailureOr<Values> emitLaunch(const Form *form);
  mlir::FailureOr<Values> emitLaunchBody(const Form *form, const Form *map);
  /// What the map of a launch says; `shared` is null when it says nothing of it.
  struct LaunchShape {
    llvm::SmallVector<mlir::Value, 3> grid, block, cluster; ///< cluster: empty when blocks are alone.
    mlir::Value shared;
  };
  bool launchShape(const Form *form, const Form *map, llvm::ArrayRef<llvm::StringRef> keys, LaunchShape &shape);
  bool launchSizes(const Form *form, const Form *sizes, llvm::MutableArrayRef<mlir::Value> out);
  bool launchArguments(const Form *form, const FunctionInfo &kernel, llvm::SmallVectorImpl<mlir::Value> &out);
  mlir::FailureOr<Values> emitShared(const Form *form);
  mlir::FailureOr<Values> emitReduce(const Form *form, SpecialForm kind);
  /// Functions of the program that kernels call, copied to where kernels can see them.
  void copyDeviceFunctions();
  void checkRecursion(const llvm::SetVector<mlir::func::FuncOp> &called);
  void dropHostVersions(const llvm::SetVector<mlir::func::FuncOp> &called,
                        const llvm::SetVector<mlir::func::FuncOp> &outlined);

  // ValueFfi.cpp
  void declareValueFfi(const Form *form);
  mlir::FailureOr<Values> emitQuasiquote(const Form *form);
  mlir::Value quasi(const Form *form, unsigned depth);
  std::optional<mlir::FunctionType> ffiType(llvm::StringRef name);
  void pushAll(mlir::Value list, mlir::Value items, mlir::Value low, mlir::Value high, mlir::Value step,
               const Form *form);
  mlir::Value ffiCall(llvm::StringRef name, mlir::ValueRange arguments, const Form *form);

  template <typename OpTy, typename... Args> OpTy make(const Form *form, Args &&...args) {
    return OpTy::create(builder, location(form), std::forward<Args>(args)...);
  }

  mlir::MLIRContext &context;
  DiagSink &diags;
  mlir::OpBuilder builder;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Generated result;

  Scopes scopes;
  llvm::StringMap<llvm::SMRange> everDefined;          ///< Names of the current function, for "not visible here".
  llvm::SmallVector<llvm::StringMap<Label>, 4> labels; ///< One table a region.
  llvm::StringMap<FunctionInfo> functions;
  llvm::StringSet<> nestedFunctions;
  llvm::StringMap<FunctionInfo> kernels;
  llvm::StringMap<StructInfo> structs;
  llvm::StringMap<mlir::Operation *> stringNames;   ///< (def-string name ...)
  llvm::StringMap<mlir::Operation *> stringGlobals; ///< Text to the global that holds it.
  unsigned stringCount = 0;                         ///< Globals of texts, which stand first in the module.
  unsigned runtimeCount = 0;                        ///< Declarations nobody wrote, which stand next.
  llvm::SmallVector<std::pair<llvm::StringRef, mlir::Type>> templateConstants; ///< Trailing parameters of a template.
  llvm::DenseMap<mlir::Value, std::shared_ptr<OpenType>> openTypes;
  llvm::SmallVector<mlir::Value> openValues; ///< Its keys, in the order that they came.
  llvm::DenseMap<mlir::Value, const Form *> openNumbers;
  const Form *unused = nullptr; ///< The statement whose value nobody wants.
  llvm::SmallVector<std::string> usedDialects;
  llvm::StringMap<mlir::Type> typeCache;
  llvm::DenseMap<const Expansion *, mlir::LocationAttr> callers; ///< Where each was called, and what called that.
  const Form *recipeForm = nullptr;                              ///< The one compilation form that counts.
};
} // namespace lispier
#endif
