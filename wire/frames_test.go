package wire

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

var update = flag.Bool("update", false, "write testdata/frames.json anew")

// frame is one row of testdata/frames.json, which web/test/wire.test.ts reads too: bytes and the message they say, as
// both sides see it after decoding (every field, bytes in hex, the one-of flattened under "kind").
type frame struct {
	Name    string         `json:"name"`
	Side    string         `json:"side"`            // client, server or op: which decoder
	Hex     string         `json:"hex"`             // the frame
	Odd     bool           `json:"odd,omitempty"`   // decodes, but is not how we would write it
	Fault   string         `json:"fault,omitempty"` // must be refused
	Message map[string]any `json:"message,omitempty"`
}

func seq(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i * 7)
	}
	return b
}

// goodFrames are messages in their one proper form.
func goodFrames() []struct {
	name string
	m    proto.Message
} {
	home := &Tile{Level: -40, X: []byte{0x80, 0, 1}, Y: []byte{0x7f, 0xff}}
	stroke := &Stroke{Home: home, Brush: 2, Color: 0xff8000cc, Width: 320, Points: seq(300)}
	session := seq(16)
	op := func(number uint64, body isOp_Body) *ClientMessage {
		return &ClientMessage{Kind: &ClientMessage_Op{Op: &Op{Session: session, Number: number, Body: body}}}
	}
	c := func(k isClientMessage_Kind) *ClientMessage { return &ClientMessage{Kind: k} }
	s := func(k isServerMessage_Kind) *ServerMessage { return &ServerMessage{Kind: k} }
	return []struct {
		name string
		m    proto.Message
	}{
		{"hello", c(&ClientMessage_Hello{&Hello{Protocol: 1, Key: seq(32), Name: "Zoë ✏️", Color: 0x112233ff}})},
		{"view", c(&ClientMessage_View{&View{Generation: 3, Origin: home, Hidden: true, Shown: 2, Wants: []*Want{
			{Id: 1}, {Id: 2, Dlevel: -7, Dx: -1, Dy: 1, Version: 5, Seq: 9},
			{Id: 3, Layers: []*Held{{Content: 2, Version: 77}, {Content: 3}}},
			{Id: math.MaxUint32, Dlevel: math.MinInt32, Dx: -(1 << 52), Dy: 1<<52 - 1, Version: 1<<53 - 1, Seq: 1<<53 - 1}}}})},
		{"view of nothing", c(&ClientMessage_View{&View{}})},
		{"view of terminals", c(&ClientMessage_View{&View{Generation: 4, Wants: []*Want{{Id: 1, Without: 1 << 3}},
			Terms: []*TermWant{{Terminal: 70}, {Terminal: 1 << 50, Life: 7, Seq: 1 << 52}}}})},
		{"pull", c(&ClientMessage_Pull{&Pull{Painted: 1 << 40, Credit: 262144}})},
		{"op stroke", op(1, &Op_Stroke{stroke})},
		{"op stroke at the root", op(2, &Op_Stroke{&Stroke{Home: &Tile{}, Brush: 1, Points: seq(5)}})},
		{"op undo", op(1<<53-1, &Op_Undo{&Undo{}})},
		{"op redo", op(4, &Op_Redo{&Redo{}})},
		{"op paper", op(5, &Op_Paper{&Paper{Color: 0xfffff0ff}})},
		{"op place", op(7, &Op_Place{&Place{Home: home, Box: &Box{MaxX: 16384, MaxY: 16384}, Re: &Dyadic{Mantissa: []byte{0xf5}, Exp: -2},
			Im: &Dyadic{Mantissa: []byte{2}}, Unit: -12, Limit: 1 << 40, Palette: &Palette{Colors: seq(15), Inside: 0xff, Cycle: 2048, Offset: 65535, Speed: -3277}}})},
		{"op place of a Julia set", op(8, &Op_Place{&Place{Home: &Tile{}, Box: &Box{MinX: -1, MinY: -2, MaxX: 3, MaxY: 4}, Re: &Dyadic{}, Im: &Dyadic{},
			Julia: true, JuliaRe: &Dyadic{Mantissa: seq(40), Exp: -300}, JuliaIm: &Dyadic{Mantissa: []byte{0x80, 0}, Exp: 5}}})},
		{"op terminal", op(9, &Op_Terminal{&Terminal{Home: home, Box: &Box{MinX: -1, MinY: 2, MaxX: 40960, MaxY: 24576}, Name: "fern", Cols: 80, Rows: 24}})},
		{"op grant", op(10, &Op_Grant{&Grant{Person: seq(16), Role: 2}})},
		{"op remove", op(11, &Op_Remove{&Remove{Seq: 1 << 40}})},
		{"op long", op(6, &Op_Stroke{&Stroke{Home: home, Brush: 1, Points: seq(20000)}})},
		{"wet in first", c(&ClientMessage_Wet{&WetIn{Id: 7, Head: stroke, Points: seq(12)}})},
		{"wet in next", c(&ClientMessage_Wet{&WetIn{Id: 7, From: 4, Points: seq(6)}})},
		{"wet in cancelled", c(&ClientMessage_Wet{&WetIn{Id: 7, Cancelled: true}})},
		{"cursor", c(&ClientMessage_Cursor{&CursorIn{Tile: home, X: -5, Y: 1 << 40, Tool: 3}})},
		{"cursor gone", c(&ClientMessage_Cursor{&CursorIn{Gone: true}})},
		{"profile", c(&ClientMessage_Profile{&Profile{Name: "Ada", Color: 1}})},

		{"typed text", c(&ClientMessage_Term{&TermIn{Terminal: 70, What: &TermIn_Text{[]byte("é\x1b")}}})},
		{"typed key", c(&ClientMessage_Term{&TermIn{Terminal: 70, What: &TermIn_Key{&TermKey{Code: 0xf0004, Shifted: 65, Base: 97, Text: "ä", Mods: 255, Press: 3}}}})},
		{"pasted", c(&ClientMessage_Term{&TermIn{Terminal: 70, What: &TermIn_Paste{seq(300)}}})},
		{"pasted nothing", c(&ClientMessage_Term{&TermIn{Terminal: 70, What: &TermIn_Paste{}}})},
		{"mouse", c(&ClientMessage_Term{&TermIn{Terminal: 70, What: &TermIn_Mouse{&TermMouse{Button: 7, Press: 3, Motion: true, Mods: 7, X: 79, Y: 23, XPixel: 639, YPixel: 383}}}})},
		{"size", c(&ClientMessage_Term{&TermIn{Terminal: 70, What: &TermIn_Size{&TermSize{Cols: 132, Rows: 50}}}})},
		{"keyboard here", c(&ClientMessage_Term{&TermIn{Terminal: 70, What: &TermIn_Focus{true}}})},
		{"keyboard gone", c(&ClientMessage_Term{&TermIn{Terminal: 70, What: &TermIn_Focus{false}}})},
		{"start again", c(&ClientMessage_Term{&TermIn{Terminal: 70, What: &TermIn_Restart{true}}})},
		{"signal", c(&ClientMessage_Term{&TermIn{Terminal: 70, What: &TermIn_Signal{15}}})},
		{"ask for history", c(&ClientMessage_Ask{&TermAsk{Terminal: 70, Id: 3, What: &TermAsk_History{&HistoryAsk{From: -5, Count: 256}}}})},
		{"ask for a text", c(&ClientMessage_Ask{&TermAsk{Terminal: 70, Id: 4, What: &TermAsk_Search{&SearchAsk{Text: "err.*", Regexp: true, Fold: true, Before: 900, Limit: 50}}}})},
		{"ask for a prompt", c(&ClientMessage_Ask{&TermAsk{Terminal: 70, Id: 5, What: &TermAsk_Prompt{&PromptAsk{Row: 900, Above: true}}}})},
		{"ask no more", c(&ClientMessage_Ask{&TermAsk{Terminal: 70, Id: 6, What: &TermAsk_Cancel{true}}})},

		{"welcome", s(&ServerMessage_Welcome{&Welcome{Protocol: 1, Viewer: 300, Seq: 12345678901, MaxWants: 512,
			OpsInFlight: 1024, BytesInFlight: 4 << 20, MaxMessage: 1<<20 + 4096, Person: seq(16), Home: home,
			Drawn: &Box{MinX: -4096, MinY: -1, MaxX: 16384, MaxY: 20480}}})},
		{"welcome to an empty canvas", s(&ServerMessage_Welcome{&Welcome{Protocol: 1, Viewer: 1}})},
		{"ack", s(&ServerMessage_Ack{&Ack{Session: session, Number: 12, Seq: 99}})},
		{"reject", s(&ServerMessage_Reject{&Reject{Session: session, Number: 12, Reason: "too wide", Retry: true}})},
		{"square image", s(&ServerMessage_Square{&Square{Id: 9, Version: 70, Seq: 90, Reset_: true, Below: true, Provisional: true,
			Image: &Image{Format: 1, Data: seq(700)}}})},
		{"square solid", s(&ServerMessage_Square{&Square{Id: 9, Version: 70, Seq: 70, Reset_: true, Image: &Image{Data: []byte{1, 2, 3, 4}}}})},
		{"square pieces", s(&ServerMessage_Square{&Square{Id: 9, Version: 70, Seq: 92, Base: 90, Pieces: []*Piece{
			{Seq: 91, Brush: 1, Color: 0xff, Dlevel: -7, Width: 64, Runs: []*Run{{Points: seq(9), Lead: true}, {Points: seq(200), Tail: true}}},
			{Seq: 92, Brush: 3, Color: 0xffffffff, Dlevel: 24, Runs: []*Run{{}}}}}})},
		{"square empty", s(&ServerMessage_Square{&Square{Id: 9, Seq: 1, Reset_: true}})},
		{"layer", s(&ServerMessage_Layer{&Layer{Id: 9, Content: 2, Version: 70, Provisional: true, Image: &Image{Format: 1, Data: seq(700)}}})},
		{"layer of nothing", s(&ServerMessage_Layer{&Layer{Id: 9, Content: 2, Version: 71}})},
		{"peers", s(&ServerMessage_Peers{&Peers{Peers: []*Peer{{Viewer: 1, Name: "Ada", Color: 2}, {Viewer: 2,
			Cursor: &CursorIn{Tile: home, X: 3, Y: -4, Tool: 1}}}}})},
		{"nobody", s(&ServerMessage_Peers{&Peers{}})},
		{"wet", s(&ServerMessage_Wet{&Wet{Viewer: 4, Id: 7, Head: stroke, From: 0, Points: seq(12)}})},
		{"wet dry", s(&ServerMessage_Wet{&Wet{Viewer: 4, Id: 7, From: 9, Dry: 1234}})},
		{"wet cancelled", s(&ServerMessage_Wet{&Wet{Viewer: 4, Id: 7, Cancelled: true}})},
		{"state", s(&ServerMessage_State{&State{Title: "Earth", Paper: 0xffffffff, ReadOnly: "The disk is full.", CanUndo: true, CanRedo: true, Strokes: 9032}})},
		{"state with shells", s(&ServerMessage_State{&State{Title: "Earth", Role: 2, Shells: true}})},
		{"peers with roles", s(&ServerMessage_Peers{&Peers{Peers: []*Peer{{Viewer: 1, Name: "Ada", Person: seq(16), Role: 1}}}})},
		{"terminals", s(&ServerMessage_Terminals{&Terminals{Items: []*TermItem{{Seq: 70, Terminal: &Terminal{Home: home, Box: &Box{MaxX: 9, MaxY: 9}, Name: "fern"}}, {}}}})},
		{"terminal frame", s(&ServerMessage_Term{&TermFrame{Terminal: 70, Life: 3, Seq: 1 << 40, Full: true, Cols: 80, Rows: 24, Base: 1 << 33,
			Changed: []*TermRow{{Y: 0, Data: seq(40)}, {Y: 23}}, Cursor: &TermCursor{X: 3, Y: 23, Visible: true, Blink: true, Shape: 3},
			Facts: &TermFacts{Modes: 1023, Mouse: 4, MouseFormat: 3, Kitty: 31, Title: "vim", Cwd: "file://host/x", Bells: 1 << 40, Pointer: "text",
				Progress: 1, Percent: 50, Running: true, AtPrompt: true, Finished: 12, Status: -1, Foreground: 1, Background: 0x1000000, CursorColor: 5,
				Palette: seq(8), Notices: 2, NoticeTitle: "done", Notice: "it is", Clipboards: 3, Selection: "c", Clipboard: seq(10), Typist: 9, Run: 2,
				Ended: true, Exit: "exit status 1"}}})},
		{"terminal frame of nothing new", s(&ServerMessage_Term{&TermFrame{Terminal: 70, Life: 3, Seq: 9}})},
		{"terminal without a program", s(&ServerMessage_Term{&TermFrame{Terminal: 70, Absent: true}})},
		{"answer with rows", s(&ServerMessage_Answer{&TermAnswer{Id: 3, Terminal: 70, Rows: []*TermRow{{Y: -1, Data: seq(9)}}, First: -2, End: 7, Done: true}})},
		{"answer with hits", s(&ServerMessage_Answer{&TermAnswer{Id: 4, Terminal: 70, More: true, Row: 12, Found: true, Error: "no",
			Hits: []*TermHit{{Line: 4, Row: 5, X: 6, EndRow: 7, EndX: 8, Text: "an error", Before: "this is ", After: ", é"}}}})},
		{"refused", s(&ServerMessage_Refused{&Refused{Terminal: 70, Reason: "You look on."}})},
		{"cycle end", s(&ServerMessage_CycleEnd{&CycleEnd{Cycle: 60, Through: 90, Generation: 3, Settled: true}})},
		{"fatal", s(&ServerMessage_Fatal{&Fatal{Reason: "A newer page is needed.", Reload: true}})},

		{"kept op", &Op{Session: session, Number: 8, Body: &Op_Stroke{stroke}}},
	}
}

