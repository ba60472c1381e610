(memref<4x ; f32>
)