//===- DeviceMemory.h - which memory host and device touch -----*- C++ -*-===//
#ifndef LISPIER_LIB_TARGET_GPU_DEVICEMEMORY_H
#define LISPIER_LIB_TARGET_GPU_DEVICEMEMORY_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace lispier {
/// All memrefs of the host part of a module that may be views of one memory, through calls and loops, are one class.
/// Flow does not count: memory that the host touches anywhere is memory that it touches.
class DeviceMemory {
public:
  struct Class {
    bool kernel = false;    ///< An argument of a launch.
    bool host = false;      ///< Loaded, stored or handed to code not known here.
    bool allocated = false; ///< By gpu.alloc.
    bool queued = false;    ///< Copied or filled in the device's queue.
    bool unknown = false;   ///< From elsewhere: a pointer, a caller not known here.
    bool stack = false;

    /// Allocations in it are the device's.
    bool onDevice() const { return kernel || allocated; }
    /// The queue may still use it.
    bool mayBePending() const { return kernel || allocated || queued || unknown; }
  };

  explicit DeviceMemory(mlir::ModuleOp module);
  const Class &of(mlir::Value memref) const;
  /// Raw pointers may lead to memory that host and device share.
  bool pointersMayBePending() const {
    return escaped && classes[find(*escaped)].onDevice() && classes[find(*escaped)].host;
  }
  /// A memref.copy in which the device takes part.
  bool isQueued(mlir::memref::CopyOp copy) const;
  mlir::func::FuncOp function(llvm::StringRef name) const { return symbols.lookup<mlir::func::FuncOp>(name); }
  /// Puts work into the queue, itself or by what it calls or contains.
  bool launches(mlir::Operation *op) const;

private:
  unsigned node(mlir::Value memref);
  unsigned find(unsigned node) const;
  void unite(unsigned a, unsigned b);
  void uniteAll(mlir::ValueRange values, mlir::ValueRange more = {});
  Class &mark(mlir::Value memref) { return classes[find(node(memref))]; }
  void visit(mlir::Operation *op);
  void visitCall(mlir::func::CallOp call);
  void visitFunction(mlir::func::FuncOp function);
  void visitPointer(mlir::Value memref);
  void visitRegions(mlir::Operation *op);
  void findLaunching();

  mlir::ModuleOp module;
  mlir::SymbolTable symbols;
  llvm::DenseSet<mlir::StringAttr> addressed; ///< Symbols that are named elsewhere than in calls.
  mutable std::vector<unsigned> parents;
  std::vector<Class> classes;
  llvm::DenseMap<mlir::Value, unsigned> nodes;
  llvm::DenseMap<mlir::Attribute, mlir::Value> globals;
  std::optional<unsigned> escaped; ///< Memory that raw pointers lead to.
  llvm::SmallVector<mlir::memref::CopyOp> copies;
  llvm::DenseSet<mlir::Operation *> launching;
};

/// Ops whose results are other views of their operands' memory, and that touch none of it.
bool isView(mlir::Operation *op);
} // namespace lispier
#endif
