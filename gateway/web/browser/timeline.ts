// The timeline of a day: dragging books, moves and resizes, and arrow keys move from cell to cell. Without
// this script, each free stretch is a link to a new booking, and each booking a link to its page, where its
// time and place can be changed. Saves moved bookings with the form of the page. If a move is refused, the
// message is shown and the booking stays where it was.
import { DAY, formatMinute, QUARTER } from '../pages/time/intervals.ts'
import { offerUndo } from './forms.ts'
import { ARROWS, announce, closest, makeOneStop, sendForm } from './shared/dom.ts'
import { t } from './shared/translate.ts'
import {
  bookableOf,
  findRow,
  localTime,
  type Place,
  placeOf,
  rowOf,
  type Timeline,
  watchDragging,
} from './timeline-drag.ts'

const CELL = 'table.timeline td a'

function watchKeys({ part, findPlace, move }: Timeline) {
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
  link.dataset.booking ?? `${rowOf(link)?.dataset.bookable} ${link.closest('td')?.dataset.to}`

const box = document.querySelector<HTMLElement>('[data-timeline]')
const part = box?.querySelector<HTMLElement>('[data-refresh]')
if (box && part) {
  const timeline = createTimeline(box, part)
  scrollToNow(box)
  box.addEventListener('pointerover', (event) => {
    const link = closest<HTMLAnchorElement>(event, 'td a')
    if (link) link.title = link.ariaLabel ?? ''
  })
  watchDragging(box, timeline)
  watchKeys(timeline)
}

/** On a narrow screen, now is in the middle. */
function scrollToNow(box: HTMLElement) {
  const line = box.querySelector('.now-line path')?.getBoundingClientRect()
  const scroll = box.querySelector('.timeline-scroll')
  if (line && scroll)
    scroll.scrollLeft = line.left - scroll.getBoundingClientRect().left - scroll.clientWidth / 2
}

function createTimeline(box: HTMLElement, part: HTMLElement): Timeline {
  const form = box.querySelector<HTMLFormElement>('[data-move] form')
  const notice = box.querySelector('[data-told]') as HTMLElement
  // Unsaved moves, from which the next key press continues.
  const wanted = new Map<string, Place>()
  let sending = Promise.resolve()
  let unsaved = 0
  // The rows now show everything that was saved.
  new MutationObserver(() => unsaved === 0 && wanted.clear()).observe(part, { childList: true })

  async function save(booking: string, place: Place) {
    announce(notice, t`Saving…`)
    const { name, from, to } = place
    const problem = await send(booking, place)
    unsaved--
    if (problem === undefined) {
      announce(notice, t`Saved: ${name}, ${formatMinute(from)} to ${formatMinute(to)}.`, 'good')
      offerUndo(notice)
    } else {
      announce(notice, t`Not saved. ${problem}`, 'bad')
      if (wanted.get(booking) === place) wanted.delete(booking)
    }
    // An earlier refresh would show bookings at their old places.
    if (unsaved === 0) part.dispatchEvent(new Event('refresh'))
  }

  /** Returns what prevents the move, if anything. */
  async function send(booking: string, { bookable, from, to }: Place): Promise<string | undefined> {
    const table = box.querySelector<HTMLElement>('table.timeline')
    if (!table || !form) return t`Could not save.`
    const fields = { booking, bookable, from_time: localTime(table, from), to_time: localTime(table, to) }
    return sendForm(form, (body) => {
      for (const [name, value] of Object.entries(fields)) body.set(name, value)
    })
  }

  return {
    part,
    findPlace(link) {
      const { booking } = link.dataset
      // Viewers who may not change bookings have no form.
      return form && booking !== undefined ? (wanted.get(booking) ?? placeOf(link)) : undefined
    },
    // Sent one after the other, so that the last move is stored last.
    move(booking, place) {
      wanted.set(booking, place)
      unsaved++
      sending = sending.then(() => save(booking, place))
    },
  }
}
