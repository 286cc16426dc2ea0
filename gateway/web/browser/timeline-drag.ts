// Dragging on the timeline: a drag over free time books it, dragging the middle of a booking moves it, and
// dragging an edge changes its start or end. A finger scrolls; it taps to book or open.
import { DAY, type Hours, QUARTER } from '../pages/time/intervals.ts'
import { clamp, closest, opensElsewhere, withQuery } from './shared/dom.ts'
import { watchDrags } from './shared/drags.ts'

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
function minuteAt(row: HTMLTableRowElement, clientX: number): number {
  const table = row.closest('table')
  if (!table) return 0
  const { from, to } = hoursOf(table)
  const { left, width } = trackOf(row)
  const minute = from + ((clientX - left) / width) * (to - from)
  return clamp(Math.floor(minute / QUARTER) * QUARTER, from, to - QUARTER)
}

/** The extent of a row's hours on the screen, without its name. */
function trackOf({ cells }: HTMLTableRowElement): { left: number; width: number } {
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

type Drag = {
  kind: 'make' | 'move' | 'start' | 'end'
  link: HTMLAnchorElement
  first: number
  place: Place
  /** The free time around a new booking. */
  open: { from: number; to: number }
}

const EDGE_PX = 8
const ROOM = '2'
const HOUR = 60
const EVENING = 17 * HOUR

export function watchDragging(box: HTMLElement, timeline: Timeline) {
  const ghost = document.createElement('div')
  ghost.className = 'timeline-ghost'
  ghost.hidden = true
  box.append(ghost)

  watchDrags(box, (start) => {
    const drag =
      start.pointerType === 'touch' || opensElsewhere(start) ? undefined : beginDrag(start, timeline)
    if (!drag) return undefined
    let shown = drag.place
    return {
      move(event) {
        shown = placeWhile(box, drag, event) ?? shown
        showGhost(box, ghost, shown)
      },
      drop: () => finishDrag(drag, shown, timeline),
      end() {
        ghost.hidden = true
      },
    }
  })

  // A click or tap books from that time. Opened with a key, the link keeps its address.
  box.addEventListener('click', (event) => {
    const link = closest<HTMLAnchorElement>(event, 'a[data-open]')
    const row = rowOf(link)
    if (link && row && event.detail > 0) link.href = addressFrom(link, row, minuteAt(row, event.clientX))
  })
}

function beginDrag(event: PointerEvent, timeline: Timeline): Drag | undefined {
  const link = closest<HTMLAnchorElement>(event, 'a')
  const row = rowOf(link)
  if (!link || !row) return undefined
  const x = event.clientX
  const first = minuteAt(row, x)
  const open = openTime(link)
  if (link.dataset.open !== undefined) {
    const place = { ...bookableOf(row), from: first, to: first + QUARTER }
    return { kind: 'make', link, first, place, open }
  }
  const place = timeline.findPlace(link)
  if (!place) return undefined
  const { left, right } = link.getBoundingClientRect()
  const kind = right - x < EDGE_PX ? 'end' : x - left < EDGE_PX ? 'start' : 'move'
  return { kind, link, first, place, open }
}

/** Undefined if the row is gone: the rows may have been refreshed during the drag. */
function placeWhile(box: HTMLElement, { kind, first, place, open }: Drag, event: PointerEvent) {
  const own = findRow(box, place.bookable)
  if (!own) return undefined
  const minute = minuteAt(own, event.clientX)
  if (kind === 'make') {
    const [from, to] = [Math.min(first, minute), Math.max(first, minute) + QUARTER]
    return { ...place, from: Math.max(from, open.from), to: clamp(to, open.from + QUARTER, open.to) }
  }
  if (kind === 'end') return { ...place, to: Math.max(minute, place.from) + QUARTER }
  if (kind === 'start') return { ...place, from: Math.min(minute, place.to - QUARTER) }
  const row = rowOf(document.elementFromPoint(event.clientX, event.clientY)) ?? own
  // The booking stays within its day.
  const by = clamp(minute - first, -place.from, DAY - place.to)
  return { ...bookableOf(row), from: place.from + by, to: place.to + by }
}

function finishDrag({ kind, link, place }: Drag, shown: Place, timeline: Timeline) {
  if (kind === 'make') return location.assign(addressOf(link, shown))
  const isMoved = shown.bookable !== place.bookable || shown.from !== place.from || shown.to !== place.to
  if (isMoved) timeline.move(link.dataset.booking ?? '', shown)
}

function showGhost(box: HTMLElement, ghost: HTMLElement, { bookable, from, to }: Place) {
  const row = findRow(box, bookable)
  const table = row?.closest('table')
  if (!row || !table) return
  const hours = hoursOf(table)
  const { left, width } = trackOf(row)
  const { top, height } = row.getBoundingClientRect()
  const at = (minute: number) =>
    left + ((clamp(minute, hours.from, hours.to) - hours.from) / (hours.to - hours.from)) * width
  const position = { left: at(from), width: at(to) - at(from), top, height }
  ghost.hidden = false
  for (const [name, value] of Object.entries(position)) ghost.style.setProperty(name, `${value}px`)
}

const openTime = (link: HTMLAnchorElement) => ({
  from: Number(link.dataset.open),
  to: Number(link.closest('td')?.dataset.to),
})

/** Proposes an hour for a room, and for a desk the rest of what the link proposes. */
function addressFrom(link: HTMLAnchorElement, row: HTMLTableRowElement, minute: number): string {
  const open = openTime(link)
  const from = Math.max(minute, open.from)
  const wanted = row.dataset.type === ROOM ? from + HOUR : from < EVENING ? EVENING : open.to
  return addressOf(link, { from, to: Math.min(wanted, open.to) })
}

function addressOf(link: HTMLAnchorElement, { from, to }: { from: number; to: number }): string {
  const table = link.closest('table')
  return table ? withQuery(link.href, { from: localTime(table, from), to: localTime(table, to) }) : link.href
}
