// What somebody searches for, as a pattern of LIKE and ILIKE: anywhere in the text, and each character as itself.

export function likePattern(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}

/** Null where nothing is searched for. */
export function searchPattern(search: string | undefined): string | null {
  return search ? likePattern(search) : null
}
