// The bar that filters the Book page by day, time and kind of place. One more button opens the choice of the floor, the
// equipment and the colleague to sit near. Each choice is in a panel that works without scripts.
import { BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import { formatLocalDate } from '../../../../shared/schemas/wall-clock.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import { type Sentence, sentence, t, translate } from '../../locales/translate.ts'
import type { Call } from '../../pages/page/page.ts'
import { END_OF_DAY } from '../../pages/time/fields.ts'
import { addDaysToDate, formatDate } from '../../pages/time/instants.ts'
import { showSearchForm } from '../../pages/ui/forms.ts'
import { showIcon } from '../../pages/ui/icons.ts'
import { showLinkOrText } from '../../pages/ui/parts.ts'
import { showTabs } from '../../pages/ui/tabs.ts'
import type { OccupiedSeat } from './seats.ts'
import { listSlotTimes, showTimeTabs } from './time-tabs.ts'
import {
  formatProposedStart,
  isMeetingRoomType,
  parseTags,
  type WantedPlace,
  type WantedQuery,
} from './wanted.ts'
import { findHourFromNow, formatShortSpan, listNextOpenDays } from './wanted-time.ts'

const OFFERED_DAYS = 5
const ROOM_SIZES = [2, 4, 6, 8, 12]
const NEAR_PEOPLE_MAX = 8

const PLACE_KINDS: Array<[type: number, label: Sentence]> = [
  [BOOKABLE_TYPES.desk, sentence`Desks`],
  [BOOKABLE_TYPES.meetingRoom, sentence`Rooms`],
  [BOOKABLE_TYPES.parkingSpot, sentence`Parking`],
  [BOOKABLE_TYPES.homeOffice, sentence`Home office`],
]

type BookCall = Call<unknown, WantedQuery>
/** The choices on the floor: the tags in use, and the colleagues who have a place. */
type FloorChoices = { tags: string[]; sitting: OccupiedSeat[] }

export function showSearchBar(call: BookCall, wanted: WantedPlace, { tags, sitting }: FloorChoices): Html {
  return html`<div class="my-bar" role="group" aria-label="${t`What to book`}"><div>${showDays(call, wanted)}${showTimes(call, wanted)}${showKinds(call, wanted)}</div>${showFilter(call, wanted, { tags, sitting })}</div>${isMeetingRoomType(wanted.type) && showSizes(call)}`
}

/** Marks the start as proposed, so that the page proposes the current time again on a floor in another time zone. */
const showProposedStart = (time: WantedPlace['time']): Html | false =>
  time.isNow && html`<input type="hidden" name="proposed" value="${formatProposedStart(time)}">`

/** Shows a button that opens a panel. Browsers open it without a script. */
const showPanel = (id: string, label: string, text: Content, content: Content): Html =>
  html`<button type="button" class="button quiet" popovertarget="${id}" aria-label="${label}">${text}</button>
<div id="${id}" class="card my-panel" popover role="dialog" aria-label="${label}">${content}</div>`

function showDays(call: BookCall, { floor, time, companion }: WantedPlace): Html {
  // Links to other days leave out the floor, because the colleague may be on another floor on that day.
  const elsewhere = companion && { location: null }
  const today = formatLocalDate(call.now, floor.zone)
  const names: Record<string, string> = { [today]: t`Today`, [addDaysToDate(today, 1)]: t`Tomorrow` }
  const label = (date: string) => names[date] ?? formatDate(date, 'weekday')
  const address = (date: string) =>
    call.linkHere({ date, from: null, to: null, near: null, all: null, now: null, ...elsewhere })
  const open = listNextOpenDays(floor, call.now, OFFERED_DAYS + 1)
  const [before, after] = [
    open.findLast((date) => date < time.date),
    open.find((date) => date > time.date) ?? addDaysToDate(time.date, 1),
  ]
  const days = [...new Set([...open.slice(0, OFFERED_DAYS), time.date])].sort()
  const step = (date: string, sign: string, words: string) =>
    showLinkOrText(address(date), sign, { class: 'button quiet my-step', 'aria-label': words })
  const list = showTabs(
    t`Day`,
    days.map((date) => ({ label: label(date), address: address(date), isCurrent: date === time.date })),
  )
  const other = showSearchForm(omitProposedStart(call), t`Show`, (fields) => [
    fields.text('date', t`Another day`, { type: 'date', value: time.date, required: true }),
  ])
  return html`<span class="my-steps">${before !== undefined && step(before, '‹', t`Previous day: ${label(before)}`)}${showPanel('choose-day', t`Day: ${label(time.date)}`, label(time.date), html`${list}${other}`)}${step(after, '›', t`Next day: ${label(after)}`)}</span>`
}

function showTimes(call: BookCall, { floor, time, type }: WantedPlace): Html {
  const isShort = isMeetingRoomType(type)
  const slotTimes = listSlotTimes(floor)
  const now = {
    label: t`Now`,
    address: call.linkHere({ ...findHourFromNow(floor, call.now), near: null, all: null }),
    isCurrent: time.isNow,
  }
  const tabs = showTimeTabs(call, floor, time, { isShort, before: isShort && !slotTimes ? [now] : [] })
  const until = time.query.to === END_OF_DAY ? '23:59' : time.query.to
  const form = showSearchForm(omitProposedStart(call), t`Show`, (fields) => [
    showProposedStart(time),
    slotTimes
      ? fields.select('from', t`From`, { options: slotTimes.from, value: time.query.from })
      : fields.text('from', t`From`, { type: 'time', value: time.query.from, required: true }),
    slotTimes
      ? fields.select('to', t`Until`, { options: slotTimes.to, value: time.query.to })
      : fields.text('to', t`Until`, { type: 'time', value: until, required: true }),
  ])
  const shown = formatShortSpan(time.query)
  return showPanel('choose-time', t`Time: ${shown}`, shown, html`${tabs}${form}`)
}

function showKinds(call: BookCall, { type, floors }: WantedPlace): Html | false {
  const present = PLACE_KINDS.filter(([kind]) => floors.some(({ types }) => types.includes(kind)))
  if (present.length < 2) return false
  const others = { from: null, to: null, near: null, with: null, all: null, people: null, tags: null }
  const items = present.map(([kind, label]) => ({
    label: translate(label),
    address: call.linkHere({ type: kind, location: null, ...others }),
    isCurrent: kind === type,
  }))
  const current = items.find(({ isCurrent }) => isCurrent)?.label ?? ''
  return showPanel('choose-kind', t`Kind: ${current}`, current, showTabs(t`What to book`, items))
}

const showSizes = (call: BookCall): Html =>
  showTabs(
    t`For how many people`,
    ROOM_SIZES.map((people) => ({
      label: t`for ${people}`,
      address: call.linkHere({ people, all: null }),
      isCurrent: call.query.people === people,
    })),
  )

/** Shows the floor, the equipment and the colleagues behind one button, which counts the filters in use. */
function showFilter(call: BookCall, wanted: WantedPlace, { tags, sitting }: FloorChoices): Html {
  const { floors, floor, type } = wanted
  const possible = floors.filter(({ types }) => types.includes(type))
  const options = [...new Set(possible.map(({ building }) => building))].flatMap((group) =>
    possible
      .filter(({ building }) => building === group)
      .map(({ locationId, location }) => ({ value: locationId, label: location, group })),
  )
  const form = showSearchForm(omitProposedStart(call), t`Show`, (fields) => [
    showProposedStart(wanted.time),
    fields.select('location', t`Floor`, { options, value: floor.locationId, required: true }),
    isMeetingRoomType(type) && fields.text('people', t`For how many people`, { type: 'number', min: 1 }),
  ])
  const near = type === BOOKABLE_TYPES.desk && showNear(call, wanted, sitting)
  const count = parseTags(call.query).length + (wanted.near === undefined ? 0 : 1)
  const label = count > 0 ? t`Filter (${count})` : t`Filter`
  const text = html`${showIcon(call.link(''), 'filter')}${count > 0 && html` <span class="count">${count}</span>`}`
  const equipment = tags.length > 0 && html`<h2>${t`Equipment`}</h2>${showTags(call, tags)}`
  return showPanel('choose-filter', label, text, html`${form}${equipment}${near}`)
}

/** Shows each tag as a link that adds it to the search or removes it. */
function showTags(call: BookCall, tags: string[]): Html {
  const chosen = parseTags(call.query)
  return showTabs(
    t`Equipment`,
    tags.map((tag) => {
      const others = chosen.filter((each) => each !== tag)
      const isCurrent = others.length < chosen.length
      const next = isCurrent ? others : [...chosen, tag]
      return { label: tag, isCurrent, address: call.linkHere({ tags: next.join() || null, all: null }) }
    }),
  )
}

/** Shows favourites and group members as links that find places near them. */
function showNear(call: BookCall, { floor, time, near }: WantedPlace, sitting: OccupiedSeat[]): Html | false {
  const known = sitting.filter(
    ({ who, hasLeft, isFavouriteOrInGroup }) => who !== null && !hasLeft && isFavouriteOrInGroup,
  )
  const here = { ...time.query, location: floor.locationId, all: null }
  const items = known.slice(0, NEAR_PEOPLE_MAX).map(({ who, userId, seatId }) => {
    const isCurrent = seatId === near
    const chosen = isCurrent ? { with: null, near: null } : { with: userId, near: seatId }
    return { label: who ?? '', isCurrent, address: call.linkHere({ ...here, ...chosen }) }
  })
  return items.length > 0 && html`<h2>${t`Sit near`}</h2>${showTabs(t`Sit near`, items)}`
}

/** Returns a call whose links and forms leave out the proposed start, because the person chooses another start. */
const omitProposedStart = (call: BookCall): BookCall => ({
  ...call,
  linkHere: (changes) => call.linkHere({ ...changes, proposed: null }),
})