// oddFrames decode although we would not write them so.
func oddFrames() []frame {
	var later []byte // a ClientMessage of a later schema: unknown fields of every wire type, then a known kind
	later = protowire.AppendTag(later, 90, protowire.VarintType)
	later = protowire.AppendVarint(later, math.MaxUint64)
	later = protowire.AppendTag(later, 91, protowire.Fixed64Type)
	later = protowire.AppendFixed64(later, 1)
	later = protowire.AppendTag(later, 92, protowire.Fixed32Type)
	later = protowire.AppendFixed32(later, 1)
	later = protowire.AppendTag(later, 93, protowire.BytesType)
	later = protowire.AppendBytes(later, seq(40))
	pull := []byte{0x1a, 0x04, 0x10, 0x05, 0x08, 0x03} // fields in reverse
	h := func(b ...byte) string { return hex.EncodeToString(b) }
	return []frame{
		{Name: "empty frame", Side: "client", Hex: ""},
		{Name: "kind of a later schema", Side: "client", Hex: h(later...)},
		{Name: "unknown fields, then a pull written backwards", Side: "client", Hex: h(append(later, pull...)...)},
		{Name: "two kinds: the last wins", Side: "client", Hex: h(append([]byte{0x12, 0x02, 0x08, 0x07}, pull...)...)},
		{Name: "known number, other wire type", Side: "client", Hex: h(0x18, 0x05)},
		{Name: "number in more bytes than needed", Side: "client", Hex: h(0x1a, 0x03, 0x08, 0x83, 0x00)},
		{Name: "scalar twice: the last wins", Side: "client", Hex: h(0x1a, 0x04, 0x08, 0x01, 0x08, 0x02)},
		{Name: "op without a body", Side: "op", Hex: h(0x10, 0x07)},
		{Name: "empty server frame", Side: "server", Hex: ""},
	}
}

