package e2e_test

import (
	"os/exec"
	"strings"
	"testing"

	"fractal/term"
	"fractal/vt"
	"fractal/web/webtest"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// owner is the secret of who owns the server, where a test tells the owner from guests.
const owner = "fractal_owner_0123456789abcdef0123456789abcdef"

// startShells serves a new data folder, with shells for whoever sits at this machine or, with a secret, for who has it.
func startShells(t testing.TB, secret string) *site {
	t.Helper()
	webtest.Path(t)
	shell, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash here")
	}
	w := newWire(t)
	s := &site{t: t, url: "http://" + w.addr(), wire: w, owner: secret}
	s.shell = &term.Spec{Shell: shell, Args: []string{"--norc", "--noprofile"}, Dir: t.TempDir(),
		Env: []string{"PS1=" + prompt + "$ ", "HISTFILE="}, Vt: vt.Config{Clipboard: true}}
	s.serve(t.TempDir())
	return s
}

// prompt marks where a prompt begins and where input does, as shells that say so do.
const prompt = `\[\e]133;A\a\]fractal\[\e]133;B\a\]`

// terminal places one with a click in the middle, and waits for its prompt.
func terminal(p *webtest.Page) {
	p.Keys("t")
	p.Wait(`document.querySelector("#stage").classList.contains("placing")`)
	p.Mouse(webtest.Point{X: 640, Y: 400})
	p.Wait(`document.activeElement.classList.contains("typist")`)
	shows(p, "fractal$")
}

// shows waits until the terminal shows a text.
func shows(p *webtest.Page, text string) {
	p.Wait(js(`(async () => (await fractal.screen()).includes(%q))()`, text))
}

func screen(p *webtest.Page) string { return webtest.Eval[string](p, `fractal.screen()`) }

// typed types a line.
func typed(p *webtest.Page, line string) {
	p.Keys(line)
	p.Keys(kb.Enter)
}

func TestAShellIsPlacedTypedIntoAndOutlivesThePage(t *testing.T) {
	s := startShells(t, "")
	p := s.open("a", "")
	terminal(p)
	typed(p, "echo hello $((6*7))")
	shows(p, "hello 42")
	if n := len(s.strokes("a")); n != 0 {
		t.Errorf("typing drew %d strokes", n)
	}
	typed(p, "stty size")
	shows(p, "24 80")
	typed(p, "sleep 0.1; echo later")
	p.Reload() // the page is gone before it comes
	p.Wait(`document.querySelector(".term") !== null`)
	shows(p, "later")
	if text := screen(p); !strings.Contains(text, "hello 42") {
		t.Errorf("after the page was loaded again the terminal shows %q", text)
	}
	q := s.open("a", "")
	shows(q, "hello 42")
}

func TestEditorsWorkWithKeysPasteAndLeaving(t *testing.T) {
	vim, err := exec.LookPath("vim")
	if err != nil {
		if vim, err = exec.LookPath("vi"); err != nil {
			t.Skip("no vi here")
		}
	}
	s := startShells(t, "")
	p := s.open("a", "")
	terminal(p)
	typed(p, vim+" -u NONE note.txt")
	shows(p, "~")
	p.Keys("ione")
	p.Keys(kb.Enter)
	p.Keys("two")
	p.Keys(kb.Escape)
	p.Keys(kb.ArrowUp)
	p.Keys("dd")
	p.Keys("p")
	typed(p, ":wq")
	shows(p, "fractal$")
	typed(p, "clear; tac note.txt")
	shows(p, "one\ntwo")
	paste(p, "echo pasted one\necho pasted two")
	p.Keys(kb.Enter)
	shows(p, "pasted two\n")
	p.Keys(kb.Enter, chromedp.ModifierCtrl, chromedp.ModifierShift)
	p.Wait(`!document.activeElement.classList.contains("typist")`)
	p.Keys("e") // the eraser, not a letter
	p.Wait(`document.querySelector("[data-tool=eraser]").getAttribute("aria-checked") === "true"`)
}

func paste(p *webtest.Page, text string) {
	webtest.Eval[bool](p, js(`(() => {
		const d = new DataTransfer();
		d.setData("text/plain", %q);
		document.activeElement.dispatchEvent(new ClipboardEvent("paste", { clipboardData: d, bubbles: true, cancelable: true }));
		return true;
	})()`, text))
}

// spot is a grid cell's middle on the page.
func spot(p *webtest.Page, x, y float64) webtest.Point {
	at := webtest.Eval[[]float64](p, `(() => { const r = document.querySelector(".term").getBoundingClientRect(); return [r.left, r.top, r.width, r.height]; })()`)
	return webtest.Point{X: at[0] + (x+0.5)*at[2]/80, Y: at[1] + (y+0.5)*at[3]/24}
}

