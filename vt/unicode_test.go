package vt

import "testing"

func TestHanNeedsNoTable(t *testing.T) {
	for r := rune(firstHan); r < firstHan+hans; r++ {
		if p := propOf(r); p != prop(classOther)<<2|2 {
			t.Fatalf("%U has properties %#x", r, p)
		}
		if got, ok := han([]byte(string(r))); got != r || !ok {
			t.Fatalf("%U is taken for %U (%v)", r, got, ok)
		}
	}
	for _, s := range []string{"\u4dff", "\ua000", "\U0001f600", "é", "abc", "\xe4", "\xe4\xb8", "\xf4\xb8\x80\x80", "\xd4\xb8\x80", "\xe4a\x80"} {
		if r, ok := han([]byte(s)); ok {
			t.Errorf("%+q is taken for %U", s, r)
		}
	}
}

func TestWidths(t *testing.T) {
	for r, want := range map[rune]int{
		'a': 1, 'é': 1, '橋': 2, 'か': 2, 'ア': 2, 'ｱ': 1, 'Ａ': 2, '😀': 2, '❤': 1, '⌚': 2, 0x301: 0, 0x200d: 0, 0xfe0f: 0, 0x200b: 0, 0xad: 1,
		0x1f1e9: 2, 0x1f3fd: 2, '─': 1, '█': 1, 0xe0b0: 1, '가': 2, 0x3000: 2, 0xfffd: 1, 0x20000: 2, 0xe0100: 0,
	} {
		if got := propOf(r).width(); got != want {
			t.Errorf("%U takes %d cells, want %d", r, got, want)
		}
	}
}