// faultyFrames must be refused by both sides.
func faultyFrames() []frame {
	h := func(b ...byte) string { return hex.EncodeToString(b) }
	return []frame{
		{Name: "length beyond the frame", Side: "client", Hex: h(0x1a, 0x7f, 0x08, 0x01)},
		{Name: "length of 2^63", Side: "client", Hex: h(0x1a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f)},
		{Name: "inner length beyond the outer", Side: "client", Hex: h(0x0a, 0x04, 0x12, 0x20, 0x01, 0x02, 0, 0, 0, 0, 0, 0)},
		{Name: "ends within a tag", Side: "client", Hex: h(0x9a)},
		{Name: "ends within a number", Side: "client", Hex: h(0x1a, 0x02, 0x08, 0x80)},
		{Name: "number of eleven bytes", Side: "client", Hex: h(0x1a, 0x0c, 0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01)},
		{Name: "ends within a fixed number", Side: "client", Hex: h(0x3a, 0x03, 0x15, 0x01, 0x02)},
		{Name: "field number 0", Side: "client", Hex: h(0x02, 0x00)},
		{Name: "wire type 7", Side: "client", Hex: h(0x1f)},
		{Name: "text that is not UTF-8", Side: "client", Hex: h(0x3a, 0x04, 0x0a, 0x02, 0xc3, 0x28)},
		{Name: "text cut", Side: "server", Hex: h(0x4a, 0x03, 0x0a, 0x05, 0x41)},
		{Name: "image cut", Side: "server", Hex: h(0x22, 0x06, 0x32, 0x04, 0x12, 0x7f, 0x01, 0x02)},
	}
}

