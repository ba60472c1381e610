"""product.py M N K kn|nk BM BN BK WARPS STAGES TYPE SUMS: prints a program that multiplies [M K] by [K N], or by the
transposed of [N K], in tiles of BM x BN x BK, and then prints how many elements differ from those of plain loops. The numbers are small
integers, so that all sums are exact."""
import sys
M,N,K,order,bm,bn,bk,warps,stages,ty,acc=sys.argv[1:12]
bt = order=='nk'
bshape = f'{bn}x{bk}' if bt else f'{bk}x{bn}'
bidx = '%j, %k' if bt else '%k, %j'
bmap = '(n, k)' if bt else '(k, n)'
zero = '0.0' if ty!='i8' else '0'
zacc = '0.0' if acc!='i32' else '0'
BR,BC = (N,K) if bt else (K,N)
mk = 'arith.trunci %d : i32 to i8' if ty=='i8' else ('arith.sitofp %d : i32 to '+ty)
def ext(v,o):
    if ty==acc: return f'''%{o} = arith.addf %{v}, %z : {acc}''' 
    return f'%{o} = '+('arith.extsi' if ty=='i8' else 'arith.extf')+f' %{v} : {ty} to {acc}'
mul = 'arith.muli' if acc=='i32' else 'arith.mulf'
add = 'arith.addi' if acc=='i32' else 'arith.addf'
cmp = 'arith.cmpi eq' if acc=='i32' else 'arith.cmpf oeq'
print(f'''
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> {bmap}>
#c = affine_map<(m, n, k) -> (m, n)>
module attributes {{gpu.container_module}} {{
  gpu.module @kernels {{
    gpu.func @gemm(%a: memref<?x?x{ty}>, %b: memref<?x?x{ty}>, %c: memref<?x?x{acc}>) kernel attributes {{tile.program = #tile.program<warps = {warps}, stages = {stages}>}} {{
      %i0 = gpu.block_id x
      %j0 = gpu.block_id y
      %bm = arith.constant {bm} : index
      %bn = arith.constant {bn} : index
      %bk = arith.constant {bk} : index
      %i = arith.muli %i0, %bm : index
      %j = arith.muli %j0, %bn : index
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %K = memref.dim %a, %c1 : memref<?x?x{ty}>
      %p = arith.constant {zero} : {ty}
      %zero = arith.constant dense<{zacc}> : vector<{bm}x{bn}x{acc}>
      %r = scf.for %k = %c0 to %K step %bk iter_args(%acc = %zero) -> vector<{bm}x{bn}x{acc}> {{
        %av = vector.transfer_read %a[%i, %k], %p : memref<?x?x{ty}>, vector<{bm}x{bk}x{ty}>
        %bv = vector.transfer_read %b[{bidx}], %p : memref<?x?x{ty}>, vector<{bshape}x{ty}>
        %s = vector.contract {{indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}} %av, %bv, %acc : vector<{bm}x{bk}x{ty}>, vector<{bshape}x{ty}> into vector<{bm}x{bn}x{acc}>
        scf.yield %s : vector<{bm}x{bn}x{acc}>
      }}
      vector.transfer_write %r, %c[%i, %j] : vector<{bm}x{bn}x{acc}>, memref<?x?x{acc}>
      gpu.return
    }}
  }}
  func.func private @printI64(i64)
  func.func private @printNewline()
  func.func private @fill(%x: memref<?x?x{ty}>, %f: index) {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %rows = memref.dim %x, %c0 : memref<?x?x{ty}>
    %columns = memref.dim %x, %c1 : memref<?x?x{ty}>
    %c5 = arith.constant 5 : index
    %c7 = arith.constant 7 : index
    %three = arith.constant 3 : i32
    scf.for %i = %c0 to %rows step %c1 {{
      scf.for %j = %c0 to %columns step %c1 {{
        %a = arith.muli %i, %c5 : index
        %b = arith.muli %j, %f : index
        %s = arith.addi %a, %b : index
        %r = arith.remui %s, %c7 : index
        %t = arith.index_cast %r : index to i32
        %d = arith.subi %t, %three : i32
        %v = {mk}
        memref.store %v, %x[%i, %j] : memref<?x?x{ty}>
      }}
    }}
    return
  }}
  func.func @main() {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c11 = arith.constant 11 : index
    %M = arith.constant {M} : index
    %N = arith.constant {N} : index
    %K = arith.constant {K} : index
    %z = arith.constant {zacc} : {acc}
    %bm = arith.constant {bm} : index
    %bn = arith.constant {bn} : index
    %gm = arith.ceildivui %M, %bm : index
    %gn = arith.ceildivui %N, %bn : index
    %a = gpu.alloc(%M, %K) : memref<?x?x{ty}>
    %b = gpu.alloc(%{'N' if bt else 'K'}, %{'K' if bt else 'N'}) : memref<?x?x{ty}>
    %c = gpu.alloc(%M, %N) : memref<?x?x{acc}>
    call @fill(%a, %c3) : (memref<?x?x{ty}>, index) -> ()
    call @fill(%b, %c11) : (memref<?x?x{ty}>, index) -> ()
    gpu.launch_func @kernels::@gemm blocks in (%gm, %gn, %c1) threads in (%c1, %c1, %c1) args(%a : memref<?x?x{ty}>, %b : memref<?x?x{ty}>, %c : memref<?x?x{acc}>)
    %wrong = scf.for %i = %c0 to %M step %c1 iter_args(%w = %c0) -> index {{
      %row = scf.for %j = %c0 to %N step %c1 iter_args(%v = %w) -> index {{
        %sum = scf.for %k = %c0 to %K step %c1 iter_args(%s = %z) -> {acc} {{
          %x = memref.load %a[%i, %k] : memref<?x?x{ty}>
          %y = memref.load %b[{'%j, %k' if bt else '%k, %j'}] : memref<?x?x{ty}>
          {ext('x','xe')}
          {ext('y','ye')}
          %q = {mul} %xe, %ye : {acc}
          %n = {add} %s, %q : {acc}
          scf.yield %n : {acc}
        }}
        %g = memref.load %c[%i, %j] : memref<?x?x{acc}>
        %ok = {cmp}, %g, %sum : {acc}
        %one = arith.select %ok, %c0, %c1 : index
        %next = arith.addi %v, %one : index
        scf.yield %next : index
      }}
      scf.yield %row : index
    }}
    %n = arith.index_cast %wrong : index to i64
    call @printI64(%n) : (i64) -> ()
    call @printNewline() : () -> ()
    return
  }}
}}''')
