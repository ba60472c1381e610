// RUN: lispier-opt %s -lispier-overlap-tile-programs | FileCheck %s

module attributes {gpu.container_module} {
  gpu.module @hopper attributes {device.target = "cuda:sm_90a"} {
    // What no kernel writes is read before the wait, with what it needs, also past other reads; the rest behind it.
    // CHECK-LABEL: gpu.func @program(
    // CHECK-NEXT: nvvm.griddepcontrol launch_dependents
    // CHECK-NEXT: arith.constant 0 : index
    // CHECK-NEXT: arith.constant 0.0
    // CHECK-NEXT: vector.transfer_read %arg1
    // CHECK-NEXT: nvvm.griddepcontrol wait
    // CHECK: vector.transfer_read %arg0
    gpu.func @program(%x: memref<64xf32>, %w: memref<64xf32>) kernel attributes {tile.program = #tile.program<>} {
      %c0 = arith.constant 0 : index
      %p = arith.constant 0.0 : f32
      %a = vector.transfer_read %x[%c0], %p : memref<64xf32>, vector<64xf32>
      %b = vector.transfer_read %w[%c0], %p : memref<64xf32>, vector<64xf32>
      %c = arith.addf %a, %b : vector<64xf32>
      vector.transfer_write %c, %x[%c0] : vector<64xf32>, memref<64xf32>
      gpu.return
    }
    // A pointer to what @fill writes; what a caller may have written; what only one of two launches has from the host;
    // an address that a kernel makes a pointer of.
    // CHECK-LABEL: gpu.func @written(
    // CHECK-NEXT: nvvm.griddepcontrol launch_dependents
    // CHECK-NEXT: nvvm.griddepcontrol wait
    // CHECK-COUNT-4: memref.load
    gpu.func @written(%a: memref<64xf32>, %b: memref<64xf32>, %c: memref<64xf32>, %d: memref<64xf32>) kernel attributes {tile.program = #tile.program<>} {
      %c0 = arith.constant 0 : index
      %a0 = memref.load %a[%c0] : memref<64xf32>
      %b0 = memref.load %b[%c0] : memref<64xf32>
      %c1 = memref.load %c[%c0] : memref<64xf32>
      %d0 = memref.load %d[%c0] : memref<64xf32>
      gpu.return
    }
    // The first copies of a loop's tiles: those of constant memory move past those of other memory, into the group of
    // copies before; the loop stays, and what is read behind it.
    // CHECK-LABEL: gpu.func @loop(
    // CHECK: vector.transfer_read %arg1
    // CHECK-NEXT: vector.transfer_write %{{.*}}, %arg4
    // CHECK-NEXT: vector.transfer_read %arg1
    // CHECK-NEXT: vector.transfer_write %{{.*}}, %arg4
    // CHECK-NEXT: nvvm.griddepcontrol wait
    // CHECK: vector.transfer_read %arg0
    // CHECK: tile.commit_copies
    // CHECK: tile.commit_copies
    // CHECK: scf.for
    // CHECK: vector.transfer_read %arg1
    gpu.func @loop(%x: memref<64xf32>, %w: memref<64xf32>, %n: index) workgroup(%s: memref<64xf32, #gpu.address_space<workgroup>>, %t: memref<64xf32, #gpu.address_space<workgroup>>) kernel attributes {tile.program = #tile.program<>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %p = arith.constant 0.0 : f32
      %x0 = vector.transfer_read %x[%c0], %p : memref<64xf32>, vector<32xf32>
      vector.transfer_write %x0, %s[%c0] : vector<32xf32>, memref<64xf32, #gpu.address_space<workgroup>>
      %w0 = vector.transfer_read %w[%c0], %p : memref<64xf32>, vector<32xf32>
      vector.transfer_write %w0, %t[%c0] : vector<32xf32>, memref<64xf32, #gpu.address_space<workgroup>>
      tile.commit_copies
      %x1 = vector.transfer_read %x[%n], %p : memref<64xf32>, vector<32xf32>
      vector.transfer_write %x1, %s[%n] : vector<32xf32>, memref<64xf32, #gpu.address_space<workgroup>>
      %w1 = vector.transfer_read %w[%n], %p : memref<64xf32>, vector<32xf32>
      vector.transfer_write %w1, %t[%n] : vector<32xf32>, memref<64xf32, #gpu.address_space<workgroup>>
      tile.commit_copies
      scf.for %i = %c0 to %n step %c1 {
        tile.wait_copies 1
      }
      %w2 = vector.transfer_read %w[%n], %p : memref<64xf32>, vector<32xf32>
      vector.transfer_write %w2, %x[%n] : vector<32xf32>, memref<64xf32>
      gpu.return
    }
    // Not past a barrier, which orders the block's memory, nor before a read of that memory.
    // CHECK-LABEL: gpu.func @ordered(
    // CHECK-NEXT: nvvm.griddepcontrol launch_dependents
    // CHECK-NOT: vector.transfer_write
    // CHECK: nvvm.griddepcontrol wait
    // CHECK: vector.transfer_write
    gpu.func @ordered(%x: memref<64xf32>, %w: memref<64xf32>) workgroup(%s: memref<64xf32, #gpu.address_space<workgroup>>) kernel attributes {tile.program = #tile.program<>} {
      %c0 = arith.constant 0 : index
      %p = arith.constant 0.0 : f32
      %x0 = vector.transfer_read %x[%c0], %p : memref<64xf32>, vector<32xf32>
      vector.transfer_write %x0, %s[%c0] : vector<32xf32>, memref<64xf32, #gpu.address_space<workgroup>>
      gpu.barrier
      %w0 = vector.transfer_read %w[%c0], %p : memref<64xf32>, vector<32xf32>
      vector.transfer_write %w0, %s[%c0] : vector<32xf32>, memref<64xf32, #gpu.address_space<workgroup>>
      gpu.return
    }
    // So much would be in registers while what is before it is read: 256 bytes of each thread.
    // CHECK-LABEL: gpu.func @long(
    // CHECK-NEXT: nvvm.griddepcontrol launch_dependents
    // CHECK-NEXT: nvvm.griddepcontrol wait
    gpu.func @long(%x: memref<8192xf32>, %w: memref<8192xf32>) kernel attributes {tile.program = #tile.program<>} {
      %c0 = arith.constant 0 : index
      %p = arith.constant 0.0 : f32
      %a = vector.transfer_read %x[%c0], %p : memref<8192xf32>, vector<8192xf32>
      %b = vector.transfer_read %w[%c0], %p : memref<8192xf32>, vector<8192xf32>
      %c = arith.addf %a, %b : vector<8192xf32>
      vector.transfer_write %c, %x[%c0] : vector<8192xf32>, memref<8192xf32>
      gpu.return
    }
    // What a function of a library is given its caller may have written just before, whatever others in the module pass.
    // CHECK-LABEL: gpu.func @given(
    // CHECK-NEXT: nvvm.griddepcontrol launch_dependents
    // CHECK-NEXT: nvvm.griddepcontrol wait
    gpu.func @given(%x: memref<64xf32>, %w: memref<64xf32>) kernel attributes {tile.program = #tile.program<>} {
      %c0 = arith.constant 0 : index
      %p = arith.constant 0.0 : f32
      %b = vector.transfer_read %w[%c0], %p : memref<64xf32>, vector<64xf32>
      vector.transfer_write %b, %x[%c0] : vector<64xf32>, memref<64xf32>
      gpu.return
    }
    // Other kernels say themselves when they wait; older chips, and the simulator, have no such launch.
    // CHECK-NOT: griddepcontrol
    gpu.func @fill(%m: memref<64xf32>) kernel {
      %c0 = arith.constant 0 : index
      %zero = arith.constant 0.0 : f32
      memref.store %zero, %m[%c0] : memref<64xf32>
      gpu.return
    }
    gpu.func @address(%m: memref<64xf32>) kernel {
      %i = memref.extract_aligned_pointer_as_index %m : memref<64xf32> -> index
      %j = arith.index_cast %i : index to i64
      %q = llvm.inttoptr %j : i64 to !llvm.ptr
      gpu.return
    }
  }
  gpu.module @ampere attributes {device.target = "cuda:sm_80"} {
    gpu.func @program() kernel attributes {tile.program = #tile.program<>} {
      gpu.return
    }
  }

