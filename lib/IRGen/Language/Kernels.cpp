//===- Kernels.cpp - kernels, launches, and what threads do together ------===//
//
// Each kernel becomes a gpu.func in one gpu.module, `kernels`, the last op of the
// module; a launch refers to it by symbol.
//
//===----------------------------------------------------------------------===//
#include "Kernels.h"
#include "Core/FormEvaluator.h"
#include "Core/FunctionScope.h"
#include "Core/FunctionTable.h"
#include "Core/Literals.h"
#include "Core/Regions.h"
#include "Core/Types.h"
#include "Core/ValueTypes.h"
#include "Functions.h"
#include "Generator.h"
#include "Generics.h"
#include "TensorSignatures.h"
#include "TilePrograms.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include <functional>

using namespace llvm;

namespace lispier {
namespace {
constexpr StringLiteral kKernelModule = "kernels";

mlir::gpu::GPUModuleOp findKernelModule(mlir::ModuleOp module) {
  for (auto kernels : module.getOps<mlir::gpu::GPUModuleOp>())
    if (kernels.getName() == kKernelModule)
      return kernels;
  return {};
}

std::optional<mlir::gpu::AllReduceOperation> reduction(StringRef name, mlir::Type type) {
  using Kind = mlir::gpu::AllReduceOperation;
  bool isFloat = isa<mlir::FloatType>(type);
  if (name == "add")
    return Kind::ADD;
  if (name == "mul")
    return Kind::MUL;
  if (name == "min")
    return isFloat ? Kind::MINIMUMF : Kind::MINSI;
  if (name == "max")
    return isFloat ? Kind::MAXIMUMF : Kind::MAXSI;
  if (isFloat)
    return std::nullopt;
  return StringSwitch<std::optional<Kind>>(name)
      .Case("and", Kind::AND)
      .Case("or", Kind::OR)
      .Case("xor", Kind::XOR)
      .Default(std::nullopt);
}
} // namespace

void KernelGenerator::collectKernel(const Form *form) {
  auto parts = gen.functions.partsOfDefn(form);
  if (!parts)
    return;
  FunctionInfo info;
  info.name = parts->name->text().str();
  info.type = parts->type;
  info.form = form;
  kernels.try_emplace(info.name, info); // Declaring the symbols reports duplicates.
}

mlir::gpu::GPUModuleOp KernelGenerator::kernelModule(const Form *form) {
  if (mlir::gpu::GPUModuleOp home = findKernelModule(*module))
    return home;
  (*module)->setAttr(mlir::gpu::GPUDialect::getContainerModuleAttrName(), builder.getUnitAttr());
  builder.setInsertionPointToEnd(module->getBody());
  return mlir::gpu::GPUModuleOp::create(builder, location(form), kKernelModule);
}

mlir::SymbolRefAttr KernelGenerator::symbolOf(StringRef kernel) {
  return mlir::SymbolRefAttr::get(&context, kKernelModule, {mlir::FlatSymbolRefAttr::get(&context, kernel)});
}

void KernelGenerator::defineKernel(const Form *form) {
  auto known = kernels.find((*form)[1]->text());
  auto parts = known != kernels.end() && known->second.form == form ? gen.functions.partsOfDefn(form) : std::nullopt;
  if (!parts)
    return;
  builder.setInsertionPointToEnd(kernelModule(form).getBody());
  auto kernel = mlir::gpu::GPUFuncOp::create(builder, location(form), known->second.name, parts->type);
  kernel->setAttr(mlir::gpu::GPUDialect::getKernelFuncAttrName(), builder.getUnitAttr());

  Scope scope(gen.scope.scopes);
  gen.scope.everDefined.clear();
  gen.scope.labels.emplace_back();
  for (auto [parameter, argument] : zip(parts->parameters->items(), kernel.getArguments())) {
    argument.setLoc(location(parameter));
    gen.scope.bind((*parameter)[1], Values{argument});
  }
  builder.setInsertionPointToEnd(&kernel.getBody().front());
  SmallVector<mlir::ValueRange> values;
  for (mlir::BlockArgument &argument : kernel.getBody().getArguments().take_front(parts->parameters->size()))
    values.emplace_back(argument);
  if (!gen.signatures.enter(known->second.name, parts->parameters->items(), values))
    return;
  auto last = gen.evaluator->emitBody(parts->body);
  gen.scope.labels.pop_back();
  if (failed(last) || gen.regions.isTerminated())
    return;
  builder.setInsertionPointToEnd(&kernel.getBody().back());
  make<mlir::gpu::ReturnOp>(parts->body.back());
}

/// Emits up to three sizes as index values into `out`, which the caller has filled with ones.
bool KernelGenerator::launchSizes(const Form *form, const Form *sizes, MutableArrayRef<mlir::Value> out) {
  ArrayRef<const Form *> items = sizes->isVector() ? sizes->items() : ArrayRef(sizes);
  if (items.empty() || items.size() > out.size()) {
    error("kernel-shape", sizes, "a launch has one to three sizes, x first, not " + Twine(items.size()));
    return false;
  }
  for (auto [i, item] : enumerate(items))
    if (!(out[i] = gen.evaluator->emitLoopBound(item)))
      return false;
  return true;
}

bool KernelGenerator::launchArguments(const Form *form, const FunctionInfo &kernel, SmallVectorImpl<mlir::Value> &out) {
  ArrayRef<const Form *> given = form->items().drop_front(3);
  auto defined = [&](Diag &diag) {
    diag.note(kernel.form->range(), "`" + kernel.name + "` is defined here: " + mlir::debugString(kernel.type));
    return false;
  };
  if (given.size() != kernel.type.getNumInputs())
    return defined(error("call-arity",
                         given.size() > kernel.type.getNumInputs() ? given[kernel.type.getNumInputs()] : form,
                         "the kernel `" + kernel.name + "` takes " + Twine(kernel.type.getNumInputs()) +
                             " arguments, not " + Twine(given.size())));
  for (auto [i, item] : enumerate(given)) {
    mlir::Type wanted = kernel.type.getInput(i);
    mlir::Value value = gen.evaluator->emitValue(item, wanted);
    if (!value)
      return false;
    if (value.getType() != wanted && isa<mlir::BaseMemRefType>(wanted) &&
        mlir::memref::CastOp::areCastCompatible(value.getType(), wanted))
      value = make<mlir::memref::CastOp>(item, wanted, value);
    if (isa<mlir::RankedTensorType>(wanted))
      value = gen.signatures.fitted(item, value, wanted, "argument " + Twine(i + 1) + " of `" + kernel.name + "`");
    if (value.getType() != wanted) {
      bool areNumbers = value.getType().isIntOrIndexOrFloat() && wanted.isIntOrIndexOrFloat();
      return defined(
          error("call-type", item,
                "argument " + Twine(i + 1) + " of the kernel `" + kernel.name + "` has type " +
                    mlir::debugString(value.getType()) + ", not " + mlir::debugString(wanted))
              .withHint(areNumbers ? "(cast " + mlir::debugString(wanted) + " " + item->str() + ") converts"
                        : isTensor(value) && isa<mlir::BaseMemRefType>(wanted)
                            ? "(to-memref " + item->str() +
                                  ") is memory with its numbers; a kernel that only reads it may declare the parameter "
                                  "as a tensor: (: name (tensor size ... f32))"
                            : ""));
    }
    out.push_back(value);
  }
  return !kernel.form || checkSizes(form, kernel, out);
}

/// Sizes that have one name among the kernel's parameters are equal: a call of a function compares them at its entry.
bool KernelGenerator::checkSizes(const Form *form, const FunctionInfo &kernel, mlir::ValueRange arguments) {
  ArrayRef<const Form *> given = form->items().drop_front(3);
  ArrayRef<const Form *> parameters = gen.functions.shapeOfDefn(kernel.form)->parameters->items();
  if (!gen.signatures.checkCall(form, kernel.name, parameters, arguments, given))
    return false;
  StringMap<Size> seen;
  for (auto [i, argument] : enumerate(arguments)) {
    if (!isTensor(argument))
      continue;
    for (auto [d, name] : enumerate(TypeReader::dimensions(parameters[i]))) {
      if (!TypeReader::isSizeName(name))
        continue;
      Size here = gen.sizes.size(given[i], argument, d);
      Size first = seen.try_emplace(name->text(), here).first->second;
      gen.sizes.check(given[i], first, here, "tensor-size",
                      "`" + kernel.name + "`: the size `" + name->text() + "` is %ld, and %ld in argument " +
                          Twine(i + 1),
                      {first, here});
    }
  }
  return true;
}

bool KernelGenerator::launchShape(const Form *form, const Form *map, ArrayRef<StringRef> keys, LaunchShape &shape) {
  for (size_t i = 0; i < map->size(); i += 2)
    if (!is_contained(keys, (*map)[i]->text())) {
      error("kernel-shape", (*map)[i], "`launch` does not know `:" + (*map)[i]->text() + "`")
          .withHint("its keys are :" + join(keys, ", :"));
      return false;
    }
  mlir::Value one = gen.literals.constantInt(form, builder.getIndexType(), 1);
  shape.grid.assign(3, one);
  shape.block.assign(3, one);
  if (const Form *sizes = map->get("grid"); sizes && !launchSizes(form, sizes, shape.grid))
    return false;
  if (const Form *sizes = map->get("block"); sizes && !launchSizes(form, sizes, shape.block))
    return false;
  if (const Form *sizes = map->get("cluster")) {
    shape.cluster.assign(3, one);
    if (!launchSizes(form, sizes, shape.cluster))
      return false;
  }
  if (const Form *bytes = map->get("shared")) {
    shape.shared = gen.evaluator->emitLoopBound(bytes);
    if (!shape.shared)
      return false;
    shape.shared = make<mlir::arith::IndexCastOp>(bytes, builder.getI32Type(), shape.shared);
  }
  return true;
}

/// (launch {:name name :grid [x y z] :block [x y z] :cluster [x y z] :shared bytes} body ...)
mlir::FailureOr<Values> KernelGenerator::emitLaunchBody(const Form *form, const Form *map) {
  LaunchShape shape;
  if (!launchShape(form, map, {"name", "grid", "block", "cluster", "shared"}, shape))
    return mlir::failure();
  mlir::FlatSymbolRefAttr name;
  if (const Form *given = map->get("name")) {
    if (!given->isSymbol()) {
      error("kernel-shape", given, "a kernel's name is a symbol, not " + Twine(describe(given->kind())));
      return mlir::failure();
    }
    name = mlir::FlatSymbolRefAttr::get(&context, given->text());
  }
  shape.cluster.resize(3);
  auto launch =
      mlir::gpu::LaunchOp::create(builder, location(form), shape.grid[0], shape.grid[1], shape.grid[2], shape.block[0],
                                  shape.block[1], shape.block[2], shape.shared, /*asyncTokenType=*/nullptr,
                                  /*asyncDependencies=*/{}, /*workgroupAttributions=*/{},
                                  /*privateAttributions=*/{}, shape.cluster[0], shape.cluster[1], shape.cluster[2]);
  for (unsigned i = launch.getBody().getNumArguments(); i < launch.getNumConfigRegionAttributes(); ++i)
    launch.getBody().addArgument(builder.getIndexType(),
                                 location(form)); // Cluster arguments, which the builder does not add.
  if (name)
    launch.setFunctionAttr(name);
  mlir::OpBuilder atEnd = mlir::OpBuilder::atBlockEnd(&launch.getBody().front());
  mlir::gpu::TerminatorOp::create(atEnd, location(form));
  Scope scope(gen.scope.scopes);
  if (failed(gen.evaluator->emitInside(&launch.getBody().front(), form->items().drop_front(2))))
    return mlir::failure();
  return Values{};
}

mlir::FailureOr<Values> KernelGenerator::emitLaunch(const Form *form) {
  if (gen.regions.kernelAround()) {
    error("kernel-place", form, "a kernel cannot launch another").withHint("launch from a function");
    return mlir::failure();
  }
  if ((*form)[1]->isMap())
    return emitLaunchBody(form, (*form)[1]);
  const Form *name = (*form)[1], *map = (*form)[2];
  if (gen.tilePrograms.contains(name->text()))
    return gen.tilePrograms.emitLaunch(form);
  auto known = kernels.find(name->text());
  if (known == kernels.end()) {
    SmallVector<std::string> names;
    for (auto &kernel : kernels)
      names.push_back(kernel.first().str());
    append_range(names, gen.tilePrograms.names());
    error("kernel-unknown", name, "there is no kernel `" + name->text() + "`")
        .withHint(didYouMean(name->text(), names));
    return mlir::failure();
  }
  LaunchShape shape;
  SmallVector<mlir::Value> arguments;
  if (!launchShape(form, map, {"grid", "block", "cluster", "shared"}, shape))
    return mlir::failure();
  if (!launchArguments(form, known->second, arguments))
    return mlir::failure();
  mlir::SymbolRefAttr symbol = symbolOf(known->second.name);
  std::optional<mlir::gpu::KernelDim3> cluster;
  if (!shape.cluster.empty())
    cluster = {shape.cluster[0], shape.cluster[1], shape.cluster[2]};
  mlir::gpu::LaunchFuncOp::create(
      builder, location(form), symbol, mlir::gpu::KernelDim3{shape.grid[0], shape.grid[1], shape.grid[2]},
      mlir::gpu::KernelDim3{shape.block[0], shape.block[1], shape.block[2]}, shape.shared, arguments,
      /*asyncObject=*/nullptr, cluster);
  return Values{};
}

mlir::FailureOr<Values> KernelGenerator::emitShared(const Form *form) {
  mlir::Type element = gen.types.parseType((*form)[1]);
  if (!element)
    return mlir::failure();
  SmallVector<int64_t> shape;
  for (const Form *item : (*form)[2]->items()) {
    std::optional<int64_t> size = gen.literals.integerOf(item);
    if (!size || *size <= 0) {
      error("kernel-shape", item, "a size of shared memory is a number above 0: it is known before the kernel starts")
          .withHint("(gpu.dynamic_shared_memory ...) is as large as :shared of the launch");
      return mlir::failure();
    }
    shape.push_back(*size);
  }
  mlir::Operation *around = gen.regions.kernelAround();
  if (!around) {
    error("kernel-place", form, "shared memory belongs to a block of threads, and here is none")
        .withHint("use it in a kernel");
    return mlir::failure();
  }
  if (gen.scope.inTileProgram) {
    error("kernel-place", form, "shared memory belongs to threads, and those of a tile program are the compiler's")
        .withHint("a tile is a value: (load memref [index ...] [size ...]), (zeros type [size ...])");
    return mlir::failure();
  }
  if (!mlir::BaseMemRefType::isValidElementType(element)) {
    error("type-mismatch", (*form)[1], "a memref cannot hold " + mlir::debugString(element));
    return mlir::failure();
  }
  auto space = mlir::gpu::AddressSpaceAttr::get(&context, mlir::gpu::AddressSpace::Workgroup);
  auto type = mlir::MemRefType::get(shape, element, mlir::MemRefLayoutAttrInterface(), space);
  if (auto launch = dyn_cast<mlir::gpu::LaunchOp>(around))
    return Values{launch.addWorkgroupAttribution(type, location(form))};
  return Values{cast<mlir::gpu::GPUFuncOp>(around).addWorkgroupAttribution(type, location(form))};
}

mlir::FailureOr<Values> KernelGenerator::emitReduce(const Form *form, SpecialForm kind) {
  mlir::Value value = gen.evaluator->emitValue((*form)[2]);
  if (!value)
    return mlir::failure();
  StringRef name = (*form)[1]->text();
  if (!value.getType().isIntOrFloat()) {
    error("type-mismatch", (*form)[2],
          "`" + form->head() + "` takes an integer or a float, not " + mlir::debugString(value.getType()));
    return mlir::failure();
  }
  std::optional<mlir::gpu::AllReduceOperation> operation = reduction(name, value.getType());
  if (!operation) {
    error("kernel-shape", (*form)[1],
          "`" + form->head() + "` cannot combine " + mlir::debugString(value.getType()) + " by `:" + name + "`")
        .withHint("it knows :add, :mul, :min, :max, and for integers :and, :or, :xor");
    return mlir::failure();
  }
  if (kind == SpecialForm::WarpReduce)
    return Values{make<mlir::gpu::SubgroupReduceOp>(form, value, *operation, /*uniform=*/true)};
  return Values{make<mlir::gpu::AllReduceOp>(form, value, mlir::gpu::AllReduceOperationAttr::get(&context, *operation),
                                             /*uniform=*/true)};
}

/// The first op of a function, its callees not included, that only kernel code can contain; null if there is none.
static mlir::Operation *asksForThreads(mlir::func::FuncOp function) {
  mlir::Operation *found = nullptr;
  function.walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
    if (isa<mlir::gpu::LaunchOp>(op))
      return mlir::WalkResult::skip();
    if (!isa<mlir::gpu::ThreadIdOp, mlir::gpu::BlockIdOp, mlir::gpu::BlockDimOp, mlir::gpu::GridDimOp,
             mlir::gpu::GlobalIdOp, mlir::gpu::LaneIdOp, mlir::gpu::SubgroupIdOp, mlir::gpu::SubgroupSizeOp,
             mlir::gpu::NumSubgroupsOp, mlir::gpu::ShuffleOp, mlir::gpu::BarrierOp, mlir::gpu::AllReduceOp,
             mlir::gpu::SubgroupReduceOp>(op))
      return mlir::WalkResult::advance();
    found = op;
    return mlir::WalkResult::interrupt();
  });
  return found;
}

