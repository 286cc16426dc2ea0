// Makes the cells of the timeline one stop of the Tab key: arrow keys move to the next cell, and up and down
// to the same time in another row. On a booking, Ctrl with an arrow key moves it, and Shift changes its
// length.
import { DAY, QUARTER } from '../day/intervals.ts'
import { ARROWS, closest, makeOneStop } from './dom.ts'
import { bookableOf, findRow, type Place, rowOf, type Timeline } from './timeline-grid.ts'

const CELL = 'table.timeline td a'

export function watchKeys({ part, findPlace, move }: Timeline) {
  const mark = makeOneStop(part, CELL, keyOf)
  // Refreshed rows have lost the focus. A booking is found again wherever it is now.
  let hadFocus = false
  part.addEventListener('focusin', () => {
    hadFocus = true
  })
  new MutationObserver(() => {
    const stop = mark()
    if (hadFocus && document.activeElement === document.body) stop?.focus({ preventScroll: true })
  }).observe(part, { childList: true })

  part.addEventListener('keydown', (event) => {
    const link = closest<HTMLAnchorElement>(event, CELL)
    const direction = ARROWS[event.key]
    if (!link || !direction || event.altKey || event.metaKey) return
    event.preventDefault()
    if (event.ctrlKey || event.shiftKey) change(link, direction, event.shiftKey)
    else findNext(link, direction)?.focus()
  })

  function change(link: HTMLElement, [across, down]: [number, number], isResized: boolean) {
    const place = findPlace(link)
    if (!place || (isResized && across === 0)) return
    const changed = isResized
      ? { ...place, to: place.to + across * QUARTER }
      : movePlace(part, place, across, down)
    if (!changed || changed.from < 0 || changed.to > DAY || changed.to <= changed.from) return
    move(link.dataset.booking ?? '', changed)
  }
}

function movePlace(part: HTMLElement, place: Place, across: number, down: number): Place | null {
  if (down === 0) return { ...place, from: place.from + across * QUARTER, to: place.to + across * QUARTER }
  const row = siblingOf(findRow(part, place.bookable), down)
  return row && { ...place, ...bookableOf(row) }
}

function findNext(link: HTMLAnchorElement, [across, down]: [number, number]): HTMLElement | undefined {
  const row = rowOf(link)
  if (!row) return undefined
  const own = linksOf(row)
  if (across !== 0) return own[own.indexOf(link) + across]
  const middle = link.getBoundingClientRect().left + 1
  for (let other = siblingOf(row, down); other; other = siblingOf(other, down)) {
    const links = linksOf(other)
    const at = links.find((each) => (each.closest('td')?.getBoundingClientRect().right ?? 0) > middle)
    if (links.length > 0) return at ?? links.at(-1)
  }
  return undefined
}

const siblingOf = (row: Element | null, down: number) =>
  rowOf(down > 0 ? row?.nextElementSibling : row?.previousElementSibling)

const linksOf = (row: Element) => [...row.querySelectorAll<HTMLAnchorElement>('td a')]

const keyOf = (link: HTMLAnchorElement) =>
  link.dataset.booking ?? `${rowOf(link)?.dataset.bookable} ${link.closest('td')?.dataset.from}`
