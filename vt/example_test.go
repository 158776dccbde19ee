package vt_test

import (
	"fmt"

	"fractal/vt"
)

// A viewer is sent the rows newer than what it has seen, and moves those it has by how far the screen has scrolled.
func Example() {
	term := vt.New(vt.Config{Cols: 20, Rows: 3})
	fmt.Fprint(term, "one\r\ntwo\r\n\x1b[1;31mthree")
	seen, base := term.Seq(), term.Base()
	fmt.Fprint(term, "!\r\n\x1b[mfour\x1b[6n")
	fmt.Println("scrolled by", term.Base()-base)
	var row vt.Row
	for y := range 3 {
		if term.RowSeq(y) <= seen {
			continue
		}
		term.Screen(y, &row)
		for _, run := range row.Runs {
			fmt.Printf("row %d column %d: %q bold %v\n", y, run.X, run.Text, run.Style.Attr&vt.Bold != 0)
		}
	}
	fmt.Printf("%q\n", term.TakeReplies(nil))
	// Output:
	// scrolled by 1
	// row 1 column 0: "three!" bold true
	// row 2 column 0: "four" bold false
	// "\x1b[3;5R"
}
