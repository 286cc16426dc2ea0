// Texts in a picture: only what XML can hold, and no longer than the place for it. SVG does not cut a text off by
// itself, and nobody knows the reader's fonts: widths are estimated, rather too wide than too narrow.

const NARROW = /[\p{M}ijltfrI.,:;'’|!()[\] -]/u
const WIDE = /[\p{Lu}mw@%&—…]/u
const SQUARE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Extended_Pictographic}WM]/u

/** XML takes no control characters, not even escaped, nor the two that are no characters at all. */
export function plain(text: string): string {
  return text.replace(/[\p{Cc}\ufffe\uffff]/gu, ' ').toWellFormed()
}

/** The text, cut off where it would be wider than so many pixels at this size of letters. */
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

// In bold letters, as parts of their size.
function widthOf(letters: string[]): number {
  return letters.reduce((width, letter) => width + widthOfLetter(letter), 0)
}

function widthOfLetter(letter: string): number {
  if (SQUARE.test(letter)) return 1.12
  if (WIDE.test(letter)) return 0.92
  return NARROW.test(letter) ? 0.46 : 0.72
}
