// The words that the sentences of refusals share.

/** “1 booking”, “40 bookings”. */
export function formatCount(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

/** “Desk 1, Desk 2 and 38 more”. */
export function formatNames(names: readonly string[], shownMax: number): string {
  const shown = names.slice(0, shownMax).join(', ')
  return names.length > shownMax ? `${shown} and ${names.length - shownMax} more` : shown
}