/// Calls `visit` for each call in host code; calls inside of gpu.launch belong to kernels.
static void walkHostCalls(mlir::func::FuncOp function, function_ref<void(mlir::func::CallOp)> visit) {
  function.walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
    if (isa<mlir::gpu::LaunchOp>(op))
      return mlir::WalkResult::skip();
    if (auto call = dyn_cast<mlir::func::CallOp>(op))
      visit(call);
    return mlir::WalkResult::advance();
  });
}

/// Removes the host version of functions that contain device-only ops (thread ids, barriers), and reports host code
/// that calls one. Functions called from gpu.launch bodies (`outlined`) must stay until the bodies have been outlined.
void KernelGenerator::dropHostVersions(const SetVector<mlir::func::FuncOp> &called,
                                       const SetVector<mlir::func::FuncOp> &outlined) {
  auto complain = [&](mlir::Operation *op, const Twine &what) {
    diags
        .error("kernel-place", sourceRange(op->getLoc(), diags.sourceMgr()),
               what + " combines or asks for threads, and here are none")
        .withHint("use it in a kernel, or in a function that only kernels call");
  };
  SetVector<mlir::StringAttr> deviceOnly;
  for (auto function : module->getOps<mlir::func::FuncOp>())
    if (mlir::Operation *op = asksForThreads(function)) {
      if (function.getName() == "main")
        complain(op, "`" + op->getName().getStringRef() + "`");
      else
        deviceOnly.insert(function.getNameAttr());
    }
  for (bool changed = true; changed;) {
    changed = false;
    for (mlir::func::FuncOp function : called)
      walkHostCalls(function, [&](mlir::func::CallOp call) {
        if (deviceOnly.contains(call.getCalleeAttr().getAttr()))
          changed |= deviceOnly.insert(function.getNameAttr());
      });
  }
  for (auto function : make_early_inc_range(module->getOps<mlir::func::FuncOp>())) {
    if (!deviceOnly.contains(function.getNameAttr())) {
      walkHostCalls(function, [&](mlir::func::CallOp call) {
        if (deviceOnly.contains(call.getCalleeAttr().getAttr()))
          complain(call, "`" + nameOfSymbol(call.getCallee()) + "`");
      });
      continue;
    }
    function.setPrivate(); // Private, so that symbol-dce removes it once the launches are outlined.
    function->removeAttr(mlir::LLVM::LLVMDialect::getEmitCWrapperAttrName());
    if (called.contains(function) && !outlined.contains(function))
      function.erase();
  }
}

