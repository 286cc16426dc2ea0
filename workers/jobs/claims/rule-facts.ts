// The rules that apply to a bookable and a user. Read together with the other facts of a booking; most places
// have no rules, and then nothing is read.
import { BOOKABLE_TYPES } from '../../../shared/bookables/bookables.ts'
import type { Closed } from '../../../shared/rules/closed.ts'
import type { Rules } from '../../../shared/rules/rules.ts'
import type { Transaction } from '../../runtime/context.ts'
import { queryAll } from '../../runtime/statements.ts'

/** SQL for the rules, null if none are set. Needs `users` and a bookable, its location and building. */
export const RULES = `
  CASE WHEN bookables.rules IS NOT NULL OR locations.rules IS NOT NULL OR buildings.rules IS NOT NULL
  THEN json_build_object(
    'bookable', json_build_object('id', bookables.id, 'name', bookables.name, 'type', bookables.type,
      'rules', bookables.rules),
    'location', json_build_object('id', locations.id, 'name', locations.name, 'rules', locations.rules),
    'building', json_build_object('id', buildings.id, 'name', buildings.name, 'rules', buildings.rules),
    'zone', buildings.timezone,
    'groups', ARRAY(SELECT group_id FROM group_members WHERE group_members.user_id = users.id)
  ) END`

/** For a statement that has a bookable id and selects RULES. */
export const joinPlaces = (bookableId: string) => `
  LEFT JOIN bookables ON bookables.id = ${bookableId}
  LEFT JOIN locations ON locations.id = bookables.location_id
  LEFT JOIN buildings ON buildings.id = locations.building_id`

type Place = { id: number; name: string; rules: Rules | null }

/** As RULES selects them. */
export type RulesRow = {
  bookable: Place & { type: number }
  location: Place
  building: Place
  zone: string
  groups: number[]
}

/** The effective rules: for each field the nearest place that sets it wins, even with a null. */
export type RuleFacts = {
  rules: Rules
  bookable: RulesRow['bookable']
  zone: string
  /** The user's groups. */
  groups: number[]
  /** The closed times of the bookable and of the places around it. */
  closed: Array<Closed & { name: string }>
  /** The place that sets the limit, within which a user's bookings are counted. */
  countedIn: { column: keyof PlaceIds; id: number; name: string }
  /** The bookable and the places around it. */
  places: PlaceIds
}

type PlaceIds = { bookables: number; locations: number; buildings: number }

export function ruleFacts(row: RulesRow | null | undefined): RuleFacts | undefined {
  if (!row) return undefined
  const { bookable, location, building, zone, groups } = row
  return {
    rules: { ...building.rules, ...location.rules, ...bookable.rules },
    bookable,
    zone,
    groups,
    closed: closedTimes(row),
    countedIn: countedIn(row),
    places: { bookables: bookable.id, locations: location.id, buildings: building.id },
  }
}

// Who works at home does not need the building.
function closedTimes({ bookable, location, building }: RulesRow): RuleFacts['closed'] {
  const places = bookable.type === BOOKABLE_TYPES.homeOffice ? [bookable] : [building, location, bookable]
  return places.flatMap(({ name, rules }) => (rules?.closed ?? []).map((each) => ({ ...each, name })))
}

/** For locked rooms, in the order of their ids; rooms without rules are left out. */
export async function findRoomRules(trx: Transaction, ids: number[], userId: number): Promise<RuleFacts[]> {
  const rows = await queryAll<{ rules: RulesRow | null }>(
    trx,
    `SELECT ${RULES} AS rules FROM unnest(CAST(:ids AS bigint[])) AS asked (bookable_id)
     JOIN users ON users.id = :userId ${joinPlaces('asked.bookable_id')} ORDER BY bookable_id`,
    { ids, userId },
  )
  return rows.map(({ rules }) => ruleFacts(rules)).filter((facts) => facts !== undefined)
}

function countedIn({ bookable, location, building }: RulesRow): RuleFacts['countedIn'] {
  const sets = ({ rules }: Place) => rules?.bookings_ahead_max !== undefined
  if (sets(bookable)) return { column: 'bookables', id: bookable.id, name: bookable.name }
  if (sets(location)) return { column: 'locations', id: location.id, name: location.name }
  return { column: 'buildings', id: building.id, name: building.name }
}
