package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"fmt"
	"net"

	"fractal/exchange/demo"
	"fractal/remote"
)

const demoCanvas = "earth"

// drawDemo draws the demo through a socket like everybody. Whoever opens it meanwhile sees it being drawn. Its session is
// always the same, so what an earlier start has drawn, wholly or in part, is not drawn again.
func drawDemo(ctx context.Context, at *net.TCPAddr, token string, serving *tls.Config) error {
	target, err := remote.ParseTarget(address(at, token, serving != nil).String(), demoCanvas)
	if err != nil {
		return err
	}
	if serving != nil {
		target.TLS = trustOnly(serving)
	}
	key := sha256.Sum256([]byte("fractal demo key " + token))
	session := sha256.Sum256([]byte("fractal demo session"))
	who := remote.Who{Name: "demo", Key: key[:], Session: session[:16]}
	in, err := remote.Import(ctx, target, who, demo.Earth(), nil, nil)
	if err == nil && len(in.Rejected) > 0 {
		err = fmt.Errorf("%d strokes were rejected, the first because: %s", len(in.Rejected), in.Rejected[0].Reason)
	}
	return err
}

// trustOnly is how to talk to a server of our own, whatever name its certificate is for, and whoever signed it.
func trustOnly(serving *tls.Config) *tls.Config {
	ours := serving.Certificates[0].Certificate[0]
	return &tls.Config{
		InsecureSkipVerify: true, // VerifyConnection does it
		VerifyConnection: func(s tls.ConnectionState) error {
			if len(s.PeerCertificates) == 0 || !bytes.Equal(s.PeerCertificates[0].Raw, ours) {
				return errors.New("another server answers there")
			}
			return nil
		},
	}
}
