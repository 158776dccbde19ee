package vt

// charset is a national or graphic set of 94 characters.
type charset uint8

const (
	charsetASCII charset = iota
	charsetGraphics
	charsetBritish
	charsetDutch
	charsetFinnish
	charsetFrench
	charsetCanadian
	charsetGerman
	charsetItalian
	charsetNorwegian
	charsetSpanish
	charsetSwedish
	charsetSwiss
)

// charsets are the four sets a program has designated and which of them is in use.
type charsets struct {
	g      [4]charset
	gl     uint8
	single uint8 // set for the next character only (SS2, SS3)
}

func (c *charsets) active() charset { return c.g[c.gl] }

// charset94 is the set designated by a final byte; ASCII for those unknown.
func charset94(c byte) charset {
	switch c {
	case '0', '2':
		return charsetGraphics
	case 'A':
		return charsetBritish
	case '4':
		return charsetDutch
	case 'C', '5':
		return charsetFinnish
	case 'R', 'f':
		return charsetFrench
	case 'Q', '9':
		return charsetCanadian
	case 'K':
		return charsetGerman
	case 'Y':
		return charsetItalian
	case '`', 'E', '6':
		return charsetNorwegian
	case 'Z':
		return charsetSpanish
	case 'H', '7':
		return charsetSwedish
	case '=':
		return charsetSwiss
	}
	return charsetASCII
}

// graphics are the DEC special graphics from 0x5f to 0x7e.
var graphics = [...]rune{
	' ', '◆', '▒', '␉', '␌', '␍', '␊', '°', '±', '␤', '␋', '┘', '┐', '┌', '└', '┼',
	'⎺', '⎻', '─', '⎼', '⎽', '├', '┤', '┴', '┬', '│', '≤', '≥', 'π', '≠', '£', '·',
}

// national holds what each set replaces, in the order of nationalPlaces.
var national = [...][12]rune{
	charsetBritish:   {'£', '@', '[', '\\', ']', '^', '_', '`', '{', '|', '}', '~'},
	charsetDutch:     {'£', '¾', 'ĳ', '½', '|', '^', '_', '`', '¨', 'ƒ', '¼', '´'},
	charsetFinnish:   {'#', '@', 'Ä', 'Ö', 'Å', 'Ü', '_', 'é', 'ä', 'ö', 'å', 'ü'},
	charsetFrench:    {'£', 'à', '°', 'ç', '§', '^', '_', '`', 'é', 'ù', 'è', '¨'},
	charsetCanadian:  {'#', 'à', 'â', 'ç', 'ê', 'î', '_', 'ô', 'é', 'ù', 'è', 'û'},
	charsetGerman:    {'#', '§', 'Ä', 'Ö', 'Ü', '^', '_', '`', 'ä', 'ö', 'ü', 'ß'},
	charsetItalian:   {'£', '§', '°', 'ç', 'é', '^', '_', 'ù', 'à', 'ò', 'è', 'ì'},
	charsetNorwegian: {'#', 'Ä', 'Æ', 'Ø', 'Å', 'Ü', '_', 'ä', 'æ', 'ø', 'å', 'ü'},
	charsetSpanish:   {'£', '§', '¡', 'Ñ', '¿', '^', '_', '`', '°', 'ñ', 'ç', '~'},
	charsetSwedish:   {'#', 'É', 'Ä', 'Ö', 'Å', 'Ü', '_', 'é', 'ä', 'ö', 'å', 'ü'},
	charsetSwiss:     {'ù', 'à', 'é', 'ç', 'ê', 'î', 'è', 'ô', 'ä', 'ö', 'ü', 'û'},
}

const nationalPlaces = "#@[\\]^_`{|}~"

// translate is the character r stands for, ending a single shift.
func (c *charsets) translate(r rune) rune {
	set := c.active()
	if c.single != 0 {
		set, c.single = c.g[c.single], 0
	}
	switch {
	case set == charsetASCII || r >= 0x7f:
	case set == charsetGraphics:
		if r >= 0x5f {
			return graphics[r-0x5f]
		}
	default:
		for i := range nationalPlaces {
			if rune(nationalPlaces[i]) == r {
				return national[set][i]
			}
		}
	}
	return r
}
