//===- IsolateGroup.cpp - a program that times one kernel -----------------===//
//
// Before: a program after lispier-form-groups. After: another program. It has the
// kernel as a function of memrefs, with sizes that only the run knows as they were;
// the same ops, one after the other, as a function in a module in it, of which the
// passes behind this one make loops of the host; and a main that compares and times
// the two (TimingProgram.h).
//
//===----------------------------------------------------------------------===//
#include "Groups/NamedSizes.h"
#include "TimingProgram.h"
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Group/AttentionParts.h"
#include "lispier/Group/ScanLoop.h"
#include "lispier/Tensor/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Parser/Parser.h"

namespace lispier {
#define GEN_PASS_DEF_ISOLATEGROUP
#include "lispier/Tensor/Passes.h.inc"
} // namespace lispier

using namespace mlir;

namespace lispier {
namespace {
/// A size that only the run knows, if --sizes does not give it.
constexpr int64_t kAssumedSize = 256;

using Numbers = std::map<std::string, int64_t>;

/// Numbers for the sizes of a kernel: those that are given, and what makes the sizes equal that its ops need equal.
class ChosenSizes {
public:
  ChosenSizes(group::KernelOp kernel, Numbers given) : kernel(kernel), sizes(kernel), given(std::move(given)) {}

  /// Failure after an error.
  LogicalResult choose() {
    findEqualities();
    kernel.getBody().walk([&](tensor::EmptyOp op) {
      for (Value size : op.getDynamicSizes())
        (void)evaluate(sizes.ofIndex(size));
    });
    for (Value operand : kernel->getOperands())
      (void)shapeOf(operand);
    missing = 0; // An index that is no size is a place, such as a token's position.
    for (Value operand : kernel->getOperands())
      (void)numberOf(operand);
    for (auto &[name, number] : given)
      if (!numbers.count(name))
        return noSuchSize(name);
    for (auto &[left, right] : equalities)
      if (evaluate(left) != evaluate(right) && !take(left, evaluate(right)))
        (void)take(right, evaluate(left));
    for (auto &[left, right] : equalities)
      if (evaluate(left) != evaluate(right))
        return kernel.emitError("the kernel `")
               << kernel.getName() << "` needs equal sizes, and " << NamedSizes::text(left) << " is " << evaluate(left)
               << ", " << NamedSizes::text(right) << " is " << evaluate(right) << "; --sizes can say what they are";
    return success();
  }

  SmallVector<int64_t> shapeOf(Value shaped) {
    SmallVector<int64_t> shape;
    if (auto type = dyn_cast<ShapedType>(shaped.getType()))
      for (int64_t d : llvm::seq(type.getRank()))
        shape.push_back(evaluate(sizes.of(shaped, d)));
    return shape;
  }

  /// Of an operand that is an index; 0 of others.
  int64_t numberOf(Value operand) { return operand.getType().isIndex() ? evaluate(sizes.ofIndex(operand)) : 0; }

  int64_t evaluate(const SymbolicSize &size) {
    return size.evaluate([&](const void *symbol) {
      std::string name = NamedSizes::nameOf(symbol);
      auto known = given.find(name);
      return numbers.insert({name, known == given.end() ? missing : known->second}).first->second;
    });
  }

  NamedSizes &named() { return sizes; }

private:
  void findEqualities() {
    kernel.getBody().walk([&](linalg::LinalgOp op) {
      for (OpOperand &operand : op->getOpOperands())
        for (auto [d, result] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
          if (auto dim = dyn_cast<AffineDimExpr>(result))
            equalities.push_back({sizes.ofLoop(op, dim.getPosition()), sizes.of(operand.get(), d)});
    });
    if (group::ScanOp scan = group::scanIn(kernel))
      for (int64_t d = 0; d < cast<ShapedType>(scan.getSource().getType()).getRank(); ++d)
        for (Value each : {Value(scan.getInit()), Value(scan.getResult())})
          equalities.push_back({sizes.of(scan.getSource(), d), sizes.of(each, d)});
    group::AttentionOp attention = group::attentionIn(kernel);
    llvm::DenseMap<unsigned, SymbolicSize> ofLoops;
    for (OpOperand &operand : attention ? attention->getOpOperands() : MutableArrayRef<OpOperand>())
      for (auto [d, loop] : llvm::enumerate(attention.loopsOf(operand.getOperandNumber()))) {
        SymbolicSize own = sizes.of(operand.get(), d);
        equalities.push_back({ofLoops.try_emplace(loop, own).first->second, own});
      }
  }

  /// Lets a size that is nothing but a name, and is not given, be `number`.
  bool take(const SymbolicSize &size, int64_t number) {
    const void *symbol = size.asSymbol();
    if (!symbol || given.count(NamedSizes::nameOf(symbol)))
      return false;
    numbers[NamedSizes::nameOf(symbol)] = number;
    return true;
  }

  LogicalResult noSuchSize(StringRef name) {
    std::string all;
    for (auto &[each, number] : numbers)
      all += (all.empty() ? "; there are " : ", ") + each;
    return kernel.emitError("the kernel `") << kernel.getName() << "` has no size `" << name << "` that only the run "
                                            << "knows" << all;
  }

  group::KernelOp kernel;
  NamedSizes sizes;
  Numbers given, numbers;
  int64_t missing = kAssumedSize;
  SmallVector<std::pair<SymbolicSize, SymbolicSize>> equalities;
};

/// A private function of the kernel's operands, tensors as memrefs, of which the last are written with what `compute`
/// makes of the tensors.
func::FuncOp makeFunction(OpBuilder &b, StringRef name, group::KernelOp kernel, ArrayRef<Type> types,
                          llvm::function_ref<SmallVector<Value>(OpBuilder &, ValueRange)> compute) {
  Location loc = kernel.getLoc();
  auto function = func::FuncOp::create(b, loc, name, b.getFunctionType(types, {}));
  function.setPrivate();
  OpBuilder body = OpBuilder::atBlockBegin(function.addEntryBlock());
  SmallVector<Value> operands;
  unsigned written = types.size() - kernel.getInits().size();
  for (BlockArgument argument : function.getArguments()) {
    operands.push_back(argument);
    auto memory = dyn_cast<MemRefType>(argument.getType());
    if (!memory)
      continue;
    auto type = RankedTensorType::get(memory.getShape(), memory.getElementType());
    bool isWritten = argument.getArgNumber() >= written;
    operands.back() =
        bufferization::ToTensorOp::create(body, loc, type, argument, /*restrict=*/true, isWritten).getResult();
  }
  for (auto [made, place] : llvm::zip(compute(body, operands), function.getArguments().drop_front(written)))
    bufferization::MaterializeInDestinationOp::create(body, loc, Type(), made, place, /*restrict=*/true,
                                                      /*writable=*/true);
  func::ReturnOp::create(body, loc);
  return function;
}

struct IsolateGroup : impl::IsolateGroupBase<IsolateGroup> {
  using IsolateGroupBase::IsolateGroupBase;

