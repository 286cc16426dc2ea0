// Turns a search text into a pattern for LIKE and ILIKE that matches anywhere, and takes each character
// literally.

export const likePattern = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`

/** Null without a search text. */
export function searchPattern(search: string | undefined): string | null {
  return search ? likePattern(search) : null
}