/// Kernels may use a copy of a constant global; a mutable one has to be passed as an argument of the launch.
static void copyGlobal(mlir::memref::GetGlobalOp use, mlir::gpu::GPUModuleOp home, mlir::ModuleOp program,
                       DiagSink &diags) {
  auto global = program.lookupSymbol<mlir::memref::GlobalOp>(use.getName());
  if (!global || mlir::SymbolTable::lookupSymbolIn(home, use.getName()))
    return;
  if (!global.getConstant()) {
    diags
        .error("kernel-place", sourceRange(use.getLoc(), diags.sourceMgr()),
               "the global `" + use.getName() + "` is the host's memory, and this is a kernel")
        .withHint("hand it to the kernel as an argument, or make it :constant");
    return;
  }
  mlir::memref::GlobalOp copy = global.clone();
  copy.setPrivate();
  home.getBody()->push_back(copy);
}

/// GPU threads have no stack that grows.
bool KernelGenerator::checkRecursion(const SetVector<mlir::func::FuncOp> &called) {
  unsigned errorsBefore = diags.errors();
  bool isRecursive = false; // Known from an earlier call.
  enum class Visit { Running, Done };
  DenseMap<mlir::Operation *, Visit> visits;
  std::function<void(mlir::func::FuncOp)> visit = [&](mlir::func::FuncOp function) {
    visits[function] = Visit::Running;
    function.walk([&](mlir::func::CallOp call) {
      auto callee = module->lookupSymbol<mlir::func::FuncOp>(call.getCallee());
      if (!callee || callee.isExternal())
        return;
      auto seen = visits.find(callee);
      if (seen == visits.end())
        return visit(callee);
      if (seen->second == Visit::Running && !reportedRecursion.insert(call).second)
        isRecursive = true;
      else if (seen->second == Visit::Running)
        diags
            .error("kernel-call", sourceRange(call->getLoc(), diags.sourceMgr()),
                   "`" + nameOfSymbol(call.getCallee()) + "` comes back to itself here, and a kernel calls it")
            .withHint("the threads of a GPU have no stack for recursion: write a loop");
    });
    visits[function] = Visit::Done;
  };
  for (mlir::func::FuncOp function : called)
    if (!visits.contains(function))
      visit(function);
  return !isRecursive && diags.errors() == errorsBefore;
}

