// Values that are planted, and the search for them: as they are, and as they would look in an address, in base64 or in
// hexadecimal digits.

/** In every text that is planted; nothing else has it. */
export const STEM = 'qzxmark'

export const MARKS = {
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

const AROUND = 80

/** Where each of the planted texts and secrets is found, with what stands around it. */
export function findPlanted(text: string, secrets: Iterable<string> = []): string[] {
  const found: string[] = []
  const whole = text.toLowerCase()
  for (const form of [STEM, ...encodingsOf(STEM).map((each) => each.toLowerCase())]) {
    const at = whole.indexOf(form)
    if (at >= 0) found.push(excerpt(text, at))
  }
  for (const secret of secrets) {
    const at = text.indexOf(secret)
    if (at >= 0) found.push(excerpt(text, at))
  }
  return found
}

// In base64 a text looks in three ways, by where it begins; its first and last digits depend on its neighbours.
function encodingsOf(text: string): string[] {
  const base64 = [0, 1, 2].map((shift) => {
    const digits = Buffer.from('\0'.repeat(shift) + text).toString('base64')
    return digits.replace(/=+$/, '').slice(shift === 0 ? 0 : shift + 1, -1)
  })
  return [...base64, Buffer.from(text).toString('hex')]
}

function excerpt(text: string, at: number): string {
  return text.slice(Math.max(0, at - AROUND), at + AROUND)
}
