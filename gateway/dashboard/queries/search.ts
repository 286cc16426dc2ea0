// What somebody searches for, as a pattern of ILIKE: anywhere in the text, and each character as itself.

export function patternOf(search: string | undefined): string | null {
  return search ? `%${search.replace(/[\\%_]/g, '\\$&')}%` : null
}
