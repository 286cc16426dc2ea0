// Cuts off text that is too wide for its place in an SVG.

// SVG does not cut off text, and the reader's fonts are unknown, so widths are estimates, rather too wide than
// too narrow.
const NARROW = /[\p{M}ijltfrI.,:;'’|!()[\] -]/u
const WIDE = /[\p{Lu}mw@%&—…]/u
const SQUARE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Extended_Pictographic}WM]/u

/** XML allows no control characters, not even escaped, nor the two noncharacters. */
export const plain = (text: string): string => text.replace(/[\p{Cc}\ufffe\uffff]/gu, ' ').toWellFormed()

/** Cuts off text that would be wider than `width` pixels at font size `size`. */
export function shorten(text: string, width: number, size: number): string {
  const letters = [...plain(text)]
  const room = width / size
  if (widthOf(letters) <= room) return letters.join('')
  let used = widthOf(['…'])
  const kept = letters.findIndex((letter) => {
    used += widthOf([letter])
    return used > room
  })
  return `${letters.slice(0, kept).join('').trimEnd()}…`
}

// The width in bold, as a multiple of the font size.
function widthOf(letters: string[]): number {
  return letters.reduce((width, letter) => width + widthOfLetter(letter), 0)
}

// The widths of ASCII letters, which most names consist of, are computed beforehand.
const ASCII = 128
const ASCII_WIDTHS = Array.from({ length: ASCII }, (_, code) => estimateWidth(String.fromCharCode(code)))

function widthOfLetter(letter: string): number {
  return ASCII_WIDTHS[letter.charCodeAt(0)] ?? estimateWidth(letter)
}

function estimateWidth(letter: string): number {
  if (SQUARE.test(letter)) return 1.12
  if (WIDE.test(letter)) return 0.92
  return NARROW.test(letter) ? 0.46 : 0.72
}