  void runOnOperation() override {
    group::KernelOp kernel = find();
    std::optional<Numbers> given = kernel ? givenSizes() : std::nullopt;
    std::optional<TimedKernel> timed = given ? describe(kernel, *given) : std::nullopt;
    if (!timed || failed(replaceModule(kernel, *timed)))
      signalPassFailure();
  }

  group::KernelOp find() {
    group::KernelOp found;
    std::string all;
    getOperation().walk([&](group::KernelOp kernel) {
      if (kernel.getName() == groupName)
        found = kernel;
      all += (all.empty() ? "; there are " : ", ") + kernel.getName().str();
    });
    if (!found)
      emitError(UnknownLoc::get(&getContext())) << "no kernel of tensor ops is called `" << groupName << "`" << all;
    return found;
  }

  std::optional<Numbers> givenSizes() {
    Numbers given;
    for (StringRef text : sizes) {
      auto [size, digits] = text.split('=');
      int64_t number;
      if (digits.getAsInteger(10, number) || number < 1) {
        emitError(UnknownLoc::get(&getContext())) << "a size is written as n0=512, not as `" << text << "`";
        return std::nullopt;
      }
      given[size.str()] = number;
    }
    return given;
  }

  std::optional<TimedKernel> describe(group::KernelOp kernel, const Numbers &given) {
    ChosenSizes chosen(kernel, given);
    if (failed(chosen.choose()))
      return std::nullopt;
    TimedKernel timed;
    timed.name = groupName;
    timed.reference = groupName + "_reference";
    for (OpOperand &operand : kernel->getOpOperands()) {
      Type type = operand.get().getType();
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        type = MemRefType::get(tensor.getShape(), tensor.getElementType());
      else if (!type.isIntOrIndexOrFloat()) {
        kernel.emitError("the kernel `") << groupName << "` takes " << type << ", and a program alone has none";
        return std::nullopt;
      }
      timed.operands.push_back(
          {type, chosen.shapeOf(operand.get()), chosen.numberOf(operand.get()), kernel.isDpsInit(&operand)});
    }
    KernelCost cost = chosen.named().cost();
    timed.bytes = chosen.evaluate(cost.reads + cost.writes);
    timed.work = chosen.evaluate(cost.work);
    return timed;
  }

  LogicalResult replaceModule(group::KernelOp kernel, const TimedKernel &timed) {
    SmallVector<Type> types =
        llvm::map_to_vector(timed.operands, [](const TimedKernel::Operand &operand) { return operand.type; });
    OwningOpRef<ModuleOp> program =
        parseSourceString<ModuleOp>(timingProgram(timed), ParserConfig(&getContext()), timed.name);
    if (!program)
      return failure();
    program->lookupSymbol(timed.name)->erase();
    OpBuilder b(&getContext());
    b.setInsertionPointToEnd(program->getBody());
    makeFunction(b, timed.name, kernel, types, [&](OpBuilder &body, ValueRange operands) {
      auto copy = cast<group::KernelOp>(body.clone(*kernel));
      copy->setOperands(operands);
      copy.removeApartAttr();
      return SmallVector<Value>(copy.getResults());
    });
    // The reference is lowered by other passes than the rest, so it is in a module of its own.
    b.setInsertionPointToEnd(ModuleOp::create(b, kernel.getLoc()).getBody());
    makeFunction(b, timed.reference, kernel, types, [&](OpBuilder &body, ValueRange operands) {
      IRMapping map;
      auto plain = cast<group::KernelOp>(body.clone(*kernel));
      if (group::AttentionOp attention = group::attentionIn(plain))
        group::expandAttention(attention);
      if (group::ScanOp scan = group::scanIn(plain))
        group::expandScan(scan);
      map.map(plain.getBody().getArguments(), operands);
      for (Operation &op : plain.getBody().front().without_terminator())
        body.clone(op, map);
      SmallVector<Value> made =
          llvm::map_to_vector(plain.yieldOp().getResults(), [&](Value each) { return map.lookup(each); });
      plain->erase();
      return made;
    });
    getOperation().getBodyRegion().takeBody(program->getBodyRegion());
    return success();
  }
};
} // namespace
} // namespace lispier
