package exchange

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
)

// maxLine is how long one line may be, in bytes. The longest stroke a canvas takes (131,072 points) is some 4 MB of
// decimal numbers; beyond this a file is not what it says, and must not decide how much memory we use.
const maxLine = 8 << 20

// errLineTooLong rejects one line; the next is read as if nothing had been.
var errLineTooLong = fmt.Errorf("the line is longer than %d MiB", maxLine>>20)

// lines reads a text line by line within maxLine bytes of memory, decompressing what starts like gzip.
type lines struct {
	r      *bufio.Reader
	buf    []byte
	number int // of the line last returned, from 1
}

func newLines(r io.Reader) (*lines, error) {
	br := bufio.NewReaderSize(r, 64<<10)
	if magic, _ := br.Peek(2); len(magic) == 2 && magic[0] == 0x1f && magic[1] == 0x8b {
		z, err := gzip.NewReader(br)
		if err != nil {
			return nil, fmt.Errorf("the file starts like gzip but is damaged: %w", err)
		}
		br = bufio.NewReaderSize(z, 64<<10)
	}
	if bom, _ := br.Peek(3); bytes.Equal(bom, []byte("\xef\xbb\xbf")) {
		_, _ = br.Discard(3)
	}
	return &lines{r: br}, nil
}

// next returns the next line without its end. It is valid until the next call. The error is io.EOF after the last line,
// errLineTooLong for a line that was passed over, anything else when the file cannot be read further.
func (l *lines) next() ([]byte, error) {
	l.buf = l.buf[:0]
	tooLong := false
	for {
		part, err := l.r.ReadSlice('\n')
		if len(part) > 0 && len(l.buf) == 0 && !tooLong {
			l.number++
		}
		if tooLong || len(l.buf)+len(part) > maxLine {
			tooLong, l.buf = true, l.buf[:0]
		} else {
			l.buf = append(l.buf, part...)
		}
		switch {
		case err == nil:
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && (len(l.buf) > 0 || tooLong):
		case errors.Is(err, io.EOF):
			return nil, io.EOF
		default:
			return nil, fmt.Errorf("line %d cannot be read: %w", l.number, err)
		}
		if tooLong {
			return nil, errLineTooLong
		}
		return bytes.TrimSpace(l.buf), nil
	}
}
