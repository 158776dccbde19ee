package server

import (
	"strings"
	"testing"
)

func TestSightsAreReadAndWritten(t *testing.T) {
	for _, text := range []string{"0,0,0,1", "-5,-0.8,1f.000001,0.75", "2000," + strings.Repeat("9e3779b97f4a7c15", 31) + ".8,-1,1.25"} {
		s, ok := parseSight(text)
		if !ok || sightText(s) != text {
			t.Errorf("%.60s came back as %.60s, %v", text, sightText(s), ok)
		}
	}
	for _, text := range []string{"", "1,2,3", "a,0,0,1", "0,0,0,NaN", "0,0,0,0", "0,x,0,1", "0,0.0000001,0,1", "0,,0,1", "99999999,0,0,1", "0,--1,0,1", strings.Repeat("0", 1<<17) + ",0,0,1"} {
		if _, ok := parseSight(text); ok {
			t.Errorf("%.40q was taken", text)
		}
	}
}

func FuzzParseSight(f *testing.F) {
	f.Add("0,-1.8,2f,0.75")
	f.Fuzz(func(t *testing.T, text string) {
		if s, ok := parseSight(text); ok {
			if again, ok := parseSight(sightText(s)); !ok || again.X.Cmp(s.X) != 0 || again.Y.Cmp(s.Y) != 0 || again.Level != s.Level {
				t.Errorf("%q came back as %q", text, sightText(s))
			}
		}
	})
}