  func.func @launches(%host: memref<64xf32>, %n: index) {
    %c1 = arith.constant 1 : index
    %x = memref.alloc() : memref<64xf32>
    %w = device.upload %host : memref<64xf32>
    %written = device.upload %host : memref<64xf32>
    %address = device.upload %host : memref<64xf32>
    %view = memref.cast %written : memref<64xf32> to memref<?xf32>
    %other = memref.cast %view : memref<?xf32> to memref<64xf32>
    gpu.launch_func @hopper::@fill blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%other : memref<64xf32>)
    gpu.launch_func @hopper::@address blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%address : memref<64xf32>)
    gpu.launch_func @hopper::@program blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<64xf32>, %w : memref<64xf32>)
    gpu.launch_func @hopper::@written blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%written : memref<64xf32>, %host : memref<64xf32>, %w : memref<64xf32>, %address : memref<64xf32>)
    gpu.launch_func @hopper::@written blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%w : memref<64xf32>, %w : memref<64xf32>, %x : memref<64xf32>, %w : memref<64xf32>)
    gpu.launch_func @hopper::@loop blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<64xf32>, %w : memref<64xf32>, %n : index)
    gpu.launch_func @hopper::@ordered blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<64xf32>, %w : memref<64xf32>)
    call @entry(%x, %w) : (memref<64xf32>, memref<64xf32>) -> ()
    call @weights(%x, %x) {arg_attrs = [{}, {device.constant}]} : (memref<64xf32>, memref<64xf32>) -> ()
    return
  }
  func.func @entry(%x: memref<64xf32>, %w: memref<64xf32>) attributes {group.entry = {}} {
    %c1 = arith.constant 1 : index
    gpu.launch_func @hopper::@given blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<64xf32>, %w : memref<64xf32>)
    return
  }
  // What a call says of its arguments; elsewhere than where it is written.
  func.func private @weights(%x: memref<64xf32>, %w: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @hopper::@program blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<64xf32>, %w : memref<64xf32>)
    return
  }
  memref.global "private" constant @numbers : memref<8192xf32> = dense<1.0>
  func.func @long() {
    %c1 = arith.constant 1 : index
    %x = memref.alloc() : memref<8192xf32>
    %w = memref.get_global @numbers : memref<8192xf32>
    gpu.launch_func @hopper::@long blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%x : memref<8192xf32>, %w : memref<8192xf32>)
    return
  }
}
