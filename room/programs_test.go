package room

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"google.golang.org/protobuf/proto"

	"fractal/canvas"
	"fractal/term"
	"fractal/tile"
	"fractal/wire"
)

// desk is somebody in front of the terminals of a canvas: what a page keeps of them, slow and obvious. It is for one goroutine, but
// for what the room sends.
type desk struct {
	t    testing.TB
	name string
	seat Seat
	v    *Viewer
	last uint64 // number of its ops

	mu   sync.Mutex
	some sync.Cond
	in   [][]byte

	painted  uint64
	list     *wire.Terminals
	state    *wire.State
	peers    *wire.Peers
	screens  map[uint64]*glass
	refused  []string
	rejected []string
	answers  map[uint64]*wire.TermAnswer
	frames   int // of terminals, of all cycles
	full     int // of those
	bytes    int
}

// glass is a terminal as a page holds it.
type glass struct {
	life   uint32
	seq    uint64
	cols   uint32
	base   int64
	rows   [][]byte
	cursor *wire.TermCursor
	facts  *wire.TermFacts
	absent bool
}

func sit(t testing.TB, r *Room, name string, seat Seat) *desk {
	t.Helper()
	d := &desk{t: t, name: name, seat: seat, screens: map[uint64]*glass{}, answers: map[uint64]*wire.TermAnswer{}}
	d.some.L = &d.mu
	d.connect(r)
	return d
}

// connect joins, keeping what is held.
func (d *desk) connect(r *Room) {
	d.t.Helper()
	d.mu.Lock()
	d.in = nil
	d.mu.Unlock()
	d.painted, d.list, d.state = 0, nil, nil
	v, err := r.Join(&wire.Hello{Protocol: 1, Key: keyOf(d.name), Name: d.name}, d.seat, d)
	if err != nil {
		d.t.Fatal(err)
	}
	d.v = v
}

func (d *desk) Send(b []byte) {
	d.mu.Lock()
	d.in = append(d.in, b)
	d.mu.Unlock()
	d.some.Signal()
}

func (d *desk) say(m *wire.ClientMessage) {
	d.t.Helper()
	if err := d.v.Handle(m); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) term(terminal uint64, in *wire.TermIn) {
	d.t.Helper()
	in.Terminal = terminal
	d.say(&wire.ClientMessage{Kind: &wire.ClientMessage_Term{Term: in}})
}

func (d *desk) types(terminal uint64, s string) {
	d.t.Helper()
	d.term(terminal, &wire.TermIn{What: &wire.TermIn_Text{Text: []byte(s)}})
}

// op enters an op and waits for what becomes of it: "" or why it was rejected.
func (d *desk) op(o *wire.Op) string {
	d.t.Helper()
	d.last++
	session := keyOf("session of " + d.name)[:16]
	o.Session, o.Number = session, d.last
	d.say(&wire.ClientMessage{Kind: &wire.ClientMessage_Op{Op: o}})
	for {
		m := d.take()
		switch {
		case m.GetAck().GetNumber() == d.last && m.GetAck() != nil:
			return ""
		case m.GetReject().GetNumber() == d.last && m.GetReject() != nil:
			return m.GetReject().GetReason()
		}
	}
}

// place places a terminal and says what its number is.
func (d *desk) place(name string) uint64 {
	d.t.Helper()
	if why := d.op(&wire.Op{Body: &wire.Op_Terminal{Terminal: terminalNamed(name)}}); why != "" {
		d.t.Fatal(why)
	}
	for d.v.room.Session(name) == nil {
		runtime.Gosched()
	}
	items, _ := d.v.room.canvas.Terminals()
	return uint64(items[slices.IndexFunc(items, func(i canvas.TerminalItem) bool { return i.Terminal.Name() == name })].Seq)
}

func terminalNamed(name string) *wire.Terminal {
	return &wire.Terminal{Home: &wire.Tile{}, Box: &wire.Box{MaxX: tile.Units, MaxY: tile.Units}, Name: name, Cols: 40, Rows: 10}
}

