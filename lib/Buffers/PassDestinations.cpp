//===- PassDestinations.cpp - results in memory of the caller -------------===//
//
// Before: a function that is called returns tensors, each in memory that it allocates
// and the caller frees. After: it has a further argument for each result whose sizes
// its callers can compute, a tensor that it writes and returns, and bufferization
// makes the result there. So the caller's plan of memory has the result, or it is made
// where the caller stores it.
//
// A function that other programs may call keeps its signature: it calls the one that
// has the arguments. But an entry of a library (Group/EntryAttributes.h) is the one
// with the arguments: its callers have the memory, for which they ask a further
// function for the sizes.
//
//===----------------------------------------------------------------------===//
#include "WrittenArguments.h"
#include "lispier/Buffers/OuterSizes.h"
#include "lispier/Buffers/Passes.h"
#include "lispier/Group/EntryAttributes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SetVector.h"

namespace lispier {
#define GEN_PASS_DEF_PASSDESTINATIONS
#include "lispier/Buffers/Passes.h.inc"
} // namespace lispier

using namespace mlir;

namespace lispier {
namespace {
struct Destination {
  unsigned result;
  SmallVector<SymbolicSize> sizes;
};

SmallVector<Destination> destinationsOf(func::FuncOp function, OuterSizes &sizes) {
  SmallVector<Destination> found;
  Operation *terminator = function.getBody().front().getTerminator();
  llvm::SmallPtrSet<Value, 4> placed; // A value that is two results is in one place, and copied for the other.
  for (unsigned i : llvm::seq(function.getNumResults() - unsigned(writtenArguments(function).size()))) {
    auto type = dyn_cast<RankedTensorType>(function.getResultTypes()[i]);
    // A loop's last value would be copied to the destination, and where it begins with memory that is read later,
    // bufferization finds no order of reads and writes.
    if (!type || isa_and_nonnull<LoopLikeOpInterface>(terminator->getOperand(i).getDefiningOp()))
      continue;
    Destination destination{i, {}};
    for (int64_t d : llvm::seq(type.getRank()))
      if (std::optional<SymbolicSize> size = sizes.of(terminator->getOperand(i), d))
        destination.sizes.push_back(*size);
    if (destination.sizes.size() == size_t(type.getRank()) && placed.insert(terminator->getOperand(i)).second)
      found.push_back(std::move(destination));
  }
  return found;
}

/// The operand that gives a call the memory of `value`, its result, where the call's caller has only made it for that.
OpOperand *memoryOfCallResult(Value value) {
  auto call = value.getDefiningOp<func::CallOp>();
  auto callee = call ? SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr()) : func::FuncOp();
  if (!callee)
    return nullptr;
  SmallVector<unsigned> written = writtenArguments(callee);
  unsigned number = cast<OpResult>(value).getResultNumber(), own = call.getNumResults() - written.size();
  if (number < own || !callee.getArgAttr(written[number - own], kOutAttr))
    return nullptr;
  OpOperand &memory = call->getOpOperand(written[number - own]);
  return memory.get().getDefiningOp<tensor::EmptyOp>() ? &memory : nullptr;
}

/// The value in `place`, for `user`. In branches, each one's value there: that of the op would be a copy.
Value placed(Value value, Value place, Operation *user) {
  if (auto branches = value.getDefiningOp<scf::IfOp>()) {
    unsigned i = cast<OpResult>(value).getResultNumber();
    for (scf::YieldOp yield : {branches.thenYield(), branches.elseYield()})
      yield->setOperand(i, placed(yield.getOperand(i), place, yield));
    return value;
  }
  // Not by a write to the place as below: of a recursive call, bufferization does not know that this would be no copy.
  if (OpOperand *memory = memoryOfCallResult(value); memory) {
    memory->set(place);
    return value;
  }
  OpBuilder b(user);
  return bufferization::MaterializeInDestinationOp::create(b, value.getLoc(), value.getType(), value, place)
      .getResult();
}

/// Makes the results further ones, behind all others, each with an argument of its own.
void changeType(func::FuncOp function, ArrayRef<Destination> destinations) {
  Builder b(function.getContext());
  NamedAttribute attributes[] = {
      b.getNamedAttr(kOutAttr, b.getUnitAttr()),
      b.getNamedAttr(bufferization::BufferizationDialect::kWritableAttrName, b.getBoolAttr(true))};
  Operation *terminator = function.getBody().front().getTerminator();
  llvm::BitVector moved(function.getNumResults() + destinations.size());
  for (const Destination &each : destinations) {
    Value value = terminator->getOperand(each.result);
    (void)function.insertArgument(function.getNumArguments(), value.getType(), b.getDictionaryAttr(attributes),
                                  value.getLoc());
    (void)function.insertResult(function.getNumResults(), value.getType(), nullptr);
    moved.set(each.result);
  }
  (void)function.eraseResults(moved);
}

void returnInPlace(func::FuncOp function, ArrayRef<Destination> destinations) {
  Operation *terminator = function.getBody().front().getTerminator();
  ArrayRef<BlockArgument> places = function.getArguments().take_back(destinations.size());
  SmallVector<Value> kept, passed;
  for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
    auto found = llvm::find_if(destinations, [&](const Destination &each) { return each.result == i; });
    if (found == destinations.end())
      kept.push_back(value);
    else
      passed.push_back(placed(value, places[found - destinations.begin()], terminator));
  }
  for (Value &value : kept) // The same value as one that has a place is a copy of it.
    for (auto [each, inPlace] : llvm::zip(destinations, passed))
      if (terminator->getOperand(each.result) == value)
        value = inPlace;
  llvm::append_range(kept, passed);
  terminator->setOperands(kept);
}

