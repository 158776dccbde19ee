// The kernels of direct.go for AVX-512 and AVX2: the same operations in the same order as iterateGo, products rounded before
// they are added, so every kernel gives the same bits. Seats that left are frozen by masks.

#include "textflag.h"

DATA radius2d<>+0(SB)/8, $65536.0
GLOBL radius2d<>(SB), RODATA, $8
DATA one<>+0(SB)/8, $1.0
GLOBL one<>(SB), RODATA, $8
DATA bits4<>+0(SB)/8, $1
DATA bits4<>+8(SB)/8, $2
DATA bits4<>+16(SB)/8, $4
DATA bits4<>+24(SB)/8, $8
GLOBL bits4<>(SB), RODATA, $32

// func iterateAVX512(f *flock, steps int, alive uint32) uint32
TEXT ·iterateAVX512(SB), NOSPLIT, $0-28
	MOVQ f+0(FP), DI
	MOVQ steps+8(FP), CX
	MOVL alive+16(FP), AX
	KMOVW AX, K1
	SHRL $8, AX
	KMOVW AX, K2
	VMOVUPD 0(DI), Z0         // x
	VMOVUPD 64(DI), Z10
	VMOVUPD 128(DI), Z1       // y
	VMOVUPD 192(DI), Z11
	VMOVUPD 256(DI), Z2       // c
	VMOVUPD 320(DI), Z12
	VMOVUPD 384(DI), Z3       // d
	VMOVUPD 448(DI), Z13
	VMOVUPD 512(DI), Z4       // n
	VMOVUPD 576(DI), Z14
	VMOVUPD 640(DI), Z22      // low
	VMOVUPD 704(DI), Z23
	VBROADCASTSD radius2d<>(SB), Z20
	VBROADCASTSD one<>(SB), Z21
	TESTQ CX, CX
	JLE done

loop:
	VMULPD Z0, Z0, Z5         // rr
	VMULPD Z10, Z10, Z15
	VMULPD Z1, Z1, Z6         // ii
	VMULPD Z11, Z11, Z16
	VADDPD Z6, Z5, Z7         // zz
	VADDPD Z16, Z15, Z17
	VMINPD Z22, Z7, Z22
	VMINPD Z23, Z17, Z23
	VCMPPD $18, Z20, Z7, K1, K1 // zz <= Radius²
	VCMPPD $18, Z20, Z17, K2, K2
	VSUBPD Z6, Z5, Z5
	VSUBPD Z16, Z15, Z15
	VADDPD Z0, Z0, Z6
	VADDPD Z10, Z10, Z16
	VMULPD Z1, Z6, Z6         // 2x·y
	VMULPD Z11, Z16, Z16
	VADDPD Z2, Z5, K1, Z0
	VADDPD Z12, Z15, K2, Z10
	VADDPD Z3, Z6, K1, Z1
	VADDPD Z13, Z16, K2, Z11
	VADDPD Z21, Z4, K1, Z4
	VADDPD Z21, Z14, K2, Z14
	KORTESTW K1, K2
	JZ done
	DECQ CX
	JNZ loop

done:
	VMOVUPD Z0, 0(DI)
	VMOVUPD Z10, 64(DI)
	VMOVUPD Z1, 128(DI)
	VMOVUPD Z11, 192(DI)
	VMOVUPD Z4, 512(DI)
	VMOVUPD Z14, 576(DI)
	VMOVUPD Z22, 640(DI)
	VMOVUPD Z23, 704(DI)
	KMOVW K1, AX
	KMOVW K2, BX
	ANDL $255, AX
	SHLL $8, BX
	ORL BX, AX
	MOVL AX, ret+24(FP)
	VZEROUPPER
	RET

// func iterate8AVX2(f *flock, offset, steps int, alive uint32) uint32
TEXT ·iterate8AVX2(SB), NOSPLIT, $0-36
	MOVQ f+0(FP), DI
	ADDQ offset+8(FP), DI
	MOVQ steps+16(FP), CX
	VMOVDQU bits4<>(SB), Y5
	MOVL alive+24(FP), AX
	VMOVD AX, X6
	VPBROADCASTD X6, Y6
	VPMOVZXDQ X6, Y6          // alive in every quadword
	VPAND Y5, Y6, Y8
	VPCMPEQQ Y5, Y8, Y8       // mask of seats 0 to 3
	VPSRLQ $4, Y6, Y6
	VPAND Y5, Y6, Y9
	VPCMPEQQ Y5, Y9, Y9       // mask of seats 4 to 7
	VMOVUPD 0(DI), Y0         // x
	VMOVUPD 32(DI), Y10
	VMOVUPD 128(DI), Y1       // y
	VMOVUPD 160(DI), Y11
	VMOVUPD 512(DI), Y4       // n
	VMOVUPD 544(DI), Y14
	VMOVUPD 640(DI), Y2       // low
	VMOVUPD 672(DI), Y3
	VBROADCASTSD radius2d<>(SB), Y15
	VBROADCASTSD one<>(SB), Y13
	TESTQ CX, CX
	JLE done

loop:
	VMULPD Y0, Y0, Y5         // rr
	VMULPD Y1, Y1, Y6         // ii
	VADDPD Y6, Y5, Y7         // zz
	VMINPD Y2, Y7, Y2
	VCMPPD $18, Y15, Y7, Y7   // zz <= Radius²
	VANDPD Y7, Y8, Y8
	VSUBPD Y6, Y5, Y5
	VADDPD Y0, Y0, Y6
	VMULPD Y1, Y6, Y6         // 2x·y
	VADDPD 256(DI), Y5, Y5
	VADDPD 384(DI), Y6, Y6
	VBLENDVPD Y8, Y5, Y0, Y0
	VBLENDVPD Y8, Y6, Y1, Y1
	VANDPD Y13, Y8, Y7
	VADDPD Y7, Y4, Y4

	VMULPD Y10, Y10, Y5       // rr
	VMULPD Y11, Y11, Y6       // ii
	VADDPD Y6, Y5, Y7         // zz
	VMINPD Y3, Y7, Y3
	VCMPPD $18, Y15, Y7, Y7   // zz <= Radius²
	VANDPD Y7, Y9, Y9
	VSUBPD Y6, Y5, Y5
	VADDPD Y10, Y10, Y6
	VMULPD Y11, Y6, Y6        // 2x·y
	VADDPD 288(DI), Y5, Y5
	VADDPD 416(DI), Y6, Y6
	VBLENDVPD Y9, Y5, Y10, Y10
	VBLENDVPD Y9, Y6, Y11, Y11
	VANDPD Y13, Y9, Y7
	VADDPD Y7, Y14, Y14

	VORPD Y8, Y9, Y7
	VPTEST Y7, Y7
	JZ done
	DECQ CX
	JNZ loop

done:
	VMOVUPD Y0, 0(DI)
	VMOVUPD Y10, 32(DI)
	VMOVUPD Y1, 128(DI)
	VMOVUPD Y11, 160(DI)
	VMOVUPD Y4, 512(DI)
	VMOVUPD Y14, 544(DI)
	VMOVUPD Y2, 640(DI)
	VMOVUPD Y3, 672(DI)
	VMOVMSKPD Y8, AX
	VMOVMSKPD Y9, BX
	SHLL $4, BX
	ORL BX, AX
	MOVL AX, ret+32(FP)
	VZEROUPPER
	RET
