package cell

// palette numbers the colours of an image in order of appearance.
type palette struct {
	colors [256]uint32
	n      int
	key    [1024]uint32 // open hash table: colour and
	num    [1024]uint16 // its number + 1; 0 is free
}

// index replaces the pixels by their numbers, or leaves them alone and reports false when there are more than 256.
func (p *palette) index(pix *[pixels]uint32, like *[size]likeness) bool {
	clear(p.num[:])
	p.n = 0
	for y := range like {
		if l := &like[y]; !l.whole() {
			row, left := pix[y*size:(y+1)*size], &l.same[fromLeft]
			for x := 0; x < size; x += 1 + left.run(x+1) {
				if p.find(row[x]) < 0 {
					return false
				}
			}
		}
	}
	for y := range like {
		row, left := pix[y*size:(y+1)*size], &like[y].same[fromLeft]
		if like[y].whole() {
			copy(row, pix[(y-1)*size:])
			continue
		}
		for x := 0; x < size; {
			num, end := uint32(p.find(row[x])), x+1+left.run(x+1)
			for ; x < end; x++ {
				row[x] = num
			}
		}
	}
	return true
}

func (p *palette) find(c uint32) int {
	for h := c * 0x9e3779b1 >> 22; ; h = (h + 1) & 1023 {
		switch {
		case p.num[h] == 0:
			if p.n == len(p.colors) {
				return -1
			}
			p.colors[p.n] = c
			p.n++
			p.key[h], p.num[h] = c, uint16(p.n)
			return p.n - 1
		case p.key[h] == c:
			return int(p.num[h]) - 1
		}
	}
}

// append appends the PLTE and tRNS chunks.
func (p *palette) append(dst []byte) []byte {
	var rgb [768]byte
	var alpha [256]byte
	for i, c := range p.colors[:p.n] {
		rgb[3*i], rgb[3*i+1], rgb[3*i+2], alpha[i] = byte(c), byte(c>>8), byte(c>>16), byte(c>>24)
	}
	dst = chunk(dst, "PLTE", rgb[:3*p.n])
	n := p.n
	for n > 0 && alpha[n-1] == 0xff {
		n--
	}
	if n > 0 {
		dst = chunk(dst, "tRNS", alpha[:n])
	}
	return dst
}
