// Formats numbers and lists for sentences, in the visitor's language.
import { currentLocale, plural, t } from '../locales/translate.ts'

export function formatNumber(number: number): string {
  return number.toLocaleString(currentLocale())
}

/** “a, b and c”. */
export function formatList(parts: readonly string[]): string {
  const last = parts.at(-1) ?? ''
  return parts.length < 2 ? last : t`${parts.slice(0, -1).join(', ')} and ${last}`
}

/** “a, b, c and 2 more”. */
export function formatFirst(parts: readonly string[], shownMax: number): string {
  const more = parts.length - shownMax
  if (more <= 0) return parts.join(', ')
  return plural(more, '{0} and # more', '{0} and # more', parts.slice(0, shownMax).join(', '))
}
