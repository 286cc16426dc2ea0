// Who is in on a day: the person's favourites and the people of their groups, by floor, and those who work at home. The
// reads of a person include only colleagues who allow it (gateway/reads/limits/personal-limits.ts).
import { BOOKABLE_TYPES } from '../../../shared/bookables/bookables.ts'
import { formatLocalDate } from '../../../shared/schemas/wall-clock.ts'
import { type Html, html } from '../../html/html.ts'
import * as rows from '../../reads/rows/rows.ts'
import { flag, number, text } from '../../reads/rows/rows.ts'
import { plural, t } from '../locales/translate.ts'
import type { Call } from '../pages/page/page.ts'
import { type Seat, seatsOnDays } from '../pages/search/seats.ts'
import { showLink, showLinkOrText } from '../pages/ui/parts.ts'
import { formatSpan } from './show-bookings.ts'

export const COLLEAGUE = {
  id: number('users.id'),
  name: text('users.name'),
  isFavourite: flag('EXISTS (SELECT FROM favourite_colleagues WHERE colleague_id = users.id)'),
}
export type Colleague = rows.RowOf<typeof COLLEAGUE>
/** `seat` is the one on the day that is shown, and `daysIn` has the numbers of the days on which they are in the office. */
type Member = Colleague & { seat: Seat | null; daysIn: number[] }
export type Present = { colleague: Colleague; seat: Seat }
type Day = { at: string; isToday: boolean }
type Floor = { name: string; people: Present[] }

const HOME = ''
const naturally = new Intl.Collator('en', { numeric: true })

const CIRCLE_MAX = 300

const PLACES = [BOOKABLE_TYPES.desk, BOOKABLE_TYPES.meetingRoom, BOOKABLE_TYPES.homeOffice]

const MEMBER = {
  id: number('members.id'),
  name: text('members.name'),
  isFavourite: flag('members.is_favourite'),
  seat: rows.column<Seat | null>('members.seat'),
  daysIn: rows.column<number[]>("coalesce(members.days_in, '{}')"),
}

// $1 has the moments, and $2 the number of today, which excludes people who have left already. $3 is the number of the day shown.
const CIRCLE = `(
  SELECT users.id, users.name, ${COLLEAGUE.isFavourite} AS is_favourite FROM colleagues AS users
  JOIN (SELECT colleague_id AS id FROM favourite_colleagues UNION SELECT user_id FROM group_members) AS near ON near.id = users.id
  ORDER BY is_favourite DESC, name, id LIMIT ${CIRCLE_MAX})`
const SEATS = `
  SELECT "userId", (json_agg(row_to_json(earliest)) FILTER (WHERE day = $3::int)) -> 0 AS seat,
    array_agg(day) FILTER (WHERE type <> ${BOOKABLE_TYPES.homeOffice}) AS days_in FROM (
    SELECT DISTINCT ON (day, "userId") * FROM (${seatsOnDays('ARRAY(SELECT id FROM circle)', '$1::timestamptz[]')}) AS booked
    WHERE type IN (${PLACES.join(', ')}) AND (rank < 2 OR day <> $2::int)
    ORDER BY day, "userId", rank, "from", "bookableId"
  ) AS earliest GROUP BY "userId"`
const MEMBERS = `(WITH circle AS MATERIALIZED ${CIRCLE}, seated AS MATERIALIZED (${SEATS})
  SELECT circle.*, seated.seat, seated.days_in FROM circle LEFT JOIN seated ON seated."userId" = circle.id
  ) AS members ORDER BY is_favourite DESC, name, id`

/** The favourites first, each with the desk, room or home office that they have booked on the day of number `shown`. */
export const listCircle = ({ reads }: Pick<Call, 'reads'>, days: Day[], shown = 0): Promise<Member[]> =>
  rows.selectRows(reads, MEMBER, MEMBERS, [
    days.map(({ at }) => at),
    days.findIndex(({ isToday }) => isToday),
    shown,
  ])

export const isAtHome = ({ seat }: Present) => seat.type === BOOKABLE_TYPES.homeOffice

/** People with a seat on the day that is shown; those at home come last. */
export function listPresent(circle: Member[]): Present[] {
  const present = circle.flatMap(({ seat, ...colleague }) => (seat ? [{ colleague, seat }] : []))
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

/** Shows the names by floor, `max` of them at most. */
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

/** Links from a desk to what is free around it on `date`, which defaults to today. */
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
