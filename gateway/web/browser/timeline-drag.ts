// Dragging on the timeline: a drag over free time books that time, dragging the middle of a booking moves it,
// and dragging an edge changes its start or end. On a touch screen, dragging scrolls, and a tap books or
// opens.
import { DAY_MINUTES, type MinuteRange, QUARTER_MINUTES } from '../pages/time/intervals.ts'
import { clamp, closestElement, hasNewTabModifier, withQuery } from './shared/dom.ts'
import { watchDrags } from './shared/drags.ts'

export type TimelinePlace = MinuteRange & { bookable: string; name: string }
export type Timeline = {
  part: HTMLElement
  /** Returns where a booking is, including unsaved moves. Returns undefined if the viewer may not move it. */
  findPlace(link: HTMLElement): TimelinePlace | undefined
  move(booking: string, place: TimelinePlace): void
}

export function readHours(table: HTMLElement): MinuteRange {
  return { from: Number(table.dataset.from), to: Number(table.dataset.to) }
}

/** Returns the start of the quarter of an hour at this position. */
function findMinute(row: HTMLTableRowElement, clientX: number): number {
  const table = row.closest('table')
  if (!table) return 0
  const { from, to } = readHours(table)
  const { left, width } = measureTrack(row)
  const minute = from + ((clientX - left) / width) * (to - from)
  return clamp(Math.floor(minute / QUARTER_MINUTES) * QUARTER_MINUTES, from, to - QUARTER_MINUTES)
}

/** Returns the part of a row that shows hours, without the row's name. */
function measureTrack({ cells }: HTMLTableRowElement): { left: number; width: number } {
  const left = cells[1]?.getBoundingClientRect().left ?? 0
  const right = cells[cells.length - 1]?.getBoundingClientRect().right ?? 0
  return { left, width: right - left }
}

export function findEnclosingRow(element: Element | null | undefined): HTMLTableRowElement | null {
  return element?.closest<HTMLTableRowElement>('tr[data-bookable]') ?? null
}

/** Finds the current row of a bookable. */
export function findRow(box: HTMLElement, bookable: string): HTMLTableRowElement | null {
  return box.querySelector(`tr[data-bookable="${bookable}"]`)
}

/** Returns where a booking is, according to its link. */
export function readPlace(link: HTMLElement): TimelinePlace | undefined {
  const row = findEnclosingRow(link)
  const { starts, ends } = link.dataset
  return row ? { ...readBookable(row), from: Number(starts), to: Number(ends) } : undefined
}

export function readBookable({ dataset: { bookable = '', name = '' } }: HTMLTableRowElement) {
  return { bookable, name }
}

/** Formats a time for datetime-local fields. */
export function formatLocalTime(table: HTMLElement, minute: number): string {
  const date = new Date(`${table.dataset.date}T00:00Z`)
  return new Date(date.getTime() + minute * 60_000).toISOString().slice(0, 16)
}

type TimelineDrag = {
  kind: 'make' | 'move' | 'start' | 'end'
  link: HTMLAnchorElement
  first: number
  place: TimelinePlace
  /** The free time around a new booking. */
  open: { from: number; to: number }
}

const EDGE_PX = 8
const ROOM_TYPE = '2'
const HOUR_MINUTES = 60
const EVENING_MINUTE = 17 * HOUR_MINUTES

export function watchDragging(box: HTMLElement, timeline: Timeline) {
  const ghost = document.createElement('div')
  ghost.className = 'timeline-ghost'
  ghost.hidden = true
  box.append(ghost)

  watchDrags(box, (start) => {
    const drag =
      start.pointerType === 'touch' || hasNewTabModifier(start) ? undefined : beginDrag(start, timeline)
    if (!drag) return undefined
    let shown = drag.place
    return {
      move(event) {
        shown = findPlaceDuringDrag(box, drag, event) ?? shown
        showGhost(box, ghost, shown)
      },
      drop: () => finishDrag(drag, shown, timeline),
      end() {
        ghost.hidden = true
      },
    }
  })

  // A click or tap books from the time at that point. If the link is opened with the keyboard, its address
  // stays unchanged.
  box.addEventListener('click', (event) => {
    const link = closestElement<HTMLAnchorElement>(event, 'a[data-open]')
    const row = findEnclosingRow(link)
    if (link && row && event.detail > 0)
      link.href = formatBookingAddress(link, row, findMinute(row, event.clientX))
  })
}

