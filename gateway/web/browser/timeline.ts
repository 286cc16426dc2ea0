// The timeline of a day: dragging creates, moves and resizes bookings, and arrow keys move from cell to cell.
// Without this script, each free segment links to a new booking, and each booking links to its page, where
// its time and place can be changed. Saves moved bookings with the form of the page. If a move is refused,
// shows the message and puts the booking back.
import './every-script.ts'
import { DAY_MINUTES, formatMinute, QUARTER_MINUTES } from '../pages/time/intervals.ts'
import { offerUndo } from './forms.ts'
import {
  ARROW_DIRECTIONS,
  announceToScreenReaders,
  closestElement,
  makeSingleTabStop,
  sendForm,
} from './shared/dom.ts'
import { t } from './shared/translate.ts'
import {
  findEnclosingRow,
  findRow,
  formatLocalTime,
  readBookable,
  readPlace,
  type Timeline,
  type TimelinePlace,
  watchDragging,
} from './timeline-drag.ts'

const CELL_SELECTOR = 'table.timeline td a'

function watchKeys({ part, findPlace, move }: Timeline) {
  const mark = makeSingleTabStop(part, CELL_SELECTOR, findLinkKey)
  // Restores the focus after the rows were refreshed. Finds a booking again wherever it is now.
  let hadFocus = false
  part.addEventListener('focusin', () => {
    hadFocus = true
  })
  new MutationObserver(() => {
    const stop = mark()
    if (hadFocus && document.activeElement === document.body) stop?.focus({ preventScroll: true })
  }).observe(part, { childList: true })

  part.addEventListener('keydown', (event) => {
    const link = closestElement<HTMLAnchorElement>(event, CELL_SELECTOR)
    const direction = ARROW_DIRECTIONS[event.key]
    if (!link || !direction || event.altKey || event.metaKey) return
    event.preventDefault()
    if (event.ctrlKey || event.shiftKey) change(link, direction, event.shiftKey)
    else findNext(link, direction)?.focus()
  })

  function change(link: HTMLElement, [across, down]: [number, number], isResized: boolean) {
    const place = findPlace(link)
    if (!place || (isResized && across === 0)) return
    const changed = isResized
      ? { ...place, to: place.to + across * QUARTER_MINUTES }
      : computeMovedPlace(part, place, across, down)
    if (!changed || changed.from < 0 || changed.to > DAY_MINUTES || changed.to <= changed.from) return
    move(link.dataset.booking ?? '', changed)
  }
}

function computeMovedPlace(
  part: HTMLElement,
  place: TimelinePlace,
  across: number,
  down: number,
): TimelinePlace | null {
  if (down === 0)
    return { ...place, from: place.from + across * QUARTER_MINUTES, to: place.to + across * QUARTER_MINUTES }
  const row = findSiblingRow(findRow(part, place.bookable), down)
  return row && { ...place, ...readBookable(row) }
}

function findNext(link: HTMLAnchorElement, [across, down]: [number, number]): HTMLElement | undefined {
  const row = findEnclosingRow(link)
  if (!row) return undefined
  const own = listLinks(row)
  if (across !== 0) return own[own.indexOf(link) + across]
  const middle = link.getBoundingClientRect().left + 1
  for (let other = findSiblingRow(row, down); other; other = findSiblingRow(other, down)) {
    const links = listLinks(other)
    const at = links.find((each) => (each.closest('td')?.getBoundingClientRect().right ?? 0) > middle)
    if (links.length > 0) return at ?? links.at(-1)
  }
  return undefined
}

const findSiblingRow = (row: Element | null, down: number) =>
  findEnclosingRow(down > 0 ? row?.nextElementSibling : row?.previousElementSibling)

const listLinks = (row: Element) => [...row.querySelectorAll<HTMLAnchorElement>('td a')]

const findLinkKey = (link: HTMLAnchorElement) =>
  link.dataset.booking ?? `${findEnclosingRow(link)?.dataset.bookable} ${link.closest('td')?.dataset.to}`

const box = document.querySelector<HTMLElement>('[data-timeline]')
const part = box?.querySelector<HTMLElement>('[data-refresh]')
if (box && part) {
  const timeline = createTimeline(box, part)
  scrollToNow(box)
  box.addEventListener('pointerover', (event) => {
    const link = closestElement<HTMLAnchorElement>(event, 'td a')
    if (link) link.title = link.ariaLabel ?? ''
  })
  watchDragging(box, timeline)
  watchKeys(timeline)
}

/** On a narrow screen, scrolls so that the current time is in the middle. */
function scrollToNow(box: HTMLElement) {
  const line = box.querySelector('.now-line path')?.getBoundingClientRect()
  const scroll = box.querySelector('.timeline-scroll')
  if (line && scroll)
    scroll.scrollLeft = line.left - scroll.getBoundingClientRect().left - scroll.clientWidth / 2
}

function createTimeline(box: HTMLElement, part: HTMLElement): Timeline {
  const form = box.querySelector<HTMLFormElement>('[data-move] form')
  const notice = box.querySelector('[data-told]') as HTMLElement
  // The unsaved moves by booking. The next key press continues from them.
  const wanted = new Map<string, TimelinePlace>()
  let sending = Promise.resolve()
  let unsaved = 0
  // Forgets moves once the refreshed rows show everything that was saved.
  new MutationObserver(() => unsaved === 0 && wanted.clear()).observe(part, { childList: true })

  async function save(booking: string, place: TimelinePlace) {
    announceToScreenReaders(notice, t`Saving…`)
    const { name, from, to } = place
    const problem = await send(booking, place)
    unsaved--
    if (problem === undefined) {
      announceToScreenReaders(
        notice,
        t`Saved: ${name}, ${formatMinute(from)} to ${formatMinute(to)}.`,
        'good',
      )
      offerUndo(notice)
    } else {
      announceToScreenReaders(notice, t`Not saved. ${problem}`, 'bad')
      if (wanted.get(booking) === place) wanted.delete(booking)
    }
    // Refreshes once all moves are saved. An earlier refresh would show bookings at their old places.
    if (unsaved === 0) part.dispatchEvent(new Event('refresh'))
  }

  /** Saves a move. Returns the reason if it was refused. */
  async function send(booking: string, { bookable, from, to }: TimelinePlace): Promise<string | undefined> {
    const table = box.querySelector<HTMLElement>('table.timeline')
    if (!table || !form) return t`Could not save.`
    const fields = {
      booking,
      bookable,
      from_time: formatLocalTime(table, from),
      to_time: formatLocalTime(table, to),
    }
    return sendForm(form, (body) => {
      for (const [name, value] of Object.entries(fields)) body.set(name, value)
    })
  }

  return {
    part,
    findPlace(link) {
      const { booking } = link.dataset
      // The form is missing for viewers who may not change bookings.
      return form && booking !== undefined ? (wanted.get(booking) ?? readPlace(link)) : undefined
    },
    // Sends moves one after the other, so that the last move is stored last.
    move(booking, place) {
      wanted.set(booking, place)
      unsaved++
      sending = sending.then(() => save(booking, place))
    },
  }
}
