//===- ChooseTileConstants.cpp - tuned constants of launches --------------===//
//
// Before: tile.choose, with candidates for all targets. After: launches of the
// candidates that were measured to be best on this target. It runs before all other
// passes on tile programs, so that the candidates of other targets cost nothing.
//
//===----------------------------------------------------------------------===//
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Device/Launches.h"
#include "lispier/Loops/RuntimeCalls.h"
#include "lispier/Tile/Tile.h"
#include "lispier/Tiles/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/Support/MathExtras.h"

namespace lispier {
#define GEN_PASS_DEF_CHOOSETILECONSTANTS
#include "lispier/Tiles/Passes.h.inc"
} // namespace lispier

using namespace mlir;
using lispier::tile::ChooseOp;
using lispier::tile::TunedAttr;

namespace {
/// The exponent of the next power of two: sizes of one class are tuned alike.
int64_t classOf(int64_t size) { return size <= 1 ? 0 : llvm::Log2_64_Ceil(size); }

Value classOf(OpBuilder &b, Location loc, Value size) {
  if (std::optional<int64_t> known = getConstantIntValue(size))
    return arith::ConstantIntOp::create(b, loc, classOf(*known), 64);
  auto number = [&](int64_t value) -> Value { return arith::ConstantIntOp::create(b, loc, value, 64); };
  Value wide = arith::IndexCastOp::create(b, loc, b.getI64Type(), size);
  Value below = arith::SubIOp::create(b, loc, arith::MaxSIOp::create(b, loc, wide, number(1)), number(1));
  return arith::SubIOp::create(b, loc, number(64), math::CountLeadingZerosOp::create(b, loc, below));
}

/// The sum of the differences between the classes of the launch's sizes and of the rule's.
Value distance(OpBuilder &b, Location loc, ArrayRef<Value> classes, ArrayRef<int64_t> sizes) {
  Value sum = arith::ConstantIntOp::create(b, loc, 0, 64);
  for (auto [known, size] : llvm::zip(classes, sizes)) {
    Value other = arith::ConstantIntOp::create(b, loc, classOf(size), 64);
    Value apart = math::AbsIOp::create(b, loc, arith::SubIOp::create(b, loc, known, other));
    sum = arith::AddIOp::create(b, loc, sum, apart);
  }
  return sum;
}

/// As distance, where all sizes are known.
std::optional<int64_t> knownDistance(ValueRange values, ArrayRef<int64_t> sizes) {
  int64_t sum = 0;
  for (auto [value, size] : llvm::zip(values, sizes)) {
    std::optional<int64_t> known = getConstantIntValue(value);
    if (!known)
      return std::nullopt;
    sum += std::abs(classOf(*known) - classOf(size));
  }
  return sum;
}

/// The rules that apply to the target: those with sizes, else the last of the others.
SmallVector<TunedAttr> rulesFor(ChooseOp choose, ArrayRef<std::string> targets) {
  SmallVector<TunedAttr> sized;
  TunedAttr general;
  for (Attribute each : choose.allRules()) {
    auto rule = cast<TunedAttr>(each);
    auto isNamed = [&](Attribute name) { return llvm::is_contained(targets, cast<StringAttr>(name).getValue()); };
    if (!rule.getTargets().empty() && llvm::none_of(rule.getTargets(), isNamed))
      continue;
    if (rule.getSizes())
      sized.push_back(rule);
    else
      general = rule;
  }
  if (sized.empty() && general)
    sized.push_back(general);
  return sized;
}

/// The number of the best candidate, a constant if that is known now.
Value choice(ChooseOp choose, ArrayRef<TunedAttr> rules) {
  OpBuilder b(choose);
  Location loc = choose.getLoc();
  auto number = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(b, loc, value); };
  if (rules.empty())
    return number(0);
  auto sameCandidate = [&](TunedAttr rule) { return rule.getCandidate() == rules.front().getCandidate(); };
  if (llvm::all_of(rules, sameCandidate))
    return number(rules.front().getCandidate());
  std::optional<int64_t> nearest;
  int64_t best = 0;
  for (TunedAttr rule : rules) {
    std::optional<int64_t> known = knownDistance(choose.getSizes(), rule.getSizes().asArrayRef());
    if (!known) {
      nearest.reset();
      break;
    }
    if (!nearest || *known <= *nearest)
      std::tie(nearest, best) = std::tuple(*known, rule.getCandidate());
  }
  if (nearest)
    return number(best);
  SmallVector<Value> classes;
  for (Value size : choose.getSizes())
    classes.push_back(classOf(b, loc, size));
  Value least, chosen;
  for (TunedAttr rule : rules) {
    Value apart = distance(b, loc, classes, rule.getSizes().asArrayRef()), candidate = number(rule.getCandidate());
    if (!least) {
      least = apart;
      chosen = candidate;
      continue;
    }
    Value isNearer = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, apart, least);
    least = arith::SelectOp::create(b, loc, isNearer, apart, least);
    chosen = arith::SelectOp::create(b, loc, isNearer, candidate, chosen);
  }
  return chosen;
}

