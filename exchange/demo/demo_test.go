package demo

import "testing"

func TestEarthIsWholeAndSmall(t *testing.T) {
	strokes, points, levels := 0, 0, map[int]int{}
	for rec, err := range Earth() {
		if err != nil || rec.Stroke == nil {
			t.Fatalf("stroke %d: %v %v", rec.Line, err, rec.Reject)
		}
		strokes++
		points += rec.Stroke.Len()
		levels[rec.Stroke.Home().Level()]++
	}
	if strokes != 5631 || points != 474_696 || len(levels) != 3 {
		t.Errorf("%d strokes, %d points on levels %v; want 5631, 474696 on three", strokes, points, levels)
	}
	if len(earth) > 2<<20 {
		t.Errorf("the demo takes %d bytes of every binary and clone; at most 2 MiB", len(earth))
	}
}
