// Searches texts for planted values: unencoded, percent-encoded, in base64 or in hexadecimal.

/** A string that is part of every planted text, and of no other text. */
export const STEM = 'qzxmark'

export const PLANTED_VALUES = {
  name: `${STEM} Lovelace`,
  email: `${STEM}.ada@example.com`,
  guest: `${STEM} guest`,
  guestEmail: `${STEM}.guest@example.com`,
  visitor: `${STEM}.visitor@example.com`,
  plate: `${STEM}-HH 7`,
  upn: `${STEM}@upn`,
  note: `${STEM} is ill`,
  file: `${STEM}-people.csv`,
  admin: `${STEM}.admin@example.com`,
  password: `${STEM} and a long sentence`,
  wrongPassword: `${STEM} and a wrong sentence`,
} as const

const EXCERPT_CHARACTERS = 80

/** Returns every planted text or secret that is found, with its surroundings. */
export function findPlanted(text: string, secrets: Iterable<string> = []): string[] {
  const found: string[] = []
  const whole = text.toLowerCase()
  for (const form of [STEM, ...listEncodings(STEM).map((each) => each.toLowerCase())]) {
    const at = whole.indexOf(form)
    if (at >= 0) found.push(createExcerpt(text, at))
  }
  for (const secret of secrets) {
    const at = text.indexOf(secret)
    if (at >= 0) found.push(createExcerpt(text, at))
  }
  return found
}

// A text has three base64 encodings, depending on its position. Their first and last digits depend on the surrounding
// text.
function listEncodings(text: string): string[] {
  const base64 = [0, 1, 2].map((shift) => {
    const digits = Buffer.from('\0'.repeat(shift) + text).toString('base64')
    return digits.replace(/=+$/, '').slice(shift === 0 ? 0 : shift + 1, -1)
  })
  return [...base64, Buffer.from(text).toString('hex')]
}

function createExcerpt(text: string, at: number): string {
  return text.slice(Math.max(0, at - EXCERPT_CHARACTERS), at + EXCERPT_CHARACTERS)
}
