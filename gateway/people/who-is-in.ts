// Who is in on a day: the person's favourites and the people of their groups, by floor, and who works at home. The reads of a person have only
// colleagues who let them see it (gateway/data/personal-limits.ts).
import { BOOKABLE_TYPES } from '../../shared/bookables/bookables.ts'
import { formatLocalDate } from '../../shared/schemas/wall-clock.ts'
import { type Html, html } from '../http/html.ts'
import type { Call } from '../pages/kit/page.ts'
import { plural, t } from '../pages/locales/translate.ts'
import * as rows from '../pages/search/rows.ts'
import { flag, number, text } from '../pages/search/rows.ts'
import { listSeats, type Seat } from '../pages/search/seats.ts'
import { showLink, showLinkOrText } from '../pages/ui/parts.ts'
import { formatSpan } from './show-bookings.ts'

export const COLLEAGUE = {
  id: number('users.id'),
  name: text('users.name'),
  isFavourite: flag('EXISTS (SELECT FROM favourite_colleagues WHERE colleague_id = users.id)'),
}
export type Colleague = rows.RowOf<typeof COLLEAGUE>
export type Present = { colleague: Colleague; seat: Seat }
type Floor = { name: string; people: Present[] }

const HOME = ''
const naturally = new Intl.Collator('en', { numeric: true })

const CIRCLE_MAX = 300

/** The favourites first. */
export const listCircle = ({ reads }: Pick<Call, 'reads'>): Promise<Colleague[]> =>
  rows.selectRows(
    reads,
    COLLEAGUE,
    `colleagues AS users WHERE id IN (SELECT colleague_id FROM favourite_colleagues) OR id IN (SELECT user_id FROM group_members)
     ORDER BY ${COLLEAGUE.isFavourite} DESC, name, id LIMIT ${CIRCLE_MAX}`,
  )

const PLACES: number[] = [BOOKABLE_TYPES.desk, BOOKABLE_TYPES.meetingRoom, BOOKABLE_TYPES.homeOffice]

export const isAtHome = ({ seat }: Present) => seat.type === BOOKABLE_TYPES.homeOffice

/** Those who have booked a desk, a room or a home office on that day, who is at home last. Who has left today already is not in. */
export async function listPresent(
  { reads }: Pick<Call, 'reads'>,
  circle: Colleague[],
  { at, isToday }: { at: string; isToday: boolean },
): Promise<Present[]> {
  const ids = circle.map(({ id }) => id)
  const seats = (await listSeats(reads, ids, at)).filter(
    ({ type, isAssigned, rank }) => PLACES.includes(type) && !isAssigned && (!isToday || rank < 2),
  )
  const present = circle.flatMap((colleague) => {
    const seat = seats.find(({ userId }) => userId === colleague.id)
    return seat ? [{ colleague, seat }] : []
  })
  return [...present.filter((each) => !isAtHome(each)), ...present.filter(isAtHome)]
}

/** In the order of buildings and floors, home offices last. */
function groupByFloor(present: Present[]): Floor[] {
  const floors = new Map<string, Floor>()
  for (const each of present) {
    const { location, building } = each.seat
    const key = isAtHome(each) ? HOME : `${building} ${location}`
    const name = isAtHome(each) ? t`Home office` : `${location}, ${building}`
    const floor = floors.get(key) ?? { name, people: [] }
    floor.people.push(each)
    floors.set(key, floor)
  }
  const rank = (key: string) => (key === HOME ? 1 : 0)
  return [...floors]
    .sort(([one], [other]) => rank(one) - rank(other) || naturally.compare(one, other))
    .map(([, floor]) => floor)
}

/** The names of each floor, and no more than fit a phone. */
export function showFloors(present: Present[], showPerson: (present: Present) => Html, max: number): Html {
  const shown = groupByFloor(present.slice(0, max))
  const more = present.length - max
  return html`${shown.map(
    ({
      name,
      people,
    }) => html`<section class="card my-floor"><h3>${name} <span class="soft">${people.length}</span></h3>
<ul>${people.map(showPerson)}</ul></section>`,
  )}${more > 0 && html`<p class="soft">${plural(more, 'and # more', 'and # more')}</p>`}`
}

export const showName = ({ name, isFavourite }: Colleague): Html =>
  html`${name}${isFavourite && html` <span class="my-star" role="img" aria-label="${t`favourite`}">★</span>`}`

/** With a link to what is free around them on that day, which defaults to today. */
export const showPerson = (call: Call, { colleague, seat }: Present, date?: string): Html =>
  html`<li><span>${showLinkOrText(call.link(`/people/${colleague.id}`), showName(colleague))}</span>
<span class="soft">${seat.type !== BOOKABLE_TYPES.homeOffice && html`${seat.bookable} · `}${formatSpan(seat, seat.zone, seat.from)}</span>${
    seat.type === BOOKABLE_TYPES.desk && showNear(call, colleague, seat, date)
  }</li>`

export function showNear(
  call: Call,
  { id, name }: Pick<Colleague, 'id' | 'name'>,
  { zone }: Seat,
  date = formatLocalDate(call.now, zone),
): Html | null {
  const address = call.link('/book', { with: id, date })
  return showLink(address, t`Book nearby`, { class: 'my-near', 'aria-label': `${t`Book nearby`}: ${name}` })
}
