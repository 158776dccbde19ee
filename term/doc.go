// Package term runs shells: it starts programs on pseudo terminals, keeps what they print in a terminal core (vt), and
// hands out what has changed since a given moment as one atomic Frame.
//
// It owns the processes, their sizes, what is typed at them, the frames, the search through what they printed, and
// recordings. It refuses to know who looks on: whoever shows a terminal says what it holds (Held) and is answered with
// the difference, or with nothing. So a viewer costs nothing here while it does not ask, and one that was away says
// what it held before.
//
// A session has three goroutines, all asleep while nothing happens: one reads what the program prints, one writes what
// it is to read, one waits for its end. The only timer is that of a synchronized frame (mode 2026), armed while such a
// frame is being built.
//
// Session.mu guards the terminal core, is held for memory only (and for telling the kernel the size), and never while
// another lock is. What is called back (Spec.Dirty) is called without it.
package term
