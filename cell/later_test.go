package cell

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"fractal/tile"
)

// longSource draws cell 0 in steps for as long as others wait, and all others at once.
type longSource struct {
	steps   atomic.Int32 // left of cell 0
	waiting atomic.Int32 // times that others were waiting for the slot
	order   chan tile.ID
}

func (l *longSource) Version(tile.ID) uint64 { return 1 }

func (l *longSource) Draw(_ context.Context, id tile.ID, s *Scratch, emit func(Picture)) error {
	for id == tile.At(0, 0, 0) && l.steps.Add(-1) > 0 {
		if s.Waiting() {
			l.waiting.Add(1)
			return ErrLater
		}
	}
	l.order <- id
	emit(Picture{Version: 1, Data: []byte{1}})
	return nil
}

func TestLongDrawingsLetOthersGoFirstAndAreFinished(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool(1, 1<<20)
		defer p.Close()
		l := &longSource{order: make(chan tile.ID, 9)}
		l.steps.Store(50)
		c := p.Room(Sources{KindInk: l}, func(Key) {})
		start := make(chan struct{})
		go p.Do(t.Context(), func() { <-start }) // until all have said what they want
		synctest.Wait()
		want := func(viewer uint64, x int64) {
			c.Want(viewer, []Want{{Key: Key{KindInk, tile.At(0, x, 0)}, Least: 1}})
		}
		want(1, 0)
		want(2, 1)
		want(3, 2)
		close(start)
		synctest.Wait()
		if a, b, last := <-l.order, <-l.order, <-l.order; last != tile.At(0, 0, 0) || a == b {
			t.Errorf("drawn in the order %v, %v, %v", a, b, last)
		}
		if l.waiting.Load() == 0 {
			t.Error("nobody waited")
		}
		if _, ok := c.Newest(Key{KindInk, tile.At(0, 0, 0)}); !ok {
			t.Error("the long one was given up")
		}
		if s := p.Stats(); s.Failed > 0 || s.Drawn != 3 {
			t.Errorf("%d failed, %d drawn", s.Failed, s.Drawn)
		}
	})
}

// draftSource gives a provisional picture, lets others go first, and then the settled one.
type draftSource struct{ order chan Key }

func (d draftSource) Version(tile.ID) uint64 { return 1 }

func (d draftSource) Draw(_ context.Context, id tile.ID, s *Scratch, emit func(Picture)) error {
	d.order <- Key{KindInk, id}
	if !s.Drafted() {
		emit(Picture{Version: 1, Data: []byte{0}, Provisional: true})
		return ErrLater
	}
	emit(Picture{Version: 1, Data: []byte{1}})
	return nil
}

func TestAllProvisionalPicturesComeBeforeSettledOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool(1, 1<<20)
		defer p.Close()
		d := draftSource{make(chan Key)}
		c := p.Room(Sources{KindInk: d}, func(Key) {})
		var wants []Want
		for i := range 3 {
			wants = append(wants, Want{Key: key(KindInk, i), Least: 1})
		}
		c.Want(1, wants)
		for i := range 3 {
			if k := <-d.order; k != key(KindInk, i) {
				t.Errorf("number %d was %v", i, k)
			}
		}
		k := <-d.order
		if pic, ok := c.Newest(k); k != key(KindInk, 0) || !ok || !pic.Provisional {
			t.Errorf("then %v; its provisional picture is there while the settled one is drawn: %v", k, ok)
		}
		c.Want(1, wants[:2]) // nobody wants the third any more
		if _, ok := c.Newest(key(KindInk, 2)); ok {
			t.Error("a provisional picture that nobody waits for any more was kept")
		}
		<-d.order
		synctest.Wait()
		for i := range 2 {
			if pic, ok := c.Newest(key(KindInk, i)); !ok || pic.Provisional {
				t.Errorf("cell %d is not settled", i)
			}
		}
		if s := p.Stats(); s.Drafts != 3 || s.Drawn != 2 || s.Failed > 0 {
			t.Errorf("%d drafts, %d drawn, %d failed", s.Drafts, s.Drawn, s.Failed)
		}
	})
}