// watch sends a view of terminals, saying what is held of each.
func (d *desk) watch(generation uint64, terminals ...uint64) {
	d.t.Helper()
	m := &wire.View{Generation: generation}
	for _, n := range terminals {
		w := &wire.TermWant{Terminal: n}
		if g := d.screens[n]; g != nil {
			w.Life, w.Seq = g.life, g.seq
		}
		m.Terms = append(m.Terms, w)
	}
	d.say(&wire.ClientMessage{Kind: &wire.ClientMessage_View{View: m}})
}

func (d *desk) pull() {
	d.t.Helper()
	d.say(&wire.ClientMessage{Kind: &wire.ClientMessage_Pull{Pull: &wire.Pull{Painted: d.painted, Credit: 1 << 20}}})
}

// take waits for the next message and keeps what it says.
func (d *desk) take() *wire.ServerMessage {
	d.t.Helper()
	d.mu.Lock()
	for len(d.in) == 0 {
		d.some.Wait()
	}
	b := d.in[0]
	d.in = d.in[1:]
	d.mu.Unlock()
	m := new(wire.ServerMessage)
	if err := proto.Unmarshal(b, m); err != nil {
		d.t.Fatal(err)
	}
	switch k := m.Kind.(type) {
	case *wire.ServerMessage_Terminals:
		d.list = k.Terminals
	case *wire.ServerMessage_State:
		d.state = k.State
	case *wire.ServerMessage_Peers:
		d.peers = k.Peers
	case *wire.ServerMessage_Refused:
		d.refused = append(d.refused, k.Refused.Reason)
	case *wire.ServerMessage_Answer:
		d.answers[k.Answer.Id] = k.Answer
	case *wire.ServerMessage_Term:
		d.frames++
		d.bytes += len(b)
		d.apply(k.Term)
	case *wire.ServerMessage_CycleEnd:
		d.painted = k.CycleEnd.Cycle
	}
	return m
}

func (d *desk) apply(f *wire.TermFrame) {
	d.t.Helper()
	if f.Absent {
		d.screens[f.Terminal] = &glass{absent: true}
		return
	}
	g := d.screens[f.Terminal]
	if f.Full {
		d.full++
		g = &glass{cols: f.Cols, base: f.Base, rows: make([][]byte, f.Rows)}
		d.screens[f.Terminal] = g
	}
	if g == nil || g.cols != f.Cols || len(g.rows) != int(f.Rows) || f.Base < g.base {
		d.t.Fatalf("a frame of %d × %d from %d that follows nothing", f.Cols, f.Rows, f.Base)
	}
	if !f.Full && len(f.Changed) == 0 && f.Facts == nil && proto.Equal(f.Cursor, g.cursor) {
		d.t.Fatalf("a frame that says nothing: %v", f)
	}
	for ; g.base < f.Base; g.base++ {
		g.rows = append(g.rows[1:], nil)
	}
	for _, r := range f.Changed {
		g.rows[r.Y] = r.Data
	}
	g.life, g.seq, g.cursor, g.absent = f.Life, f.Seq, f.Cursor, false
	if f.Facts != nil {
		g.facts = f.Facts
	}
}

// cycle pulls and takes everything until the cycle ends.
func (d *desk) cycle() {
	d.t.Helper()
	d.pull()
	for d.take().GetCycleEnd() == nil {
	}
}

// until pulls cycles until something is so.
func (d *desk) until(what string, so func() bool) {
	d.t.Helper()
	for n := 0; !so(); n++ {
		if n > 10_000 {
			d.t.Fatalf("10,000 cycles without %s", what)
		}
		d.cycle()
	}
}