void KernelGenerator::copyDeviceFunctions() {
  SetVector<mlir::func::FuncOp> called;
  auto complain = [&](mlir::Operation *call, StringRef callee) {
    diags
        .error("kernel-call", sourceRange(call->getLoc(), diags.sourceMgr()),
               "a kernel calls `" + nameOfSymbol(callee) + "`, which runs on the host only")
        .withHint("a kernel may call functions that this program defines with defn");
  };
  auto calleeOf = [&](mlir::func::CallOp call) {
    auto function = module->lookupSymbol<mlir::func::FuncOp>(call.getCallee());
    if (!function || function.isExternal()) {
      complain(call, call.getCallee());
      return mlir::func::FuncOp();
    }
    return function;
  };
  for (auto home : module->getOps<mlir::gpu::GPUModuleOp>()) {
    SmallVector<mlir::Operation *> waiting{home};
    while (!waiting.empty())
      waiting.pop_back_val()->walk([&](mlir::Operation *op) {
        if (auto call = dyn_cast<mlir::LLVM::CallOp>(op);
            call && call.getCallee() && !mlir::SymbolTable::lookupSymbolIn(home, *call.getCallee()))
          complain(op, *call.getCallee());
        if (auto global = dyn_cast<mlir::memref::GetGlobalOp>(op))
          return copyGlobal(global, home, *module, diags);
        auto call = dyn_cast<mlir::func::CallOp>(op);
        if (!call || mlir::SymbolTable::lookupSymbolIn(home, call.getCallee()))
          return;
        mlir::func::FuncOp function = calleeOf(call);
        if (!function)
          return;
        called.insert(function);
        mlir::func::FuncOp copy = function.clone();
        copy.setPrivate();
        copy->removeAttr(mlir::LLVM::LLVMDialect::getEmitCWrapperAttrName());
        home.getBody()->push_back(copy);
        waiting.push_back(copy);
      });
  }
  // gpu-kernel-outlining copies the callees of launch bodies.
  SetVector<mlir::func::FuncOp> outlined;
  auto collect = [&](mlir::func::CallOp call) {
    if (mlir::func::FuncOp function = calleeOf(call))
      outlined.insert(function);
  };
  for (auto function : module->getOps<mlir::func::FuncOp>())
    function.walk([&](mlir::gpu::LaunchOp launch) { launch.walk(collect); });
  for (size_t i = 0; i < outlined.size(); ++i)
    mlir::func::FuncOp(outlined[i]).walk(collect);
  called.insert(outlined.begin(), outlined.end());
  checkRecursion(called);
  dropHostVersions(called, outlined);
}
} // namespace lispier
