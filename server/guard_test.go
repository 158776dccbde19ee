package server

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const example = "an-example-of-a-secret-of-52-letters-for-these-tests"
const ownersExample = "the-owner-has-another-secret-of-52-letters-for-himself"

// ask sends one request through a guard that lets through to a handler answering "in".
func ask(t *testing.T, g guard, method, target string, header map[string]string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(method, target, nil)
	for k, v := range header {
		if k == "Host" {
			r.Host = v
		} else {
			r.Header.Set(k, v)
		}
	}
	w := httptest.NewRecorder()
	g.wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "in") }), func(string) {}).ServeHTTP(w, r)
	return w.Result()
}

func TestGuardLetsInWhoMayComeIn(t *testing.T) {
	open, private := newGuard("", "", nil), newGuard(example, ownersExample, []string{"Canvas.Example"})
	cookie := private.guests.cookie + "=" + example
	for _, c := range []struct {
		name   string
		guard  guard
		method string
		header map[string]string
		want   int
	}{
		{"loopback by number", open, "GET", map[string]string{"Host": "127.0.0.1:8080"}, 200},
		{"loopback through a tunnel", open, "GET", map[string]string{"Host": "localhost:9999"}, 200},
		{"loopback IPv6", open, "GET", map[string]string{"Host": "[::1]:8080"}, 200},
		{"rebound name", open, "GET", map[string]string{"Host": "evil.example:8080"}, 421},
		{"name that starts like ours", open, "GET", map[string]string{"Host": "localhost.evil.example"}, 421},
		{"loopback server by a LAN address", open, "GET", map[string]string{"Host": "192.168.1.7:8080"}, 421},
		{"no host", open, "GET", map[string]string{"Host": ""}, 421},

		{"socket of our page", open, "GET", map[string]string{"Host": "localhost:8080", "Upgrade": "websocket", "Origin": "http://localhost:8080"}, 200},
		{"socket of a program", open, "GET", map[string]string{"Host": "localhost:8080", "Upgrade": "websocket"}, 200},
		{"socket of another page", open, "GET", map[string]string{"Host": "localhost:8080", "Upgrade": "websocket", "Origin": "https://evil.example"}, 403},
		{"socket of another port", open, "GET", map[string]string{"Host": "localhost:8080", "Upgrade": "websocket", "Origin": "http://localhost:3000"}, 403},
		{"socket of a file", open, "GET", map[string]string{"Host": "localhost:8080", "Upgrade": "websocket", "Origin": "null"}, 403},
		{"post of another page", open, "POST", map[string]string{"Host": "localhost:8080", "Origin": "https://evil.example"}, 403},
		{"post of a browser that says cross-site", open, "POST", map[string]string{"Host": "localhost:8080", "Sec-Fetch-Site": "cross-site"}, 403},
		{"post of our page", open, "POST", map[string]string{"Host": "localhost:8080", "Sec-Fetch-Site": "same-origin", "Origin": "http://localhost:8080"}, 200},

		{"no secret", private, "GET", map[string]string{"Host": "192.168.1.7:8080"}, 401},
		{"no secret, loopback", private, "GET", map[string]string{"Host": "localhost:8080"}, 401},
		{"no secret, socket", private, "GET", map[string]string{"Host": "192.168.1.7:8080", "Upgrade": "websocket"}, 401},
		{"wrong secret", private, "GET", map[string]string{"Host": "192.168.1.7:8080", "Cookie": private.guests.cookie + "=guess"}, 401},
		{"empty secret", private, "GET", map[string]string{"Host": "192.168.1.7:8080", "Authorization": "Bearer "}, 401},
		{"cookie", private, "GET", map[string]string{"Host": "192.168.1.7:8080", "Cookie": cookie}, 200},
		{"cookie, socket of our page", private, "GET", map[string]string{"Host": "192.168.1.7:8080", "Cookie": cookie, "Upgrade": "websocket", "Origin": "http://192.168.1.7:8080"}, 200},
		{"cookie, socket of another page", private, "GET", map[string]string{"Host": "192.168.1.7:8080", "Cookie": cookie, "Upgrade": "websocket", "Origin": "http://evil.example"}, 403},
		{"bearer", private, "GET", map[string]string{"Host": "192.168.1.7:8080", "Authorization": "Bearer " + example}, 200},
		{"a name it was given", private, "GET", map[string]string{"Host": "canvas.example", "Cookie": cookie}, 200},
		{"a name it was not given", private, "GET", map[string]string{"Host": "other.example", "Cookie": cookie}, 421},
	} {
		t.Run(c.name, func(t *testing.T) {
			resp := ask(t, c.guard, c.method, "/c/x", c.header)
			if resp.StatusCode != c.want {
				body, _ := io.ReadAll(resp.Body)
				t.Errorf("%d, want %d: %s", resp.StatusCode, c.want, body)
			}
			if csp := resp.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") {
				t.Errorf("answered with policy %q", csp)
			}
			for _, h := range []string{"X-Content-Type-Options", "Referrer-Policy", "Cross-Origin-Opener-Policy"} {
				if resp.Header.Get(h) == "" {
					t.Errorf("answered without %s", h)
				}
			}
		})
	}
	if resp := ask(t, private, "GET", "/healthz", map[string]string{"Host": "10.0.0.1"}); resp.StatusCode != 200 {
		t.Errorf("/healthz without the secret: %d", resp.StatusCode)
	}
}

