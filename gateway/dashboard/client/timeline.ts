// The timeline of a day: dragging books, moves and resizes, and arrow keys move from cell to cell. Without
// this script, each free stretch is a link to a new booking, and each booking a link to its page, where its
// time and place can be changed. Saves moved bookings with the form of the page. If a move is refused, the
// message is shown and the booking stays where it was.
import { formatMinute } from '../day/intervals.ts'
import { announce, sendForm } from './dom.ts'
import { watchDragging } from './timeline-drag.ts'
import { localTime, type Place, placeOf, type Timeline } from './timeline-grid.ts'
import { watchKeys } from './timeline-keys.ts'
import { t } from './translate.ts'

const box = document.querySelector<HTMLElement>('[data-timeline]')
const part = box?.querySelector<HTMLElement>('[data-refresh]')
if (box && part) {
  const timeline = createTimeline(box, part)
  watchDragging(box, timeline)
  watchKeys(timeline)
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