func TestSelectionIsCopied(t *testing.T) {
	s := startShells(t, "")
	p := s.open("a", "")
	webtest.Eval[bool](p, `Object.defineProperty(navigator, "clipboard", { value: { writeText: (t) => { globalThis.copied = t; return Promise.resolve(); } } }), true`)
	terminal(p)
	typed(p, "clear; echo alpha-beta gamma; seq -s, 1 60")
	shows(p, "50,51")
	copied := func() string {
		webtest.Eval[bool](p, `globalThis.copied = "", true`)
		p.Keys("C", chromedp.ModifierCtrl, chromedp.ModifierShift)
		p.Wait(`globalThis.copied !== ""`)
		return webtest.Eval[string](p, `globalThis.copied`)
	}
	from, to := spot(p, 0, 0), spot(p, 9, 0)
	from.X -= 3
	to.X += 3
	p.Mouse(from, spot(p, 4, 0), to)
	if got := copied(); got != "alpha-beta" {
		t.Errorf("dragging copied %q", got)
	}
	p.Mouse(spot(p, 12, 0))
	p.Mouse(spot(p, 12, 0))
	if got := copied(); got != "gamma" {
		t.Errorf("two clicks copied %q", got)
	}
	from = spot(p, 0, 1)
	from.X -= 3
	p.Mouse(from, spot(p, 4, 1), spot(p, 79, 3))
	if got := strings.TrimRight(copied(), "\n"); strings.Contains(got, "\n") || !strings.HasPrefix(got, "1,2,3") || !strings.HasSuffix(got, ",60") {
		t.Errorf("a line over two rows was copied as %q", got)
	}
}

func TestHistoryIsScrolledAndSearched(t *testing.T) {
	s := startShells(t, "")
	p := s.open("a", "")
	terminal(p)
	typed(p, "for i in $(seq 1 500); do echo line $i of many; done")
	shows(p, "line 500 of many")
	at := spot(p, 40, 10)
	webtest.Eval[bool](p, js(`document.querySelector("#stage").dispatchEvent(new WheelEvent("wheel", { deltaY: -300, clientX: %v, clientY: %v, bubbles: true, cancelable: true }))`, at.X, at.Y))
	p.Wait(`!document.querySelector(".term .back").hidden`)
	p.Keys("F", chromedp.ModifierCtrl, chromedp.ModifierShift)
	p.Keys("line 12[34] of")
	p.Wait(`document.querySelector(".term-search .count").textContent === "nothing"`)
	webtest.Eval[bool](p, `document.querySelector("[aria-label='Regular expression']").click(), true`)
	p.Wait(`document.querySelector(".term-search .count").textContent === "1/2"`)
	p.Keys(kb.Enter)
	p.Wait(`document.querySelector(".term-search .count").textContent === "2/2"`)
	p.Settled()
	webtest.Save(t, "search", p.Screenshot())
	p.Keys(kb.Escape)
	p.Wait(`document.activeElement.classList.contains("typist")`)
	p.Keys("x")
	p.Wait(`document.querySelector(".term .back").hidden`)
}

func TestOnlyThoseWhoMayType(t *testing.T) {
	s := startShells(t, owner)
	ana := s.open("a", "?key="+owner)
	terminal(ana)
	ben := s.open("a", "")
	ben.Wait(`document.querySelector(".term") !== null`)
	shows(ben, "fractal$")
	if webtest.Eval[string](ben, `document.querySelector("[data-tool=terminal]").getAttribute("aria-disabled")`) != "true" {
		t.Error("somebody without the right is offered the tool")
	}
	name := webtest.Eval[string](ben, `JSON.parse(localStorage.getItem("fractal.prefs")).name`)
	ben.Keys("h")
	ben.Mouse(spot(ben, 20, 5))
	ben.Wait(`document.activeElement.classList.contains("typist")`)
	ben.Keys("x")
	ben.Wait(`/look on/.test(document.querySelector(".toasts").textContent)`)
	// The owner lets him.
	webtest.Eval[bool](ana, `[...document.querySelectorAll(".item")].find(b => b.textContent.startsWith("People and terminals")).click(), true`)
	ana.Wait(js(`document.querySelector("select[aria-label='What %s may do']") !== null`, name))
	webtest.Eval[bool](ana, js(`(() => { const s = document.querySelector("select[aria-label='What %s may do']"); s.value = 1; s.dispatchEvent(new Event("change")); document.querySelector("dialog").close(); return true; })()`, name))
	ben.Wait(`document.querySelector(".toasts").textContent.includes("may type")`)
	typed(ben, "echo from ben")
	shows(ana, "from ben")
	ana.Wait(`!document.querySelector(".term .by").hidden`)
	ana.Wait(js(`document.querySelector(".term .by").title === %q`, name+" types"))
}

