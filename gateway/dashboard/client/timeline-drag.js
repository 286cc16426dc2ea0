// @ts-check
// Dragging on the timeline: a drag over free time books it, dragging the middle of a booking moves it, and
// dragging an edge changes its start or end. A finger scrolls; it taps to book or open.
import {
  bookableOf,
  DAY,
  hoursOf,
  localTime,
  minuteAt,
  QUARTER,
  rowNamed,
  rowOf,
  trackOf,
} from './timeline-grid.js'

/** @typedef {import('./timeline-grid.js').Place} Place */
/** @typedef {import('./timeline-save.js').Saving} Saving */
/** @typedef {{ kind: 'make' | 'move' | 'start' | 'end', link: HTMLAnchorElement, first: number, place: Place, open: { from: number, to: number }, x: number, y: number, isMoved: boolean, shown: Place }} Drag */

const EDGE_PX = 8
const MOVED_PX = 4
const ROOM = '2'
const HOUR = 60

/**
 * @param {HTMLElement} box
 * @param {Saving} saving
 */
export function watchDragging(box, saving) {
  const ghost = document.createElement('div')
  ghost.className = 'timeline-ghost'
  ghost.hidden = true
  box.append(ghost)
  /** @type {Drag | undefined} */
  let drag
  const end = () => {
    drag = undefined
    ghost.hidden = true
  }

  box.addEventListener('dragstart', (event) => event.preventDefault())
  box.addEventListener('pointerdown', (event) => {
    if (
      event.pointerType === 'touch' ||
      event.button !== 0 ||
      event.ctrlKey ||
      event.metaKey ||
      event.shiftKey
    )
      return
    drag = beginDrag(event, saving)
  })
  addEventListener('pointermove', (event) => {
    if (!drag) return
    if (!drag.isMoved && Math.hypot(event.clientX - drag.x, event.clientY - drag.y) <= MOVED_PX) return
    drag.isMoved = true
    drag.shown = placeWhile(box, drag, event)
    showGhost(box, ghost, drag.shown)
  })
  addEventListener('pointerup', () => {
    const done = drag
    end()
    if (!done?.isMoved) return
    box.addEventListener('click', stopClick, { capture: true, once: true })
    // If the drag causes no click, the next click must get through.
    setTimeout(() => box.removeEventListener('click', stopClick, { capture: true }))
    finishDrag(done, saving)
  })
  addEventListener('pointercancel', end)
  addEventListener('keydown', ({ key }) => key === 'Escape' && end())

  // A click or tap books from that time. Opened with a key, the link keeps its address.
  box.addEventListener('click', (event) => {
    const link = openLink(event.target)
    const row = rowOf(link ?? null)
    if (!link || !row || event.detail === 0) return
    link.href = addressFrom(link, row, minuteAt(row, event.clientX))
  })
}

/**
 * @param {PointerEvent} event
 * @param {Saving} saving
 * @returns {Drag | undefined}
 */
function beginDrag({ target, clientX: x, clientY: y }, saving) {
  const link = target instanceof Element ? target.closest('a') : null
  const row = rowOf(link)
  if (!link || !row) return undefined
  const first = minuteAt(row, x)
  const open = { from: Number(link.dataset.open), to: Number(link.closest('td')?.dataset.to) }
  if (link.dataset.open !== undefined) {
    const place = { ...bookableOf(row), from: first, to: first + QUARTER }
    return { kind: 'make', link, first, place, open, x, y, isMoved: false, shown: place }
  }
  const place = link.dataset.booking === undefined || !saving.isAllowed ? undefined : saving.placeOf(link)
  if (!place) return undefined
  const { left, right } = link.getBoundingClientRect()
  const kind = right - x < EDGE_PX ? 'end' : x - left < EDGE_PX ? 'start' : 'move'
  return { kind, link, first, place, open, x, y, isMoved: false, shown: place }
}

/**
 * The rows may have been refreshed during the drag, so the original row is looked up again.
 * @param {HTMLElement} box
 * @param {Drag} drag
 * @param {PointerEvent} event
 * @returns {Place}
 */
function placeWhile(box, { kind, first, place, open, shown }, { clientX, clientY }) {
  const own = rowNamed(box, place.bookable)
  if (!own) return shown
  const minute = minuteAt(own, clientX)
  if (kind === 'make') {
    const [from, to] = [Math.min(first, minute), Math.max(first, minute) + QUARTER]
    return {
      ...place,
      from: Math.max(from, open.from),
      to: Math.min(Math.max(to, open.from + QUARTER), open.to),
    }
  }
  if (kind === 'end') return { ...place, to: Math.max(minute + QUARTER, place.from + QUARTER) }
  if (kind === 'start') return { ...place, from: Math.min(minute, place.to - QUARTER) }
  const row = rowOf(document.elementFromPoint(clientX, clientY)) ?? own
  // The booking stays within its day.
  const by = Math.min(Math.max(minute - first, -place.from), DAY - place.to)
  return { ...bookableOf(row), from: place.from + by, to: place.to + by }
}

/**
 * @param {Drag} drag
 * @param {Saving} saving
 */
function finishDrag({ kind, link, place, shown }, saving) {
  if (kind === 'make') return location.assign(addressOf(link, shown))
  if (shown.bookable === place.bookable && shown.from === place.from && shown.to === place.to) return
  saving.move(link.dataset.booking ?? '', shown)
}

/**
 * @param {HTMLElement} box
 * @param {HTMLElement} ghost
 * @param {Place} place
 */
function showGhost(box, ghost, { bookable, from, to }) {
  const row = rowNamed(box, bookable)
  const table = row?.closest('table')
  if (!row || !table) return
  const hours = hoursOf(table)
  const { left, width } = trackOf(row)
  const around = row.getBoundingClientRect()
  const at = (/** @type {number} */ minute) =>
    left + ((Math.min(Math.max(minute, hours.from), hours.to) - hours.from) / (hours.to - hours.from)) * width
  ghost.hidden = false
  ghost.style.setProperty('left', `${at(from)}px`)
  ghost.style.setProperty('width', `${at(to) - at(from)}px`)
  ghost.style.setProperty('top', `${around.top}px`)
  ghost.style.setProperty('height', `${around.height}px`)
}

/** @param {EventTarget | null} target */
function openLink(target) {
  const link = target instanceof Element ? target.closest('a') : null
  return link?.dataset.open === undefined ? undefined : link
}

/**
 * Proposes an hour for a room, and for a desk the rest of what the link proposes.
 * @param {HTMLAnchorElement} link
 * @param {HTMLTableRowElement} row
 * @param {number} minute
 */
function addressFrom(link, row, minute) {
  const end = Number(link.closest('td')?.dataset.to)
  const from = Math.max(minute, Number(link.dataset.open))
  const evening = 17 * HOUR
  const wanted = row.dataset.type === ROOM ? from + HOUR : from < evening ? evening : end
  return addressOf(link, { ...bookableOf(row), from, to: Math.min(wanted, end) })
}

/**
 * @param {HTMLAnchorElement} link
 * @param {Place} place
 */
function addressOf(link, { from, to }) {
  const table = link.closest('table')
  const address = new URL(link.href)
  if (!table) return address.href
  address.searchParams.set('from', localTime(table, from))
  address.searchParams.set('to', localTime(table, to))
  return address.href
}

/** @param {Event} event */
function stopClick(event) {
  event.preventDefault()
  event.stopPropagation()
}
