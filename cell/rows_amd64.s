// The loops of rows.go over whole images for AVX2, 8 pixels a step.

#include "textflag.h"

DATA zeroToThree<>+0(SB)/4, $0x03020100
GLOBL zeroToThree<>(SB), RODATA, $4
DATA weights<>+0(SB)/8, $0x00ff00ff01000100
DATA weights<>+8(SB)/8, $0x00fd00fd00fe00fe
DATA weights<>+16(SB)/8, $0x00fb00fb00fc00fc
DATA weights<>+24(SB)/8, $0x00f900f900fa00fa
GLOBL weights<>(SB), RODATA, $32
DATA float255<>+0(SB)/4, $255.0
GLOBL float255<>(SB), RODATA, $4
DATA half<>+0(SB)/4, $0.5
GLOBL half<>(SB), RODATA, $4
DATA round8<>+0(SB)/4, $32895
GLOBL round8<>(SB), RODATA, $4
DATA ones16<>+0(SB)/4, $0x00010001
GLOBL ones16<>(SB), RODATA, $4
DATA ones8<>+0(SB)/4, $0x01010101
GLOBL ones8<>(SB), RODATA, $4

// func convertAVX2(dst *[pixels]uint32, src *[pixels]raster.Pixel) (and, or uint32)
//
// A channel is floor(c·255/a + 1/2) in float32. c·255 < 2^24 is exact; the quotient is at least 1/2a > 2^-17 away from k + 1/2
// or is that, and the rounding of no quotient below 256 is more than 2^-17 wrong; so the floor is that of the true number.
TEXT ·convertAVX2(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ $8192, CX
	VPCMPEQD Y15, Y15, Y15        // and
	VPXOR Y14, Y14, Y14           // or
	VPSRLD $16, Y15, Y13          // 0xffff
	VBROADCASTSS float255<>(SB), Y12
	VBROADCASTSS half<>(SB), Y11
	VBROADCASTSS round8<>(SB), Y10
	VPXOR Y8, Y8, Y8              // the last pixel, four times: nothing, which is 0
	VPXOR Y9, Y9, Y9              // what it is converted to, eight times

pixels8:
	VMOVDQU (SI), Y0
	VMOVDQU 32(SI), Y1
	VPXOR Y0, Y8, Y2              // flat colour comes in runs
	VPXOR Y1, Y8, Y3
	VPOR Y2, Y3, Y2
	VPTEST Y2, Y2
	JZ flat
	VPERMQ $0xff, Y1, Y8
	VSHUFPS $0x88, Y1, Y0, Y2     // R and G of pixels 0 1 4 5 2 3 6 7
	VSHUFPS $0xdd, Y1, Y0, Y3     // B and A
	VPAND Y13, Y2, Y4
	VPSRLD $16, Y2, Y5
	VPAND Y13, Y3, Y6
	VPSRLD $16, Y3, Y7
	VCVTDQ2PS Y7, Y0
	VCVTDQ2PS Y4, Y4
	VCVTDQ2PS Y5, Y5
	VCVTDQ2PS Y6, Y6
	VMULPS Y12, Y4, Y4
	VMULPS Y12, Y5, Y5
	VMULPS Y12, Y6, Y6
	VDIVPS Y0, Y4, Y4             // 0/0 where A is 0: those are made 0 below
	VDIVPS Y0, Y5, Y5
	VDIVPS Y0, Y6, Y6
	VPSLLD $8, Y7, Y1             // A of 8 bits: (A·255 + 32895) >> 16
	VPSUBD Y7, Y1, Y1
	VPADDD Y10, Y1, Y1
	VPSRLD $16, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPCMPEQD Y1, Y2, Y2           // invisible
	VPSLLD $24, Y1, Y1
	VADDPS Y11, Y4, Y4
	VADDPS Y11, Y5, Y5
	VADDPS Y11, Y6, Y6
	VCVTTPS2DQ Y4, Y4
	VCVTTPS2DQ Y5, Y5
	VCVTTPS2DQ Y6, Y6
	VPSLLD $8, Y5, Y5
	VPSLLD $16, Y6, Y6
	VPOR Y4, Y1, Y1
	VPOR Y5, Y6, Y6
	VPOR Y6, Y1, Y1
	VPANDN Y1, Y2, Y1
	VPERMQ $0xd8, Y1, Y1          // pixels 0 to 7
	VPAND Y1, Y15, Y15
	VPOR Y1, Y14, Y14
	VMOVDQU Y1, (DI)
	VPERMQ $0xff, Y1, Y9
	VPSHUFD $0xff, Y9, Y9
	ADDQ $64, SI
	ADDQ $32, DI
	DECQ CX
	JNZ pixels8
	JMP done

flat:
	VPAND Y9, Y15, Y15
	VPOR Y9, Y14, Y14
	VMOVDQU Y9, (DI)
	ADDQ $64, SI
	ADDQ $32, DI
	DECQ CX
	JNZ pixels8

done:
	VEXTRACTI128 $1, Y15, X0
	VPAND X0, X15, X0
	VPSHUFD $0x4e, X0, X1
	VPAND X0, X1, X0
	VPSHUFD $0xb1, X0, X1
	VPAND X0, X1, X0
	VMOVD X0, AX
	MOVL AX, and+16(FP)
	VEXTRACTI128 $1, Y14, X0
	VPOR X0, X14, X0
	VPSHUFD $0x4e, X0, X1
	VPOR X0, X1, X0
	VPSHUFD $0xb1, X0, X1
	VPOR X0, X1, X0
	VMOVD X0, AX
	MOVL AX, or+20(FP)
	VZEROUPPER
	RET

// func compareRowsAVX2(like *likeness, row *uint32, rows int)
//
// Needs a row above the first one. A set is 40 bytes, of which the last 8 stay 0.
TEXT ·compareRowsAVX2(SB), NOSPLIT, $0-24
	MOVQ like+0(FP), DI
	MOVQ row+8(FP), SI
	MOVQ rows+16(FP), DX
	VPXOR Y7, Y7, Y7

row:
	MOVQ $32, CX
	MOVQ DI, R8

compare8:
	VMOVDQU (SI), Y0
	VPXOR -4(SI), Y0, Y1
	VPXOR -1024(SI), Y0, Y2
	VPCMPEQD Y7, Y1, Y3
	VPCMPEQD Y7, Y2, Y4
	VPSLLD $8, Y1, Y1
	VPSLLD $8, Y2, Y2
	VPCMPEQD Y7, Y1, Y1
	VPCMPEQD Y7, Y2, Y2
	VMOVMSKPS Y3, AX
	VMOVMSKPS Y4, BX
	MOVB AX, (DI)
	MOVB BX, 40(DI)
	VMOVMSKPS Y1, AX
	VMOVMSKPS Y2, BX
	MOVB AX, 80(DI)
	MOVB BX, 120(DI)
	ADDQ $32, SI
	INCQ DI
	DECQ CX
	JNZ compare8
	ANDB $0xfe, (R8)              // nothing is at the left of a row
	ANDB $0xfe, 80(R8)
	LEAQ 160(R8), DI
	DECQ DX
	JNZ row
	VZEROUPPER
	RET

// func sumAVX2(sums *[size]rowSum, pix *[pixels]uint32, _ *[size]likeness)
TEXT ·sumAVX2(SB), NOSPLIT, $0-24
	MOVQ sums+0(FP), DI
	MOVQ pix+8(FP), SI
	MOVQ $256, DX
	VBROADCASTSS ones16<>(SB), Y15
	VBROADCASTSS ones8<>(SB), Y14
	VBROADCASTSS zeroToThree<>(SB), Y13
	VPSLLW $3, Y15, Y12           // eights

sumRow:
	VMOVDQU weights<>(SB), Y11    // how many pixels of the row are left, for two words of each
	VPXOR Y0, Y0, Y0              // sum
	VPXOR Y1, Y1, Y1              // weighed
	VPXOR Y2, Y2, Y2              // inner
	MOVQ $32, CX

sum8:
	VMOVDQU (SI), Y3
	VPMADDUBSW Y13, Y3, Y4        // G; 2B + 3A
	VPMADDUBSW Y14, Y3, Y3        // R + G; B + A
	VPMADDWD Y15, Y4, Y4
	VPMADDWD Y11, Y3, Y5
	VPMADDWD Y15, Y3, Y3
	VPADDD Y4, Y2, Y2
	VPADDD Y5, Y1, Y1
	VPADDD Y3, Y0, Y0
	VPSUBW Y12, Y11, Y11
	ADDQ $32, SI
	DECQ CX
	JNZ sum8
	VPHADDD Y1, Y0, Y0
	VPHADDD Y2, Y2, Y2
	VPHADDD Y2, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDD X1, X0, X0             // sum, weighed, inner, inner
	VMOVDQU X0, (DI)
	ADDQ $16, DI
	DECQ DX
	JNZ sumRow
	VZEROUPPER
	RET
