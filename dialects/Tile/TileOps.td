//===- TileOps.td - the tile dialect ----------------------*- tablegen -*-===//
//
// What tile programs need beside the vector, arith, math, scf and gpu dialects.
//
//===----------------------------------------------------------------------===//
#ifndef LISPIER_TILE_OPS
#define LISPIER_TILE_OPS

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::lispier::tile";
  let summary = "Programs of one block on tiles";
  let description = [{
    A tile program is a gpu.func kernel with the attribute `tile.program`, whose body computes with tiles: n-D vectors
    of static shape that belong to the block, not to a thread. Before distribution it is valid IR that runs on one
    thread; that is its meaning. README.md has the ops of a tile program, and what each means at the edges of memory.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
}

def Tile_Program : AttrDef<Tile_Dialect, "Program"> {
  let mnemonic = "program";
  let summary = "How a tile program is to be distributed";
  let description = [{
    On a gpu.func kernel, as `tile.program`. `warps`, a power of two, is the number of warps of a block on a GPU;
    `stages` is how many steps of a loop have their loads in flight at the same time, 1 for none. With `ring`, a warp
    more copies them, where `lispier-specialize-warps` can do that.
  }];
  let parameters = (ins DefaultValuedParameter<"int64_t", "4">:$warps, DefaultValuedParameter<"int64_t", "1">:$stages,
                        DefaultValuedParameter<"bool", "false">:$ring);
  let builders = [AttrBuilder<(ins "int64_t":$warps, "int64_t":$stages), [{
    return $_get($_ctxt, warps, stages, /*ring=*/false);
  }]>];
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Tile_Layout : AttrDef<Tile_Dialect, "Layout"> {
  let mnemonic = "layout";
  let summary = "Which thread has which elements of a tile, in which of its registers";
  let description = [{
    A linear layout, see TileLayout.h: the coordinates of each bit of the numbers of registers, lanes and warps, lowest
    bit first, within a unit that repeats along each dimension. A tile of 4 x 96 with two neighbours in each thread:

    ```mlir
    #tile.layout<registers = [[0, 1]], lanes = [[0, 2], [0, 4], [0, 8], [0, 16], [1, 0]],
                 warps = [[2, 0]], repeats = [1, 3]>
    ```

    As the discardable attribute `tile.layout`, of an op's result, or, in an array, of all of its results (`unit` for
    one that is no tile); of scf.while, then of the arguments of its first region. It is written by
    `lispier-lay-out-tiles`; on an op before that pass, it is the user's choice.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$repeats, ArrayRefParameter<"int32_t">:$registers,
                        ArrayRefParameter<"int32_t">:$lanes, ArrayRefParameter<"int32_t">:$warps);
  let builders = [AttrBuilder<(ins "const ::lispier::tile::Layout &":$layout)>];
  let extraClassDeclaration = [{
    /// The layout of a tile of that shape.
    ::lispier::tile::Layout layoutOf(::llvm::ArrayRef<int64_t> shape) const;
  }];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Tile_PrecisionEnum : I32EnumAttr<"Precision", "what a product may make of factors of F32", [
    I32EnumAttrCase<"F32", 0, "f32">,       // Nothing.
    I32EnumAttrCase<"TF32x3", 1, "tf32x3">, // Two terms of TF32 each, and three products of terms.
    I32EnumAttrCase<"BF16x3", 2, "bf16x3">, // Two terms of BF16 each, and three products of terms.
    I32EnumAttrCase<"TF32", 3, "tf32">,     // Without the lower 13 bits.
    I32EnumAttrCase<"BF16", 4, "bf16">,     // Rounded to BF16.
]> {
  let cppNamespace = "::lispier::tile";
  let genSpecializedAttr = 0;
}

def Tile_Precision : EnumAttr<Tile_Dialect, Tile_PrecisionEnum, "precision"> {
  let summary = "What a product may make of factors of F32";
  let description = [{
    As the discardable attribute `tile.precision` of a vector.contract with factors of F32. Sums are always in F32. It
    allows an error and does not require one: README.md has the bounds.
  }];
  let assemblyFormat = "`<` $value `>`";
}

class Tile_Op<string name, list<Trait> traits = []> : Op<Tile_Dialect, name, traits>;

def Tile_ConvertOp : Tile_Op<"convert", [Pure, AllTypesMatch<["source", "result"]>]> {
  let summary = "The same tile in another layout";
  let description = [{
    Made by `lispier-lay-out-tiles` where an op needs an operand in another layout than it has. Before distribution it
    is the identity.

    ```mlir
    %a = tile.convert %loaded : vector<64x64xbf16> to #layout
    ```
  }];
  let arguments = (ins AnyVectorOfAnyRank:$source, Tile_Layout:$layout);
  let results = (outs AnyVectorOfAnyRank:$result);
  let assemblyFormat = "$source `:` type($result) `to` $layout attr-dict";
  let hasVerifier = 1;
}

def Tile_Indices : Variadic<VectorOfAnyRankOf<[Index]>>;
def Tile_Mask : Optional<VectorOfAnyRankOf<[I1]>>;

def Tile_GatherOp : Tile_Op<"gather", [AttrSizedOperandSegments]> {
  let summary = "Reads one element for each element of the index tiles";
  let description = [{
    There is one index tile for each dimension of `base`, all of the shape of the result. An element that lies outside
    of `base`, or for which `mask` is false, is `otherwise`. With `required`, which is for targets that report errors,
    one that lies outside while its mask is true ends the program (device.require_index).

    ```mlir
    %v = tile.gather %m[%rows, %columns], %zero, %mask
      : memref<?x?xf32>, vector<4x8xindex>, vector<4x8xi1> -> vector<4x8xf32>
    ```
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead]>:$base, Tile_Indices:$indices, AnyType:$otherwise, Tile_Mask:$mask,
                       UnitAttr:$required);
  let results = (outs AnyVectorOfAnyRank:$result);
  let assemblyFormat = [{
    $base `[` $indices `]` `,` $otherwise (`,` $mask^)? attr-dict
    `:` type($base) `,` custom<SameTypes>(type($indices), ref($indices)) (`,` type($mask)^)?
    `->` type($result) custom<ElementOf>(type($otherwise), ref(type($result)))
  }];
  let hasVerifier = 1;
}

class Tile_WritesElements<string name> : Tile_Op<name, [AttrSizedOperandSegments]> {
  let arguments = (ins AnyVectorOfAnyRank:$value, Arg<AnyMemRef, "", [MemRead, MemWrite]>:$base, Tile_Indices:$indices,
                       Tile_Mask:$mask);
  let assemblyFormat = [{
    $value `,` $base `[` $indices `]` (`,` $mask^)? attr-dict
    `:` type($value) `,` type($base) `,` custom<SameTypes>(type($indices), ref($indices)) (`,` type($mask)^)?
  }];
  let hasVerifier = 1;
}

def Tile_ScatterOp : Tile_WritesElements<"scatter"> {
  let summary = "Writes each element to the place that the index tiles name";
  let description = [{
    An element is dropped if its place lies outside of `base` or `mask` is false. Which element stays when several have
    the same place is not specified.
  }];
}

def Tile_AtomicAddOp : Tile_WritesElements<"atomic_add"> {
  let summary = "Adds each element to the place that the index tiles name, each addition atomic";
  let description = [{ As tile.scatter, but all elements with the same place are added, in unspecified order. }];
}

//===----------------------------------------------------------------------===//
// Rings: tiles that one warp copies ahead, and the others use.
//===----------------------------------------------------------------------===//

class Tile_Ordered<string name, list<Trait> traits = []>
    : Tile_Op<name, [MemoryEffects<[MemRead, MemWrite]>] # traits>;

def Tile_Ring : MemRefRankOf<[I64], [2]>;

def Tile_RolesOp : Tile_Op<"roles", [NoTerminator, SingleBlock, RecursiveMemoryEffects]> {
  let summary = "What a warp of its own copies, while the others compute";
  let description = [{
    Each of `rings`, memref<2 x slots>, is the state of a ring in memory of the block: of each slot a barrier that it is
    filled, and one that it is vacant. Fills of a ring have numbers from 0 on; fill n is of slot n modulo `slots`.
    `produce` is what one lane of the warp behind the program's does: tile.vacant and tile.fill; `consume` what the
    program's warps do, with tile.filled and tile.release. Both count fills, and come to the same numbers. With `grants`
    the warp that copies is one of four, which leave registers to the program's. Made by `lispier-specialize-warps`.
  }];
  let arguments = (ins Arg<Variadic<Tile_Ring>, "", [MemRead, MemWrite]>:$rings, UnitAttr:$grants);
  let regions = (region SizedRegion<1>:$produce, SizedRegion<1>:$consume);
  let assemblyFormat = "$rings `:` type($rings) attr-dict-with-keyword `produce` $produce `consume` $consume";
}

def Tile_VacantOp : Tile_Ordered<"vacant"> {
  let summary = "Waits until the slot of fill n is vacant, and begins the fill";
  let description = [{
    The slot is filled when `bytes` bytes have arrived. The first fill of a slot waits for nothing, unless the slot is
    one of the last `late`: a step releases the slot of so many fills before, the first step those that none has.
  }];
  let arguments = (ins Tile_Ring:$ring, I32:$n, I64Attr:$bytes, I64Attr:$late);
  let assemblyFormat = "$ring `[` $n `]` `,` $bytes `,` $late attr-dict `:` type($ring)";
}

def Tile_FillOp : Tile_Ordered<"fill", [AttrSizedOperandSegments]> {
  let summary = "Copies a tile to a slot, as part of fill n";
  let description = [{
    The tile has the shape of `slots` without its first dimension, in the last dimensions of `source`; what is outside
    of `source` is 0. It arrives in rows of 128 bytes, whose eight chunks of 16 bytes are exchanged by the row's number;
    what is to the right of them comes behind all of them. `map` describes `source` to hardware that needs it.
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead]>:$source, Variadic<Index>:$indices,
                       Arg<AnyMemRef, "", [MemWrite]>:$slots, Tile_Ring:$ring, I32:$n, Optional<AnyType>:$map);
  let assemblyFormat = [{
    $source `[` $indices `]` `to` $slots `,` $ring `[` $n `]` (`by` $map^ `:` type($map))? attr-dict
    `:` type($source) `to` type($slots) `,` type($ring)
  }];
}

def Tile_FilledOp : Tile_Ordered<"filled"> {
  let summary = "Waits until fill n has arrived";
  let arguments = (ins Tile_Ring:$ring, I32:$n);
  let assemblyFormat = "$ring `[` $n `]` attr-dict `:` type($ring)";
}

def Tile_ReleaseOp : Tile_Ordered<"release"> {
  let summary = "Says for the warp that it has read the slot of `late` fills before n";
  let arguments = (ins Tile_Ring:$ring, I32:$n, I64Attr:$late);
  let assemblyFormat = "$ring `[` $n `]` `,` $late attr-dict `:` type($ring)";
}

def Tile_TurnOp : Tile_Ordered<"turn"> {
  let summary = "Begins the turn of four warps to begin products, or ends it, so that the next four have theirs";
  let description = [{ While one group has its turn, the others compute. All take as many turns. }];
  let arguments = (ins UnitAttr:$ends);
  let assemblyFormat = "(`ends` $ends^)? attr-dict";
}

def Tile_StageOp : Tile_Op<"stage"> {
  let summary = "Puts columns of a tile to a buffer from which tile.drain writes them";
  let description = [{
    A tile of elements of 16 bits and 16 columns, the columns from `column` on of buffer number `buffer` of `buffers`,
    memref<2 x rows of the tile x 64>.
  }];
  let arguments = (ins AnyVectorOfNonZeroRank:$tile, Arg<AnyMemRef, "", [MemWrite]>:$buffers, I64Attr:$buffer,
                       I64Attr:$column);
  let assemblyFormat = [{
    $tile `to` $buffers `[` $buffer `]` `at` $column attr-dict `:` type($tile) `to` type($buffers)
  }];
}

def Tile_DrainOp : Tile_Op<"drain"> {
  let summary = "Writes a buffer's columns to memory, while the program goes on";
  let description = [{
    Each four warps write the rows that they have staged. tile.vacate and tile.drained wait for it.
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead, MemWrite]>:$buffers, I64Attr:$buffer,
                       Arg<AnyMemRef, "", [MemWrite]>:$base, Variadic<Index>:$indices);
  let assemblyFormat = [{
    $buffers `[` $buffer `]` `to` $base `[` $indices `]` attr-dict `:` type($buffers) `to` type($base)
  }];
}

def Tile_VacateOp : Tile_Op<"vacate"> {
  let summary = "Waits until all drains but the latest `pending` have read their buffers";
  let arguments = (ins Arg<AnyMemRef, "", [MemRead, MemWrite]>:$buffers, I64Attr:$pending);
  let assemblyFormat = "$buffers `,` $pending attr-dict `:` type($buffers)";
}

def Tile_DrainedOp : Tile_Ordered<"drained"> {
  let summary = "Waits for all but the thread's latest `pending` bulk copies";
  let description = [{ Until they have read their buffers; or, with `written`, until they are complete. }];
  let arguments = (ins I64Attr:$pending, UnitAttr:$written);
  let assemblyFormat = "$pending (`written` $written^)? attr-dict";
}

//===----------------------------------------------------------------------===//
// Constants of launches, chosen for a target.
//===----------------------------------------------------------------------===//

def Tile_Tuned : AttrDef<Tile_Dialect, "Tuned"> {
  let mnemonic = "tuned";
  let summary = "When a candidate of tile.choose is best";
  let description = [{
    On the `targets`, names of chips, vendors, abilities, cpu, gpu or sim (none: on all), for operands of about these
    `sizes` (none: of all sizes).
  }];
  let parameters = (ins "int64_t":$candidate, "::mlir::ArrayAttr":$targets,
                        OptionalParameter<"::mlir::DenseI64ArrayAttr">:$sizes);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Tile_ChooseOp : Tile_Op<"choose"> {
  let summary = "The number of the candidate whose constants a launch is to have";
  let description = [{
    `sizes` are those of all memrefs that the launch passes. Of the `rules` for the target, the one whose sizes are
    nearest decides; sizes are compared by classes, the exponents of the next powers of two. Without rules with sizes it
    is the last for all sizes, without any it is candidate 0. Among equally near rules the last decides. The only use is
    an scf.index_switch with a case for each candidate, which `lispier-choose-tile-constants` resolves as early as the
    target is known.

    `combinations`: the launch is measured, for `lispier tune`; there is one candidate, of so many.

    ```mlir
    %i = tile.choose "matmul"(%m, %k) among [{bm = 64}, {bm = 128} ]
      rules [#tile.tuned<candidate = 1, targets = ["sm_90a"], sizes = [4096, 4096]>]
    ```
  }];
  let arguments = (ins StrAttr:$program, Variadic<Index>:$sizes, ArrayAttr:$candidates,
                       OptionalAttr<TypedArrayAttrBase<Tile_Tuned, "rules">>:$rules,
                       OptionalAttr<I64Attr>:$combinations);
  let results = (outs Index:$result);
  let assemblyFormat = [{
    $program `(` $sizes `)` `among` $candidates (`rules` $rules^)? (`measured` $combinations^)? attr-dict
  }];
  let extraClassDeclaration = [{
    /// The rules, of type TunedAttr; none if the attribute is absent.
    ::llvm::ArrayRef<::mlir::Attribute> allRules() {
      return getRules() ? getRules()->getValue() : ::llvm::ArrayRef<::mlir::Attribute>();
    }
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Ops of threads, which distribution makes. A target lowers them to its instructions.
//===----------------------------------------------------------------------===//

def Tile_MmaOp : Tile_Op<"mma", [Pure, AllTypesMatch<["c", "result"]>]> {
  let summary = "One matrix instruction of a warp: a lane's part of d = a b + c";
  let description = [{
    All lanes of the warp execute it together. The operands are the lane's elements of a (m x k), b (k x n) and c (m x
    n), in the order of the instruction's registers (TargetInfo's table of matrix instructions says which they are).
    `tf32`: the instruction ignores the lower 13 bits of F32 operands.

    ```mlir
    %d = tile.mma %a, %b, %c {m = 16, n = 8, k = 16} : vector<8xbf16>, vector<4xbf16>, vector<4xf32>
    ```
  }];
  let arguments = (ins AnyVectorOfNonZeroRank:$a, AnyVectorOfNonZeroRank:$b, AnyVectorOfNonZeroRank:$c, I64Attr:$m,
                       I64Attr:$n, I64Attr:$k, UnitAttr:$tf32);
  let results = (outs AnyVectorOfNonZeroRank:$result);
  let assemblyFormat = "$a `,` $b `,` $c attr-dict `:` type($a) `,` type($b) `,` type($c)";
}

def Tile_WarpgroupMmaOp : Tile_Op<"warpgroup_mma", [AllTypesMatch<["c", "result"]>]> {
  let summary = "Begins a product of four warps, d = a b + c, with b in shared memory";
  let description = [{
    c and d are a lane's sums of 64 x `n` elements; each warp has 16 rows, in the fragments of tile.mma with m = 16, n =
    8, one after the other. a is [64 16]: in shared memory, at element `aIndex` of `a`, where it is [16 64] if
    `aTransposed`, or a lane's fragment of tile.mma with m = 16, k = 16. b is [`n` 16], or [16 `n`] if `transposed`.
    What is in shared memory lies in rows of 128 bytes whose eight chunks of 16 bytes are exchanged by the row's
    number; `apart` bytes lie between 64 columns of a transposed b and the next. d is complete after the
    tile.warpgroup_wait for its group, and until then is used by other products and passed on only; so are a and b,
    until then, not written. `kept`: the fragment a is of outside the loop, and must outlast its steps.

    ```mlir
    %d = tile.warpgroup_mma %c, %a[%i], %b[%j] {n = 64, apart = 16} : vector<32xf32>,
         memref<?xbf16, ..>, memref<?xbf16, ..>
    %d = tile.warpgroup_mma %c, %a, %b[%j] {n = 64, apart = 16} : vector<32xf32>, vector<8xbf16>, memref<?xbf16, ..>
    ```
  }];
  let arguments = (ins AnyVectorOfNonZeroRank:$c, Arg<AnyTypeOf<[AnyMemRef, AnyVectorOfNonZeroRank]>, "", [MemRead]>:$a,
                       Optional<Index>:$aIndex, Arg<AnyMemRef, "", [MemRead]>:$b, Index:$bIndex, I64Attr:$n,
                       I64Attr:$apart, UnitAttr:$transposed, UnitAttr:$aTransposed, UnitAttr:$kept);
  let results = (outs AnyVectorOfNonZeroRank:$result);
  let assemblyFormat = [{
    $c `,` $a (`[` $aIndex^ `]`)? `,` $b `[` $bIndex `]` attr-dict `:` type($c) `,` type($a) `,` type($b)
  }];
  let hasVerifier = 1;
}

class Tile_WarpgroupOrder<string name, list<Trait> traits = []>
    : Tile_Op<name, [MemoryEffects<[MemRead, MemWrite]>] # traits>;

def Tile_WarpgroupFenceOp : Tile_WarpgroupOrder<"warpgroup_fence"> {
  let summary = "Orders what the thread did with its registers before the tile.warpgroup_mma that follow";
  let assemblyFormat = "attr-dict";
}

def Tile_WarpgroupCommitOp : Tile_WarpgroupOrder<"warpgroup_commit"> {
  let summary = "Makes a group of the tile.warpgroup_mma since the last group";
  let assemblyFormat = "attr-dict";
}

def Tile_WarpgroupWaitOp : Tile_WarpgroupOrder<"warpgroup_wait", [AllTypesMatch<["sums", "result"]>]> {
  let summary = "Waits until all but the latest `pending` groups of products are complete";
  let description = [{
    The result is `sums`, so that what needs them complete comes after the wait. `factors` are what the products read
    from registers, which are not reused before.

    ```mlir
    %s = tile.warpgroup_wait %d, 0 keeping (%a) : vector<32xf32>, vector<8xbf16>
    ```
  }];
  let arguments = (ins AnyVectorOfNonZeroRank:$sums, I64Attr:$pending, Variadic<AnyVectorOfNonZeroRank>:$factors);
  let results = (outs AnyVectorOfNonZeroRank:$result);
  let assemblyFormat = [{
    $sums `,` $pending (`keeping` `(` $factors^ `)`)? attr-dict `:` type($sums) (`,` type($factors)^)?
  }];
}

def Tile_LoadMatrixOp : Tile_Op<"load_matrix"> {
  let summary = "Reads matrices of 8 x 8 elements of 16 bits from shared memory, for a whole warp";
  let description = [{
    Lane 8 t + r names the first element of row r of matrix t; a row is 16 contiguous bytes. Lane l receives of each of
    the 1, 2 or 4 matrices the elements 2 (l % 4) and 2 (l % 4) + 1 of row l / 4; of the transposed matrix if
    `transposed`.
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead]>:$source, Variadic<Index>:$indices, UnitAttr:$transposed);
  let results = (outs FixedVectorOfRankAndType<[2], [AnyType]>:$result);
  let assemblyFormat = "$source `[` $indices `]` (`transposed` $transposed^)? attr-dict `:` "
                       "type($source) `->` type($result)";
}

def Tile_CopyAsyncOp : Tile_Op<"copy_async", [AttrSizedOperandSegments]> {
  let summary = "Begins a copy of a thread from global to shared memory";
  let description = [{
    Copies `elements` contiguous elements of 4, 8 or 16 bytes in all. With `read`, only so many are read, and the others
    are 0; what is not read may be outside of `source`. The elements arrive at the latest at the tile.wait_copies of
    their group; other threads see them after a barrier behind it.
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead]>:$source, Variadic<Index>:$sourceIndices,
                       Arg<AnyMemRef, "", [MemWrite]>:$destination, Variadic<Index>:$destinationIndices,
                       I64Attr:$elements,
                       Optional<Index>:$read);
  let assemblyFormat = [{
    $source `[` $sourceIndices `]` `,` $destination `[` $destinationIndices `]` `,` $elements (`,` $read^)? attr-dict
    `:` type($source) `to` type($destination)
  }];
}

def Tile_CommitCopiesOp : Tile_Op<"commit_copies", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Makes a group of the thread's copies since its last group";
  let assemblyFormat = "attr-dict";
}

def Tile_WaitCopiesOp : Tile_Op<"wait_copies", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Waits until all but the thread's latest `pending` groups of copies have arrived";
  let arguments = (ins I64Attr:$pending);
  let assemblyFormat = "$pending attr-dict";
}

def Tile_RingStartOp : Tile_Ordered<"ring_start"> {
  let summary = "Makes all slots of a ring vacant, for `consumers` warps; other threads see it after a barrier";
  let arguments = (ins Arg<Tile_Ring, "", [MemWrite]>:$ring, I64Attr:$consumers);
  let assemblyFormat = "$ring `,` $consumers attr-dict `:` type($ring)";
}

def Tile_ElectedOp : Tile_Ordered<"elected"> {
  let summary = "Whether this is the one lane that acts for its warp, all of whose lanes ask";
  let results = (outs I1:$result);
  let assemblyFormat = "attr-dict";
}

def Tile_AgainOp : Tile_Ordered<"again"> {
  let summary = "A number, of which nothing is known before";
  let description = [{
    What is computed of it is computed behind it, and not kept in registers through a loop before.
  }];
  let arguments = (ins I32:$number);
  let results = (outs I32:$result);
  let assemblyFormat = "$number attr-dict";
}

def Tile_JoinOp : Tile_Ordered<"join"> {
  let summary = "A barrier of some warps of a block, `threads` in all, that name the same `id`";
  let description = [{
    `publishes`: what they wrote to memory of the block before, bulk copies behind it may read. `passes`: the thread is
    counted, and goes on without waiting.
  }];
  let arguments = (ins I32:$id, I64Attr:$threads, UnitAttr:$publishes, UnitAttr:$passes);
  let assemblyFormat = "$id `,` $threads (`publishes` $publishes^)? (`passes` $passes^)? attr-dict";
}

def Tile_RegistersOp : Tile_Ordered<"registers"> {
  let summary = "From here on each thread of four warps, all of which come here, has `count` registers";
  let description = [{ With `more`, more than before, once other warps have left as many; else fewer. }];
  let arguments = (ins I64Attr:$count, UnitAttr:$more);
  let assemblyFormat = "$count (`more` $more^)? attr-dict";
}

def Tile_StoreMatrixOp : Tile_Op<"store_matrix"> {
  let summary = "Writes what tile.load_matrix reads: four matrices of 8 x 8 elements of 16 bits, for a whole warp";
  let arguments = (ins FixedVectorOfRankAndType<[2], [AnyType]>:$matrices,
                       Arg<AnyMemRef, "", [MemWrite]>:$destination, Variadic<Index>:$indices);
  let assemblyFormat = "$matrices `,` $destination `[` $indices `]` attr-dict `:` type($matrices) `,` "
                       "type($destination)";
}

def Tile_CopyBulkOp : Tile_Op<"copy_bulk", [AttrSizedOperandSegments]> {
  let summary = "Begins to write `rows` rows of 128 bytes from memory of the block, as tile.fill has them";
  let description = [{ What is outside of `destination` is not written. Each copy is a group of its thread's. }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead]>:$source, Index:$sourceIndex,
                       Arg<AnyMemRef, "", [MemWrite]>:$destination, Variadic<Index>:$indices, I64Attr:$rows,
                       Optional<AnyType>:$map);
  let assemblyFormat = [{
    $source `[` $sourceIndex `]` `,` $destination `[` $indices `]` `,` $rows (`by` $map^ `:` type($map))? attr-dict
    `:` type($source) `to` type($destination)
  }];
}

#endif
