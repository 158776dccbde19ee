package server

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"
)

// guard decides who may come in. Three questions, in this order:
//   - Is the Host a name of ours? Else a page of somebody else's may have pointed its own name at us (DNS rebinding). An IP
//     address cannot be re-pointed.
//   - Does the request come from a page of ours? Asked of all that could change something: sockets and non-GETs.
//   - Does it carry a secret? Only where there is one. The guests' lets in; the owner's lets in and says who the owner is.
type guard struct {
	guests secret
	owner  secret
	hosts  []string
}

// secret is what somebody must show. Empty: nobody can.
type secret struct {
	token  string
	cookie string // name; it tells apart servers on other ports of the same host, which share cookies
}

func newSecret(token, prefix string) secret {
	sum := sha256.Sum256([]byte(token))
	return secret{token, prefix + hex.EncodeToString(sum[:4])}
}

func newGuard(guests, owner string, hosts []string) guard {
	g := guard{guests: newSecret(guests, "fractal_"), owner: newSecret(owner, "fractal_owner_"), hosts: []string{"localhost"}}
	for _, h := range hosts {
		g.hosts = append(g.hosts, strings.ToLower(h))
	}
	if guests != "" {
		// On a loopback address only loopback names are ours; elsewhere the machine's name is too.
		if name, err := os.Hostname(); err == nil {
			name = strings.ToLower(name)
			g.hosts = append(g.hosts, name, name+".local")
		}
	}
	return g
}

// Every answer carries these. No script, style, image or connection from elsewhere, no framing, nothing leaked in referrers
// (the secret link is an address).
var securityHeaders = map[string]string{
	"Content-Security-Policy": "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; " +
		"img-src 'self' blob: data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; " +
		"base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
	"Cross-Origin-Embedder-Policy": "require-corp",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Permissions-Policy":           "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
	"Referrer-Policy":              "no-referrer",
	"X-Content-Type-Options":       "nosniff",
	"X-Frame-Options":              "DENY",
}

// wrap lets through to next what may come in, and answers the rest.
func (g *guard) wrap(next http.Handler, refused func(why string)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for k, v := range securityHeaders {
			w.Header().Set(k, v)
		}
		if !g.ourHost(r.Host) {
			refused("host")
			http.Error(w, fmt.Sprintf("This server does not answer to the name %.80q. Open it by its address, or start it with --host NAME.", r.Host), http.StatusMisdirectedRequest)
			return
		}
		if changes(r) && !ourOrigin(r) {
			refused("origin")
			http.Error(w, "This request comes from a page of another site.", http.StatusForbidden)
			return
		}
		if r.URL.Path == "/healthz" {
			next.ServeHTTP(w, r)
			return
		}
		if key := r.URL.Query().Get("key"); key != "" && (r.Method == http.MethodGet || r.Method == http.MethodHead) && !isSocket(r) {
			for _, s := range []secret{g.owner, g.guests} {
				if s.is(key) {
					s.welcome(w, r)
					return
				}
			}
		}
		if g.private() && !g.guests.carried(r) && !g.owns(r) {
			refused("token")
			w.Header().Set("Cache-Control", "no-store")
			http.Error(w, "This canvas is private. Open it with the secret link that fractal printed when it started.", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// private reports whether one needs a secret to come in.
func (g *guard) private() bool { return g.guests.token != "" }

// owns reports whether a request is the owner's: it shows the owner's secret, or, where nobody needs one, comes from the server's
// own machine.
func (g *guard) owns(r *http.Request) bool {
	return g.owner.carried(r) || !g.private() && g.owner.token == "" && fromThisMachine(r)
}

// welcome turns the secret link into a cookie and goes on without the secret in the address.
func (s secret) welcome(w http.ResponseWriter, r *http.Request) {
	http.SetCookie(w, &http.Cookie{
		Name: s.cookie, Value: s.token, Path: "/", HttpOnly: true, Secure: r.TLS != nil,
		// Not Strict: a link followed from a chat would arrive without the cookie it has just set.
		SameSite: http.SameSiteLaxMode,
		MaxAge:   int((365 * 24 * time.Hour).Seconds()),
	})
	q := r.URL.Query()
	q.Del("key")
	to := url.URL{Path: "/" + strings.TrimLeft(r.URL.Path, "/\\"), RawQuery: q.Encode()} // "//host" would lead elsewhere
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, to.String(), http.StatusSeeOther)
}

// carried reports whether the request shows the secret: browsers by cookie, programs by header.
func (s secret) carried(r *http.Request) bool {
	if c, err := r.Cookie(s.cookie); err == nil && s.is(c.Value) {
		return true
	}
	bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return ok && s.is(bearer)
}

func (s secret) is(key string) bool {
	return s.token != "" && subtle.ConstantTimeCompare([]byte(key), []byte(s.token)) == 1
}

func (g *guard) ourHost(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	if ip := net.ParseIP(host); ip != nil {
		return g.private() || ip.IsLoopback()
	}
	return slices.Contains(g.hosts, host)
}

// changes reports whether a request could do more than show something.
func changes(r *http.Request) bool {
	return isSocket(r) || r.Method != http.MethodGet && r.Method != http.MethodHead
}

func isSocket(r *http.Request) bool { return r.Header.Get("Upgrade") != "" }

// ourOrigin reports whether a request was made by a page of this server, or by no page at all: every browser says where
// a socket or a POST comes from, and only browsers carry somebody else's cookie.
func ourOrigin(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" {
		return false
	}
	origin := r.Header.Values("Origin")
	if len(origin) == 0 {
		return true
	}
	u, err := url.Parse(origin[0])
	return err == nil && len(origin) == 1 && u.Host != "" && strings.EqualFold(u.Host, r.Host)
}

// Token reads the secret of a data folder from file, or makes one that only this user can read.
func Token(file string) (string, error) {
	for range 2 { // a second time where another start made it in between
		b, err := os.ReadFile(file)
		if err == nil {
			token := strings.TrimSpace(string(b))
			if len(token) < 32 {
				return "", fmt.Errorf("the secret in %s is damaged; delete that file and start again to get a new link", file)
			}
			return token, os.Chmod(file, 0o600)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("the secret cannot be read: %w", err)
		}
		f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", fmt.Errorf("the secret cannot be kept: %w", err)
		}
		token := rand.Text() + rand.Text()
		_, err = f.WriteString(token + "\n")
		if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
			return "", fmt.Errorf("the secret cannot be kept: %w", err)
		}
		return token, nil
	}
	return "", fmt.Errorf("the secret in %s comes and goes; is another fractal starting?", file)
}
