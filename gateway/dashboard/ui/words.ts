// Numbers and lists as sentences have them.

export function formatNumber(number: number): string {
  return number.toLocaleString('en')
}

/** “1 desk”, “40 desks”. */
export function formatCount(number: number, one: string, many = `${one}s`): string {
  return `${formatNumber(number)} ${number === 1 ? one : many}`
}

/** “a, b and c”. */
export function formatList(parts: readonly string[]): string {
  return parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
}

/** “a, b, c and 2 more”. */
export function formatFirst(parts: readonly string[], shownMax: number): string {
  const more = parts.length - shownMax
  if (more <= 0) return parts.join(', ')
  return `${parts.slice(0, shownMax).join(', ')} and ${formatNumber(more)} more`
}
