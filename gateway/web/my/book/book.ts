// Book: a day, a floor, and what is free there for the signed-in person.
import { BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import type { RefusalCode } from '../../../../shared/messages/refusal.ts'
import { formatLocalDate } from '../../../../shared/schemas/wall-clock.ts'
import { type Html, html } from '../../../html/html.ts'
import { type Sentence, sentence, t, translate } from '../../locales/translate.ts'
import { type Call, page, type View } from '../../pages/page/page.ts'
import { END_OF_DAY } from '../../pages/time/fields.ts'
import { addDaysToDate, formatDate } from '../../pages/time/instants.ts'
import { formatZone } from '../../pages/time/zones.ts'
import { formatPlace } from '../../pages/ui/bookables.ts'
import { searchForm } from '../../pages/ui/forms.ts'
import { showLinkOrText } from '../../pages/ui/parts.ts'
import { showEmpty } from '../../pages/ui/states.ts'
import { tabs } from '../../pages/ui/tabs.ts'
import { showFloorMap } from './floor-map.ts'
import { showSeats, showSitting } from './seat-list.ts'
import { findOwnAt, listFreeSeats, listSitting, listTags } from './seats.ts'
import { showNothingFree } from './show-nothing-free.ts'
import {
  findWanted,
  isForMeetings,
  proposedStart,
  tagsIn,
  type Wanted,
  type WantedQuery,
  wantedQuery,
} from './wanted.ts'
import { formatWanted, nextDays, nextHour } from './wanted-time.ts'
import { findReason } from './why-not.ts'

const SHOWN = 20
const SHOWN_MAX = 100
const DAYS = 5

const CLOSING: RefusalCode[] = ['closed', 'outside_opening_hours']

const KINDS: Array<[type: number, label: Sentence]> = [
  [BOOKABLE_TYPES.desk, sentence`Desks`],
  [BOOKABLE_TYPES.meetingRoom, sentence`Rooms`],
  [BOOKABLE_TYPES.parkingSpot, sentence`Parking`],
  [BOOKABLE_TYPES.homeOffice, sentence`Home office`],
]

export const book = page({
  path: '/book',
  title: sentence`Book`,
  section: 'Book',
  query: wantedQuery,
  async show(call): Promise<View> {
    const wanted = await findWanted(call)
    if (!wanted) return { content: showEmpty(t`There is nothing to book yet.`) }
    const { floor, time, type, near, companion } = wanted
    const { all, people, map } = call.query
    const tags = tagsIn(call.query)
    const limit = all ? SHOWN_MAX : SHOWN
    const here = { location: floor.locationId, type }
    const [free, sitting, own, present] = await Promise.all([
      time.to > call.now ? listFreeSeats(call, { ...here, near, people, tags }, time, limit + 1) : [],
      listSitting(call, here, time),
      findOwnAt(call, type, time),
      listTags(call, here),
    ])
    const beside = sitting.find(({ seatId, hasLeft }) => seatId === near && !hasLeft)
    const reason = free.length === 0 ? await findReason(call, here, time) : undefined
    const isClosed = reason !== undefined && CLOSING.includes(reason.code)
    return {
      lead: html`${formatWanted(time)}${wanted.floors.some(({ zone }) => zone !== floor.zone) && ` (${formatZone(floor.zone)})`} · ${floor.location}, ${floor.building}`,
      content: html`${showKinds(call, wanted)}${showDays(call, wanted)}${isForMeetings(type) && showSizes(call)}<div class="my-tools">${showLinkOrText(call.linkHere({ map: map ? null : 'true' }), map ? t`Hide map` : t`Map`, { class: 'button quiet' })}${showChoices(call, wanted, present)}</div>
${map && (await showFloorMap(call, wanted, sitting, near))}
${tags.length > 0 && showTags(call, tags)}
${beside && html`<p>${t`The nearest to ${beside.who ?? t`Someone`}, ${beside.seat}, come first.`}${beside.isAssigned && html` ${t`It is their own desk, so nobody knows whether they are in.`}`}</p>`}
${companion && !companion.seat && html`<p>${t`${companion.name} has no desk on this day.`}</p>`}
${own && html`<p class="soft">${t`You already have ${formatPlace(own)} at that time.`}</p>`}
${free.length === 0 ? await showNothingFree(call, wanted, { people, reason }) : showSeats(call, free.slice(0, limit), time, floor.locationId)}
${free.length > limit && !all && html`<p>${showLinkOrText(call.linkHere({ all: 'true' }), t`Show more`, { class: 'button quiet' })}</p>`}
${showSitting(call, sitting, wanted, { isClosed, isOffered: free.length > 0 })}`,
    }
  },
})

function showKinds(call: Call, { type, floors }: Wanted): Html | false {
  const present = KINDS.filter(([kind]) => floors.some(({ types }) => types.includes(kind)))
  if (present.length < 2) return false
  return tabs(
    t`What to book`,
    present.map(([kind, label]) => ({
      label: translate(label),
      address: call.linkHere({
        type: kind,
        location: null,
        from: null,
        to: null,
        near: null,
        with: null,
        all: null,
        people: null,
        tags: null,
      }),
      isCurrent: kind === type,
    })),
  )
}

function showDays(call: Call, { floor, time, type, companion }: Wanted): Html {
  // On another day the colleague may be on another floor.
  const elsewhere = companion && { location: null }
  const today = formatLocalDate(call.now, floor.zone)
  const labels: Record<string, string> = { [today]: t`Today`, [addDaysToDate(today, 1)]: t`Tomorrow` }
  const days = [...new Set([...nextDays(floor, call.now, DAYS), time.date])].sort()
  const isNow = isForMeetings(type) && time.isNow
  const now = {
    label: t`Now`,
    address: call.linkHere({ ...nextHour(floor, call.now), near: null, all: null }),
  }
  return tabs(t`Day`, [
    ...(isForMeetings(type) ? [{ ...now, isCurrent: isNow }] : []),
    ...days.map((date) => ({
      label: labels[date] ?? formatDate(date, 'weekday'),
      address: call.linkHere({ date, from: null, to: null, near: null, all: null, ...elsewhere }),
      isCurrent: date === time.date && !isNow,
    })),
  ])
}

const SIZES = [2, 4, 6, 8, 12]

const showSizes = (call: Call<unknown, WantedQuery>): Html =>
  tabs(
    t`For how many people`,
    SIZES.map((people) => ({
      label: t`for ${people}`,
      address: call.linkHere({ people, all: null }),
      isCurrent: call.query.people === people,
    })),
  )

/** Shows each tag as a link that adds it to the search or removes it. */
function showTags(call: Call<unknown, WantedQuery>, tags: string[]): Html {
  const chosen = tagsIn(call.query)
  return tabs(
    t`Equipment`,
    tags.map((tag) => {
      const others = chosen.filter((each) => each !== tag)
      const isCurrent = others.length < chosen.length
      const next = isCurrent ? others : [...chosen, tag]
      return { label: tag, isCurrent, address: call.linkHere({ tags: next.join() || null, all: null }) }
    }),
  )
}

function showChoices(
  call: Call<unknown, WantedQuery>,
  { floors, floor, time, type }: Wanted,
  tags: string[],
): Html {
  const possible = floors.filter(({ types }) => types.includes(type))
  const options = [...new Set(possible.map(({ building }) => building))].flatMap((group) =>
    possible
      .filter(({ building }) => building === group)
      .map(({ locationId, location }) => ({ value: locationId, label: location, group })),
  )
  const until = time.query.to === END_OF_DAY ? '23:59' : time.query.to
  const withoutProposed = {
    ...call,
    linkHere: (changes: Parameters<Call['linkHere']>[0]) => call.linkHere({ ...changes, proposed: null }),
  }
  const chosen = searchForm(withoutProposed, t`Show`, (fields) => [
    time.isNow && html`<input type="hidden" name="proposed" value="${proposedStart(time)}">`,
    fields.select('location', t`Floor`, { options, value: floor.locationId, required: true }),
    fields.text('date', t`Day`, { type: 'date', value: time.date, required: true }),
    fields.text('from', t`From`, { type: 'time', value: time.query.from, required: true }),
    fields.text('to', t`Until`, { type: 'time', value: until, required: true }),
    isForMeetings(type) && fields.text('people', t`For how many people`, { type: 'number', min: 1 }),
  ])
  const open = call.refusedQuery !== undefined
  return html`<details class="my-choices"${open && html` open`}><summary class="button quiet">${tags.length > 0 ? t`Floor, time, equipment` : t`Floor and time`}</summary>${chosen}${tags.length > 0 && showTags(call, tags)}</details>`
}
