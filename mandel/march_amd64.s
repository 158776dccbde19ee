// march of block.go for AVX-512 and AVX2: stepGo with s = 1, again and again, with the deltas in registers. Multiplying by 1
// changes nothing, so the bits are those of stepGo.

#include "textflag.h"

DATA radius2m<>+0(SB)/8, $65536.0
GLOBL radius2m<>(SB), RODATA, $8
DATA tiny<>+0(SB)/8, $0x07b0000000000000 // 2^-900
GLOBL tiny<>(SB), RODATA, $8

// func marchAVX512(b *block, re, im *float64, runs *Run, phase, n int) (steps int, maxDD float64, out, low uint32)
TEXT ·marchAVX512(SB), NOSPLIT, $0-72
	MOVQ b+0(FP), DI
	MOVQ re+8(FP), SI
	MOVQ im+16(FP), DX
	MOVQ runs+24(FP), R8
	MOVQ phase+32(FP), R9
	MOVQ n+40(FP), R10
	XORQ CX, CX
	VMOVUPD 0(DI), Z0         // x
	VMOVUPD 64(DI), Z1        // y
	VMOVUPD 128(DI), Z2       // c
	VMOVUPD 192(DI), Z3       // d
	VBROADCASTSD radius2m<>(SB), Z14
	VBROADCASTSD (SI), Z11    // Z(m)
	VBROADCASTSD (DX), Z12

loop:
	VADDPD Z11, Z11, Z4
	VADDPD Z12, Z12, Z5
	VADDPD Z0, Z4, Z6         // tr = 2zr + x
	VADDPD Z1, Z5, Z7         // ti
	VMULPD Z0, Z6, Z8
	VMULPD Z1, Z7, Z9
	VSUBPD Z9, Z8, Z8         // tr·x − ti·y
	VMULPD Z1, Z6, Z9
	VMULPD Z0, Z7, Z10
	VADDPD Z10, Z9, Z9        // tr·y + ti·x
	VADDPD Z2, Z8, Z0
	VADDPD Z3, Z9, Z1
	ADDQ $8, SI
	ADDQ $8, DX
	INCQ CX
	VBROADCASTSD (SI), Z11    // Z(m+1)
	VBROADCASTSD (DX), Z12
	VADDPD Z0, Z11, Z8
	VADDPD Z1, Z12, Z10
	VMULPD Z8, Z8, Z8
	VMULPD Z10, Z10, Z10
	VADDPD Z10, Z8, Z8        // zz
	VMULPD Z0, Z0, Z9
	VMULPD Z1, Z1, Z13
	VADDPD Z13, Z9, Z9        // dd
	VCMPPD $30, Z14, Z8, K1   // zz > Radius²
	VCMPPD $17, Z9, Z8, K2    // zz < dd
	KORTESTW K1, K2
	JNZ done
	DECQ R9
	JNZ next
	VEXTRACTF64X4 $1, Z9, Y10
	VMAXPD Y10, Y9, Y10
	VEXTRACTF128 $1, Y10, X13
	VMAXPD X13, X10, X10
	VPERMILPD $1, X10, X13
	VMAXSD X13, X10, X10
	VMOVSD 32(R8), X6
	VMULSD X6, X6, X6
	VMAXSD tiny<>(SB), X6, X6
	VUCOMISD X10, X6          // R² > dd: a run may begin
	JHI done
	ADDQ $56, R8 // a Run
	MOVQ $8, R9 // grain

next:
	CMPQ CX, R10
	JLT loop

done:
	VMOVUPD Z0, 0(DI)
	VMOVUPD Z1, 64(DI)
	VMOVUPD Z8, 256(DI)
	VMOVUPD Z9, 320(DI)
	KMOVW K1, AX
	KMOVW K2, BX
	MOVQ CX, steps+48(FP)
	MOVL AX, out+64(FP)
	MOVL BX, low+68(FP)
	VEXTRACTF64X4 $1, Z9, Y13
	VMAXPD Y13, Y9, Y9
	VEXTRACTF128 $1, Y9, X13
	VMAXPD X13, X9, X9
	VPERMILPD $1, X9, X13
	VMAXSD X13, X9, X9
	VMOVSD X9, maxDD+56(FP)
	VZEROUPPER
	RET

// func marchAVX2(b *block, re, im *float64, runs *Run, phase, n int) (steps int, maxDD float64, out, low uint32)
TEXT ·marchAVX2(SB), NOSPLIT, $0-72
	MOVQ b+0(FP), DI
	MOVQ re+8(FP), SI
	MOVQ im+16(FP), DX
	MOVQ runs+24(FP), R8
	MOVQ phase+32(FP), R9
	MOVQ n+40(FP), R10
	XORQ CX, CX
	VMOVUPD 0(DI), Y0         // x of lanes 0 to 3
	VMOVUPD 32(DI), Y2        // and 4 to 7
	VMOVUPD 64(DI), Y1        // y
	VMOVUPD 96(DI), Y3
	VBROADCASTSD radius2m<>(SB), Y15
	VBROADCASTSD (SI), Y11    // Z(m)
	VBROADCASTSD (DX), Y12