func side(m proto.Message) string {
	switch m.(type) {
	case *ClientMessage:
		return "client"
	case *ServerMessage:
		return "server"
	default:
		return "op"
	}
}

// decodeSide is what this side does with a frame from outside.
func decodeSide(side string, b []byte) (proto.Message, error) {
	var m proto.Message
	switch side {
	case "client":
		return DecodeClient(b)
	case "server":
		m = new(ServerMessage)
	default:
		m = new(Op)
	}
	return m, proto.Unmarshal(b, m)
}

func frames(t *testing.T) []frame {
	t.Helper()
	var all []frame
	for _, g := range goodFrames() {
		b, err := proto.MarshalOptions{Deterministic: true}.Marshal(g.m)
		if err != nil {
			t.Fatalf("%s: %v", g.name, err)
		}
		all = append(all, frame{Name: g.name, Side: side(g.m), Hex: hex.EncodeToString(b), Message: plain(g.m.ProtoReflect())})
	}
	for _, f := range oddFrames() {
		b, _ := hex.DecodeString(f.Hex)
		m, err := decodeSide(f.Side, b)
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		f.Odd, f.Message = true, plain(m.ProtoReflect())
		all = append(all, f)
	}
	for _, f := range faultyFrames() {
		b, _ := hex.DecodeString(f.Hex)
		if _, err := decodeSide(f.Side, b); err == nil {
			t.Errorf("%s: decoded without an error", f.Name)
		}
		f.Fault = f.Name
		all = append(all, f)
	}
	return all
}

