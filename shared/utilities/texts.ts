// What a text may contain, in bodies and in the cells of import files alike. This file imports nothing, so
// that the process that reads foreign files stays small.

// Control characters except tab and line ends; isWellFormed finds lone surrogates.
const CONTROL = /[^\P{Cc}\t\n\r]/u
// Parts between dots, none of them empty, on both sides; the part before the @ has at most 64 characters (RFC 5321).
const LOCAL = '[^\\s@"(),:;<>[\\]\\\\.]+'
const LABEL = '[\\p{L}\\p{N}]+(?:-+[\\p{L}\\p{N}]+)*'
const EMAIL = new RegExp(`^(?=[^@]{1,64}@)${LOCAL}(?:\\.${LOCAL})*@${LABEL}(?:\\.${LABEL})*$`, 'u')
const VISIBLE = /[^\p{White_Space}\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/u

export function isPlainText(value: string): boolean {
  return value.isWellFormed() && !CONTROL.test(value)
}

/** False if a person could not see the text, or tell it from an empty one. */
export function hasVisibleText(value: string): boolean {
  return VISIBLE.test(value)
}

export function isEmail(value: string): boolean {
  return EMAIL.test(value)
}

/** Code points, not UTF-16 units; most texts are short enough to know without counting. */
export function countCharacters(value: string): number {
  return value.length > 0 && /[\ud800-\udbff]/.test(value) ? [...value].length : value.length
}

/** The beginning of a text; never cuts a character of two UTF-16 units in two. */
export function cutText(value: string, max: number): string {
  return value.length > max ? [...value.slice(0, 2 * max)].slice(0, max).join('') : value
}

/** An IANA name. */
export function isTimezone(name: string): boolean {
  // Some versions of Intl accept offsets as names.
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined
  } catch {
    return false
  }
}
