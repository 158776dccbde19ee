package cell

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

func TestShortWorkIsDoneWhileAllSlotsDraw(t *testing.T) {
	p := NewPool(2, 1<<20)
	defer p.Close()
	release, ended := make(chan struct{}), make(chan error)
	var begun sync.WaitGroup
	for range 2 {
		begun.Add(1)
		go func() { ended <- p.Do(t.Context(), func() { begun.Done(); <-release }) }()
	}
	begun.Wait()
	for range 100 {
		if err := p.Soon(t.Context(), func() {}); err != nil {
			t.Fatal(err)
		}
	}
	close(release)
	for range 2 {
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
	}
}

func TestShortWorkWithoutEndLeavesTheSlotsTheirTurn(t *testing.T) {
	p := NewPool(1, 1<<20)
	defer p.Close()
	ctx, cancel := context.WithCancel(t.Context())
	var short atomic.Int64
	var floods sync.WaitGroup
	for range 4 {
		floods.Go(func() {
			for ctx.Err() == nil {
				if err := p.Soon(ctx, func() { short.Add(1) }); err != nil && !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
			}
		})
	}
	for range 100 {
		if err := p.Do(t.Context(), func() {}); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d pieces of short work during 100 turns", short.Load())
	cancel()
	floods.Wait()
}

func TestShortWorkOfAClosedPoolIsRefused(t *testing.T) {
	p := NewPool(1, 1<<20)
	begun, release, ended := make(chan struct{}), make(chan struct{}), make(chan error, 3)
	for range 2 { // both that could take it are busy
		go func() { ended <- p.Soon(t.Context(), func() { begun <- struct{}{}; <-release }) }()
		<-begun
	}
	go func() { ended <- p.Soon(t.Context(), func() { t.Error("it was done") }) }()
	for {
		p.mu.Lock()
		n := len(p.short.waiting)
		p.mu.Unlock()
		if n == 1 {
			break
		}
	}
	closed := make(chan struct{})
	go func() { p.Close(); close(closed) }()
	if err := <-ended; !errors.Is(err, ErrClosed) {
		t.Errorf("ended with %v", err)
	}
	close(release)
	<-closed
	for range 2 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	if err := p.Soon(t.Context(), func() {}); !errors.Is(err, ErrClosed) {
		t.Errorf("a closed pool: %v", err)
	}
}
