// Finds who is in today: active users with a booking on their building's local day, by building, by floor,
// and at home. A user counts once per floor, however many bookings they have there. Attendees of an event who
// have no booking are not counted.
import type pg from 'pg'
import { claimsBetweenSql } from '../../../../shared/affected-bookings/claims.ts'
import { BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import { type Content, html } from '../../../html/html.ts'
import { localDaysSql } from '../../../reads/people/local-days.ts'
import { plural, t } from '../../locales/translate.ts'
import type { Call } from '../../pages/page/page.ts'
import { formatNumber, showLinkOrText } from '../../pages/ui/parts.ts'

/**
 * Somebody who is in today. `guest` is the name of the guest whom the booking is for. Most bookings need no check-in.
 */
type PresentPerson = { userId: number; name: string; guest: string | null; isIn: boolean; isLate: boolean }

/** How many people are in. `late` counts people who may check in by now and have not. `named` has the first
 * people by name. */
export type PresentCounts = { today: number; now: number; late: number; named: PresentPerson[] }

export type PeopleOfBuilding = {
  inside: PresentCounts
  home: PresentCounts
  locations: Map<number, PresentCounts>
}

const NAMED_PEOPLE_MAX = 12

const NO_PEOPLE: PresentCounts = { today: 0, now: 0, late: 0, named: [] }

const CLAIMS_SQL = claimsBetweenSql(
  '(SELECT min(starts) FROM days)',
  '(SELECT max(ends) FROM days)',
  'bookings.user_id IS NOT NULL',
).join(' UNION ALL ')

// Counts people by building, by location and, separately, at home.
const SELECT_PEOPLE = `
  WITH ${localDaysSql('$2::bigint IS NULL OR buildings.id = $2')}, present AS MATERIALIZED (
    SELECT locations.building_id, locations.id AS location_id, bookables.type = ${BOOKABLE_TYPES.homeOffice} AS is_home,
      claims.user_id, coalesce(claims.guest_name, claims.guest_email) AS guest,
      bool_or(claims.during @> $1::timestamptz) AS is_now, bool_or(claims.checked_in_at IS NOT NULL) AS is_in,
      bool_or(claims.checked_in_at IS NULL AND claims.released_at IS NULL AND claims.check_in_from <= $1::timestamptz
        AND NOT upper(claims.during) <= $1::timestamptz) AS is_late
    FROM (${CLAIMS_SQL}) AS claims
    JOIN bookables ON bookables.id = claims.bookable_id
    JOIN locations ON locations.id = bookables.location_id
    JOIN days ON days.id = locations.building_id AND claims.during && tstzrange(days.starts, days.ends)
    GROUP BY 1, 2, 3, 4, 5
  ), counted AS (
    SELECT building_id, NULL::bigint AS location_id, is_home, user_id, guest, bool_or(is_now) AS is_now, bool_or(is_in) AS is_in,
      coalesce(bool_or(is_late), false) AS is_late
    FROM present GROUP BY 1, 3, 4, 5
    UNION ALL
    SELECT building_id, location_id, is_home, user_id, guest, is_now, is_in, coalesce(is_late, false)
    FROM present WHERE NOT is_home
  ), ordered AS (
    SELECT counted.*, users.name,
      row_number() OVER (PARTITION BY building_id, location_id, is_home ORDER BY lower(users.name), user_id, guest NULLS FIRST) AS ordinal
    FROM counted JOIN users ON users.id = counted.user_id AND users.deactivated_at IS NULL
  )
  SELECT building_id AS "buildingId", location_id AS "locationId", is_home AS "isHome",
    count(*)::int AS today, (count(*) FILTER (WHERE is_now))::int AS now,
    (count(*) FILTER (WHERE is_late))::int AS late,
    json_agg(json_build_object('userId', user_id, 'name', name, 'guest', guest, 'isIn', is_in, 'isLate', is_late)
      ORDER BY ordinal)
      FILTER (WHERE ordinal <= ${NAMED_PEOPLE_MAX}) AS named
  FROM ordered GROUP BY 1, 2, 3`

type PresentCountsRow = PresentCounts & { buildingId: number; locationId: number | null; isHome: boolean }

export async function findPresentPeople(
  reads: pg.Pool,
  instant: string,
  building?: number,
): Promise<(id: number) => PeopleOfBuilding> {
  const { rows } = await reads.query<PresentCountsRow>({
    name: 'present-people',
    text: SELECT_PEOPLE,
    values: [instant, building ?? null],
  })
  const found = new Map<number, PeopleOfBuilding>()
  for (const { buildingId, locationId, isHome, ...people } of rows) {
    const of = found.get(buildingId) ?? { inside: NO_PEOPLE, home: NO_PEOPLE, locations: new Map() }
    found.set(buildingId, of)
    if (locationId !== null) of.locations.set(locationId, people)
    else if (isHome) of.home = people
    else of.inside = people
  }
  return (id) => found.get(id) ?? { inside: NO_PEOPLE, home: NO_PEOPLE, locations: new Map() }
}

export function describePresent({ today, now }: PresentCounts): string {
  if (today === 0) return t`Nobody has booked for today.`
  return plural(
    today,
    '# person is in today, {0} of them right now.',
    '# people are in today, {0} of them right now.',
    formatNumber(now),
  )
}

/** Shows first names, with the full name on hover and for screen readers. Two people with the same first name
 * are shown with their full names. */
export function showPresentPeople(
  call: Call,
  people: PresentCounts | undefined,
  where: { building: number; place?: string },
  namedMax = NAMED_PEOPLE_MAX,
): Content {
  if (!people) return null
  const { named, today } = people
  const shown = named.slice(0, namedMax)
  const firstNames = shown.map(({ name, guest }) => findFirstName(guest ?? name))
  const isShared = (name: string | undefined) => firstNames.filter((each) => each === name).length > 1
  const chips = shown.map((person, index) => {
    const firstName = firstNames[index]
    const label = describePerson(person)
    return html`<li>${showLinkOrText(
      call.link(`/people/${person.userId}`),
      isShared(firstName) ? (person.guest ?? person.name) : firstName,
      { class: person.isLate ? 'late' : person.isIn && 'in', title: label, 'aria-label': label },
    )}</li>`
  })
  const more = today - shown.length
  const others =
    more > 0 &&
    html`<li>${showLinkOrText(call.link('/bookings', where), plural(more, 'and # more', 'and # more'))}</li>`
  return html`<ul class="people">${chips}${others}</ul>`
}

const findFirstName = (name: string): string => name.split(' ')[0] ?? name

function describePerson({ name, guest, isIn, isLate }: PresentPerson): string {
  const who = guest === null ? name : t`${guest}, guest of ${name}`
  return isLate ? t`${who}, not checked in yet` : isIn ? t`${who}, checked in` : who
}
