	.file	"lispier"
	.text
	.p2align	6
	.type	.Llispier_print_tensor_f32,@function
.Llispier_print_tensor_f32:
	.cfi_startproc
	subq	$24, %rsp
	.cfi_def_cfa_offset 32
	movq	%rsi, 16(%rsp)
	movq	%rdi, 8(%rsp)
	leaq	8(%rsp), %rdi
	movq	%rdx, %rsi
	callq	_mlir_ciface_lispier_print_tensor_f32@PLT
	addq	$24, %rsp
	.cfi_def_cfa_offset 8
	retq
.Lfunc_end0:
	.size	.Llispier_print_tensor_f32, .Lfunc_end0-.Llispier_print_tensor_f32
	.cfi_endproc

	.section	.rodata.cst32,"aM",@progbits,32
	.p2align	5, 0x0
.LCPI1_0:
	.quad	8
	.quad	8
	.quad	1
	.quad	0
.LCPI1_1:
	.quad	8
	.quad	8
	.quad	8
	.quad	1
	.text
	.globl	p
	.p2align	6
	.type	p,@function
p:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	pushq	%r15
	.cfi_def_cfa_offset 24
	pushq	%r14
	.cfi_def_cfa_offset 32
	pushq	%r13
	.cfi_def_cfa_offset 40
	pushq	%r12
	.cfi_def_cfa_offset 48
	pushq	%rbx
	.cfi_def_cfa_offset 56
	subq	$264, %rsp
	.cfi_def_cfa_offset 320
	.cfi_offset %rbx, -56
	.cfi_offset %r12, -48
	.cfi_offset %r13, -40
	.cfi_offset %r14, -32
	.cfi_offset %r15, -24
	.cfi_offset %rbp, -16
	movq	%r9, %r13
	movq	%r8, 256(%rsp)
	movq	%rcx, 248(%rsp)
	movq	%rdx, 240(%rsp)
	movq	%rsi, 232(%rsp)
	movq	%rdi, %rbx
	movq	368(%rsp), %r15
	leaq	228(%rsp), %r12
	leaq	230(%rsp), %r14
	cmpq	%r15, %r9
	jne	.LBB1_1
.LBB1_2:
	movl	$320, %edi
	callq	lispier_rt_alloc@PLT
	movq	%r15, %rcx
	movq	%rax, %r15
	leaq	63(%rax), %rbp
	andq	$-64, %rbp
	vmovaps	.LCPI1_0(%rip), %ymm0
	vmovups	%ymm0, 192(%rsp)
	movq	%rbp, 168(%rsp)
	movq	%rax, 160(%rsp)
	vxorps	%xmm0, %xmm0, %xmm0
	vmovups	%ymm0, 120(%rsp)
	movq	%r12, 112(%rsp)
	movq	%r12, 104(%rsp)
	vxorps	%xmm0, %xmm0, %xmm0
	vmovups	%xmm0, 80(%rsp)
	movq	%r14, 72(%rsp)
	movq	%r14, 64(%rsp)
	movq	360(%rsp), %rax
	movq	%rax, 32(%rsp)
	movq	352(%rsp), %rax
	movq	%rax, 24(%rsp)
	movq	344(%rsp), %rax
	movq	%rax, 16(%rsp)
	movq	336(%rsp), %rax
	movq	%rax, 8(%rsp)
	movq	%rcx, 40(%rsp)
	movq	376(%rsp), %rax
	movq	%rax, 48(%rsp)
	movl	$1, %eax
	movq	%rax, 96(%rsp)
	movq	%rax, 152(%rsp)
	movq	384(%rsp), %rax
	movq	%rax, 56(%rsp)
	movq	328(%rsp), %rax
	movq	%rax, (%rsp)
	movq	$8, 184(%rsp)
	movq	$0, 176(%rsp)
	movq	%r13, %r8
	movq	320(%rsp), %r9
	movq	232(%rsp), %rdi
	movq	240(%rsp), %rsi
	movq	248(%rsp), %rdx
	movq	256(%rsp), %rcx
	vzeroupper
	callq	__template_nn.linear_0_0@PLT
	vmovaps	.LCPI1_1(%rip), %ymm0
	vmovups	%ymm0, 24(%rbx)
	movq	%rbp, 8(%rbx)
	movq	%r15, (%rbx)
	movq	$0, 16(%rbx)
	movq	%rbx, %rax
	addq	$264, %rsp
	.cfi_def_cfa_offset 56
	popq	%rbx
	.cfi_def_cfa_offset 48
	popq	%r12
	.cfi_def_cfa_offset 40
	popq	%r13
	.cfi_def_cfa_offset 32
	popq	%r14
	.cfi_def_cfa_offset 24
	popq	%r15
	.cfi_def_cfa_offset 16
	popq	%rbp
	.cfi_def_cfa_offset 8
	vzeroupper
	retq
.LBB1_1:
	.cfi_def_cfa_offset 320
	leaq	.L_print_str_0(%rip), %rdi
	movq	%r13, %rsi
	movq	%r15, %rdx
	movq	%r13, %rcx
	movq	%r15, %r8
	xorl	%eax, %eax
	callq	lispier_rt_check_failed@PLT
	jmp	.LBB1_2
.Lfunc_end1:
	.size	p, .Lfunc_end1-p
	.cfi_endproc

	.section	.rodata.cst32,"aM",@progbits,32
	.p2align	5, 0x0
.LCPI2_0:
	.quad	8
	.quad	8
	.quad	8
	.quad	1
	.text
	.globl	run
	.p2align	6
	.type	run,@function
run:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	pushq	%r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	pushq	%rbx
	subq	$200, %rsp
	.cfi_offset %rbx, -56
	.cfi_offset %r12, -48
	.cfi_offset %r13, -40
	.cfi_offset %r14, -32
	.cfi_offset %r15, -24
	movq	%rdi, %r15
	movq	%rdi, %r12
	shlq	$6, %r12
	js	.LBB2_1
.LBB2_2:
	movq	%r12, %rax
	shrq	$62, %rax
	movq	%r12, %rbx
	shrq	$61, %rbx
	andl	$1, %ebx
	orq	%rax, %rbx
	jne	.LBB2_3
.LBB2_4:
	leaq	(,%r15,8), %r14
	testq	%r14, %r14
	js	.LBB2_5
.LBB2_6:
	movq	%r14, %rax
	shrq	$59, %rax
	movq	%r14, %r13
	shrq	$58, %r13
	andl	$1, %r13d
	orq	%rax, %r13
	jne	.LBB2_7
	testq	%r12, %r12
	js	.LBB2_9
.LBB2_10:
	testq	%rbx, %rbx
	jne	.LBB2_11
.LBB2_12:
	movq	%r15, %rbx
	sarq	$63, %rbx
	testq	%r14, %r14
	js	.LBB2_13
.LBB2_14:
	andnq	%r15, %rbx, %rbx
	testq	%r13, %r13
	jne	.LBB2_15
.LBB2_16:
	movq	%r14, -88(%rbp)
	movq	%rbx, %rax
	shlq	$7, %rax
	leaq	(%rax,%rax,2), %r13
	movq	%r13, -56(%rbp)
	addq	$1024, %r13
	js	.LBB2_17