// plain gives a message as the page sees it: names as in the TypeScript, every scalar there, bytes in hex, absent
// messages left out, one-ofs flattened under "kind".
func plain(m protoreflect.Message) map[string]any {
	out := map[string]any{}
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		if f.ContainingOneof() != nil {
			continue
		}
		switch {
		case f.IsList():
			list := []any{}
			for j := range m.Get(f).List().Len() {
				list = append(list, plainValue(f, m.Get(f).List().Get(j)))
			}
			out[f.JSONName()] = list
		case f.Message() == nil || m.Has(f):
			out[f.JSONName()] = plainValue(f, m.Get(f))
		}
	}
	oneofs := m.Descriptor().Oneofs()
	for i := range oneofs.Len() {
		o := oneofs.Get(i)
		kind := map[string]any{"kind": "unknown"}
		if f := m.WhichOneof(o); f != nil {
			if f.Message() == nil {
				kind = map[string]any{"value": plainValue(f, m.Get(f))}
			} else {
				kind = plain(m.Get(f).Message())
			}
			kind["kind"] = f.JSONName()
		}
		if fields.Len() == o.Fields().Len() {
			return kind // nothing but the one-of
		}
		out[string(o.Name())] = kind
	}
	return out
}

func plainValue(f protoreflect.FieldDescriptor, v protoreflect.Value) any {
	switch f.Kind() {
	case protoreflect.MessageKind:
		return plain(v.Message())
	case protoreflect.BytesKind:
		return hex.EncodeToString(v.Bytes())
	default:
		return v.Interface()
	}
}

