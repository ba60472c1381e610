func.func @f(%a: i32) -> i32 {
  %0 = arith.constant dense_resource<somewhere> : tensor<2xf32>
  %1 = arith.constant 0x7FC00001 : f32
  cf.br ^second
^first:
  %2 = arith.addi %3, %3 : i32
  return %2 : i32
^second:
  %3 = arith.constant 3 : i32
  cf.br ^first
}
{-#
  dialect_resources: { builtin: { somewhere: "0x080000000000803F00000040" } }
#-}
