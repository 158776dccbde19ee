package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// certificateFor writes a certificate that signs itself, and returns a client that trusts it.
func certificateFor(t *testing.T, ip net.IP) (cert, key string, trusting *http.Client) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "a test"}, IPAddresses: []net.IP{ip},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, about, about, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	private8, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	pool := x509.NewCertPool()
	for file, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: private8}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pool.AppendCertsFromPEM(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	jar, _ := cookiejar.New(nil)
	return cert, key, &http.Client{Jar: jar, Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
}

func TestServesHTTPSAndDrawsItsDemoThere(t *testing.T) {
	cert, key, client := certificateFor(t, net.IPv4(127, 0, 0, 1))
	s := serveOn(t, t.TempDir(), "--tls-cert", cert, "--tls-key", key, "--terminals", "--demo")
	if !strings.HasPrefix(s.url, "https://127.0.0.1:") {
		t.Fatalf("printed %s, want an https link", s.url)
	}
	resp, err := client.Get(s.url)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != 200 {
		t.Errorf("the owner's link: %s", resp.Status)
	}
	for _, c := range client.Jar.Cookies(resp.Request.URL) {
		if c.Value == "" {
			t.Errorf("cookie %s is empty", c.Name)
		}
	}
	base, _, _ := strings.Cut(s.url, "c/")
	if resp, err := client.Get(base + "api/backup"); err != nil || resp.StatusCode != 200 {
		t.Errorf("the owner's backup: %v %v", resp, err)
	} else {
		resp.Body.Close()
	}
	if !drawn(t, client, base) {
		t.Errorf("nothing was drawn on the demo's canvas: %s", s.stderr)
	}
	if r := fractal(t, "export", "--canvas", demoCanvas, "--server", s.url); r.code != 1 || !strings.Contains(r.stderr, "certificate") {
		t.Errorf("a certificate nobody knows was trusted: exit %d, %q", r.code, r.stderr)
	}
}

// drawn waits until there is a canvas, and reports whether something can be read from it.
func drawn(t *testing.T, client *http.Client, base string) bool {
	for range 200 {
		resp, err := client.Get(base + "c/" + demoCanvas + "/export")
		if err != nil {
			t.Fatal(err)
		}
		head, _ := io.ReadAll(io.LimitReader(resp.Body, 4<<10))
		resp.Body.Close()
		if resp.StatusCode == 200 && strings.Count(string(head), "\n") > 2 {
			return true
		}
	}
	return false
}

func TestTerminalsDoNotCrossTheNetworkInTheClear(t *testing.T) {
	for _, c := range []struct {
		flags []string
		says  string
	}{
		{[]string{"--addr", "0.0.0.0:0", "--terminals"}, "--tls-cert"},
		{[]string{"--tls-cert", "x"}, "--tls-key"},
		{[]string{"--tls-key", "x"}, "--tls-cert"},
		{[]string{"--tls-cert", "/nowhere/x", "--tls-key", "/nowhere/y"}, "/nowhere/x"},
		{[]string{"--shell", "/bin/sh"}, "--terminals"},
		{[]string{"--terminals", "--shell", "/nowhere/shell"}, "/nowhere/shell"},
	} {
		r := fractal(t, append([]string{"--data", t.TempDir(), "--addr", "127.0.0.1:0"}, c.flags...)...)
		if r.code == 0 || r.stdout != "" || !strings.Contains(r.stderr, c.says) {
			t.Errorf("%v: exit %d, %q, %q; want it to speak of %s", c.flags, r.code, r.stdout, r.stderr, c.says)
		}
	}
	serveOn(t, t.TempDir(), "--addr", "0.0.0.0:0", "--terminals", "--insecure")
}

func TestGuestsLinkDoesNotOpenWhatIsTheOwners(t *testing.T) {
	dir := t.TempDir()
	s := serveOn(t, dir, "--terminals")
	second, err := s.out.ReadString('\n')
	_, guests, ok := strings.Cut(strings.TrimSpace(second), ": ")
	if err != nil || !ok || !strings.Contains(guests, "?key=") || guests == s.url {
		t.Fatalf("the second line is %q, %v; want the guests' link", second, err)
	}
	if info, err := os.Stat(filepath.Join(dir, ownerFile)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the owner's file: %v, %v; want mode 0600", info, err)
	}
	base, _, _ := strings.Cut(s.url, "?")
	for link, want := range map[string]int{s.url: 200, guests: 403} {
		jar, _ := cookiejar.New(nil)
		client := &http.Client{Jar: jar}
		if resp, err := client.Get(link); err != nil || resp.StatusCode != 200 {
			t.Fatalf("%s: %v %v", link, resp, err)
		} else {
			resp.Body.Close()
		}
		for _, path := range []string{"metrics", "debug/", "debug/cells", "debug/pprof/", "api/backup", "api/terminals"} {
			resp, err := client.Get(base + path)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if resp.StatusCode != want {
				t.Errorf("/%s by %s: %d, want %d", path, link, resp.StatusCode, want)
			}
		}
	}
}
