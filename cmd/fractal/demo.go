package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net"

	"fractal/exchange/demo"
	"fractal/remote"
)

const demoCanvas = "earth"

// drawDemo draws the demo through a socket like everybody. Whoever opens it meanwhile sees it being drawn. Its session is
// always the same, so what an earlier start has drawn, wholly or in part, is not drawn again.
func drawDemo(ctx context.Context, at *net.TCPAddr, token string) error {
	target, err := remote.ParseTarget(address(at, token).String(), demoCanvas)
	if err != nil {
		return err
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
