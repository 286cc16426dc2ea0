// The cells of the timeline: converts between minutes of the day and positions, and reads what is there.
import { type Hours, QUARTER } from '../day/intervals.ts'
import { clamp } from './dom.ts'

export type Place = Hours & { bookable: string; name: string }
export type Timeline = {
  part: HTMLElement
  /** The place of a booking, including unsaved moves; undefined if the viewer may not move it. */
  findPlace(link: HTMLElement): Place | undefined
  move(booking: string, place: Place): void
}

export function hoursOf(table: HTMLElement): Hours {
  return { from: Number(table.dataset.from), to: Number(table.dataset.to) }
}

/** The start of the quarter of an hour at this position. */
export function minuteAt(row: HTMLTableRowElement, clientX: number): number {
  const table = row.closest('table')
  if (!table) return 0
  const { from, to } = hoursOf(table)
  const { left, width } = trackOf(row)
  const minute = from + ((clientX - left) / width) * (to - from)
  return clamp(Math.floor(minute / QUARTER) * QUARTER, from, to - QUARTER)
}

/** The extent of a row's hours on the screen, without its name. */
export function trackOf({ cells }: HTMLTableRowElement): { left: number; width: number } {
  const left = cells[1]?.getBoundingClientRect().left ?? 0
  const right = cells[cells.length - 1]?.getBoundingClientRect().right ?? 0
  return { left, width: right - left }
}

export function rowOf(element: Element | null | undefined): HTMLTableRowElement | null {
  return element?.closest<HTMLTableRowElement>('tr[data-bookable]') ?? null
}

/** The current row of a bookable. */
export function findRow(box: HTMLElement, bookable: string): HTMLTableRowElement | null {
  return box.querySelector(`tr[data-bookable="${bookable}"]`)
}

/** Reads a booking from its link. */
export function placeOf(link: HTMLElement): Place | undefined {
  const row = rowOf(link)
  const { starts, ends } = link.dataset
  return row ? { ...bookableOf(row), from: Number(starts), to: Number(ends) } : undefined
}

export function bookableOf({ dataset: { bookable = '', name = '' } }: HTMLTableRowElement) {
  return { bookable, name }
}

/** In the format of datetime-local fields. */
export function localTime(table: HTMLElement, minute: number): string {
  const date = new Date(`${table.dataset.date}T00:00Z`)
  return new Date(date.getTime() + minute * 60_000).toISOString().slice(0, 16)
}
