module fractal-peers

go 1.26.0

require (
	fractal v0.0.0
	golang.org/x/image v0.48.0
)

require (
	golang.org/x/sys v0.50.0 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
)

replace fractal => ../..