function beginDrag(event: PointerEvent, timeline: Timeline): TimelineDrag | undefined {
  const link = closestElement<HTMLAnchorElement>(event, 'a')
  const row = findEnclosingRow(link)
  if (!link || !row) return undefined
  const x = event.clientX
  const first = findMinute(row, x)
  const open = readOpenTime(link)
  if (link.dataset.open !== undefined) {
    const place = { ...readBookable(row), from: first, to: first + QUARTER_MINUTES }
    return { kind: 'make', link, first, place, open }
  }
  const place = timeline.findPlace(link)
  if (!place) return undefined
  const { left, right } = link.getBoundingClientRect()
  const kind = right - x < EDGE_PX ? 'end' : x - left < EDGE_PX ? 'start' : 'move'
  return { kind, link, first, place, open }
}

/** Returns where the booking is during a drag. Returns undefined if its row no longer exists, because the
 * rows have been refreshed in the meantime. */
function findPlaceDuringDrag(
  box: HTMLElement,
  { kind, first, place, open }: TimelineDrag,
  event: PointerEvent,
) {
  const own = findRow(box, place.bookable)
  if (!own) return undefined
  const minute = findMinute(own, event.clientX)
  if (kind === 'make') {
    const [from, to] = [Math.min(first, minute), Math.max(first, minute) + QUARTER_MINUTES]
    return { ...place, from: Math.max(from, open.from), to: clamp(to, open.from + QUARTER_MINUTES, open.to) }
  }
  if (kind === 'end') return { ...place, to: Math.max(minute, place.from) + QUARTER_MINUTES }
  if (kind === 'start') return { ...place, from: Math.min(minute, place.to - QUARTER_MINUTES) }
  const row = findEnclosingRow(document.elementFromPoint(event.clientX, event.clientY)) ?? own
  // A dragged booking stays within its day.
  const by = clamp(minute - first, -place.from, DAY_MINUTES - place.to)
  return { ...readBookable(row), from: place.from + by, to: place.to + by }
}

function finishDrag({ kind, link, place }: TimelineDrag, shown: TimelinePlace, timeline: Timeline) {
  if (kind === 'make') return location.assign(formatAddress(link, shown))
  const isMoved = shown.bookable !== place.bookable || shown.from !== place.from || shown.to !== place.to
  if (isMoved) timeline.move(link.dataset.booking ?? '', shown)
}

function showGhost(box: HTMLElement, ghost: HTMLElement, { bookable, from, to }: TimelinePlace) {
  const row = findRow(box, bookable)
  const table = row?.closest('table')
  if (!row || !table) return
  const hours = readHours(table)
  const { left, width } = measureTrack(row)
  const { top, height } = row.getBoundingClientRect()
  const at = (minute: number) =>
    left + ((clamp(minute, hours.from, hours.to) - hours.from) / (hours.to - hours.from)) * width
  const position = { left: at(from), width: at(to) - at(from), top, height }
  ghost.hidden = false
  for (const [name, value] of Object.entries(position)) ghost.style.setProperty(name, `${value}px`)
}

const readOpenTime = (link: HTMLAnchorElement) => ({
  from: Number(link.dataset.open),
  to: Number(link.closest('td')?.dataset.to),
})

/** Returns the address for booking from this time on: an hour for a room and, for a desk, the rest of the
 * time that the link proposes. */
function formatBookingAddress(link: HTMLAnchorElement, row: HTMLTableRowElement, minute: number): string {
  const open = readOpenTime(link)
  const from = Math.max(minute, open.from)
  const wanted =
    row.dataset.type === ROOM_TYPE ? from + HOUR_MINUTES : from < EVENING_MINUTE ? EVENING_MINUTE : open.to
  return formatAddress(link, { from, to: Math.min(wanted, open.to) })
}

function formatAddress(link: HTMLAnchorElement, { from, to }: { from: number; to: number }): string {
  const table = link.closest('table')
  return table
    ? withQuery(link.href, { from: formatLocalTime(table, from), to: formatLocalTime(table, to) })
    : link.href
}
