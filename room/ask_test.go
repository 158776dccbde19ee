package room

import (
	"context"
	"math"
	"strings"
	"testing"

	"fractal/wire"
)

func TestHostileQuestionsAreAnswered(t *testing.T) {
	r, _ := withShells(t, echo)
	a := sit(t, r, "a", Seat{Owner: true})
	n := a.place("x")
	a.watch(1, n)
	a.sees(n, "ready")
	a.types(n, "printf '%05000d\\n' 0; echo done\n")
	a.sees(n, "done")
	b := sit(t, r, "b", Seat{})
	id := uint64(0)
	ask := func(m *wire.TermAsk) {
		id++
		m.Terminal, m.Id = n, id
		b.say(&wire.ClientMessage{Kind: &wire.ClientMessage_Ask{Ask: m}})
	}
	answer := func() *wire.TermAnswer {
		for b.answers[id] == nil {
			b.take()
		}
		return b.answers[id]
	}
	for _, row := range []int64{math.MinInt64, -1, 0, math.MaxInt64 - 1, math.MaxInt64} {
		for _, above := range []bool{true, false} {
			ask(&wire.TermAsk{What: &wire.TermAsk_Prompt{Prompt: &wire.PromptAsk{Row: row, Above: above}}})
			answer()
		}
		ask(&wire.TermAsk{What: &wire.TermAsk_History{History: &wire.HistoryAsk{From: row, Count: math.MaxUint32}}})
		answer()
		ask(&wire.TermAsk{What: &wire.TermAsk_Search{Search: &wire.SearchAsk{Text: "nowhere", Before: row, Limit: math.MaxUint32}}})
		answer()
	}
	ask(&wire.TermAsk{What: &wire.TermAsk_Search{Search: &wire.SearchAsk{Text: "0", Limit: math.MaxUint32}}})
	if got := answer(); len(got.Hits) > 2*maxHits || !got.More {
		t.Errorf("%d hits of a line of 5,000, more %v", len(got.Hits), got.More)
	}
	for range 5000 { // each ends the one before it
		ask(&wire.TermAsk{What: &wire.TermAsk_Search{Search: &wire.SearchAsk{Text: strings.Repeat("(0|.){9}", 20), Regexp: true}}})
	}
	answer()
	if len(b.answers) > 100+int(id) {
		t.Error("answered more often than asked")
	}
}

func TestOneSearchOfAViewerRunsAtATime(t *testing.T) {
	r, _ := withShells(t, echo)
	v := sit(t, r, "a", Seat{}).v
	begun, free, last := make(chan struct{}), make(chan struct{}), make(chan struct{})
	v.search(func(ctx context.Context) { close(begun); <-ctx.Done(); <-free })
	<-begun
	ran := 0
	for range 100 {
		v.search(func(context.Context) { ran++ })
	}
	v.search(func(context.Context) { close(last) })
	close(free)
	<-last
	if ran != 0 {
		t.Errorf("%d searches ran that a newer one had ended", ran)
	}
	v.Leave()
	v.search(func(context.Context) { t.Error("searches for one who has left") })
}
