// Cuts off text that is too wide for the space it has in an SVG.

// SVG does not cut off text, and the reader's fonts are unknown, so these widths are estimates that are
// rather too wide than too narrow.
const NARROW_LETTERS = /[\p{M}ijltfrI.,:;'’|!()[\] -]/u
const WIDE_LETTERS = /[\p{Lu}mw@%&—…]/u
const SQUARE_LETTERS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Extended_Pictographic}WM]/u

/** Replaces characters that XML does not allow: control characters, even escaped ones, and the two noncharacters. */
export const cleanText = (text: string): string => text.replace(/[\p{Cc}\ufffe\uffff]/gu, ' ').toWellFormed()

/** Cuts off text that would be wider than `width` pixels at font size `size`. */
export function shortenToWidth(text: string, width: number, size: number): string {
  const letters = [...cleanText(text)]
  const room = width / size
  if (measureWidth(letters) <= room) return letters.join('')
  let used = measureWidth(['…'])
  const kept = letters.findIndex((letter) => {
    used += measureWidth([letter])
    return used > room
  })
  return `${letters.slice(0, kept).join('').trimEnd()}…`
}

// Returns the width of the letters in bold, as a multiple of the font size.
function measureWidth(letters: string[]): number {
  return letters.reduce((width, letter) => width + measureLetter(letter), 0)
}

// The widths of ASCII letters are precomputed, because most names consist of these letters.
const ASCII_CHARACTERS = 128
const ASCII_WIDTHS = Array.from({ length: ASCII_CHARACTERS }, (_, code) =>
  estimateLetterWidth(String.fromCharCode(code)),
)

function measureLetter(letter: string): number {
  return ASCII_WIDTHS[letter.charCodeAt(0)] ?? estimateLetterWidth(letter)
}

function estimateLetterWidth(letter: string): number {
  if (SQUARE_LETTERS.test(letter)) return 1.12
  if (WIDE_LETTERS.test(letter)) return 0.92
  return NARROW_LETTERS.test(letter) ? 0.46 : 0.72
}