/// "bm 64 bn 128": what `lispier tune` writes into :const, with a colon before each name.
std::string settingText(DictionaryAttr values) {
  std::string text;
  for (NamedAttribute entry : values)
    text += (text.empty() ? ":" : " :") + entry.getName().str() + " " +
            std::to_string(cast<IntegerAttr>(entry.getValue()).getInt());
  return text;
}

class Chooser {
public:
  Chooser(ModuleOp module, ArrayRef<std::string> targets) : module(module), targets(targets), calls(module) {}

  void run() {
    SmallVector<ChooseOp> ops;
    module.walk([&](ChooseOp op) { ops.push_back(op); });
    for (ChooseOp op : ops)
      resolve(op);
    eraseUnused();
  }

private:
  void resolve(ChooseOp choose) {
    auto branch = cast<scf::IndexSwitchOp>(*choose.getResult().user_begin());
    // A captured graph neither waits nor measures.
    if (choose.getCombinations() && !choose->getParentOfType<lispier::device::ReplayOp>())
      measure(choose, branch);
    SmallVector<TunedAttr> rules = rulesFor(choose, targets);
    Value chosen = choice(choose, rules);
    choose.getResult().replaceAllUsesWith(chosen);
    choose.erase();
    if (std::optional<int64_t> known = getConstantIntValue(chosen))
      keepOnly(branch, *known);
    else
      dropOthers(branch, rules);
  }

  void measure(ChooseOp choose, scf::IndexSwitchOp branch) {
    OpBuilder b(choose);
    Location loc = choose.getLoc();
    for (Value size : choose.getSizes())
      calls.call(b, loc, "lispier_rt_tune_size", arith::IndexCastOp::create(b, loc, b.getI64Type(), size).getResult());
    calls.call(b, loc, "lispier_rt_tune_begin",
               {calls.text(b, loc, choose.getProgram()),
                calls.text(b, loc, settingText(cast<DictionaryAttr>(choose.getCandidates()[0]))), calls.site(b, loc)});
    b.setInsertionPointAfter(branch);
    calls.call(b, loc, "lispier_rt_tune_end", calls.site(b, loc));
  }

  /// Replaces the branch by the ops of one case.
  void keepOnly(scf::IndexSwitchOp branch, int64_t number) {
    noteKernels(branch);
    Block &body = branch.getCaseRegions()[number].front();
    body.getTerminator()->erase();
    branch->getBlock()->getOperations().splice(branch->getIterator(), body.getOperations());
    branch.erase();
  }

  /// Empties the cases that no rule takes.
  void dropOthers(scf::IndexSwitchOp branch, ArrayRef<TunedAttr> rules) {
    noteKernels(branch);
    for (auto [i, region] : llvm::enumerate(branch.getCaseRegions())) {
      if (llvm::any_of(rules, [&, i = i](TunedAttr rule) { return rule.getCandidate() == int64_t(i); }))
        continue;
      Block &body = region.front();
      while (&body.front() != body.getTerminator())
        body.getTerminator()->getPrevNode()->erase();
    }
  }

  void noteKernels(scf::IndexSwitchOp branch) {
    branch.walk([&](gpu::LaunchFuncOp launch) { launched.insert(launch.getKernelAttr()); });
  }

  void eraseUnused() {
    if (launched.empty())
      return;
    llvm::DenseSet<Attribute> used;
    lispier::device::forEachLaunch(module, [&](gpu::LaunchFuncOp launch) { used.insert(launch.getKernelAttr()); });
    SymbolTableCollection tables;
    for (SymbolRefAttr name : launched)
      if (auto kernel = tables.lookupSymbolIn<gpu::GPUFuncOp>(module, name); kernel && !used.contains(name))
        kernel.erase();
  }

  ModuleOp module;
  ArrayRef<std::string> targets;
  lispier::RuntimeCalls calls;
  llvm::SetVector<SymbolRefAttr> launched; ///< Kernels of resolved launches.
};

struct ChooseTileConstants : lispier::impl::ChooseTileConstantsBase<ChooseTileConstants> {
  using ChooseTileConstantsBase::ChooseTileConstantsBase;
  void runOnOperation() override {
    SmallVector<std::string> names(targets.begin(), targets.end());
    Chooser(getOperation(), names).run();
  }
};
} // namespace
