// @ts-check
// The cells of the timeline: converts between minutes of the day and positions, and reads what is there.

export const QUARTER = 15
export const DAY = 24 * 60

/** @typedef {{ from: number, to: number }} Hours */
/** @typedef {{ bookable: string, name: string, from: number, to: number }} Place */

/** @param {Element} table */
export function hoursOf(table) {
  const { from, to } = /** @type {HTMLElement} */ (table).dataset
  return { from: Number(from), to: Number(to) }
}

/**
 * The start of the quarter of an hour at this position.
 * @param {HTMLTableRowElement} row
 * @param {number} clientX
 */
export function minuteAt(row, clientX) {
  const table = row.closest('table')
  if (!table) return 0
  const { from, to } = hoursOf(table)
  const { left, width } = trackOf(row)
  const minute = from + ((clientX - left) / width) * (to - from)
  return Math.min(Math.max(Math.floor(minute / QUARTER) * QUARTER, from), to - QUARTER)
}

/**
 * The extent of a row's hours on the screen, without its name.
 * @param {HTMLTableRowElement} row
 */
export function trackOf(row) {
  const first = row.cells[1]?.getBoundingClientRect()
  const last = row.cells[row.cells.length - 1]?.getBoundingClientRect()
  const left = first?.left ?? 0
  return { left, width: (last?.right ?? 0) - left }
}

/** @param {Element | null} element */
export function rowOf(element) {
  const row = element?.closest('tr[data-bookable]') ?? null
  return row instanceof HTMLTableRowElement ? row : undefined
}

/**
 * The current row of a bookable.
 * @param {HTMLElement} box
 * @param {string} bookable
 */
export function rowNamed(box, bookable) {
  return rowOf(box.querySelector(`tr[data-bookable="${bookable}"]`))
}

/**
 * Reads a booking from its link.
 * @param {HTMLElement} link
 * @returns {Place | undefined}
 */
export function placeOf(link) {
  const row = rowOf(link)
  if (!row) return undefined
  const { starts, ends } = link.dataset
  return { ...bookableOf(row), from: Number(starts), to: Number(ends) }
}

/** @param {HTMLTableRowElement} row */
export function bookableOf(row) {
  return { bookable: row.dataset.bookable ?? '', name: row.dataset.name ?? '' }
}

/**
 * In the format of datetime-local fields.
 * @param {Element} table
 * @param {number} minute
 */
export function localTime(table, minute) {
  const date = new Date(`${/** @type {HTMLElement} */ (table).dataset.date}T00:00Z`)
  return new Date(date.getTime() + minute * 60_000).toISOString().slice(0, 16)
}

/** @param {number} minute */
export function formatMinute(minute) {
  const two = (/** @type {number} */ number) => String(number).padStart(2, '0')
  return minute === DAY ? '24:00' : `${two(Math.floor(minute / 60))}:${two(minute % 60)}`
}
