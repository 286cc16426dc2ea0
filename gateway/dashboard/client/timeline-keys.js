// @ts-check
// Makes the cells of the timeline one stop of the Tab key: arrow keys move to the next cell, and up and down
// to the same time in another row. On a booking, Ctrl with an arrow key moves it, and Shift changes its
// length.
import { bookableOf, DAY, QUARTER, rowNamed, rowOf } from './timeline-grid.js'

/** @typedef {import('./timeline-save.js').Saving} Saving */
/** @typedef {import('./timeline-grid.js').Place} Place */

/** @type {Record<string, [across: number, down: number]>} */
const DIRECTIONS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }

/** @param {Saving} saving */
export function watchKeys(saving) {
  const { part } = saving
  /** The key of the focused cell. A booking is found again wherever it is now. */
  let current = ''
  mark()
  new MutationObserver(() => {
    const wasLost = document.activeElement === document.body && current !== ''
    const stop = mark()
    if (wasLost) stop?.focus({ preventScroll: true })
  }).observe(part, { childList: true })

  part.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof HTMLAnchorElement) || !isCell(target)) return
    current = keyOf(target)
    mark()
  })
  part.addEventListener('keydown', (event) => {
    const link = event.target
    const direction = DIRECTIONS[event.key]
    if (!(link instanceof HTMLAnchorElement) || !isCell(link) || !direction || event.altKey || event.metaKey)
      return
    event.preventDefault()
    if (event.ctrlKey || event.shiftKey) return change(link, direction, event.shiftKey)
    next(link, direction)?.focus()
  })

  function listCells() {
    return /** @type {HTMLAnchorElement[]} */ ([...part.querySelectorAll('table.timeline td a')])
  }

  function mark() {
    const cells = listCells()
    const stop = cells.find((each) => keyOf(each) === current) ?? cells[0]
    for (const cell of cells) cell.tabIndex = cell === stop ? 0 : -1
    return stop
  }

  /**
   * @param {HTMLAnchorElement} link
   * @param {[number, number]} direction
   * @param {boolean} isResized
   */
  function change(link, [across, down], isResized) {
    const place = link.dataset.booking === undefined || !saving.isAllowed ? undefined : saving.placeOf(link)
    if (!place) return
    const changed = isResized
      ? { ...place, to: place.to + across * QUARTER }
      : moved(part, place, across, down)
    const isSame = isResized && across === 0
    if (!changed || isSame || changed.from < 0 || changed.to > DAY || changed.to <= changed.from) return
    saving.move(link.dataset.booking ?? '', changed)
  }
}

/**
 * @param {HTMLElement} part
 * @param {Place} place
 * @param {number} across
 * @param {number} down
 */
function moved(part, place, across, down) {
  if (down === 0) return { ...place, from: place.from + across * QUARTER, to: place.to + across * QUARTER }
  const row = sibling(rowNamed(part, place.bookable), down)
  return row && { ...place, ...bookableOf(row) }
}

/**
 * @param {HTMLAnchorElement} link
 * @param {[number, number]} direction
 */
function next(link, [across, down]) {
  const row = rowOf(link)
  if (!row) return undefined
  const own = linksOf(row)
  if (across !== 0) return own[own.indexOf(link) + across]
  const middle = link.getBoundingClientRect().left + 1
  for (let other = sibling(row, down); other; other = sibling(other, down)) {
    const links = linksOf(other)
    const at = links.find((each) => (each.closest('td')?.getBoundingClientRect().right ?? 0) > middle)
    if (links.length > 0) return at ?? links.at(-1)
  }
  return undefined
}

/**
 * @param {HTMLTableRowElement | undefined} row
 * @param {number} down
 */
function sibling(row, down) {
  return rowOf((down > 0 ? row?.nextElementSibling : row?.previousElementSibling) ?? null)
}

/** @param {HTMLTableRowElement} row */
function linksOf(row) {
  return /** @type {HTMLAnchorElement[]} */ ([...row.querySelectorAll('td a')])
}

/** @param {HTMLAnchorElement} link */
function isCell(link) {
  return link.closest('table.timeline td') !== null
}

/** @param {HTMLAnchorElement} link */
function keyOf(link) {
  const { booking } = link.dataset
  return booking ?? `${rowOf(link)?.dataset.bookable} ${link.closest('td')?.dataset.from}`
}