func TestSecretLinkBecomesACookieAndLeavesTheAddress(t *testing.T) {
	g := newGuard(example, ownersExample, nil)
	for target, want := range map[string]string{
		"/?key=" + example:               "/",
		"/c/plan?key=" + example:         "/c/plan",
		"/c/plan?a=1&key=" + example:     "/c/plan?a=1",
		"//evil.example/?key=" + example: "/evil.example/",
	} {
		resp := ask(t, g, "GET", "http://10.0.0.1"+target, map[string]string{"Host": "10.0.0.1"})
		if got := resp.Header.Get("Location"); resp.StatusCode != http.StatusSeeOther || got != want {
			t.Errorf("%s: %d to %q, want 303 to %q", target, resp.StatusCode, got, want)
		}
		cookies := resp.Cookies()
		if len(cookies) != 1 || cookies[0].Value != example || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteLaxMode {
			t.Errorf("%s: cookies %v; want one, HttpOnly and SameSite", target, cookies)
		}
	}
	if resp := ask(t, g, "GET", "/?key=guess", map[string]string{"Host": "10.0.0.1"}); resp.StatusCode != 401 || len(resp.Cookies()) > 0 {
		t.Errorf("a wrong link: %d, cookies %v", resp.StatusCode, resp.Cookies())
	}
}

func TestOwnersLinkLetsInAndGuestsLinkDoesNotMakeAnOwner(t *testing.T) {
	g := newGuard(example, ownersExample, nil)
	here := map[string]string{"Host": "10.0.0.1"}
	var cookies []*http.Cookie
	for _, key := range []string{ownersExample, example} { // the owner opens the link he gives to others
		resp := ask(t, g, "GET", "/?key="+key, here)
		if resp.StatusCode != http.StatusSeeOther || len(resp.Cookies()) != 1 {
			t.Fatalf("%d with cookies %v", resp.StatusCode, resp.Cookies())
		}
		cookies = append(cookies, resp.Cookies()...)
	}
	for i, c := range []struct {
		carried []*http.Cookie
		bearer  string
		in, own bool
	}{
		{cookies[:1], "", true, true},
		{cookies[1:], "", true, false},
		{cookies, "", true, true},
		{nil, ownersExample, true, true},
		{nil, example, true, false},
		{nil, "", false, false},
		{[]*http.Cookie{{Name: cookies[0].Name, Value: example}}, "", false, false},
		{[]*http.Cookie{{Name: cookies[1].Name, Value: ownersExample}}, "", false, false},
	} {
		r := httptest.NewRequest("GET", "/c/x", nil)
		r.Host, r.RemoteAddr = "10.0.0.1", "127.0.0.1:5" // to sit at the machine does not count where there are secrets
		for _, k := range c.carried {
			r.AddCookie(k)
		}
		if c.bearer != "" {
			r.Header.Set("Authorization", "Bearer "+c.bearer)
		}
		w := httptest.NewRecorder()
		g.wrap(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), func(string) {}).ServeHTTP(w, r)
		if in := w.Code == 200; in != c.in || g.owns(r) != c.own {
			t.Errorf("case %d: let in %v, owner %v; want %v, %v", i, in, g.owns(r), c.in, c.own)
		}
	}
}

func TestWithoutSecretsWhoeverSitsAtTheMachineOwns(t *testing.T) {
	for from, want := range map[string]bool{"127.0.0.1:9": true, "[::1]:9": true, "10.0.0.7:9": false} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = from
		g := newGuard("", "", nil)
		if got := g.owns(r); got != want {
			t.Errorf("from %s: owner %v, want %v", from, got, want)
		}
		r.Header.Set("Authorization", "Bearer ")
		if g := newGuard("", ownersExample, nil); g.owns(r) {
			t.Errorf("from %s: an owner without the owner's secret", from)
		}
	}
}

func TestSecretIsKeptForThisUserAlone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "secret")
	first, err := Token(file)
	if err != nil || len(first) < 40 {
		t.Fatalf("secret %q, %v", first, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v; want 0600", info.Mode(), err)
	}
	if again, err := Token(file); again != first || err != nil {
		t.Errorf("the second start has %q, %v; want the same", again, err)
	}
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := Token(file); err == nil || !strings.Contains(err.Error(), "delete that file") {
		t.Errorf("a cut secret was taken as %q, %v", got, err)
	}
}

func TestCanvasNames(t *testing.T) {
	for name, ok := range map[string]bool{
		"plan": true, "a": true, "floor-plan_2": true, strings.Repeat("x", 64): true,
		"": false, strings.Repeat("x", 65): false, "Plan": false, "a/b": false, "..": false, ".": false, "-x": false,
		"_x": false, "a b": false, "ä": false, "a\x00b": false, "a\\b": false, "con:": false,
	} {
		if got := checkName(name) == nil; got != ok {
			t.Errorf("%q: valid %v, want %v", name, got, ok)
		}
	}
	for typed, want := range map[string]string{"Floor plan 2": "floor-plan-2", " Plan ": "plan", "a/b": "a-b"} {
		if got := nameFrom(typed); got != want {
			t.Errorf("%q became %q, want %q", typed, got, want)
		}
	}
	if err := checkName(nameFrom("Straße")); err == nil {
		t.Error("a name that cannot be written was changed without asking")
	}
}