loop:
	VADDPD Y11, Y11, Y4
	VADDPD Y12, Y12, Y5

	VADDPD Y0, Y4, Y6         // tr = 2zr + x
	VADDPD Y1, Y5, Y7         // ti
	VMULPD Y0, Y6, Y8
	VMULPD Y1, Y7, Y9
	VSUBPD Y9, Y8, Y8         // tr·x − ti·y
	VMULPD Y1, Y6, Y9
	VMULPD Y0, Y7, Y10
	VADDPD Y10, Y9, Y9        // tr·y + ti·x
	VADDPD 128(DI), Y8, Y0
	VADDPD 192(DI), Y9, Y1

	VADDPD Y2, Y4, Y6
	VADDPD Y3, Y5, Y7
	VMULPD Y2, Y6, Y8
	VMULPD Y3, Y7, Y9
	VSUBPD Y9, Y8, Y8
	VMULPD Y3, Y6, Y9
	VMULPD Y2, Y7, Y10
	VADDPD Y10, Y9, Y9
	VADDPD 160(DI), Y8, Y2
	VADDPD 224(DI), Y9, Y3

	ADDQ $8, SI
	ADDQ $8, DX
	INCQ CX
	VBROADCASTSD (SI), Y11    // Z(m+1)
	VBROADCASTSD (DX), Y12

	VADDPD Y0, Y11, Y8
	VADDPD Y1, Y12, Y10
	VMULPD Y8, Y8, Y8
	VMULPD Y10, Y10, Y10
	VADDPD Y10, Y8, Y8        // zz of lanes 0 to 3
	VMULPD Y0, Y0, Y9
	VMULPD Y1, Y1, Y13
	VADDPD Y13, Y9, Y9        // dd
	VADDPD Y2, Y11, Y10
	VADDPD Y3, Y12, Y13
	VMULPD Y10, Y10, Y10
	VMULPD Y13, Y13, Y13
	VADDPD Y13, Y10, Y10      // zz of lanes 4 to 7
	VMULPD Y2, Y2, Y13
	VMULPD Y3, Y3, Y14
	VADDPD Y14, Y13, Y13      // dd

	VCMPPD $30, Y15, Y8, Y4   // zz > Radius²
	VCMPPD $17, Y9, Y8, Y5    // zz < dd
	VCMPPD $30, Y15, Y10, Y6
	VCMPPD $17, Y13, Y10, Y7
	VORPD Y4, Y5, Y14
	VORPD Y6, Y14, Y14
	VORPD Y7, Y14, Y14
	VPTEST Y14, Y14
	JNZ done
	DECQ R9
	JNZ next
	VMAXPD Y13, Y9, Y14
	VEXTRACTF128 $1, Y14, X4
	VMAXPD X4, X14, X14
	VPERMILPD $1, X14, X4
	VMAXSD X4, X14, X14
	VMOVSD 32(R8), X6
	VMULSD X6, X6, X6
	VMAXSD tiny<>(SB), X6, X6
	VUCOMISD X14, X6          // R² > dd: a run may begin
	JHI last
	ADDQ $56, R8 // a Run
	MOVQ $8, R9 // grain

next:
	CMPQ CX, R10
	JLT loop

last:
	// No lane asks for anything: the masks above may be used up.
	VXORPD Y4, Y4, Y4
	VXORPD Y5, Y5, Y5
	VXORPD Y6, Y6, Y6
	VXORPD Y7, Y7, Y7

done:
	VMOVUPD Y0, 0(DI)
	VMOVUPD Y2, 32(DI)
	VMOVUPD Y1, 64(DI)
	VMOVUPD Y3, 96(DI)
	VMOVUPD Y8, 256(DI)
	VMOVUPD Y10, 288(DI)
	VMOVUPD Y9, 320(DI)
	VMOVUPD Y13, 352(DI)
	MOVQ CX, steps+48(FP)
	VMOVMSKPD Y4, AX
	VMOVMSKPD Y6, BX
	SHLL $4, BX
	ORL BX, AX
	MOVL AX, out+64(FP)
	VMOVMSKPD Y5, AX
	VMOVMSKPD Y7, BX
	SHLL $4, BX
	ORL BX, AX
	MOVL AX, low+68(FP)
	VMAXPD Y13, Y9, Y9
	VEXTRACTF128 $1, Y9, X13
	VMAXPD X13, X9, X9
	VPERMILPD $1, X9, X13
	VMAXSD X13, X9, X9
	VMOVSD X9, maxDD+56(FP)
	VZEROUPPER
	RET