void addOperands(func::CallOp call, func::FuncOp callee, ArrayRef<Destination> destinations, OuterSizes &sizes) {
  OpBuilder b(call);
  SmallVector<Value> operands(call.getOperands());
  unsigned others = call.getNumResults() - destinations.size();
  for (auto [i, each] : llvm::enumerate(destinations)) {
    auto type = cast<RankedTensorType>(callee.getResultTypes()[others + i]);
    SmallVector<Value> dynamic;
    for (auto [d, size] : llvm::enumerate(each.sizes))
      if (type.isDynamicDim(d))
        dynamic.push_back(sizes.emit(b, call.getLoc(), size, [&](Value argument) {
          return call.getOperand(cast<BlockArgument>(argument).getArgNumber());
        }));
    operands.push_back(tensor::EmptyOp::create(b, call.getLoc(), type, dynamic));
  }
  auto with = func::CallOp::create(b, call.getLoc(), callee, operands);
  with->setDiscardableAttrs(call->getDiscardableAttrDictionary());
  if (ArrayAttr given = call.getArgAttrsAttr()) {
    SmallVector<Attribute> attributes(given.getValue());
    attributes.resize(operands.size(), b.getDictionaryAttr({}));
    with.setArgAttrsAttr(b.getArrayAttr(attributes));
  }
  unsigned kept = 0, passed = others;
  for (OpResult result : call.getResults()) {
    bool isPassed = llvm::any_of(destinations, [&](auto &each) { return each.result == result.getResultNumber(); });
    result.replaceAllUsesWith(with.getResult(isPassed ? passed++ : kept++));
  }
  call.erase();
}

/// The names of an entry's arguments and of their sizes.
class EntryNames {
public:
  explicit EntryNames(ArrayAttr parameters) { add(parameters, ""); }

  std::string text(OuterSizes &sizes, const SymbolicSize &size) const {
    bool isNamed = true;
    std::string text = size.text([&](const void *symbol) {
      auto [value, dimension] = sizes.meaning(symbol);
      auto argument = dyn_cast<BlockArgument>(value);
      std::string name = argument ? nameOf(argument.getArgNumber(), dimension) : "";
      isNamed &= !name.empty();
      return name;
    });
    return isNamed ? text : "_";
  }

private:
  struct Argument {
    std::string name;
    ArrayAttr sizes; ///< Null for a number.
  };

