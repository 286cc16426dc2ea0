// Checks what a text contains, both in request bodies and in the cells of import files. This file imports
// nothing, so that the process that reads uploaded files stays small.

// Matches control characters except tabs and line ends. It does not find lone surrogates, which isWellFormed does.
const CONTROL_CHARACTER_PATTERN = /[^\P{Cc}\t\n\r]/u
// Matches the local part of an e-mail address, which has at most 64 characters (RFC 5321). The local part and the
// domain consist of parts between dots, none of which may be empty.
const LOCAL_PART_PATTERN = '[^\\s@"(),:;<>[\\]\\\\.]+'
const DOMAIN_LABEL_PATTERN = '[\\p{L}\\p{N}]+(?:-+[\\p{L}\\p{N}]+)*'
const EMAIL_PATTERN = new RegExp(
  `^(?=[^@]{1,64}@)${LOCAL_PART_PATTERN}(?:\\.${LOCAL_PART_PATTERN})*@${DOMAIN_LABEL_PATTERN}(?:\\.${DOMAIN_LABEL_PATTERN})*$`,
  'u',
)
const VISIBLE_CHARACTER_PATTERN =
  /[^\p{White_Space}\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/u

export function isPlainText(value: string): boolean {
  return value.isWellFormed() && !CONTROL_CHARACTER_PATTERN.test(value)
}

/** Returns false if the text looks empty to a person. */
export function hasVisibleText(value: string): boolean {
  return VISIBLE_CHARACTER_PATTERN.test(value)
}

export function isEmail(value: string): boolean {
  return EMAIL_PATTERN.test(value)
}

/**
 * Counts the code points of a text, not its UTF-16 units. Most texts contain no surrogates, so that their length is the
 * count.
 */
export function countCharacters(value: string): number {
  return value.length > 0 && /[\ud800-\udbff]/.test(value) ? [...value].length : value.length
}

/** Returns the beginning of a text. Never splits a character that consists of two UTF-16 units. */
export function cutText(value: string, max: number): string {
  return value.length > max ? [...value.slice(0, 2 * max)].slice(0, max).join('') : value
}

/**
 * Returns the text in a form that Postgres can store in JSON. Removes NUL characters, and replaces each half of a surrogate
 * pair with “�”.
 */
export function toStorableText(value: string): string {
  return value.replaceAll('\0', '').toWellFormed()
}

/** Whether the text is an IANA time zone name. */
export function isTimezone(name: string): boolean {
  // Rejects offsets, which some versions of Intl accept as time zone names.
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined
  } catch {
    return false
  }
}