func (d *desk) text(terminal uint64) string {
	var b strings.Builder
	if g := d.screens[terminal]; g != nil {
		var row term.Row
		for _, data := range g.rows {
			if row.Decode(data) == nil {
				for _, c := range row.Glyphs {
					b.Write(c.Text)
				}
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func (d *desk) sees(terminal uint64, what string) {
	d.t.Helper()
	d.until(fmt.Sprintf("%q on the screen", what), func() bool { return strings.Contains(d.text(terminal), what) })
}

// hears takes messages until something was refused, and says what.
func (d *desk) hears() string {
	d.t.Helper()
	for len(d.refused) == 0 {
		d.take()
	}
	why := d.refused[0]
	d.refused = d.refused[1:]
	return why
}

func withShells(t testing.TB, script string) (*Room, *term.Shells) {
	t.Helper()
	shells := term.New(term.Config{})
	t.Cleanup(shells.Close)
	r := open(t, Config{Name: "room", Shells: shells, Shell: term.Spec{Shell: "/bin/sh", Args: []string{"-c", script}}})
	t.Cleanup(func() { closeRoom(t, r) })
	return r, shells
}

const echo = `stty -echo; echo ready; while read x; do eval "$x"; done`

func TestThoseWhoMayNotCannotTypeByAnyMessage(t *testing.T) {
	r, shells := withShells(t, "cat -v")
	owner, guest := sit(t, r, "owner", Seat{Owner: true}), sit(t, r, "guest", Seat{})
	n := owner.place("build")
	owner.watch(1, n)
	guest.watch(1, n)
	owner.types(n, "from the owner\r")
	owner.sees(n, "from the owner")
	guest.sees(n, "from the owner")
	s := shells.Get("room/build")
	for _, d := range []*desk{owner, guest} { // typed, and given back by cat
		d.until("what cat says", func() bool { return strings.Count(d.text(n), "from the owner") == 2 })
	}

	// Whatever can be said, by every message there is: unknown fields apart, this is the whole schema.
	key := &wire.TermKey{Code: 'x', Text: "x", Press: 1}
	ins := []*wire.TermIn{
		{What: &wire.TermIn_Text{Text: []byte("xxx\r")}}, {What: &wire.TermIn_Key{Key: key}}, {What: &wire.TermIn_Paste{Paste: []byte("xxx\r")}},
		{What: &wire.TermIn_Mouse{Mouse: &wire.TermMouse{Button: 1, Press: 1}}}, {What: &wire.TermIn_Size{Size: &wire.TermSize{Cols: 7, Rows: 7}}},
		{What: &wire.TermIn_Focus{Focus: true}}, {What: &wire.TermIn_Restart{Restart: true}}, {What: &wire.TermIn_Signal{Signal: 9}}, {},
	}
	oneofs := new(wire.TermIn).ProtoReflect().Descriptor().Oneofs().ByName("what").Fields().Len()
	if oneofs != len(ins)-1 {
		t.Fatalf("there are %d things to do at a terminal; this test knows %d", oneofs, len(ins)-1)
	}
	before := s.Version()
	for _, in := range ins {
		guest.term(n, in)
	}
	guest.say(&wire.ClientMessage{Kind: &wire.ClientMessage_Ask{Ask: &wire.TermAsk{Terminal: n, Id: 1, What: &wire.TermAsk_Search{Search: &wire.SearchAsk{Text: "xxx\r"}}}}})
	for _, why := range []string{
		guest.op(&wire.Op{Body: &wire.Op_Terminal{Terminal: terminalNamed("mine")}}),
		guest.op(&wire.Op{Body: &wire.Op_Grant{Grant: &wire.Grant{Person: guest.v.person[:], Role: 2}}}),
		guest.op(&wire.Op{Body: &wire.Op_Remove{Remove: &wire.Remove{Seq: n}}}),
	} {
		if !strings.Contains(why, "owner") {
			t.Errorf("rejected with %q", why)
		}
	}
	guest.op(&wire.Op{Body: &wire.Op_Undo{Undo: &wire.Undo{}}})
	if items, _ := r.canvas.Terminals(); len(items) != 1 {
		t.Error("a guest took the terminal away")
	}
	for range len(ins) - 2 { // but for size and focus
		if why := guest.hears(); !strings.Contains(why, "Ask the owner") {
			t.Errorf("refused with %q", why)
		}
	}
	if s.Version() != before || s.Facts().Ended {
		t.Error("the terminal has changed")
	}
	if cols, rows := s.Size(); cols != 40 || rows != 10 {
		t.Errorf("its size is %d × %d", cols, rows)
	}

	// The owner lets the guest type, and no longer.
	give := func(role uint32) {
		t.Helper()
		if why := owner.op(&wire.Op{Body: &wire.Op_Grant{Grant: &wire.Grant{Person: guest.v.person[:], Role: role}}}); why != "" {
			t.Fatal(why)
		}
		guest.until("the new role", func() bool { return guest.state != nil && guest.state.Role == role })
		owner.until("the new role of a peer", func() bool {
			return slices.ContainsFunc(owner.peers.GetPeers(), func(p *wire.Peer) bool { return p.Role == role && bytes.Equal(p.Person, guest.v.person[:]) })
		})
	}
	give(1)
	guest.types(n, "from the guest\r")
	owner.sees(n, "from the guest")
	owner.until("the typist", func() bool { return owner.screens[n].facts.GetTypist() == guest.v.id })
	if why := guest.op(&wire.Op{Body: &wire.Op_Terminal{Terminal: terminalNamed("mine")}}); !strings.Contains(why, "owner") {
		t.Errorf("who may type may not place: %q", why)
	}
	give(0)
	guest.types(n, "yyy\r")
	if why := guest.hears(); !strings.Contains(why, "Ask the owner") {
		t.Errorf("refused with %q", why)
	}
	give(2)
	if why := guest.op(&wire.Op{Body: &wire.Op_Remove{Remove: &wire.Remove{Seq: n}}}); why != "" {
		t.Errorf("who owns may remove: %q", why)
	}
	owner.until("an empty list", func() bool { return len(owner.list.GetItems()) == 0 })
	if shells.Get("room/build") == nil {
		t.Error("its program was ended")
	}
	guest.op(&wire.Op{Body: &wire.Op_Undo{Undo: &wire.Undo{}}})
	owner.until("the list", func() bool { return len(owner.list.GetItems()) == 1 })
	if why := guest.op(&wire.Op{Body: &wire.Op_Terminal{Terminal: terminalNamed("mine")}}); why != "" {
		t.Errorf("who owns may place: %q", why)
	}
}

func TestFramesGiveEveryoneTheScreenWhateverTheyMissed(t *testing.T) {
	r, shells := withShells(t, "stty raw -echo; cat")
	owner := sit(t, r, "owner", Seat{Owner: true})
	n, m := owner.place("a"), owner.place("b")
	desks := []*desk{owner, sit(t, r, "b", Seat{}), sit(t, r, "c", Seat{})}
	for _, d := range desks {
		d.watch(1, n, m)
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	generation := uint64(1)
	for range 600 {
		d := desks[rng.IntN(len(desks))]
		switch rng.IntN(8) {
		case 0, 1, 2:
			owner.types([]uint64{n, m}[rng.IntN(2)], someOutput(rng))
		case 3:
			generation++
			d.watch(generation, [][]uint64{{n}, {m}, {n, m}, {m, n}, {}, {n, 999}}[rng.IntN(6)]...)
		case 4:
			d.v.Leave()
			d.connect(r)
			d.watch(1, n, m)
		default:
			d.cycleIfOwed()
		}
	}
	for i, name := range []string{"room/a", "room/b"} {
		terminal := []uint64{n, m}[i]
		owner.types(terminal, "\x1b[0m\x1b[2J\x1b[Hthe end")
		s := shells.Get(name)
		generation++
		for _, d := range desks {
			d.watch(generation, n, m)
			d.sees(terminal, "the end")
		}
		f, _ := s.Frame(term.Held{})
		for _, d := range desks {
			g := d.screens[terminal]
			for _, row := range f.Changed {
				if !bytes.Equal(g.rows[row.Y], row.Data) {
					t.Fatalf("%s, row %d: %q, want %q", d.name, row.Y, g.rows[row.Y], row.Data)
				}
			}
			if g.base != f.Base || g.cursor.X != uint32(f.Cursor.X) || g.cursor.Y != uint32(f.Cursor.Y) || g.facts.Title != f.Facts.Title {
				t.Fatalf("%s: base %d, cursor %v, title %q; want %d, %v, %q", d.name, g.base, g.cursor, g.facts.Title, f.Base, f.Cursor, f.Facts.Title)
			}
		}
	}
	if st := r.Stats(); st.TermLocks > 2*st.Attempts {
		t.Errorf("%d locks of terminals in %d cycles of two each", st.TermLocks, st.Attempts)
	}
}

// cycleIfOwed pulls, and takes what is there already: nothing may be owed.
func (d *desk) cycleIfOwed() {
	d.t.Helper()
	d.pull()
	for {
		d.mu.Lock()
		empty := len(d.in) == 0
		d.mu.Unlock()
		if empty {
			return
		}
		d.take()
	}
}

func someOutput(rng *rand.Rand) string {
	var b strings.Builder
	for range 1 + rng.IntN(6) {
		switch rng.IntN(7) {
		case 0:
			fmt.Fprintf(&b, "\x1b[%d;%dH", 1+rng.IntN(10), 1+rng.IntN(40))
		case 1:
			b.WriteString("\r\n")
		case 2:
			fmt.Fprintf(&b, "\x1b[%dm", []int{0, 1, 31, 42, 7}[rng.IntN(5)])
		case 3:
			fmt.Fprintf(&b, "\x1b]2;title %d\a", rng.IntN(9))
		case 4:
			b.WriteString([]string{"\x1b[2J", "\x1b[K", "\x1b[3S", "\x1b[?1049h", "\x1b[?1049l", "\x1b[L"}[rng.IntN(6)])
		default:
			for range rng.IntN(60) {
				b.WriteByte(byte('a' + rng.IntN(26)))
			}
		}
	}
	return b.String()
}

func TestTheLastWhoTypedOwnsTheSize(t *testing.T) {
	r, shells := withShells(t, echo)
	a := sit(t, r, "a", Seat{Owner: true})
	b, c := sit(t, r, "b", Seat{Owner: true}), sit(t, r, "c", Seat{Owner: true})
	n := a.place("x")
	for i, d := range []*desk{a, b, c} {
		d.watch(1, n)
		d.sees(n, "ready")
		d.term(n, &wire.TermIn{What: &wire.TermIn_Size{Size: &wire.TermSize{Cols: uint32(50 + 10*i), Rows: uint32(20 + i)}}})
	}
	s := shells.Get("room/x")
	is := func(cols, rows int) {
		t.Helper()
		if x, y := s.Size(); x != cols || y != rows {
			t.Fatalf("%d × %d, want %d × %d", x, y, cols, rows)
		}
	}
	is(50, 20) // nobody has typed: the first who offered one
	a.types(n, ":\n")
	is(50, 20)
	c.types(n, ":\n")
	is(70, 22)
	b.types(n, ":\n")
	is(60, 21)
	b.v.Leave()
	is(70, 22) // of those left, who typed last
	c.v.Leave()
	is(50, 20)
	d := sit(t, r, "d", Seat{Owner: true})
	d.term(n, &wire.TermIn{What: &wire.TermIn_Size{Size: &wire.TermSize{Cols: 99, Rows: 30}}})
	d.types(n, ":\n")
	is(99, 30)
	hidden := a.place("hidden")
	d.term(hidden, &wire.TermIn{What: &wire.TermIn_Size{Size: &wire.TermSize{Cols: 99, Rows: 30}}})
	d.types(hidden, ":\n")
	a.term(hidden, &wire.TermIn{What: &wire.TermIn_Size{Size: &wire.TermSize{Cols: 51, Rows: 21}}})
	if why := a.op(&wire.Op{Body: &wire.Op_Remove{Remove: &wire.Remove{Seq: hidden}}}); why != "" {
		t.Fatal(why)
	}
	d.v.Leave()
	is(50, 20)
	if x, y := shells.Get("room/hidden").Size(); x == 99 {
		shells.Get("room/hidden").Offer(1, 61, 31)
		if x, y = shells.Get("room/hidden").Size(); x != 61 {
			t.Errorf("a program that nobody is shown keeps the size of somebody who has left: %d × %d", x, y)
		}
	}
	a.until("a's own size", func() bool { g := a.screens[n]; return g.cols == 50 && len(g.rows) == 20 && g.facts.Typist == a.v.id })
}

func TestProgramsOutliveTheRoom(t *testing.T) {
	shells := term.New(term.Config{})
	defer shells.Close()
	cfg := Config{Name: "room", Shells: shells, Shell: term.Spec{Shell: "/bin/sh", Args: []string{"-c", echo}}}
	r := open(t, cfg)
	a := sit(t, r, "a", Seat{Owner: true})
	n := a.place("x")
	a.watch(1, n)
	a.sees(n, "ready")
	a.types(n, "y=kept\n")
	journal := r.journal
	closeRoom(t, r)
	cfg.Journal = journal
	r = open(t, cfg)
	defer closeRoom(t, r)
	a.connect(r)
	if a.watch(1, n); a.screens[n] == nil {
		t.Fatal("nothing held")
	}
	a.full = 0
	a.types(n, "echo it was $y\n")
	a.sees(n, "it was kept")
	if a.full != 0 {
		t.Error("the screen was sent whole to who holds it")
	}
	if len(a.list.GetItems()) != 1 || a.list.Items[0].Seq != n {
		t.Errorf("listed: %v", a.list)
	}

	// Taken away it runs on, and is there again when it comes back.
	if why := a.op(&wire.Op{Body: &wire.Op_Undo{Undo: &wire.Undo{}}}); why != "" {
		t.Fatal(why)
	}
	a.until("an empty list", func() bool { return a.list != nil && len(a.list.Items) == 0 })
	a.types(n, "echo lost\n")
	if why := a.hears(); !strings.Contains(why, "no longer on the canvas") {
		t.Errorf("refused with %q", why)
	}
	a.op(&wire.Op{Body: &wire.Op_Redo{Redo: &wire.Redo{}}})
	a.until("the list", func() bool { return len(a.list.Items) == 1 })
	a.watch(2, n)
	a.types(n, "echo again $y\n")
	a.sees(n, "again kept")

	// A program that is ended from outside leaves an empty terminal, which can be started again.
	shells.End(shells.Get("room/x"))
	a.until("absence", func() bool { return a.screens[n].absent })
	a.types(n, "x")
	if why := a.hears(); !strings.Contains(why, "Press Enter") {
		t.Errorf("refused with %q", why)
	}
	a.term(n, &wire.TermIn{What: &wire.TermIn_Restart{Restart: true}})
	a.sees(n, "ready")
	a.types(n, "exit 3\n")
	a.until("the end", func() bool { return a.screens[n].facts.Ended })
	if e := a.screens[n].facts.Exit; e != "exit status 3" {
		t.Errorf("ended with %q", e)
	}
	a.term(n, &wire.TermIn{What: &wire.TermIn_Restart{Restart: true}})
	a.until("the second run", func() bool { return !a.screens[n].facts.Ended && a.screens[n].facts.Run == 2 })
}

func TestReplayStartsNoPrograms(t *testing.T) {
	r, _ := withShells(t, echo)
	a := sit(t, r, "a", Seat{Owner: true})
	a.place("x")
	later := term.New(term.Config{})
	defer later.Close()
	again := open(t, Config{Name: "room", Journal: r.journal, Shells: later, Shell: term.Spec{Shell: "/bin/sh"}})
	defer closeRoom(t, again)
	b := sit(t, again, "b", Seat{})
	b.watch(1, 1)
	b.until("absence", func() bool { return b.screens[1] != nil && b.screens[1].absent })
	if all := later.All(); len(all) != 0 {
		t.Errorf("%d programs were started by the log", len(all))
	}
}

func TestServerWithoutShellsTakesNoTerminals(t *testing.T) {
	r := open(t, Config{})
	defer closeRoom(t, r)
	a := sit(t, r, "a", Seat{Owner: true})
	for _, o := range []*wire.Op{{Body: &wire.Op_Terminal{Terminal: terminalNamed("x")}}, {Body: &wire.Op_Grant{Grant: &wire.Grant{Person: make([]byte, 16), Role: 1}}}} {
		if why := a.op(o); !strings.Contains(why, "--terminals") {
			t.Errorf("rejected with %q", why)
		}
	}
	a.types(1, "x")
	if why := a.hears(); !strings.Contains(why, "--terminals") {
		t.Errorf("refused with %q", why)
	}
	a.cycle()
	if a.state.Shells || len(a.peers.GetPeers()) > 0 && len(a.peers.Peers[0].Person) > 0 {
		t.Errorf("told of shells: %v, %v", a.state, a.peers)
	}
}

func TestQuestionsAboutWhatWasPrinted(t *testing.T) {
	r, _ := withShells(t, echo)
	a := sit(t, r, "a", Seat{Owner: true})
	n := a.place("x")
	a.watch(1, n)
	a.sees(n, "ready")
	a.types(n, `i=0; while [ $i -lt 400 ]; do i=$((i+1)); echo "line number $i"; done; echo done`+"\n")
	a.sees(n, "done")
	id := uint64(0)
	ask := func(m *wire.TermAsk) *wire.TermAnswer {
		t.Helper()
		id++
		m.Terminal, m.Id = n, id
		a.say(&wire.ClientMessage{Kind: &wire.ClientMessage_Ask{Ask: m}})
		for a.answers[id] == nil {
			a.take()
		}
		if !a.answers[id].Done {
			t.Errorf("answer %v is not the last", a.answers[id])
		}
		return a.answers[id]
	}
	h := ask(&wire.TermAsk{What: &wire.TermAsk_History{History: &wire.HistoryAsk{From: 0, Count: 1 << 30}}})
	if len(h.Rows) != 256 || h.First != 0 || h.End != a.screens[n].base {
		t.Fatalf("%d rows of [%d, %d); the screen begins at %d", len(h.Rows), h.First, h.End, a.screens[n].base)
	}
	var row term.Row
	if err := row.Decode(h.Rows[200].Data); err != nil || h.Rows[200].Y != 200 {
		t.Fatal(err, h.Rows[200].Y)
	}
	found := ask(&wire.TermAsk{What: &wire.TermAsk_Search{Search: &wire.SearchAsk{Text: "NUMBER 39", Fold: true, Limit: 5}}})
	if len(found.Hits) != 5 || !found.More || found.Hits[0].Text != "number 39" || found.Hits[0].Row < found.Hits[4].Row {
		t.Errorf("found %v", found)
	}
	if rest := ask(&wire.TermAsk{What: &wire.TermAsk_Search{Search: &wire.SearchAsk{Text: "number 39", Before: found.Hits[4].Line}}}); len(rest.Hits) != 6 || rest.More {
		t.Errorf("%d more of 11 in all, more %v", len(rest.Hits), rest.More)
	}
	for _, q := range []*wire.SearchAsk{{Text: ""}, {Text: "(", Regexp: true}, {Text: strings.Repeat("x", 2000)}} {
		if got := ask(&wire.TermAsk{What: &wire.TermAsk_Search{Search: q}}); got.Error == "" {
			t.Errorf("%.20q: %v", q.Text, got)
		}
	}
	if got := ask(&wire.TermAsk{What: &wire.TermAsk_Prompt{Prompt: &wire.PromptAsk{Row: 100, Above: true}}}); got.Found {
		t.Errorf("a prompt at %d", got.Row)
	}
}

func TestWhoHoldsTheSameIsSentWhatWasWrittenOnce(t *testing.T) {
	r, shells := withShells(t, "stty raw -echo; echo ready; cat")
	owner := sit(t, r, "owner", Seat{Owner: true})
	n := owner.place("a")
	desks := []*desk{owner, sit(t, r, "b", Seat{}), sit(t, r, "c", Seat{})}
	for _, d := range desks {
		d.watch(1, n)
		d.sees(n, "ready") // before, the terminal echoes what is typed, beside the program
	}
	s := shells.Get("room/a")
	owner.types(n, "x") // from here on the typist stays the same
	for _, d := range desks {
		d.sees(n, "x")
	}
	for i := range 20 {
		before, was := s.Version(), r.Stats()
		owner.types(n, string(rune('A'+i)))
		for s.Version() == before {
			runtime.Gosched()
		}
		for _, d := range desks {
			d.sees(n, string(rune('A'+i)))
		}
		st := r.Stats()
		if frames, shared := st.TermFrames-was.TermFrames, st.TermShared-was.TermShared; frames != 3 || shared != 2 {
			t.Fatalf("letter %d: %d frames, %d of them shared; want 3 and 2", i, frames, shared)
		}
	}
	// What was written before an edit in place is nothing to who holds the edit.
	owner.types(n, "\x1b[H\x1b[2Kone")
	owner.sees(n, "one")
	desks[1].sees(n, "one")
	owner.types(n, "\x1b[H\x1b[2Ktwo")
	for _, d := range desks {
		if d.sees(n, "two"); strings.Contains(d.text(n), "one") {
			t.Errorf("%s still sees what was replaced: %q", d.name, d.text(n))
		}
	}
	for _, d := range desks {
		d.v.Leave()
	}
	if r.programs.written.bytes != 0 {
		t.Errorf("%d bytes of frames are kept for nobody", r.programs.written.bytes)
	}
}

func TestFramesKeptForOthersAreBounded(t *testing.T) {
	var w written
	for i := range 1000 {
		w.put(frameKey{terminal: canvas.Seq(i)}, make([]byte, 10_000))
		w.put(frameKey{terminal: canvas.Seq(i)}, make([]byte, 10_000)) // two wrote it at once
		w.put(frameKey{terminal: canvas.Seq(1000 + i)}, make([]byte, maxOneWritten+1))
	}
	sum := 0
	for _, b := range w.of {
		sum += len(b)
	}
	if sum != w.bytes || sum > maxWritten || len(w.of) != len(w.order) || w.get(frameKey{terminal: 999}) == nil || w.get(frameKey{terminal: 0}) != nil {
		t.Errorf("%d bytes of %d frames, counted %d of %d", sum, len(w.of), w.bytes, len(w.order))
	}
}

func TestWhoPlacesATerminalHearsThatItsProgramCouldNotStart(t *testing.T) {
	r, shells := withShells(t, "read x")
	for range 64 {
		if _, err := shells.Start(term.Spec{Shell: "/bin/sh", Args: []string{"-c", "read x"}}); err != nil {
			t.Fatal(err)
		}
	}
	d := sit(t, r, "owner", Seat{Owner: true})
	if why := d.op(&wire.Op{Body: &wire.Op_Terminal{Terminal: terminalNamed("late")}}); why != "" {
		t.Fatal(why)
	}
	if said := d.hears(); !strings.Contains(said, "too many terminals") {
		t.Errorf("heard %q", said)
	}
}