func TestInkLiesOverATerminal(t *testing.T) {
	s := startShells(t, "")
	p := s.open("a", "")
	terminal(p)
	pen := webtest.Eval[[]float64](p, `(() => { const r = document.querySelector(".dock [data-tool=pen]").getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()`)
	p.Mouse(webtest.Point{X: pen[0], Y: pen[1]})
	p.Wait(`document.activeElement.classList.contains("typist")`)
	p.Mouse(wave(400, 900, 400, 30, 20)...)
	p.Settled()
	if n := len(s.strokes("a")); n != 1 {
		t.Errorf("%d strokes were drawn over the terminal, want 1", n)
	}
	typed(p, "echo still typing")
	shows(p, "still typing\n")
}

func TestAnEndedProgramIsStartedAgain(t *testing.T) {
	s := startShells(t, "")
	p := s.open("a", "")
	terminal(p)
	typed(p, "exit 3")
	p.Wait(`document.querySelector(".term-over").textContent.includes("3")`)
	p.Keys(kb.Enter)
	p.Wait(`document.querySelector(".term-over").hidden`)
	typed(p, "echo again")
	shows(p, "again\n")
}

func TestProgramsGetTheMouseAndSayThingsToThePerson(t *testing.T) {
	s := startShells(t, "")
	p := s.open("a", "")
	webtest.Eval[bool](p, `Object.defineProperty(navigator, "clipboard", { value: { writeText: (t) => { globalThis.copied = t; return Promise.resolve(); } } }),
		globalThis.open = (url, target, how) => { globalThis.opened = [url, target, how].join(" "); return null; }, true`)
	terminal(p)
	typed(p, `printf '\e]2;my title\a\e]9;tests pass\a\e]52;c;Y2xpcA==\a'`)
	p.Wait(`document.querySelector(".term .what").textContent === "my title"`)
	p.Wait(`document.querySelector(".toasts").textContent.includes("tests pass")`)
	if webtest.Eval[bool](p, `globalThis.copied !== undefined`) {
		t.Error("a program wrote to the clipboard before it was allowed to")
	}
	p.Wait(`[...document.querySelectorAll(".toast button")].some(b => b.textContent === "Allow" && (b.click(), true))`)
	p.Wait(`globalThis.copied === "clip"`)
	typed(p, `clear; printf '\e]8;;https://example.org/x\a link \e]8;;\a\n'`)
	p.Wait(`(async () => (await fractal.screen()).startsWith(" link"))()`)
	at := spot(p, 2, 0)
	webtest.Eval[bool](p, js(`(() => { for (const type of ["pointerdown", "pointerup"]) document.querySelector("#stage").dispatchEvent(new PointerEvent(type, { clientX: %v, clientY: %v, ctrlKey: true, button: 0, pointerId: 1, pointerType: "mouse", bubbles: true })); return true; })()`, at.X, at.Y))
	p.Wait(`globalThis.opened === "https://example.org/x _blank noopener,noreferrer"`)
	typed(p, `clear; printf '\e[?1000h\e[?1006h'; cat -v`)
	// The pointer is an arrow as soon as the page knows that the program wants the mouse.
	p.Wait(js(`document.querySelector("#stage").dispatchEvent(new PointerEvent("pointermove", { clientX: %v, clientY: %v, pointerId: 1, pointerType: "mouse", bubbles: true })) &&
		document.querySelector("#stage").style.getPropertyValue("--term-pointer") === "default"`, at.X, at.Y))
	p.Mouse(spot(p, 10, 5))
	shows(p, "^[[<0;11;6M^[[<0;11;6m")
	p.Wheel(spot(p, 10, 5), 0, -120, 0)
	shows(p, "^[[<64;11;6M")
}

func TestPromptsAreJumpedTo(t *testing.T) {
	s := startShells(t, "")
	p := s.open("a", "")
	terminal(p)
	typed(p, "echo first; seq 100")
	shows(p, "100\nfractal$")
	typed(p, "echo second; seq 200 300")
	shows(p, "300\nfractal$")
	top := func(want string) {
		t.Helper()
		p.Wait(js(`(async () => (await fractal.screen("", true)).startsWith(%q))()`, want))
	}
	p.Keys(kb.ArrowUp, chromedp.ModifierCtrl, chromedp.ModifierShift)
	top("fractal$ echo second")
	p.Keys(kb.ArrowUp, chromedp.ModifierCtrl, chromedp.ModifierShift)
	top("fractal$ echo first")
	p.Keys(kb.ArrowDown, chromedp.ModifierCtrl, chromedp.ModifierShift)
	top("fractal$ echo second")
}

func TestTypingGoesOnAfterTheWireWasCut(t *testing.T) {
	s := startShells(t, "")
	p := s.open("a", "")
	forgiving(p)
	p.Forgive("the font of terminals")
	terminal(p)
	to := s.wire.target()
	s.wire.cut()
	offline(p)
	p.Keys("lost")
	p.Wait(`document.querySelector(".toasts").textContent.includes("no connection")`)
	s.wire.lead(to)
	online(p)
	typed(p, "echo back $((6*7))")
	shows(p, "back 42")
	if text := screen(p); strings.Contains(text, "lost") {
		t.Errorf("what was typed without a connection arrived: %q", text)
	}
}
