//===- DeviceMemory.h - alias classes of host and device memory -*- C++ -*-===//
#ifndef LISPIER_LIB_TARGET_HOST_DEVICEMEMORY_H
#define LISPIER_LIB_TARGET_HOST_DEVICEMEMORY_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace lispier {
/// Divides the memrefs of host code into classes that may alias, through views, calls and loops, and collects how host
/// and device access each class. The analysis is flow-insensitive: an access anywhere in the program counts.
class DeviceMemory {
public:
  struct Class {
    bool kernel = false;    ///< An argument of a launch.
    bool host = false;      ///< Stored or passed to an external function.
    bool loaded = false;    ///< Loaded by host code.
    bool allocated = false; ///< By gpu.alloc.
    bool queued = false;    ///< Copied or filled in the device's queue.
    bool unknown = false;   ///< May be memory from outside the module: from a raw pointer or an unknown caller.
    bool stack = false;     ///< Allocated by memref.alloca.
    bool given = false;     ///< By the callers of a library's function, on their device.
    mlir::Operation *hostOp = nullptr; ///< An op by which the host accesses it other than by a load.

    /// Whether allocations of this class must be accessible to the device.
    bool onDevice() const { return kernel || allocated; }
    /// Whether host code accesses it.
    bool onHost() const { return host || loaded; }
    /// Whether it is device memory but for numbers that host code loads.
    bool isOnlyLoaded() const { return onDevice() && loaded && !host && !unknown && !stack; }
    /// Whether work in the queue may still access it.
    bool mayBePending() const { return kernel || allocated || queued || unknown; }
  };

  explicit DeviceMemory(mlir::ModuleOp module);
  const Class &of(mlir::Value memref) const;
  /// Whether raw pointers may point to memory that host and device share.
  bool pointersMayBePending() const {
    return escaped && classes[find(*escaped)].onDevice() && classes[find(*escaped)].onHost();
  }
  /// Whether a raw pointer leads to a constant of the program, such as a text, which no work in the queue changes.
  bool isConstant(mlir::Value pointer) const;
  /// Whether the copy is queued as work of the device, since one side is device memory.
  bool isQueued(mlir::memref::CopyOp copy) const;
  mlir::func::FuncOp function(llvm::StringRef name) const { return symbols.lookup<mlir::func::FuncOp>(name); }
  /// Whether the op puts work into the queue, directly or by ops that it calls or contains.
  bool launches(mlir::Operation *op) const;

private:
  unsigned node(mlir::Value memref);
  unsigned find(unsigned node) const;
  void unite(unsigned a, unsigned b);
  void uniteAll(mlir::ValueRange values, mlir::ValueRange more = {});
  Class &classOf(mlir::Value memref) { return classes[find(node(memref))]; }
  void setHost(mlir::Value memref, mlir::Operation *op);
  void visit(mlir::Operation *op);
  void visitCall(mlir::func::CallOp call);
  void visitFunction(mlir::func::FuncOp function);
  bool isOnlyCompared(mlir::Value address) const;
  bool keepsOnlyComparedAddresses(mlir::Value list) const;
  void visitPointer(mlir::Value memref);
  void visitRegions(mlir::Operation *op);
  void findLaunching();

  mlir::ModuleOp module;
  mlir::SymbolTable symbols;
  llvm::DenseSet<mlir::StringAttr> addressed; ///< Symbols with uses other than calls.
  mutable std::vector<unsigned> parents;
  std::vector<Class> classes;
  llvm::DenseMap<mlir::Value, unsigned> nodes;
  llvm::DenseMap<mlir::Attribute, mlir::Value> globals;
  std::optional<unsigned> escaped; ///< The class of all memory that raw pointers may point to.
  llvm::SmallVector<mlir::memref::CopyOp> copies;
  llvm::DenseSet<mlir::Operation *> launching;
};

/// Whether the op's results are views of its operands' memory, which it does not access.
bool isView(mlir::Operation *op);
} // namespace lispier
#endif