  void add(ArrayAttr values, const Twine &path) {
    for (auto value : values.getAsRange<DictionaryAttr>()) {
      std::string name = (path + value.getAs<StringAttr>(entry::kValueName).getValue()).str();
      if (auto fields = value.getAs<ArrayAttr>(entry::kFields))
        add(fields, name + ".");
      else
        arguments.push_back({name, value.getAs<ArrayAttr>(entry::kSizes)});
    }
  }

  /// The size's own name, x.shape[0] for one without, or the number's.
  std::string nameOf(unsigned number, int64_t dimension) const {
    const Argument &argument = arguments[number];
    if (dimension < 0)
      return argument.name;
    auto name = dyn_cast<StringAttr>(argument.sizes[dimension]);
    return name && name.getValue() != "_" ? name.getValue().str()
                                          : argument.name + ".shape[" + std::to_string(dimension) + "]";
  }

  std::vector<Argument> arguments;
};

struct PassDestinations : impl::PassDestinationsBase<PassDestinations> {
  using PassDestinationsBase::PassDestinationsBase;

  void runOnOperation() override {
    SymbolTable table(getOperation());
    symbols = &table;
    std::optional<SymbolTable::UseRange> uses = SymbolTable::getSymbolUses(&getOperation().getBodyRegion());
    if (!uses)
      return;
    for (SymbolTable::SymbolUse use : *uses)
      users[use.getSymbolRef().getRootReference()].push_back(use.getUser());
    for (auto function : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      visit(function);
  }

  /// Callees first: the sizes of what they return follow from the memory that they are given.
  void visit(func::FuncOp function) {
    if (!visited.insert(function).second || function.isExternal())
      return;
    SmallVector<func::FuncOp> callees;
    function.walk([&](func::CallOp call) {
      if (auto callee = symbols->lookup<func::FuncOp>(call.getCallee()))
        callees.push_back(callee);
    });
    for (func::FuncOp callee : callees)
      visit(callee);
    if (!function.getBody().hasOneBlock() || !isa<func::ReturnOp>(function.getBody().front().getTerminator()))
      return;
    change(function);
  }

  void change(func::FuncOp function) {
    auto isCall = [](Operation *user) { return isa<func::CallOp>(user); };
    SmallVector<Operation *> uses = users.lookup(function.getSymNameAttr());
    bool isEntry = function->hasAttr(kEntryAttr);
    if (llvm::none_of(uses, isCall) && !isEntry)
      return;
    auto sizes = std::make_unique<OuterSizes>(function);
    SmallVector<Destination> destinations = destinationsOf(function, *sizes);
    if (isEntry)
      describeResults(function, destinations, *sizes);
    if (destinations.empty())
      return;
    bool isSeenByOthers = !llvm::all_of(uses, isCall);
    SmallVector<func::CallOp> calls;
    for (Operation *user : uses)
      if (auto call = dyn_cast<func::CallOp>(user))
        calls.push_back(call);
    if ((!function.isPrivate() && !isEntry) || isSeenByOthers) {
      auto [inner, outerCall] = split(function);
      function->removeAttr(kEntryAttr);
      function = inner;
      calls.push_back(outerCall);
      sizes = std::make_unique<OuterSizes>(function);
      destinations = destinationsOf(function, *sizes);
    }
    changeType(function, destinations);
    for (func::CallOp call : calls)
      addOperands(call, function, destinations, *sizes);
    returnInPlace(function, destinations);
  }

  /// Adds to what the callers of an entry must know its results' sizes, a function that computes them, and which of
  /// them it writes to their memory.
  void describeResults(func::FuncOp function, ArrayRef<Destination> destinations, OuterSizes &sizes) {
    Builder b(function.getContext());
    NamedAttrList entry(function->getAttrOfType<DictionaryAttr>(kEntryAttr));
    SmallVector<Attribute> results(cast<ArrayAttr>(entry.get(entry::kResults)).getValue());
    SmallVector<std::optional<SymbolicSize>> all;
    Operation *terminator = function.getBody().front().getTerminator();
    EntryNames names(cast<ArrayAttr>(entry.get(entry::kParameters)));
    for (auto [i, result] : llvm::enumerate(results)) {
      auto type = dyn_cast<RankedTensorType>(function.getResultTypes()[i]);
      SmallVector<Attribute> texts;
      for (int64_t d : llvm::seq(type ? type.getRank() : 0)) {
        all.push_back(sizes.of(terminator->getOperand(i), d));
        bool isNumber = all.back() && all.back()->constant();
        std::string text = all.back() ? names.text(sizes, *all.back()) : "_";
        texts.push_back(isNumber ? Attribute(b.getI64IntegerAttr(*all.back()->constant())) : b.getStringAttr(text));
      }
      NamedAttrList described(cast<DictionaryAttr>(result));
      if (type)
        described.set(entry::kSizes, b.getArrayAttr(texts));
      result = described.getDictionary(function.getContext());
    }
    entry.set(entry::kResults, b.getArrayAttr(results));
    SmallVector<int64_t> numbers = llvm::map_to_vector(destinations, [](auto &each) { return int64_t(each.result); });
    entry.set(entry::kDestinations, b.getDenseI64ArrayAttr(numbers));
    entry.set(entry::kSizeFunction, FlatSymbolRefAttr::get(sizeFunction(function, all, sizes)));
    function->setAttr(kEntryAttr, entry.getDictionary(function.getContext()));
  }

  /// A function that computes sizes of results: -1 for those that only the function itself knows.
  func::FuncOp sizeFunction(func::FuncOp function, ArrayRef<std::optional<SymbolicSize>> all, OuterSizes &sizes) {
    OpBuilder b(function);
    Location loc = function.getLoc();
    SmallVector<Type> types(all.size(), b.getIndexType());
    auto made = func::FuncOp::create(b, loc, (function.getSymName() + ".sizes").str(),
                                     b.getFunctionType(function.getArgumentTypes(), types));
    symbols->insert(made, function->getIterator());
    Block *body = made.addEntryBlock();
    b.setInsertionPointToEnd(body);
    SmallVector<Value> values;
    for (const std::optional<SymbolicSize> &size : all)
      values.push_back(size ? sizes.emit(b, loc, *size,
                                         [&](Value argument) {
                                           return body->getArgument(cast<BlockArgument>(argument).getArgNumber());
                                         })
                            : arith::ConstantIndexOp::create(b, loc, -1).getResult());
    func::ReturnOp::create(b, loc, values);
    return made;
  }

  /// Moves the function's body to a private function, and calls that instead.
  std::pair<func::FuncOp, func::CallOp> split(func::FuncOp function) {
    OpBuilder b(function);
    auto inner = cast<func::FuncOp>(function->cloneWithoutRegions());
    inner.setName((function.getSymName() + ".into").str());
    inner.setPrivate();
    inner->removeAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName());
    symbols->insert(inner, function->getIterator());
    inner.getBody().takeBody(function.getBody());
    inner.walk([&](func::CallOp call) {
      if (call.getCallee() == function.getSymName())
        call.setCallee(inner.getSymName());
    });
    SmallVector<Location> places =
        llvm::map_to_vector(inner.getArguments(), [](Value value) { return value.getLoc(); });
    Block *block = b.createBlock(&function.getBody(), {}, function.getArgumentTypes(), places);
    auto call = func::CallOp::create(b, function.getLoc(), inner, block->getArguments());
    func::ReturnOp::create(b, function.getLoc(), call.getResults());
    return {inner, call};
  }

  SymbolTable *symbols = nullptr;
  /// Of each symbol, before the pass: it replaces the calls of a function only when it changes that function.
  llvm::DenseMap<StringAttr, SmallVector<Operation *>> users;
  llvm::SmallPtrSet<Operation *, 16> visited;
};
} // namespace
} // namespace lispier
