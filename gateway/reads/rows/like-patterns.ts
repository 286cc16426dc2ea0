// Converts a search text to a pattern for LIKE and ILIKE that matches the text anywhere, and takes each
// character of the text literally.

export const toLikePattern = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`

/** Returns the pattern, or null if there is no search text. */
export function toSearchPattern(search: string | undefined): string | null {
  return search ? toLikePattern(search) : null
}