func TestFramesAreTheGoldenOnes(t *testing.T) {
	path := filepath.Join("testdata", "frames.json")
	var buf bytes.Buffer
	buf.WriteString("[\n")
	all := frames(t)
	for i, f := range all {
		line, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		buf.Write(line)
		if i < len(all)-1 {
			buf.WriteByte(',')
		}
		buf.WriteByte('\n')
	}
	buf.WriteString("]\n")
	if *update {
		if err := os.WriteFile(path, buf.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got, old := strings.Split(buf.String(), "\n"), strings.Split(string(want), "\n")
	for i := range max(len(got), len(old)) {
		if i >= len(got) || i >= len(old) || got[i] != old[i] {
			t.Fatalf("testdata/frames.json line %d differs from what this code writes (run with -update and look at the difference)", i+1)
		}
	}
}

// TestOldFramesKeepTheirMeaning reads the frames of every version that was ever shipped: they decode to what they said,
// and the messages we would still write so, we write byte for byte.
func TestOldFramesKeepTheirMeaning(t *testing.T) {
	paths, _ := filepath.Glob("testdata/v*/frames.json")
	if len(paths) == 0 {
		t.Fatal("no frozen frames in testdata/v*")
	}
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var old []frame
		if err := json.Unmarshal(raw, &old); err != nil {
			t.Fatal(err)
		}
		for _, f := range old {
			b, err := hex.DecodeString(f.Hex)
			if err != nil {
				t.Fatal(err)
			}
			m, err := decodeSide(f.Side, b)
			if f.Fault != "" {
				if err == nil {
					t.Errorf("%s: %s: decoded without an error", path, f.Name)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %s: %v", path, f.Name, err)
				continue
			}
			if why := lacks(plain(m.ProtoReflect()), f.Message); why != "" {
				t.Errorf("%s: %s: %s", path, f.Name, why)
			}
		}
	}
}

// lacks says which of the old fields a message of today no longer has; new fields are fine.
func lacks(now, old map[string]any) string {
	a, _ := json.Marshal(now)
	var got map[string]any
	_ = json.Unmarshal(a, &got)
	var walk func(path string, got, want any) string
	walk = func(path string, got, want any) string {
		switch w := want.(type) {
		case map[string]any:
			g, _ := got.(map[string]any)
			for k, v := range w {
				if why := walk(path+"."+k, g[k], v); why != "" {
					return why
				}
			}
			return ""
		case []any:
			g, _ := got.([]any)
			if len(g) != len(w) {
				return path + " has another length"
			}
			for i := range w {
				if why := walk(path, g[i], w[i]); why != "" {
					return why
				}
			}
			return ""
		default:
			if got != want {
				return path + " changed"
			}
			return ""
		}
	}
	return walk("", got, old)
}

// TestManyWantsAreRefusedBeforeTheyAreMade counts what decoding costs.
func TestManyWantsAreRefusedBeforeTheyAreMade(t *testing.T) {
	view := bytes.Repeat([]byte{0x1a, 0x00}, 500_000) // half a million empty wants
	b := protowire.AppendTag(nil, fieldView, protowire.BytesType)
	b = protowire.AppendBytes(b, view)
	if n := testing.AllocsPerRun(1, func() {
		if _, err := DecodeClient(b); err == nil {
			t.Error("half a million wants were decoded")
		}
	}); n > 10 {
		t.Errorf("refusing took %v allocations", n)
	}
	several := bytes.Repeat(append([]byte{0x12, 0x04}, 0x1a, 0, 0x1a, 0), MaxWants) // spread over many views: merged into one
	if _, err := DecodeClient(several); err == nil {
		t.Error("wants spread over many views were decoded")
	}
	if _, err := DecodeClient(make([]byte, MaxClientFrame+1)); err == nil {
		t.Error("a frame beyond the bound was decoded")
	}
	if _, err := DecodeClient(bytes.Repeat([]byte{0x12, 0x02, 0x1a, 0}, MaxWants)); err != nil {
		t.Errorf("a view of MaxWants wants: %v", err)
	}
}

func fuzzDecoder(f *testing.F, name string) {
	for _, g := range goodFrames() {
		if b, err := proto.Marshal(g.m); err == nil {
			f.Add(b)
		}
	}
	for _, o := range slices.Concat(oddFrames(), faultyFrames()) {
		b, _ := hex.DecodeString(o.Hex)
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := decodeSide(name, b)
		if err != nil {
			return
		}
		// What decodes can be written and means the same again, unknown fields included.
		again, err := proto.Marshal(m)
		if err != nil {
			t.Fatalf("%x decodes but cannot be written: %v", b, err)
		}
		back, err := decodeSide(name, again)
		if err != nil {
			t.Fatalf("%x was written as %x, which does not decode: %v", b, again, err)
		}
		if !proto.Equal(m, back) {
			t.Fatalf("%x: %v, written and read again %v", b, m, back)
		}
	})
}

func FuzzClientMessage(f *testing.F) { fuzzDecoder(f, "client") }
func FuzzServerMessage(f *testing.F) { fuzzDecoder(f, "server") }
func FuzzOp(f *testing.F)            { fuzzDecoder(f, "op") }
