//===- TileLaunchesToLoops.cpp - the grid of a tile program as a loop -----===//
//
// Before: gpu.launch_func of tile programs that are not distributed, so that a
// block is one thread. After: scf.parallel over the blocks around a call of a
// host function. OutlineParallel runs the loop on the runtime's threads.
//
//===----------------------------------------------------------------------===//
#include "lispier/Device/DeviceDialect.h"
#include "lispier/Loops/RuntimeCalls.h"
#include "lispier/Tile/Tile.h"
#include "lispier/Tiles/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

namespace lispier {
#define GEN_PASS_DEF_TILELAUNCHESTOLOOPS
#include "lispier/Tiles/Passes.h.inc"
} // namespace lispier

using namespace mlir;

namespace {
constexpr unsigned kGridRank = 3;

class Launches {
public:
  explicit Launches(ModuleOp module) : module(module), symbols(module), calls(module) {}

  void run() {
    SmallVector<gpu::LaunchFuncOp> launches;
    module.walk([&](gpu::LaunchFuncOp launch) { launches.push_back(launch); });
    for (gpu::LaunchFuncOp launch : launches) {
      auto kernel = module.lookupSymbol<gpu::GPUFuncOp>(launch.getKernelAttr());
      if (kernel && lispier::tile::programOf(kernel) && standsAlone(kernel))
        lower(launch, functionOf(kernel));
    }
    for (auto [kernel, function] : functions)
      if (SymbolTable::symbolKnownUseEmpty(kernel, module))
        kernel->erase();
  }

private:
  /// Whether the kernel needs nothing of its module that the host has not.
  static bool standsAlone(gpu::GPUFuncOp kernel) {
    bool calls = kernel.walk([](func::CallOp) { return WalkResult::interrupt(); }).wasInterrupted();
    return !calls && kernel.getWorkgroupAttributions().empty() && kernel.getPrivateAttributions().empty();
  }

  /// The host function of a kernel, made when it is first asked for.
  func::FuncOp functionOf(gpu::GPUFuncOp kernel) {
    if (func::FuncOp made = functions.lookup(kernel))
      return made;
    auto from = kernel->getParentOfType<gpu::GPUModuleOp>();
    OpBuilder b(from);
    SmallVector<Type> types(2 * kGridRank, b.getIndexType());
    llvm::append_range(types, kernel.getArgumentTypes());
    std::string name = (from.getName() + "_" + kernel.getName()).str();
    auto function = func::FuncOp::create(b, kernel.getLoc(), name, b.getFunctionType(types, {}));
    function.setPrivate();
    function->setAttr(lispier::device::kParallelBody, b.getUnitAttr());
    // Internal linkage: modules that are linked together may have functions of equal names.
    function->setAttr("llvm.linkage", LLVM::LinkageAttr::get(b.getContext(), LLVM::Linkage::Internal));
    symbols.insert(function);
    Block *entry = function.addEntryBlock();
    IRMapping mapping;
    mapping.map(kernel.getArguments(), entry->getArguments().drop_front(2 * kGridRank));
    kernel.getBody().cloneInto(&function.getBody(), mapping);
    Block *body = mapping.lookup(&kernel.getBody().front()); // Its arguments are mapped to the function's.
    entry->getOperations().splice(entry->end(), body->getOperations());
    body->erase();
    function.walk([&](Operation *op) { replaceDeviceOp(op, function, from); });
    return functions[kernel] = function;
  }

  void replaceDeviceOp(Operation *op, func::FuncOp function, gpu::GPUModuleOp from) {
    OpBuilder b(op);
    auto replace = [&](Value value) {
      op->getResult(0).replaceAllUsesWith(value);
      op->erase();
    };
    auto argument = [&](gpu::Dimension d, unsigned first) { return function.getArgument(first + unsigned(d)); };
    if (auto id = dyn_cast<gpu::BlockIdOp>(op))
      return replace(argument(id.getDimension(), 0));
    if (auto size = dyn_cast<gpu::GridDimOp>(op))
      return replace(argument(size.getDimension(), kGridRank));
    if (isa<gpu::ThreadIdOp>(op))
      return replace(arith::ConstantIndexOp::create(b, op->getLoc(), 0));
    if (isa<gpu::BlockDimOp>(op))
      return replace(arith::ConstantIndexOp::create(b, op->getLoc(), 1));
    if (auto get = dyn_cast<memref::GetGlobalOp>(op))
      if (auto global = from.lookupSymbol<memref::GlobalOp>(get.getName()))
        return get.setName(copyOf(global).getSymName());
    if (isa<gpu::ReturnOp>(op)) {
      func::ReturnOp::create(b, op->getLoc());
      op->erase();
    }
  }

  /// The host's copy of a kernel's constant.
  memref::GlobalOp copyOf(memref::GlobalOp global) {
    memref::GlobalOp &copy = globals[global];
    if (!copy) {
      copy = global.clone();
      symbols.insert(copy);
    }
    return copy;
  }

  void lower(gpu::LaunchFuncOp launch, func::FuncOp function) {
    OpBuilder b(launch);
    Location loc = launch.getLoc();
    gpu::KernelDim3 grid = launch.getGridSizeOperandValues();
    SmallVector<Value> sizes;
    for (Value size : {grid.x, grid.y, grid.z})
      sizes.push_back(size.getType().isIndex() ? size : arith::IndexCastOp::create(b, loc, b.getIndexType(), size));
    Value zero = arith::ConstantIndexOp::create(b, loc, 0), one = arith::ConstantIndexOp::create(b, loc, 1);
    checkSizes(b, launch, sizes, zero);
    SmallVector<Value> lower(kGridRank, zero), steps(kGridRank, one), upper(llvm::reverse(sizes));
    scf::ParallelOp::create(b, loc, lower, upper, steps, [&](OpBuilder &body, Location, ValueRange at) {
      SmallVector<Value> operands(llvm::reverse(at));
      llvm::append_range(operands, sizes);
      llvm::append_range(operands, launch.getKernelOperands());
      func::CallOp::create(body, loc, function, operands);
    });
    launch.erase();
  }

  /// As the runtime checks other launches.
  void checkSizes(OpBuilder &b, gpu::LaunchFuncOp launch, ArrayRef<Value> sizes, Value zero) {
    Location loc = launch.getLoc();
    Value fails;
    for (Value size : sizes) {
      if (getConstantIntValue(size).value_or(-1) >= 0)
        continue;
      Value one = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, size, zero);
      fails = fails ? arith::OrIOp::create(b, loc, fails, one).getResult() : one;
    }
    if (!fails)
      return;
    OpBuilder then = scf::IfOp::create(b, loc, fails, /*withElseRegion=*/false).getThenBodyBuilder();
    SmallVector<Value> operands{calls.text(then, loc, "cpu-launch"), calls.site(then, loc),
                                calls.text(then, loc, launch.getKernelName().getValue())};
    for (Value size : sizes)
      operands.push_back(arith::IndexCastOp::create(then, loc, b.getI64Type(), size));
    calls.call(then, loc, "lispier_rt_grid_failed", operands);
  }

  ModuleOp module;
  SymbolTable symbols;
  lispier::RuntimeCalls calls;
  llvm::MapVector<gpu::GPUFuncOp, func::FuncOp> functions;
  llvm::DenseMap<Operation *, memref::GlobalOp> globals;
};

struct TileLaunchesToLoops : lispier::impl::TileLaunchesToLoopsBase<TileLaunchesToLoops> {
  void runOnOperation() override { Launches(getOperation()).run(); }
};
} // namespace
