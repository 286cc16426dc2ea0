// What somebody searches for, as a pattern of LIKE and ILIKE: anywhere in the text, and each character as itself.

export function contains(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}

/** Null where nothing is searched for. */
export function patternOf(search: string | undefined): string | null {
  return search ? contains(search) : null
}
