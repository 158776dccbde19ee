package vt

//go:generate go run -C gen . -o ../unicode_table.go

// class is a rune's grapheme cluster break property (UAX #29). Indic conjuncts (rule GB9c) are left out on purpose:
// programs count one cell for each consonant.
type class uint8

const (
	classOther class = iota
	classExtend
	classZWJ
	classSpacingMark
	classPrepend
	classRegional
	classL
	classV
	classT
	classLV
	classLVT
	classPictographic
	classControl
)

// prop is what the table knows of a rune: bits 0-1 the cells it takes, bits 2-5 its class, then two facts about emoji.
type prop uint8

const (
	propWidth    prop = 3
	propWidens   prop = 1 << 6 // takes two cells when U+FE0F follows
	propModifier prop = 1 << 7 // a skin tone
)

func (p prop) class() class { return class(p>>2) & 15 }
func (p prop) width() int   { return int(p & propWidth) }

var (
	propIndex  [0x110000 >> 8]uint8
	propBlocks = buildProps()
)

// buildProps spreads the generated runs into blocks of 256 runes and shares equal blocks.
func buildProps() [][256]prop {
	blocks, known := make([][256]prop, 0, 128), make(map[[256]prop]uint8, 128)
	var block [256]prop
	run := 0
	for r := uint32(0); r < 0x110000; r++ {
		if run+1 < len(propRanges) && propRanges[run+1]>>8 == r {
			run++
		}
		block[r&0xff] = prop(propRanges[run])
		// Most of Unicode is a few long runs: whole blocks inside one are filled at once.
		if r&0xff != 0xff {
			continue
		}
		i, ok := known[block]
		if !ok {
			i = uint8(len(blocks))
			known[block] = i
			blocks = append(blocks, block)
		}
		propIndex[r>>8] = i
	}
	return blocks
}

func propOf(r rune) prop {
	if uint32(r) >= 0x110000 {
		return prop(1)
	}
	return propBlocks[propIndex[uint32(r)>>8]][r&0xff]
}

// seg is what must be remembered of the cluster just printed to know whether the next rune belongs to it: the class of
// its last rune and two facts, or segNone when nothing may join it.
type seg uint8

const (
	segPict seg = 1 << 4 // pictographic, extend*: a joiner and another picture may follow
	segOdd  seg = 1 << 5 // an odd number of regional indicators
	segNone seg = 0xff
)

// joins reports whether a rune of class c belongs to the cluster s remembers, and what to remember after it.
func (s seg) joins(c class) (bool, seg) {
	join := false
	if s != segNone {
		last := class(s & 15)
		switch {
		case c == classExtend || c == classZWJ || c == classSpacingMark:
			join = last != classControl
		case last == classPrepend:
			join = c != classControl
		case c == classRegional:
			join = s&segOdd != 0
		case c == classPictographic:
			join = s&segPict != 0 && last == classZWJ
		case c == classL || c == classLV || c == classLVT:
			join = last == classL
		case c == classV:
			join = last == classL || last == classV || last == classLV
		case c == classT:
			join = last == classV || last == classT || last == classLV || last == classLVT
		}
	}
	next := seg(c)
	switch {
	case c == classPictographic:
		next |= segPict
	case join && (c == classExtend || c == classZWJ) && class(s&15) != classZWJ:
		next |= s & segPict
	case c == classRegional && (!join || s&segOdd == 0):
		next |= segOdd
	}
	return join, next
}