.LBB2_18:
	movq	%r12, %r15
	addq	$1023, %r12
	testq	%r15, %r15
	cmovnsq	%r15, %r12
	movq	%r12, %rax
	sarq	$10, %rax
	movq	%rax, -72(%rbp)
	leaq	1(%rax), %r14
	testq	%r15, %r15
	leaq	lispier_text_604684902ac8191a(%rip), %rdx
	leaq	lispier_text_e5185196eb2e4eb7(%rip), %rsi
	leaq	lispier_text_de9e7d0393a4f45e(%rip), %rdi
	cmovsq	%rax, %r14
	callq	lispier_rt_plan_allocation@PLT
	addq	$64, %r13
	movq	%r13, %rdi
	callq	lispier_rt_alloc@PLT
	leaq	63(%rax), %r13
	movq	%rax, %rcx
	movq	%rax, -64(%rbp)
	andq	$-64, %r13
	shlq	$8, %rbx
	movq	%rbx, -80(%rbp)
	movq	-56(%rbp), %rbx
	addq	$767, %rbx
	andq	$-256, %rbx
	andq	$-1024, %r12
	cmpq	%r12, %r15
	cmoveq	-72(%rbp), %r14
	movq	%r14, %rax
	sarq	$63, %rax
	andnq	%r14, %rax, %rdx
	movq	%rdx, -56(%rbp)
	movq	%r15, -144(%rbp)
	movq	%rcx, -136(%rbp)
	movq	%r15, -112(%rbp)
	movq	%r13, -128(%rbp)
	movq	$0, -120(%rbp)
	movq	$1, -104(%rbp)
	leaq	run_parallel(%rip), %rdi
	leaq	-144(%rbp), %rsi
	movl	$3, %ecx
	callq	lispier_rt_parallel_for@PLT
	movq	-80(%rbp), %rax
	leaq	256(%rax,%r13), %r12
	movq	-88(%rbp), %r14
	leaq	(,%r14,8), %rax
	movq	%r15, -232(%rbp)
	movq	-64(%rbp), %rcx
	movq	%rcx, -224(%rbp)
	movq	%r13, -216(%rbp)
	movq	%r15, -200(%rbp)
	movq	$0, -208(%rbp)
	movq	$1, -192(%rbp)
	movq	%rcx, -184(%rbp)
	movq	%rcx, %r15
	movq	%r12, -176(%rbp)
	movq	%rax, -160(%rbp)
	movq	$0, -168(%rbp)
	movq	$1, -152(%rbp)
	leaq	run_parallel_0(%rip), %rdi
	leaq	-232(%rbp), %rsi
	movl	$4, %ecx
	movq	-56(%rbp), %rdx
	callq	lispier_rt_parallel_for@PLT
	leaq	(%r13,%rbx), %rax
	subq	$224, %rsp
	vmovaps	.LCPI2_0(%rip), %ymm0
	vmovups	%ymm0, 184(%rsp)
	movq	%rax, 168(%rsp)
	movq	%r15, 160(%rsp)
	movl	$1, %eax
	movq	%rax, 152(%rsp)
	vxorps	%xmm0, %xmm0, %xmm0
	vmovups	%ymm0, 120(%rsp)
	leaq	-44(%rbp), %rcx
	movq	%rcx, 112(%rsp)
	movq	%rcx, 104(%rsp)
	movq	%rax, 96(%rsp)
	vxorps	%xmm0, %xmm0, %xmm0
	vmovups	%xmm0, 80(%rsp)
	leaq	-46(%rbp), %rax
	movq	%rax, 72(%rsp)
	movq	%rax, 64(%rsp)
	movq	%r14, 48(%rsp)
	movq	%r14, 40(%rsp)
	movq	%r12, 16(%rsp)
	movq	%r15, 8(%rsp)
	movq	$0, 216(%rsp)
	movq	$0, 176(%rsp)
	movq	$1, 56(%rsp)
	movq	$8, 32(%rsp)
	movq	$0, 24(%rsp)
	movq	$1, (%rsp)
	movl	$8, %ecx
	movq	%r15, %rdi
	movq	%r12, %rsi
	xorl	%edx, %edx
	movq	%r14, %r8
	movq	%r14, %r9
	vzeroupper
	callq	__template_nn.linear_0_0@PLT
	addq	$224, %rsp
	movl	$0, (%r13)
	vxorps	%xmm5, %xmm5, %xmm5
	vaddps	(%r13,%rbx), %ymm5, %ymm0
	vaddps	32(%r13,%rbx), %ymm5, %ymm1
	vaddps	64(%r13,%rbx), %ymm5, %ymm2
	vaddps	96(%r13,%rbx), %ymm5, %ymm3
	vaddps	128(%r13,%rbx), %ymm5, %ymm4
	vaddps	%ymm0, %ymm4, %ymm0
	vaddps	160(%r13,%rbx), %ymm5, %ymm4
	vaddps	%ymm1, %ymm4, %ymm1
	vaddps	192(%r13,%rbx), %ymm5, %ymm4
	vaddps	%ymm2, %ymm4, %ymm2
	vaddps	%ymm0, %ymm2, %ymm0
	vaddps	224(%r13,%rbx), %ymm5, %ymm2
	vaddps	%ymm3, %ymm2, %ymm2
	vaddps	%ymm1, %ymm2, %ymm1
	vaddps	%ymm0, %ymm1, %ymm0
	vextractf128	$1, %ymm0, %xmm1
	vaddps	%xmm1, %xmm0, %xmm0
	vshufpd	$1, %xmm0, %xmm0, %xmm1
	vaddps	%xmm1, %xmm0, %xmm0
	vmovshdup	%xmm0, %xmm1
	vaddss	%xmm1, %xmm0, %xmm0
	vxorps	%xmm1, %xmm1, %xmm1
	vaddss	%xmm1, %xmm0, %xmm0
	vaddss	%xmm1, %xmm0, %xmm0
	vaddss	%xmm1, %xmm0, %xmm0
	vmovss	%xmm0, (%r13)
	movq	%rsp, %rax
	leaq	-32(%rax), %rsi
	movq	%rsi, %rsp
	movq	%r13, -24(%rax)
	movq	%r15, -32(%rax)
	movq	$0, -16(%rax)
	movl	$6, %edx
	xorl	%edi, %edi
	vzeroupper
	callq	.Llispier_print_tensor_f32
	movq	%r15, %rdi
	callq	lispier_rt_free@PLT
	leaq	-40(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_def_cfa %rsp, 8
	retq
.LBB2_1:
	.cfi_def_cfa %rbp, 16
	leaq	.L_print_str_1(%rip), %rdi
	movq	%r12, %rsi
	xorl	%eax, %eax
	callq	lispier_rt_check_failed@PLT
	jmp	.LBB2_2
.LBB2_3:
	leaq	.L_print_str_2(%rip), %rdi
	movq	%r12, %rsi
	xorl	%eax, %eax
	callq	lispier_rt_check_failed@PLT
	jmp	.LBB2_4
.LBB2_5:
	leaq	.L_print_str_3(%rip), %rdi
	movq	%r14, %rsi
	xorl	%eax, %eax
	callq	lispier_rt_check_failed@PLT
	jmp	.LBB2_6
.LBB2_7:
	leaq	.L_print_str_4(%rip), %rdi
	movq	%r14, %rsi
	xorl	%eax, %eax
	callq	lispier_rt_check_failed@PLT
	testq	%r12, %r12
	jns	.LBB2_10
.LBB2_9:
	leaq	.L_print_str_5(%rip), %rdi
	movq	%r12, %rsi
	xorl	%eax, %eax
	callq	lispier_rt_check_failed@PLT
	testq	%rbx, %rbx
	je	.LBB2_12
.LBB2_11:
	leaq	.L_print_str_6(%rip), %rdi
	movq	%r12, %rsi
	xorl	%eax, %eax
	callq	lispier_rt_check_failed@PLT
	jmp	.LBB2_12
.LBB2_13:
	leaq	.L_print_str_7(%rip), %rdi
	movq	%r14, %rsi
	xorl	%eax, %eax
	callq	lispier_rt_check_failed@PLT
	jmp	.LBB2_14
.LBB2_15:
	leaq	.L_print_str_8(%rip), %rdi
	movq	%r14, %rsi
	xorl	%eax, %eax
	callq	lispier_rt_check_failed@PLT
	jmp	.LBB2_16
.LBB2_17:
	movq	%r13, -96(%rbp)
	leaq	lispier_text_de9e7d0393a4f45e(%rip), %rdi
	leaq	lispier_text_e5185196eb2e4eb7(%rip), %rsi
	leaq	-96(%rbp), %rcx
	movl	$1, %edx
	movl	$1, %r8d
	callq	lispier_rt_allocation_failed@PLT
	jmp	.LBB2_18
.Lfunc_end2:
	.size	run, .Lfunc_end2-run
	.cfi_endproc

	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
.LCPI3_0:
	.long	0
	.long	1
	.long	2
	.long	3
	.long	4
	.long	5
	.long	6
	.long	7
	.long	8
	.long	9
	.long	10
	.long	11
	.long	12
	.long	13
	.long	14
	.long	15
	.section	.rodata.cst4,"aM",@progbits,4
	.p2align	2, 0x0
.LCPI3_1:
	.long	5
.LCPI3_2:
	.long	0x3e800000
	.text
	.p2align	6
	.type	run_parallel_0,@function
run_parallel_0:
	.cfi_startproc
	pushq	%r14
	.cfi_def_cfa_offset 16
	pushq	%rbx
	.cfi_def_cfa_offset 24
	.cfi_offset %rbx, -24
	.cfi_offset %r14, -16
	movq	(%rdi), %rax
	movq	16(%rdi), %rcx
	movq	56(%rdi), %rdi
	movq	%rsi, %r8
	shlq	$10, %r8
	addq	$1024, %r8
	vpbroadcastd	.LCPI3_1(%rip), %zmm0
	vbroadcastss	.LCPI3_2(%rip), %zmm1
	vmovdqa64	.LCPI3_0(%rip), %zmm2
	.p2align	4
.LBB3_1:
	cmpq	%r8, %rax
	movq	%r8, %r9
	cmovbq	%rax, %r9
	cmpq	%rdx, %rsi
	jge	.LBB3_8
	andl	$63, %r9d
	movq	%rsi, %rbx
	shlq	$10, %rbx
	leaq	1024(%rbx), %r10
	cmpq	%rax, %r10
	cmovaeq	%rax, %r10
	movl	%r10d, %r14d
	andl	$63, %r14d
	movq	%r10, %r11
	subq	%r14, %r11
	cmpq	%r11, %rbx
	jge	.LBB3_5
	.p2align	4
.LBB3_4:
	vmovdqu64	(%rcx,%rbx,4), %zmm3
	vpsubd	%zmm0, %zmm3, %zmm3
	vcvtdq2ps	%zmm3, %zmm3
	vcvtneps2bf16	%zmm3, %ymm3
	vpmovzxwd	%ymm3, %zmm3
	vpslld	$16, %zmm3, %zmm3
	vmulps	%zmm1, %zmm3, %zmm3
	vcvtneps2bf16	%zmm3, %ymm3
	vmovdqu64	64(%rcx,%rbx,4), %zmm4
	vpsubd	%zmm0, %zmm4, %zmm4
	vcvtdq2ps	%zmm4, %zmm4
	vcvtneps2bf16	%zmm4, %ymm4
	vpmovzxwd	%ymm4, %zmm4
	vpslld	$16, %zmm4, %zmm4
	vmulps	%zmm1, %zmm4, %zmm4
	vcvtneps2bf16	%zmm4, %ymm4
	vmovdqu64	128(%rcx,%rbx,4), %zmm5
	vpsubd	%zmm0, %zmm5, %zmm5
	vcvtdq2ps	%zmm5, %zmm5
	vcvtneps2bf16	%zmm5, %ymm5
	vpmovzxwd	%ymm5, %zmm5
	vpslld	$16, %zmm5, %zmm5
	vmulps	%zmm1, %zmm5, %zmm5
	vcvtneps2bf16	%zmm5, %ymm5
	vmovdqu64	192(%rcx,%rbx,4), %zmm6
	vpsubd	%zmm0, %zmm6, %zmm6
	vcvtdq2ps	%zmm6, %zmm6
	vcvtneps2bf16	%zmm6, %ymm6
	vpmovzxwd	%ymm6, %zmm6
	vpslld	$16, %zmm6, %zmm6
	vmulps	%zmm1, %zmm6, %zmm6
	vcvtneps2bf16	%zmm6, %ymm6
	vmovups	%ymm3, (%rdi,%rbx,2)
	vmovups	%ymm4, 32(%rdi,%rbx,2)
	vmovups	%ymm5, 64(%rdi,%rbx,2)
	vmovups	%ymm6, 96(%rdi,%rbx,2)
	addq	$64, %rbx
	cmpq	%r11, %rbx
	jl	.LBB3_4
	jmp	.LBB3_5
	.p2align	4
.LBB3_6:
	vpbroadcastd	%r9d, %zmm3
	vpcmpgtd	%zmm2, %zmm3, %k1
	vmovdqu32	(%rcx,%r11,4), %zmm3 {%k1} {z}
	vpsubd	%zmm0, %zmm3, %zmm3
	vcvtdq2ps	%zmm3, %zmm3
	vcvtneps2bf16	%zmm3, %ymm3
	vpmovzxwd	%ymm3, %zmm3
	vpslld	$16, %zmm3, %zmm3
	vmulps	%zmm1, %zmm3, %zmm3
	vcvtneps2bf16	%zmm3, %ymm3
	vmovdqu16	%ymm3, (%rdi,%r11,2) {%k1}
	addq	$16, %r11
	addl	$-16, %r9d
.LBB3_5:
	cmpq	%r10, %r11
	jl	.LBB3_6
	incq	%rsi
	addq	$1024, %r8
	jmp	.LBB3_1
.LBB3_8:
	popq	%rbx
	.cfi_def_cfa_offset 16
	popq	%r14
	.cfi_def_cfa_offset 8
	vzeroupper
	retq
.Lfunc_end3:
	.size	run_parallel_0, .Lfunc_end3-run_parallel_0
	.cfi_endproc

	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
.LCPI4_0:
	.long	0
	.long	1
	.long	2
	.long	3
	.long	4
	.long	5
	.long	6
	.long	7
	.long	8
	.long	9
	.long	10
	.long	11
	.long	12
	.long	13
	.long	14
	.long	15
.LCPI4_2:
	.long	1
	.long	17
	.long	3
	.long	19
	.long	5
	.long	21
	.long	7
	.long	23
	.long	9
	.long	25
	.long	11
	.long	27
	.long	13
	.long	29
	.long	15
	.long	31
	.section	.rodata.cst4,"aM",@progbits,4
	.p2align	2, 0x0
.LCPI4_1:
	.long	780903145
.LCPI4_3:
	.long	11
	.text
	.p2align	6
	.type	run_parallel,@function
run_parallel:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	pushq	%r14
	.cfi_def_cfa_offset 24
	pushq	%rbx
	.cfi_def_cfa_offset 32
	.cfi_offset %rbx, -32
	.cfi_offset %r14, -24
	.cfi_offset %rbp, -16
	movq	(%rdi), %rax
	movq	16(%rdi), %rcx
	movq	%rsi, %rdi
	shlq	$10, %rdi
	leaq	48(%rdi), %r8
	addq	$1024, %rdi
	vmovdqa64	.LCPI4_0(%rip), %zmm0
	vpbroadcastd	.LCPI4_1(%rip), %zmm1
	vmovdqa64	.LCPI4_2(%rip), %zmm2
	vpbroadcastd	.LCPI4_3(%rip), %zmm3
	.p2align	4
.LBB4_1:
	cmpq	%rdi, %rax
	movq	%rdi, %r9
	cmovbq	%rax, %r9
	cmpq	%rdx, %rsi
	jge	.LBB4_8
	andl	$63, %r9d
	movq	%rsi, %r10
	shlq	$10, %r10
	addq	$1024, %r10
	cmpq	%rax, %r10
	cmovaeq	%rax, %r10
	movl	%r10d, %ebx
	andl	$63, %ebx
	movq	%r10, %r11
	subq	%rbx, %r11
	movq	%r8, %rbx
	.p2align	4
.LBB4_3:
	leaq	-48(%rbx), %r14
	cmpq	%r11, %r14
	jge	.LBB4_5
	vpbroadcastd	%r14d, %zmm4
	vpaddd	%zmm0, %zmm4, %zmm4
	vpmuldq	%zmm1, %zmm4, %zmm5
	vpshufd	$245, %zmm4, %zmm6
	vpmuldq	%zmm1, %zmm6, %zmm6
	vpermt2d	%zmm6, %zmm2, %zmm5
	vpsrld	$31, %zmm5, %zmm6
	vpsrad	$1, %zmm5, %zmm5
	vpaddd	%zmm6, %zmm5, %zmm5
	vpmulld	%zmm3, %zmm5, %zmm5
	leal	-32(%rbx), %ebp
	vpbroadcastd	%ebp, %zmm6
	vpaddd	%zmm0, %zmm6, %zmm6
	vpmuldq	%zmm1, %zmm6, %zmm7
	vpshufd	$245, %zmm6, %zmm8
	vpmuldq	%zmm1, %zmm8, %zmm8
	vpermt2d	%zmm8, %zmm2, %zmm7
	vpsrld	$31, %zmm7, %zmm8
	vpsrad	$1, %zmm7, %zmm7
	vpaddd	%zmm8, %zmm7, %zmm7
	vpmulld	%zmm3, %zmm7, %zmm7
	vpsubd	%zmm5, %zmm4, %zmm4
	vpsubd	%zmm7, %zmm6, %zmm5
	leal	-16(%rbx), %ebp
	vpbroadcastd	%ebp, %zmm6
	vpaddd	%zmm0, %zmm6, %zmm6
	vpmuldq	%zmm1, %zmm6, %zmm7
	vpshufd	$245, %zmm6, %zmm8
	vpmuldq	%zmm1, %zmm8, %zmm8
	vpermt2d	%zmm8, %zmm2, %zmm7
	vpsrld	$31, %zmm7, %zmm8
	vpsrad	$1, %zmm7, %zmm7
	vpaddd	%zmm8, %zmm7, %zmm7
	vpmulld	%zmm3, %zmm7, %zmm7
	vpsubd	%zmm7, %zmm6, %zmm6
	vpbroadcastd	%ebx, %zmm7
	vpaddd	%zmm0, %zmm7, %zmm7
	vpmuldq	%zmm1, %zmm7, %zmm8
	vpshufd	$245, %zmm7, %zmm9
	vpmuldq	%zmm1, %zmm9, %zmm9
	vpermt2d	%zmm9, %zmm2, %zmm8
	vpsrld	$31, %zmm8, %zmm9
	vpsrad	$1, %zmm8, %zmm8
	vpaddd	%zmm9, %zmm8, %zmm8
	vpmulld	%zmm3, %zmm8, %zmm8
	vmovdqu64	%zmm4, -192(%rcx,%rbx,4)
	vmovdqu64	%zmm5, -128(%rcx,%rbx,4)
	vpsubd	%zmm8, %zmm7, %zmm4
	vmovdqu64	%zmm6, -64(%rcx,%rbx,4)
	vmovdqu64	%zmm4, (%rcx,%rbx,4)
	addq	$64, %rbx
	jmp	.LBB4_3
	.p2align	4
.LBB4_6:
	vpbroadcastd	%r11d, %zmm4
	vpaddd	%zmm0, %zmm4, %zmm4
	vpmuldq	%zmm1, %zmm4, %zmm5
	vpshufd	$245, %zmm4, %zmm6
	vpmuldq	%zmm1, %zmm6, %zmm6
	vpermt2d	%zmm6, %zmm2, %zmm5
	vpsrld	$31, %zmm5, %zmm6
	vpsrad	$1, %zmm5, %zmm5
	vpaddd	%zmm6, %zmm5, %zmm5
	vpbroadcastd	%r9d, %zmm6
	vpmulld	%zmm3, %zmm5, %zmm5
	vpcmpgtd	%zmm0, %zmm6, %k1
	vpsubd	%zmm5, %zmm4, %zmm4
	vmovdqu32	%zmm4, (%rcx,%r11,4) {%k1}
	addq	$16, %r11
	addl	$-16, %r9d
.LBB4_5:
	cmpq	%r10, %r11
	jl	.LBB4_6
	incq	%rsi
	addq	$1024, %r8
	addq	$1024, %rdi
	jmp	.LBB4_1
.LBB4_8:
	popq	%rbx
	.cfi_def_cfa_offset 24
	popq	%r14
	.cfi_def_cfa_offset 16
	popq	%rbp
	.cfi_def_cfa_offset 8
	vzeroupper
	retq
.Lfunc_end4:
	.size	run_parallel, .Lfunc_end4-run_parallel
	.cfi_endproc

	.globl	main
	.p2align	6
	.type	main,@function
main:
	.cfi_startproc
	pushq	%rax
	.cfi_def_cfa_offset 16
	callq	run@PLT
	popq	%rax
	.cfi_def_cfa_offset 8
	retq
.Lfunc_end5:
	.size	main, .Lfunc_end5-main
	.cfi_endproc

	.globl	__template_nn.linear_0_0
	.p2align	6
	.type	__template_nn.linear_0_0,@function
__template_nn.linear_0_0:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	pushq	%r15
	.cfi_def_cfa_offset 24
	pushq	%r14
	.cfi_def_cfa_offset 32
	pushq	%r13
	.cfi_def_cfa_offset 40
	pushq	%r12
	.cfi_def_cfa_offset 48
	pushq	%rbx
	.cfi_def_cfa_offset 56
	subq	$440, %rsp
	.cfi_def_cfa_offset 496
	.cfi_offset %rbx, -56
	.cfi_offset %r12, -48
	.cfi_offset %r13, -40
	.cfi_offset %r14, -32
	.cfi_offset %r15, -24
	.cfi_offset %rbp, -16
	movq	%r9, %r15
	movq	%r8, %r14
	movq	%rcx, %r12
	movq	%rdx, %r13
	movq	%rsi, %rbp
	movq	%rdi, 40(%rsp)
	leaq	31(%r8), %rax
	leaq	62(%r8), %rbx
	testq	%rax, %rax
	cmovnsq	%rax, %rbx
	andq	$-32, %rbx
	callq	lispier_rt_threads@PLT
	movq	%rax, %rcx
	testq	%rbx, %rbx
	movl	$1, %esi
	cmovgq	%rbx, %rsi
	movl	$12500, %eax
	xorl	%edx, %edx
	idivq	%rsi
	movl	$1, %esi
	testq	%rax, %rax
	cmovleq	%rsi, %rax
	imulq	%rcx, %rax
	leaq	1(%rax), %rdx
	cmpq	$1, %rdx
	ja	.LBB6_3
	testq	%rax, %rax
	je	.LBB6_11
	movq	%rax, %rdx
	notq	%rdx
	movabsq	$-9223372036854775808, %rdi
	xorq	%rax, %rdi
	orq	%rdx, %rdi
	je	.LBB6_12
.LBB6_3:
	leaq	(,%rcx,4), %rax
	cmpq	$2, %rax
	jl	.LBB6_5
	addq	%rcx, %rcx
.LBB6_5:
	testq	%rsi, %rsi
	movl	$1, %edi
	cmovgq	%rsi, %rdi
	leaq	-1(%rcx,%rdi), %rax
	cqto
	idivq	%rdi
	movq	%rax, %rcx
	shlq	$5, %rcx
	leaq	7(%rcx), %rax
	leaq	1(%rcx), %rdx
	cmpq	$1, %rdx
	ja	.LBB6_8
	testq	%rcx, %rcx
	je	.LBB6_11
	movq	%rcx, %rdx
	notq	%rdx
	movabsq	$-9223372036854775808, %rdi
	xorq	%rax, %rdi
	orq	%rdx, %rdi
	je	.LBB6_12
.LBB6_8:
	movq	%rbp, 8(%rsp)
	movq	%r13, 16(%rsp)
	movq	%r12, 24(%rsp)
	movq	%r15, 32(%rsp)
	movq	712(%rsp), %rsi
	cqto
	idivq	%rcx
	shlq	$5, %rax
	cmpq	$33, %rax
	movl	$32, %r8d
	cmovgeq	%rax, %r8
	leaq	7(%r8), %rax
	cqto
	idivq	%r8
	movb	$1, %r12b
	movq	552(%rsp), %r9
	movq	544(%rsp), %rbp
	movq	536(%rsp), %rcx
	movq	528(%rsp), %r13
	movq	520(%rsp), %r15
	movq	512(%rsp), %r11
	movq	504(%rsp), %r10
	movq	496(%rsp), %rdi
	cmpq	$1, %rsi
	je	.LBB6_10
	cmpq	$3, %rsi
	sete	%r12b
.LBB6_10:
	movq	%rax, %rdx
	sarq	$63, %rdx
	andnq	%rax, %rdx, %rax
	movl	$1, %edx
	imulq	%rax, %rdx
	cmpq	%rbx, %r14
	setl	136(%rsp)
	sete	137(%rsp)
	movl	$1, %esi
	movq	%rsi, 48(%rsp)
	movq	%rbx, 56(%rsp)
	movq	%r14, 64(%rsp)
	movq	40(%rsp), %rbx
	movq	%rbx, 72(%rsp)
	movq	8(%rsp), %rsi
	movq	%rsi, 80(%rsp)
	movq	16(%rsp), %rsi
	movq	%rsi, 88(%rsp)
	movq	24(%rsp), %rsi
	movq	%rsi, 96(%rsp)
	movq	%r14, 104(%rsp)
	movq	32(%rsp), %rsi
	movq	%rsi, 112(%rsp)
	movq	%rdi, 120(%rsp)
	movq	%r8, 128(%rsp)
	movq	584(%rsp), %rsi
	testq	%rsi, %rsi
	movq	%r10, 144(%rsp)
	movq	%r11, 152(%rsp)
	movq	%r15, 160(%rsp)
	movq	%r13, 168(%rsp)
	movq	%rcx, 176(%rsp)
	movq	%rbp, 184(%rsp)
	movq	%r9, 192(%rsp)
	setg	256(%rsp)
	movq	%r9, 248(%rsp)
	movq	%rbp, 240(%rsp)
	movq	%rcx, 232(%rsp)
	movq	%r13, 224(%rsp)
	movq	%r15, 216(%rsp)
	movq	%r11, 208(%rsp)
	movq	%r10, 200(%rsp)
	movq	624(%rsp), %rcx
	testq	%rcx, %rcx
	setg	257(%rsp)
	movq	560(%rsp), %rdi
	movq	%rdi, 264(%rsp)
	movq	568(%rsp), %rdi
	movq	%rdi, 272(%rsp)
	movq	576(%rsp), %rdi
	movq	%rdi, 280(%rsp)
	movq	%rsi, 288(%rsp)
	movq	592(%rsp), %rsi
	movq	%rsi, 296(%rsp)
	movq	712(%rsp), %rsi
	movq	%rsi, 304(%rsp)
	movb	%r12b, 312(%rsp)
	movq	600(%rsp), %rsi
	movq	%rsi, 320(%rsp)
	movq	608(%rsp), %rsi
	movq	%rsi, 328(%rsp)
	movq	616(%rsp), %rsi
	movq	%rsi, 336(%rsp)
	movq	%rcx, 344(%rsp)
	movq	632(%rsp), %rcx
	movq	%rcx, 352(%rsp)
	movq	640(%rsp), %rcx
	movq	%rcx, 360(%rsp)
	movq	648(%rsp), %rcx
	movq	%rcx, 368(%rsp)
	movq	704(%rsp), %rcx
	movq	%rcx, 424(%rsp)
	movq	696(%rsp), %rcx
	movq	%rcx, 416(%rsp)
	movq	688(%rsp), %rcx
	movq	%rcx, 408(%rsp)
	movq	680(%rsp), %rcx
	movq	%rcx, 400(%rsp)
	movq	672(%rsp), %rcx
	movq	%rcx, 392(%rsp)
	movq	664(%rsp), %rcx
	movq	%rcx, 384(%rsp)
	movq	656(%rsp), %rcx
	movq	%rcx, 376(%rsp)
	movq	%rax, 432(%rsp)
	leaq	__template_nn.linear_0_0_parallel(%rip), %rdi
	leaq	48(%rsp), %rsi
	movl	$1, %ecx
	callq	lispier_rt_parallel_for@PLT
	addq	$440, %rsp
	.cfi_def_cfa_offset 56
	popq	%rbx
	.cfi_def_cfa_offset 48
	popq	%r12
	.cfi_def_cfa_offset 40
	popq	%r13
	.cfi_def_cfa_offset 32
	popq	%r14
	.cfi_def_cfa_offset 24
	popq	%r15
	.cfi_def_cfa_offset 16
	popq	%rbp
	.cfi_def_cfa_offset 8
	retq
.LBB6_11:
	.cfi_def_cfa_offset 496
	leaq	lispier_text_971ab68711bcaf8(%rip), %rdi
	leaq	lispier_text_c10d34f5888d0715(%rip), %rsi
	leaq	lispier_text_6a0001efb68db262(%rip), %rdx
	leaq	lispier_text_29aaa6eae635fcac(%rip), %rcx
	callq	lispier_rt_division_failed@PLT
.LBB6_12:
	leaq	lispier_text_971ab68711bcaf8(%rip), %rdi
	leaq	lispier_text_c10d34f5888d0715(%rip), %rsi
	leaq	lispier_text_79d768329f5dcf93(%rip), %rdx
	leaq	lispier_text_29aaa6eae635fcac(%rip), %rcx
	callq	lispier_rt_division_failed@PLT
.Lfunc_end6:
	.size	__template_nn.linear_0_0, .Lfunc_end6-__template_nn.linear_0_0
	.cfi_endproc

	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
.LCPI7_0:
	.long	0
	.long	1
	.long	2
	.long	3
	.long	4
	.long	5
	.long	6
	.long	7
	.long	8
	.long	9
	.long	10
	.long	11
	.long	12
	.long	13
	.long	14
	.long	15
.LCPI7_1:
	.long	16
	.long	17
	.long	18
	.long	19
	.long	20
	.long	21
	.long	22
	.long	23
	.long	24
	.long	25
	.long	26
	.long	27
	.long	28
	.long	29
	.long	30
	.long	31
	.section	.rodata.cst4,"aM",@progbits,4
	.p2align	2, 0x0
.LCPI7_2:
	.long	0xbd922279
.LCPI7_3:
	.long	0xbfcc422a
.LCPI7_4:
	.long	0x80000000
.LCPI7_5:
	.long	0x42b00000
.LCPI7_6:
	.long	0x4b400000
.LCPI7_7:
	.long	0x3fb8aa3b
.LCPI7_8:
	.long	0xbf317218
.LCPI7_9:
	.long	0x3102e308
.LCPI7_10:
	.long	0x3ab5595d
.LCPI7_11:
	.long	0x3c09163d
.LCPI7_12:
	.long	0x3d2aabcf
.LCPI7_13:
	.long	0x3e2aaa55
.LCPI7_14:
	.long	0x3effffff
.LCPI7_15:
	.long	0x3f800000
.LCPI7_16:
	.long	0xc2ae0000
	.text
	.p2align	6
	.type	__template_nn.linear_0_0_parallel,@function
__template_nn.linear_0_0_parallel:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	pushq	%r15
	pushq	%r14
	pushq	%r13
	pushq	%r12
	pushq	%rbx
	andq	$-64, %rsp
	subq	$10752, %rsp
	.cfi_offset %rbx, -56
	.cfi_offset %r12, -48
	.cfi_offset %r13, -40
	.cfi_offset %r14, -32
	.cfi_offset %r15, -24
	movq	%rdx, 112(%rsp)
	vpxor	%xmm0, %xmm0, %xmm0
	vmovdqu64	%zmm0, 352(%rsp)
	movb	$1, 352(%rsp)
	movb	$16, 400(%rsp)
	movw	$64, 368(%rsp)
	movb	$16, 401(%rsp)
	movw	$64, 370(%rsp)
	movb	$16, 402(%rsp)
	movw	$64, 372(%rsp)
	movb	$16, 403(%rsp)
	movw	$64, 374(%rsp)
	movb	$16, 404(%rsp)
	movw	$64, 376(%rsp)
	movq	384(%rdi), %r8
	testq	%r8, %r8
	je	.LBB7_1
	movq	%rsi, 192(%rsp)
	movq	%rsi, %rax
	xorl	%edx, %edx
	divq	%r8
	testq	%r8, %r8
	je	.LBB7_1
	movq	%rax, %r9
	movq	(%rdi), %rax
	movq	%rax, 120(%rsp)
	movq	8(%rdi), %r10
	movq	16(%rdi), %r11
	movq	64(%rdi), %rax
	movq	%rax, 328(%rsp)
	movq	40(%rdi), %rax
	movq	32(%rdi), %rcx
	movq	80(%rdi), %rdx
	movq	%rdx, 128(%rsp)
	movzbl	88(%rdi), %edx
	movb	%dl, 28(%rsp)
	movzbl	89(%rdi), %edx
	movb	%dl, 31(%rsp)
	movq	136(%rdi), %rdx
	movq	%rdx, 256(%rsp)
	movq	112(%rdi), %rdx
	movq	%rdx, 248(%rsp)
	movzbl	208(%rdi), %edx
	movb	%dl, 30(%rsp)
	movzbl	209(%rdi), %edx
	movb	%dl, 29(%rsp)
	movq	232(%rdi), %rdx
	leaq	(%rcx,%rax,2), %rax
	movq	%rax, 320(%rsp)
	movq	224(%rdi), %rax
	leaq	(%rax,%rdx,2), %rax
	movq	%rax, 264(%rsp)
	movq	104(%rdi), %rax
	movq	%rax, 240(%rsp)
	movzbl	264(%rdi), %eax
	movb	%al, 27(%rsp)
	movq	192(%rdi), %r13
	movq	168(%rdi), %rbx
	movq	160(%rdi), %r14
	movq	256(%rdi), %rsi
	movq	312(%rdi), %rax
	movq	%rax, 312(%rsp)
	movq	288(%rdi), %rax
	movq	%rax, 304(%rsp)
	movq	280(%rdi), %rax
	movq	%rax, 296(%rsp)
	movq	344(%rdi), %rax
	movq	%rax, 288(%rsp)
	movq	336(%rdi), %rax
	movq	%rax, 280(%rsp)
	movq	112(%rsp), %rcx
	leaq	-1(%rcx), %rax
	xorl	%edx, %edx
	movq	%r8, 184(%rsp)
	divq	%r8
	incq	%rax
	testq	%rcx, %rcx
	cmoveq	%rcx, %rax
	movq	%rax, 200(%rsp)
	leaq	6592(%rsp), %r12
	leaq	2496(%rsp), %r15
	movq	%r10, 40(%rsp)
	movq	%r11, 136(%rsp)
	movq	%rsi, 96(%rsp)
	jmp	.LBB7_5
	.p2align	4
.LBB7_88:
	incq	%r9
.LBB7_5:
	cmpq	200(%rsp), %r9
	jge	.LBB7_89
	movq	%r9, %rax
	movq	184(%rsp), %rsi
	imulq	%rsi, %rax
	movq	192(%rsp), %rcx
	subq	%rax, %rcx
	movq	%rcx, %rdx
	sarq	$63, %rdx
	andnq	%rcx, %rdx, %rdx
	movq	112(%rsp), %rcx
	subq	%rax, %rcx
	cmpq	%rsi, %rcx
	cmovgeq	%rsi, %rcx
	movq	%rcx, 224(%rsp)
	movq	%r9, %rax
	imulq	120(%rsp), %rax
	movl	$1, %ecx
	movq	%rax, 152(%rsp)
	subq	%rax, %rcx
	movq	%rcx, 216(%rsp)
	movq	%r9, 208(%rsp)
	jmp	.LBB7_7
	.p2align	4
.LBB7_87:
	movq	80(%rsp), %rdi
	vzeroupper
	callq	lispier_rt_free@PLT
	movq	104(%rsp), %rdi
	callq	lispier_rt_free@PLT
	movq	40(%rsp), %r10
	movq	232(%rsp), %rdx
	movq	208(%rsp), %r9
.LBB7_7:
	movq	%rdx, 56(%rsp)
	cmpq	224(%rsp), %rdx
	jge	.LBB7_88
	movq	120(%rsp), %rax
	movq	216(%rsp), %rdi
	cmpq	%rdi, %rax
	cmovlq	%rax, %rdi
	movq	%rdi, 64(%rsp)
	imulq	%r10, %rdi
	movq	%rdi, %rax
	shrq	$57, %rax
	jne	.LBB7_9
.LBB7_10:
	shlq	$6, %rdi
	vzeroupper
	callq	lispier_rt_alloc@PLT
	movq	%rax, 104(%rsp)
	xorl	%edx, %edx
	movq	40(%rsp), %r10
	movq	136(%rsp), %r11
	vmovdqa64	.LCPI7_0(%rip), %zmm17
	vmovdqa64	.LCPI7_1(%rip), %zmm18
	jmp	.LBB7_11
	.p2align	4
.LBB7_18:
	movq	32(%rsp), %rdx
	incq	%rdx
.LBB7_11:
	cmpq	64(%rsp), %rdx
	jge	.LBB7_19
	movq	152(%rsp), %rax
	leaq	(%rax,%rdx), %rcx
	shlq	$5, %rcx
	movq	%rdx, 32(%rsp)
	imulq	%r10, %rdx
	xorl	%esi, %esi
	jmp	.LBB7_13
	.p2align	4
.LBB7_17:
	leaq	(%rdx,%rsi), %rdi
	leaq	448(%rsp), %rax
	vmovupd	(%rax), %zmm0
	vmovupd	64(%rax), %zmm1
	vmovupd	128(%rax), %zmm2
	vmovupd	192(%rax), %zmm3
	vmovupd	256(%rax), %zmm4
	vmovupd	320(%rax), %zmm5
	vmovupd	384(%rax), %zmm6
	vmovupd	448(%rax), %zmm7
	vmovupd	512(%rax), %zmm8
	vmovupd	576(%rax), %zmm9
	vmovupd	640(%rax), %zmm10
	vmovupd	704(%rax), %zmm11
	vmovupd	768(%rax), %zmm12
	vmovupd	832(%rax), %zmm13
	vmovupd	896(%rax), %zmm14
	vmovupd	960(%rax), %zmm15
	vunpcklps	%zmm1, %zmm0, %zmm16
	vunpckhps	%zmm1, %zmm0, %zmm0
	vunpcklps	%zmm3, %zmm2, %zmm1
	vunpckhps	%zmm3, %zmm2, %zmm2
	vunpcklps	%zmm5, %zmm4, %zmm3
	vunpckhps	%zmm5, %zmm4, %zmm4
	vunpcklps	%zmm7, %zmm6, %zmm5
	vunpckhps	%zmm7, %zmm6, %zmm6
	vunpcklps	%zmm9, %zmm8, %zmm7
	vunpckhps	%zmm9, %zmm8, %zmm8
	vunpcklps	%zmm11, %zmm10, %zmm9
	vunpckhps	%zmm11, %zmm10, %zmm10
	vunpcklps	%zmm13, %zmm12, %zmm11
	vunpckhps	%zmm13, %zmm12, %zmm12
	vunpcklps	%zmm15, %zmm14, %zmm13
	vunpckhps	%zmm15, %zmm14, %zmm14
	vunpcklpd	%zmm1, %zmm16, %zmm15
	vunpckhpd	%zmm1, %zmm16, %zmm1
	vunpcklpd	%zmm2, %zmm0, %zmm16
	vunpckhpd	%zmm2, %zmm0, %zmm0
	vunpcklpd	%zmm5, %zmm3, %zmm2
	vunpckhpd	%zmm5, %zmm3, %zmm3
	vunpcklpd	%zmm6, %zmm4, %zmm5
	vunpckhpd	%zmm6, %zmm4, %zmm4
	vunpcklpd	%zmm9, %zmm7, %zmm6
	vunpckhpd	%zmm9, %zmm7, %zmm7
	vunpcklpd	%zmm10, %zmm8, %zmm9
	vunpckhpd	%zmm10, %zmm8, %zmm8
	vunpcklpd	%zmm13, %zmm11, %zmm10
	vunpckhpd	%zmm13, %zmm11, %zmm11
	vunpcklpd	%zmm14, %zmm12, %zmm13
	vunpckhpd	%zmm14, %zmm12, %zmm12
	vinsertf64x4	$1, %ymm2, %zmm15, %zmm14
	vshuff64x2	$238, %zmm2, %zmm15, %zmm2
	vinsertf64x4	$1, %ymm10, %zmm6, %zmm15
	vshuff64x2	$238, %zmm10, %zmm6, %zmm6
	vshuff64x2	$136, %zmm15, %zmm14, %zmm10
	vshuff64x2	$221, %zmm15, %zmm14, %zmm14
	vshuff64x2	$136, %zmm6, %zmm2, %zmm15
	vshuff64x2	$221, %zmm6, %zmm2, %zmm2
	vinsertf64x4	$1, %ymm3, %zmm1, %zmm6
	vshuff64x2	$238, %zmm3, %zmm1, %zmm1
	vinsertf64x4	$1, %ymm11, %zmm7, %zmm3
	vshuff64x2	$238, %zmm11, %zmm7, %zmm7
	vshuff64x2	$136, %zmm3, %zmm6, %zmm11
	vshuff64x2	$221, %zmm3, %zmm6, %zmm3
	vshuff64x2	$136, %zmm7, %zmm1, %zmm6
	vshuff64x2	$221, %zmm7, %zmm1, %zmm1
	vinsertf64x4	$1, %ymm5, %zmm16, %zmm7
	vshuff64x2	$238, %zmm5, %zmm16, %zmm5
	vinsertf64x4	$1, %ymm13, %zmm9, %zmm16
	vshuff64x2	$238, %zmm13, %zmm9, %zmm9
	vshuff64x2	$136, %zmm16, %zmm7, %zmm13
	vshuff64x2	$221, %zmm16, %zmm7, %zmm7
	vshuff64x2	$136, %zmm9, %zmm5, %zmm16
	vshuff64x2	$221, %zmm9, %zmm5, %zmm5
	vinsertf64x4	$1, %ymm4, %zmm0, %zmm9
	vshuff64x2	$238, %zmm4, %zmm0, %zmm0
	vinsertf64x4	$1, %ymm12, %zmm8, %zmm4
	vshuff64x2	$238, %zmm12, %zmm8, %zmm8
	vshuff64x2	$136, %zmm4, %zmm9, %zmm12
	vshuff64x2	$221, %zmm4, %zmm9, %zmm4
	vshuff64x2	$136, %zmm8, %zmm0, %zmm9
	shlq	$6, %rdi
	movq	104(%rsp), %rax
	vmovupd	%zmm10, (%rax,%rdi)
	vmovupd	%zmm11, 64(%rax,%rdi)
	vmovupd	%zmm13, 128(%rax,%rdi)
	vmovupd	%zmm12, 192(%rax,%rdi)
	vmovupd	%zmm14, 256(%rax,%rdi)
	vmovupd	%zmm3, 320(%rax,%rdi)
	vmovupd	%zmm7, 384(%rax,%rdi)
	vmovupd	%zmm4, 448(%rax,%rdi)
	vmovupd	%zmm15, 512(%rax,%rdi)
	vmovupd	%zmm6, 576(%rax,%rdi)
	vmovupd	%zmm16, 640(%rax,%rdi)
	vmovupd	%zmm9, 704(%rax,%rdi)
	vmovupd	%zmm2, 768(%rax,%rdi)
	vmovupd	%zmm1, 832(%rax,%rdi)
	vshuff64x2	$221, %zmm8, %zmm0, %zmm0
	vmovupd	%zmm5, 896(%rax,%rdi)
	vmovupd	%zmm0, 960(%rax,%rdi)
	addq	$32, %rsi
.LBB7_13:
	cmpq	%r10, %rsi
	jge	.LBB7_18
	movl	%r11d, %edi
	subl	%esi, %edi
	vpbroadcastd	%edi, %zmm0
	xorl	%edi, %edi
	xorl	%r8d, %r8d
	cmpq	$15, %r8
	jg	.LBB7_17
	.p2align	4
.LBB7_16:
	vpcmpgtd	%zmm17, %zmm0, %k0
	vpcmpgtd	%zmm18, %zmm0, %k1
	kunpckwd	%k0, %k1, %k1
	leaq	(%rcx,%r8), %r9
	cmpq	$7, %r9
	movl	$7, %eax
	cmovgeq	%rax, %r9
	imulq	328(%rsp), %r9
	addq	%rsi, %r9
	movq	320(%rsp), %rax
	vmovdqu16	(%rax,%r9,2), %zmm1 {%k1} {z}
	leaq	448(%rsp), %rax
	vmovdqu64	%zmm1, (%rax,%rdi)
	incq	%r8
	addq	$64, %rdi
	cmpq	$15, %r8
	jle	.LBB7_16
	jmp	.LBB7_17
	.p2align	4
.LBB7_19:
	movq	56(%rsp), %rax
	leaq	1(%rax), %rcx
	movq	%rcx, 232(%rsp)
	imulq	128(%rsp), %rcx
	cmpq	$8, %rcx
	movl	$8, %eax
	cmovgeq	%rax, %rcx
	movq	%rcx, 72(%rsp)
	movb	$1, %al
	testb	$1, 28(%rsp)
	jne	.LBB7_21
	movq	72(%rsp), %rcx
	leaq	31(%rcx), %rax
	testq	%rcx, %rcx
	cmovnsq	%rcx, %rax
	andq	$-32, %rax
	subq	%rax, %rcx
	testq	%rcx, %rcx
	setg	%al
.LBB7_21:
	movzbl	%al, %edx
	movl	%edx, %edi
	shll	$5, %edi
	shll	$6, %edx
	mulxq	%r10, %rcx, %rax
	orq	%r10, %rcx
	shrq	$63, %rcx
	jne	.LBB7_23
	testq	%rax, %rax
	jne	.LBB7_23
.LBB7_24:
	imulq	%r10, %rdi
	addq	%rdi, %rdi
	vzeroupper
	callq	lispier_rt_alloc@PLT
	movq	40(%rsp), %r11
	ldtilecfg	352(%rsp)
	movq	%rax, 80(%rsp)
	movq	56(%rsp), %r10
	imulq	128(%rsp), %r10
	vmovdqa64	.LCPI7_0(%rip), %zmm17
	vmovdqa64	.LCPI7_1(%rip), %zmm18
	vmovdqa64	.LCPI7_0(%rip), %zmm19
	vbroadcastss	.LCPI7_4(%rip), %zmm20
	vbroadcastss	.LCPI7_5(%rip), %zmm21
	vbroadcastss	.LCPI7_6(%rip), %zmm22
	vbroadcastss	.LCPI7_7(%rip), %zmm23
	vbroadcastss	.LCPI7_8(%rip), %zmm24
	vbroadcastss	.LCPI7_9(%rip), %zmm25
	vbroadcastss	.LCPI7_10(%rip), %zmm26
	vbroadcastss	.LCPI7_11(%rip), %zmm27
	vbroadcastss	.LCPI7_12(%rip), %zmm28
	vbroadcastss	.LCPI7_13(%rip), %zmm29
	vbroadcastss	.LCPI7_14(%rip), %zmm30
	vbroadcastss	.LCPI7_15(%rip), %zmm31
	jmp	.LBB7_25
	.p2align	4
.LBB7_86:
	movq	160(%rsp), %r10
.LBB7_25:
	cmpq	72(%rsp), %r10
	jge	.LBB7_87
	movl	$8, %edi
	subq	%r10, %rdi
	cmpq	$32, %rdi
	movl	$32, %eax
	cmovgeq	%rax, %rdi
	testb	$1, 31(%rsp)
	je	.LBB7_27
	cmpq	$32, %rdi
	sete	%al
	jmp	.LBB7_29
	.p2align	4
.LBB7_27:
	xorl	%eax, %eax
.LBB7_29:
	movq	240(%rsp), %rcx
	movq	248(%rsp), %r8
	movq	256(%rsp), %rdx
	movq	%rdx, 88(%rsp)
	testb	%al, %al
	movl	$0, %eax
	cmovneq	%r10, %rax
	movq	%rax, 168(%rsp)
	jne	.LBB7_33
	xorl	%eax, %eax
	jmp	.LBB7_31
	.p2align	4
.LBB7_38:
	incq	%rax
.LBB7_31:
	cmpq	$31, %rax
	jg	.LBB7_32
	leaq	(%r10,%rax), %rcx
	cmpq	$7, %rcx
	movl	$7, %edx
	cmovgeq	%rdx, %rcx
	imulq	%r13, %rcx
	movq	136(%rsp), %rdx
	xorl	%esi, %esi
	cmpq	%r11, %rsi
	jge	.LBB7_38
	.p2align	4
.LBB7_37:
	vpbroadcastd	%edx, %zmm0
	vpcmpgtd	%zmm17, %zmm0, %k0
	vpcmpgtd	%zmm18, %zmm0, %k1
	kunpckwd	%k0, %k1, %k1
	leaq	(%r14,%rbx,2), %r8
	leaq	(%rcx,%rsi), %r9
	vmovdqu16	(%r8,%r9,2), %zmm0 {%k1} {z}
	movq	%rax, %r8
	imulq	%r11, %r8
	addq	%rsi, %r8
	movq	80(%rsp), %r9
	vmovdqu64	%zmm0, (%r9,%r8,2)
	addq	$32, %rsi
	addl	$-32, %edx
	cmpq	%r11, %rsi
	jl	.LBB7_37
	jmp	.LBB7_38
	.p2align	4
.LBB7_32:
	movq	80(%rsp), %rcx
	xorl	%r8d, %r8d
	movq	%r11, 88(%rsp)
.LBB7_33:
	leaq	32(%r10), %rax
	movq	%rax, 160(%rsp)
	cmpq	72(%rsp), %rax
	movq	%r10, 56(%rsp)
	jge	.LBB7_34
	movq	64(%rsp), %rsi
	leaq	31(%rsi), %rax
	leaq	1(%rsi), %rdx
	cmpq	$1, %rdx
	ja	.LBB7_43
	testq	%rsi, %rsi
	je	.LBB7_41
	movq	%rsi, %rdx
	notq	%rdx
	movq	%rax, %r9
	movabsq	$-9223372036854775808, %r10
	xorq	%r10, %r9
	movq	64(%rsp), %rsi
	orq	%rdx, %r9
	je	.LBB7_90
.LBB7_43:
	cqto
	idivq	%rsi
	movq	%rax, 144(%rsp)
	jmp	.LBB7_44
	.p2align	4
.LBB7_34:
	movq	$0, 144(%rsp)
.LBB7_44:
	testb	$1, 30(%rsp)
	movl	$0, %eax
	cmovnel	%edi, %eax
	je	.LBB7_45
	leaq	-16(%rdi), %rdx
	movq	%rdx, 48(%rsp)
	jmp	.LBB7_47
	.p2align	4
.LBB7_45:
	movq	$0, 48(%rsp)
.LBB7_47:
	testb	$1, 29(%rsp)
	movl	$0, %r9d
	cmovnel	%edi, %r9d
	movq	%rcx, 32(%rsp)
	movq	%r8, %rdx
	je	.LBB7_48
	leaq	-16(%rdi), %r10
	jmp	.LBB7_50
	.p2align	4
.LBB7_48:
	xorl	%r10d, %r10d
.LBB7_50:
	movq	168(%rsp), %rsi
	leaq	16(%rsi), %rcx
	movq	56(%rsp), %rsi
	leaq	16(%rsi), %r8
	movq	%r8, 176(%rsp)
	vpbroadcastd	%eax, %zmm0
	movq	48(%rsp), %rax
	vpbroadcastd	%eax, %zmm1
	vpbroadcastd	%r9d, %zmm2
	vpbroadcastd	%edi, %zmm3
	vpbroadcastd	%r10d, %zmm4
	movq	%rsi, %r10
	addl	$-16, %edi
	vpbroadcastd	%edi, %zmm5
	movq	32(%rsp), %rax
	leaq	(%rax,%rdx,2), %rax
	movq	%rax, 336(%rsp)
	imulq	88(%rsp), %rcx
	movq	%rcx, 344(%rsp)
	vpcmpgtd	%zmm19, %zmm1, %k1
	vpcmpgtd	%zmm19, %zmm0, %k2
	vpcmpgtd	%zmm19, %zmm3, %k3
	vpcmpgtd	%zmm19, %zmm2, %k4
	vpcmpgtd	%zmm19, %zmm5, %k5
	vpcmpgtd	%zmm19, %zmm4, %k6
	xorl	%edi, %edi
	jmp	.LBB7_51
	.p2align	4
.LBB7_85:
	movq	272(%rsp), %rdi
	incq	%rdi
	movq	40(%rsp), %r11
.LBB7_51:
	cmpq	64(%rsp), %rdi
	jge	.LBB7_86
	movq	152(%rsp), %rax
	addq	%rdi, %rax
	shlq	$5, %rax
	movq	%rax, 32(%rsp)
	movq	%rdi, %rax
	movq	144(%rsp), %rsi
	imulq	%rsi, %rax
	addq	160(%rsp), %rax
	movw	$64, %cx
	movw	$16, %dx
	tilezero	%tmm1
	tilezero	%tmm0
	leaq	(%rax,%rsi), %rcx
	movq	%rdi, 272(%rsp)
	imulq	%r11, %rdi
	movq	%rdi, 48(%rsp)
	xorl	%edi, %edi
	jmp	.LBB7_53
	.p2align	4
.LBB7_57:
	movq	48(%rsp), %rdx
	leaq	(%rdx,%rdi), %r8
	movq	168(%rsp), %r9
	movq	88(%rsp), %rsi
	imulq	%rsi, %r9
	addq	%rdi, %r9
	movq	336(%rsp), %rdx
	leaq	(%rdx,%r9,2), %r9
	leaq	(%rsi,%rsi), %r11
	movw	$64, %r10w
	movw	$16, %si
	tileloadd	(%r9,%r11), %tmm2
	movq	344(%rsp), %r9
	addq	%rdi, %r9
	leaq	(%rdx,%r9,2), %r9
	tileloadd	(%r9,%r11), %tmm3
	shlq	$6, %r8
	addq	104(%rsp), %r8
	movl	$64, %r9d
	tileloadd	(%r8,%r9), %tmm4
	tdpbf16ps	%tmm4, %tmm2, %tmm1
	tdpbf16ps	%tmm4, %tmm3, %tmm0
	movq	56(%rsp), %r10
	addq	$32, %rdi
	movq	40(%rsp), %r11
.LBB7_53:
	cmpq	%r11, %rdi
	jge	.LBB7_58
	movq	%rax, %r8
	cmpq	%rcx, %r8
	jge	.LBB7_57
	.p2align	4
.LBB7_56:
	leaq	(%r14,%rbx,2), %r9
	movq	%r8, %r11
	imulq	%r13, %r11
	addq	%rdi, %r11
	prefetcht1	(%r9,%r11,2)
	incq	%r8
	cmpq	%rcx, %r8
	jl	.LBB7_56
	jmp	.LBB7_57
	.p2align	4
.LBB7_58:
	movw	$64, %cx
	movw	$16, %dx
	movl	$128, %esi
	tilestored	%tmm1, (%r15,%rsi)
	leaq	2048(%r15), %rax
	tilestored	%tmm0, (%rax,%rsi)
	xorl	%ecx, %ecx
	xorl	%edi, %edi
	xorl	%r11d, %r11d
	movq	96(%rsp), %rsi
	jmp	.LBB7_59
	.p2align	4
.LBB7_63:
	addq	$16, %r11
	addq	$2048, %rdi
	addq	$64, %rcx
.LBB7_59:
	cmpq	$31, %r11
	jg	.LBB7_64
	movq	%rcx, %rax
	xorl	%edx, %edx
	cmpq	$31, %rdx
	jg	.LBB7_63
	.p2align	4
.LBB7_62:
	vmovupd	(%r15,%rax), %zmm0
	vmovupd	128(%r15,%rax), %zmm1
	vmovupd	256(%r15,%rax), %zmm2
	vmovupd	384(%r15,%rax), %zmm3
	vmovupd	512(%r15,%rax), %zmm4
	vmovupd	640(%r15,%rax), %zmm5
	vmovupd	768(%r15,%rax), %zmm6
	vmovupd	896(%r15,%rax), %zmm7
	vmovupd	1024(%r15,%rax), %zmm8
	vmovupd	1152(%r15,%rax), %zmm9
	vmovupd	1280(%r15,%rax), %zmm10
	vmovupd	1408(%r15,%rax), %zmm11
	vmovupd	1536(%r15,%rax), %zmm12
	vmovupd	1664(%r15,%rax), %zmm13
	vmovupd	1792(%r15,%rax), %zmm14
	vmovupd	1920(%r15,%rax), %zmm15
	vunpcklps	%zmm1, %zmm0, %zmm16
	vunpckhps	%zmm1, %zmm0, %zmm0
	vunpcklps	%zmm3, %zmm2, %zmm1
	vunpckhps	%zmm3, %zmm2, %zmm2
	vunpcklps	%zmm5, %zmm4, %zmm3
	vunpckhps	%zmm5, %zmm4, %zmm4
	vunpcklps	%zmm7, %zmm6, %zmm5
	vunpckhps	%zmm7, %zmm6, %zmm6
	vunpcklps	%zmm9, %zmm8, %zmm7
	vunpckhps	%zmm9, %zmm8, %zmm8
	vunpcklps	%zmm11, %zmm10, %zmm9
	vunpckhps	%zmm11, %zmm10, %zmm10
	vunpcklps	%zmm13, %zmm12, %zmm11
	vunpckhps	%zmm13, %zmm12, %zmm12
	vunpcklps	%zmm15, %zmm14, %zmm13
	vunpckhps	%zmm15, %zmm14, %zmm14
	vunpcklpd	%zmm1, %zmm16, %zmm15
	vunpckhpd	%zmm1, %zmm16, %zmm1
	vunpcklpd	%zmm2, %zmm0, %zmm16
	vunpckhpd	%zmm2, %zmm0, %zmm0
	vunpcklpd	%zmm5, %zmm3, %zmm2
	vunpckhpd	%zmm5, %zmm3, %zmm3
	vunpcklpd	%zmm6, %zmm4, %zmm5
	vunpckhpd	%zmm6, %zmm4, %zmm4
	vunpcklpd	%zmm9, %zmm7, %zmm6
	vunpckhpd	%zmm9, %zmm7, %zmm7
	vunpcklpd	%zmm10, %zmm8, %zmm9
	vunpckhpd	%zmm10, %zmm8, %zmm8
	vunpcklpd	%zmm13, %zmm11, %zmm10
	vunpckhpd	%zmm13, %zmm11, %zmm11
	vunpcklpd	%zmm14, %zmm12, %zmm13
	vunpckhpd	%zmm14, %zmm12, %zmm12
	vinsertf64x4	$1, %ymm2, %zmm15, %zmm14
	vshuff64x2	$238, %zmm2, %zmm15, %zmm2
	vinsertf64x4	$1, %ymm10, %zmm6, %zmm15
	vshuff64x2	$238, %zmm10, %zmm6, %zmm6
	vshuff64x2	$136, %zmm15, %zmm14, %zmm10
	vshuff64x2	$221, %zmm15, %zmm14, %zmm14
	vshuff64x2	$136, %zmm6, %zmm2, %zmm15
	vshuff64x2	$221, %zmm6, %zmm2, %zmm2
	vinsertf64x4	$1, %ymm3, %zmm1, %zmm6
	vshuff64x2	$238, %zmm3, %zmm1, %zmm1
	vinsertf64x4	$1, %ymm11, %zmm7, %zmm3
	vshuff64x2	$238, %zmm11, %zmm7, %zmm7
	vshuff64x2	$136, %zmm3, %zmm6, %zmm11
	vshuff64x2	$221, %zmm3, %zmm6, %zmm3
	vshuff64x2	$136, %zmm7, %zmm1, %zmm6
	vshuff64x2	$221, %zmm7, %zmm1, %zmm1
	vinsertf64x4	$1, %ymm5, %zmm16, %zmm7
	vshuff64x2	$238, %zmm5, %zmm16, %zmm5
	vinsertf64x4	$1, %ymm13, %zmm9, %zmm16
	vshuff64x2	$238, %zmm13, %zmm9, %zmm9
	vshuff64x2	$136, %zmm16, %zmm7, %zmm13
	vshuff64x2	$221, %zmm16, %zmm7, %zmm7
	vshuff64x2	$136, %zmm9, %zmm5, %zmm16
	vshuff64x2	$221, %zmm9, %zmm5, %zmm5
	vinsertf64x4	$1, %ymm4, %zmm0, %zmm9
	vshuff64x2	$238, %zmm4, %zmm0, %zmm0
	vinsertf64x4	$1, %ymm12, %zmm8, %zmm4
	vshuff64x2	$238, %zmm12, %zmm8, %zmm8
	vshuff64x2	$136, %zmm4, %zmm9, %zmm12
	vshuff64x2	$221, %zmm4, %zmm9, %zmm4
	vshuff64x2	$136, %zmm8, %zmm0, %zmm9
	vshuff64x2	$221, %zmm8, %zmm0, %zmm0
	leaq	(%r12,%rdi), %r8
	vmovupd	%zmm10, (%r8,%rdx,4)
	vmovupd	%zmm11, 128(%r8,%rdx,4)
	vmovupd	%zmm13, 256(%r8,%rdx,4)
	vmovupd	%zmm12, 384(%r8,%rdx,4)
	vmovupd	%zmm14, 512(%r8,%rdx,4)
	vmovupd	%zmm3, 640(%r8,%rdx,4)
	vmovupd	%zmm7, 768(%r8,%rdx,4)
	vmovupd	%zmm4, 896(%r8,%rdx,4)
	vmovupd	%zmm15, 1024(%r8,%rdx,4)
	vmovupd	%zmm6, 1152(%r8,%rdx,4)
	vmovupd	%zmm16, 1280(%r8,%rdx,4)
	vmovupd	%zmm9, 1408(%r8,%rdx,4)
	vmovupd	%zmm2, 1536(%r8,%rdx,4)
	vmovupd	%zmm1, 1664(%r8,%rdx,4)
	vmovupd	%zmm5, 1792(%r8,%rdx,4)
	vmovupd	%zmm0, 1920(%r8,%rdx,4)
	addq	$16, %rdx
	addq	$2048, %rax
	cmpq	$31, %rdx
	jle	.LBB7_62
	jmp	.LBB7_63
	.p2align	4
.LBB7_64:
	movq	264(%rsp), %rax
	vmovdqu16	(%rax,%r10,2), %ymm0 {%k2} {z}
	vpmovzxwd	%ymm0, %zmm0
	vpslld	$16, %zmm0, %zmm0
	movq	176(%rsp), %rcx
	vmovdqu16	(%rax,%rcx,2), %ymm1 {%k1} {z}
	vpmovzxwd	%ymm1, %zmm1
	vpslld	$16, %zmm1, %zmm1
	movl	$8, %ecx
	subq	32(%rsp), %rcx
	cmpq	$32, %rcx
	movl	$32, %eax
	cmovgeq	%rax, %rcx
	movq	%rcx, 48(%rsp)
	xorl	%eax, %eax
	xorl	%edi, %edi
	jmp	.LBB7_65
	.p2align	4
.LBB7_78:
	vmulps	%zmm2, %zmm2, %zmm3
	vmulps	.LCPI7_2(%rip){1to16}, %zmm3, %zmm3
	vaddps	.LCPI7_3(%rip){1to16}, %zmm3, %zmm3
	vmulps	%zmm3, %zmm2, %zmm3
.LBB7_79:
	vminps	%zmm3, %zmm21, %zmm3
	vmovaps	%zmm22, %zmm4
	vfmadd231ps	%zmm23, %zmm3, %zmm4
	vsubps	%zmm22, %zmm4, %zmm5
	vcmpnltps	.LCPI7_16(%rip){1to16}, %zmm3, %k7
	vfmadd231ps	%zmm24, %zmm5, %zmm3
	vfmadd231ps	%zmm25, %zmm5, %zmm3
	vmovaps	%zmm26, %zmm5
	vfmadd213ps	%zmm27, %zmm3, %zmm5
	vfmadd213ps	%zmm28, %zmm3, %zmm5
	vfmadd213ps	%zmm29, %zmm3, %zmm5
	vfmadd213ps	%zmm30, %zmm3, %zmm5
	vmulps	%zmm3, %zmm3, %zmm6
	vfmadd213ps	%zmm3, %zmm5, %zmm6
	vaddps	%zmm31, %zmm6, %zmm3
	vpslld	$23, %zmm4, %zmm4
	vpaddd	%zmm4, %zmm3, %zmm3
	vmovaps	%zmm3, %zmm3 {%k7} {z}
	vaddps	%zmm31, %zmm3, %zmm3
	vdivps	%zmm3, %zmm2, %zmm2
.LBB7_84:
	movq	176(%rsp), %r11
	addq	%r11, %rcx
	vmovups	(%rdx,%rcx,4), %zmm3 {%k6} {z}
	vaddps	%zmm3, %zmm2, %zmm2
	leaq	(%r11,%r9,8), %rcx
	vmovups	%zmm2, (%r8,%rcx,4) {%k5}
	incq	%rdi
	subq	$-128, %rax
.LBB7_65:
	cmpq	48(%rsp), %rdi
	jge	.LBB7_85
	vaddps	(%r12,%rax), %zmm0, %zmm2
	testb	$1, 27(%rsp)
	je	.LBB7_71
	cmpq	$3, %rsi
	jne	.LBB7_69
	vxorps	%zmm20, %zmm2, %zmm3
	jmp	.LBB7_70
	.p2align	4
.LBB7_71:
	cmpq	$2, %rsi
	jne	.LBB7_73
	vpxor	%xmm3, %xmm3, %xmm3
	vcmpnleps	%zmm3, %zmm2, %k7
	vmovaps	%zmm2, %zmm2 {%k7} {z}
	jmp	.LBB7_75
	.p2align	4
.LBB7_69:
	vmulps	%zmm2, %zmm2, %zmm3
	vmulps	.LCPI7_2(%rip){1to16}, %zmm3, %zmm3
	vaddps	.LCPI7_3(%rip){1to16}, %zmm3, %zmm3
	vmulps	%zmm3, %zmm2, %zmm3
.LBB7_70:
	vminps	%zmm3, %zmm21, %zmm3
	vmovaps	%zmm22, %zmm4
	vfmadd231ps	%zmm23, %zmm3, %zmm4
	vsubps	%zmm22, %zmm4, %zmm5
	vcmpnltps	.LCPI7_16(%rip){1to16}, %zmm3, %k7
	vfmadd231ps	%zmm24, %zmm5, %zmm3
	vfmadd231ps	%zmm25, %zmm5, %zmm3
	vmovaps	%zmm26, %zmm5
	vfmadd213ps	%zmm27, %zmm3, %zmm5
	vfmadd213ps	%zmm28, %zmm3, %zmm5
	vfmadd213ps	%zmm29, %zmm3, %zmm5
	vfmadd213ps	%zmm30, %zmm3, %zmm5
	vmulps	%zmm3, %zmm3, %zmm6
	vfmadd213ps	%zmm3, %zmm5, %zmm6
	vaddps	%zmm31, %zmm6, %zmm3
	vpslld	$23, %zmm4, %zmm4
	vpaddd	%zmm4, %zmm3, %zmm3
	vmovaps	%zmm3, %zmm3 {%k7} {z}
	vaddps	%zmm31, %zmm3, %zmm3
	vdivps	%zmm3, %zmm2, %zmm2
.LBB7_75:
	movq	32(%rsp), %rcx
	leaq	(%rcx,%rdi), %r9
	movq	304(%rsp), %rcx
	movq	296(%rsp), %rdx
	leaq	(%rdx,%rcx,4), %rdx
	movq	%r9, %rcx
	imulq	312(%rsp), %rcx
	leaq	(%rcx,%r10), %r8
	vmovups	(%rdx,%r8,4), %zmm3 {%k4} {z}
	vaddps	%zmm3, %zmm2, %zmm2
	movq	288(%rsp), %rsi
	movq	280(%rsp), %r8
	leaq	(%r8,%rsi,4), %r8
	leaq	(%r10,%r9,8), %rsi
	vmovups	%zmm2, (%r8,%rsi,4) {%k3}
	vaddps	64(%r12,%rax), %zmm1, %zmm2
	testb	$1, 27(%rsp)
	je	.LBB7_80
	movq	96(%rsp), %rsi
	cmpq	$3, %rsi
	jne	.LBB7_78
	vxorps	%zmm20, %zmm2, %zmm3
	jmp	.LBB7_79
	.p2align	4
.LBB7_80:
	movq	96(%rsp), %rsi
	cmpq	$2, %rsi
	jne	.LBB7_82
	vxorps	%xmm3, %xmm3, %xmm3
	vcmpnleps	%zmm3, %zmm2, %k7
	vmovaps	%zmm2, %zmm2 {%k7} {z}
	jmp	.LBB7_84
	.p2align	4
.LBB7_73:
	cmpq	$4, %rsi
	jne	.LBB7_75
	vpxor	%xmm3, %xmm3, %xmm3
	vmaxps	%zmm3, %zmm2, %zmm2
	jmp	.LBB7_75
	.p2align	4
.LBB7_82:
	cmpq	$4, %rsi
	jne	.LBB7_84
	vxorps	%xmm3, %xmm3, %xmm3
	vmaxps	%zmm3, %zmm2, %zmm2
	jmp	.LBB7_84
.LBB7_9:
	movq	%rdi, 416(%rsp)
	movq	$32, 424(%rsp)
	movl	$2, %edx
	movl	$2, %r8d
	movq	%rdi, 32(%rsp)
	leaq	lispier_text_de9e7d0393a4f45e(%rip), %rdi
	leaq	lispier_text_9d2be853d20e9e6a(%rip), %rsi
	leaq	416(%rsp), %rcx
	vzeroupper
	callq	lispier_rt_allocation_failed@PLT
	movq	32(%rsp), %rdi
	jmp	.LBB7_10
.LBB7_23:
	movq	%rdi, 432(%rsp)
	movq	%r10, 440(%rsp)
	movl	$2, %edx
	movl	$2, %r8d
	movq	%rdi, 32(%rsp)
	leaq	lispier_text_de9e7d0393a4f45e(%rip), %rdi
	leaq	lispier_text_46b755e7b98d7aa2(%rip), %rsi
	leaq	432(%rsp), %rcx
	vzeroupper
	callq	lispier_rt_allocation_failed@PLT
	movq	32(%rsp), %rdi
	movq	40(%rsp), %r10
	jmp	.LBB7_24
.LBB7_89:
	leaq	-40(%rbp), %rsp
	popq	%rbx
	popq	%r12
	popq	%r13
	popq	%r14
	popq	%r15
	popq	%rbp
	.cfi_def_cfa %rsp, 8
	tilerelease
	vzeroupper
	retq
.LBB7_41:
	.cfi_def_cfa %rbp, 16
	leaq	lispier_text_971ab68711bcaf8(%rip), %rdi
	leaq	lispier_text_c10d34f5888d0715(%rip), %rsi
.LBB7_2:
	leaq	lispier_text_6a0001efb68db262(%rip), %rdx
	leaq	lispier_text_aab9ddeec493986d(%rip), %rcx
	vzeroupper
	callq	lispier_rt_division_failed@PLT
.LBB7_90:
	leaq	lispier_text_971ab68711bcaf8(%rip), %rdi
	leaq	lispier_text_c10d34f5888d0715(%rip), %rsi
	leaq	lispier_text_79d768329f5dcf93(%rip), %rdx
	leaq	lispier_text_aab9ddeec493986d(%rip), %rcx
	vzeroupper
	callq	lispier_rt_division_failed@PLT
.LBB7_1:
	leaq	lispier_text_971ab68711bcaf8(%rip), %rdi
	leaq	lispier_text_1240c5de1cbdd21a(%rip), %rsi
	jmp	.LBB7_2
.Lfunc_end7:
	.size	__template_nn.linear_0_0_parallel, .Lfunc_end7-__template_nn.linear_0_0_parallel
	.cfi_endproc

	.type	lispier_text_aab9ddeec493986d,@object
	.section	.rodata,"a",@progbits
	.p2align	4, 0x0
lispier_text_aab9ddeec493986d:
	.asciz	"__template_nn.linear_0_0_parallel"
	.size	lispier_text_aab9ddeec493986d, 34

	.type	lispier_text_1240c5de1cbdd21a,@object
	.p2align	4, 0x0
lispier_text_1240c5de1cbdd21a:
	.asciz	"prelude/kernels/linear.lisp:353:6"
	.size	lispier_text_1240c5de1cbdd21a, 34

	.type	lispier_text_79d768329f5dcf93,@object
	.p2align	4, 0x0
lispier_text_79d768329f5dcf93:
	.asciz	"integer division overflows: the least number by -1"
	.size	lispier_text_79d768329f5dcf93, 51

	.type	lispier_text_29aaa6eae635fcac,@object
	.p2align	4, 0x0
lispier_text_29aaa6eae635fcac:
	.asciz	"__template_nn.linear_0_0"
	.size	lispier_text_29aaa6eae635fcac, 25

	.type	lispier_text_6a0001efb68db262,@object
	.p2align	4, 0x0
lispier_text_6a0001efb68db262:
	.asciz	"integer division by zero"
	.size	lispier_text_6a0001efb68db262, 25

	.type	lispier_text_c10d34f5888d0715,@object
	.p2align	4, 0x0
lispier_text_c10d34f5888d0715:
	.asciz	"prelude/kernels/floats.lisp:66:27"
	.size	lispier_text_c10d34f5888d0715, 34

	.type	lispier_text_971ab68711bcaf8,@object
lispier_text_971ab68711bcaf8:
	.asciz	"cpu-division"
	.size	lispier_text_971ab68711bcaf8, 13

	.type	lispier_text_46b755e7b98d7aa2,@object
	.p2align	4, 0x0
lispier_text_46b755e7b98d7aa2:
	.asciz	"prelude/kernels/linear.lisp:363:22"
	.size	lispier_text_46b755e7b98d7aa2, 35

	.type	lispier_text_9d2be853d20e9e6a,@object
	.p2align	4, 0x0
lispier_text_9d2be853d20e9e6a:
	.asciz	"prelude/kernels/linear.lisp:359:22"
	.size	lispier_text_9d2be853d20e9e6a, 35

	.type	lispier_text_604684902ac8191a,@object
	.p2align	4, 0x0
lispier_text_604684902ac8191a:
	.asciz	"for 4 tensors of `run`\n/tmp/amx2.lisp:4:36: note: i32 [(64 one)], 256 one + 256 bytes\n/tmp/amx2.lisp:4:22: note: bf16 [8 (8 one)], 128 one + 256 bytes\n/tmp/amx2.lisp:2:3: note: f32 [8 8], 512 bytes\nnote: these are the largest; --explain=memory prints all"
	.size	lispier_text_604684902ac8191a, 255

	.type	lispier_text_e5185196eb2e4eb7,@object
	.p2align	4, 0x0
lispier_text_e5185196eb2e4eb7:
	.asciz	"/tmp/amx2.lisp:3:1"
	.size	lispier_text_e5185196eb2e4eb7, 19

	.type	lispier_text_de9e7d0393a4f45e,@object
lispier_text_de9e7d0393a4f45e:
	.asciz	"cpu-allocation"
	.size	lispier_text_de9e7d0393a4f45e, 15

	.type	.L_print_str_0_0,@object
	.p2align	4, 0x0
.L_print_str_0_0:
	.asciz	"/tmp/amx2.lisp:2:3: error[tensor-shape]: `einsum`: one size is %ld and %ld, in factors of the shapes [8 %ld] and [8 %ld]\n/tmp/amx2.lisp:4:11: note: called from here\n"
	.size	.L_print_str_0_0, 166

	.type	.L_print_str_0,@object
	.p2align	4, 0x0
.L_print_str_0:
	.asciz	"/tmp/amx2.lisp:2:3: error[tensor-shape]: `einsum`: one size is %ld and %ld, in factors of the shapes [8 %ld] and [8 %ld]\n"
	.size	.L_print_str_0, 122

	.type	.L_print_str_1,@object
	.p2align	4, 0x0
.L_print_str_1:
	.asciz	"/tmp/amx2.lisp:4:59: error[tensor-size]: a size of a tensor is 0 or more, not %ld\n"
	.size	.L_print_str_1, 83

	.type	.L_print_str_2,@object
	.p2align	4, 0x0
.L_print_str_2:
	.asciz	"/tmp/amx2.lisp:4:48: error[tensor-size]: a tensor of i32 [%ld] has more bytes than an address reaches\n"
	.size	.L_print_str_2, 103

	.type	.L_print_str_3,@object
	.p2align	4, 0x0
.L_print_str_3:
	.asciz	"/tmp/amx2.lisp:4:75: error[tensor-size]: a size of a tensor is 0 or more, not %ld\n"
	.size	.L_print_str_3, 83

	.type	.L_print_str_4,@object
	.p2align	4, 0x0
.L_print_str_4:
	.asciz	"/tmp/amx2.lisp:4:36: error[tensor-size]: a tensor of i32 [8 %ld] has more bytes than an address reaches\n"
	.size	.L_print_str_4, 105

	.type	.L_print_str_5,@object
	.p2align	4, 0x0
.L_print_str_5:
	.asciz	"/tmp/amx2.lisp:4:141: error[tensor-size]: a size of a tensor is 0 or more, not %ld\n"
	.size	.L_print_str_5, 84

	.type	.L_print_str_6,@object
	.p2align	4, 0x0
.L_print_str_6:
	.asciz	"/tmp/amx2.lisp:4:130: error[tensor-size]: a tensor of i32 [%ld] has more bytes than an address reaches\n"
	.size	.L_print_str_6, 104

	.type	.L_print_str_7,@object
	.p2align	4, 0x0
.L_print_str_7:
	.asciz	"/tmp/amx2.lisp:4:157: error[tensor-size]: a size of a tensor is 0 or more, not %ld\n"
	.size	.L_print_str_7, 84

	.type	.L_print_str_8,@object
	.p2align	4, 0x0
.L_print_str_8:
	.asciz	"/tmp/amx2.lisp:4:118: error[tensor-size]: a tensor of i32 [8 %ld] has more bytes than an address reaches\n"
	.size	.L_print_str_8, 106

	.section	".note.GNU-stack","",@progbits
