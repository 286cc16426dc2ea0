// Which rules hold for a bookable and a user. They are read beside what else is looked at before a booking; most places
// have none, and then there is nothing to read.
import type { Closed } from '../../../shared/contracts/rules/closed.ts'
import type { Rules } from '../../../shared/contracts/rules/rules.ts'
import type { Transaction } from '../../context.ts'

/** SQL, null where nothing is set: of `users`, and of a bookable that is joined with its location and building. */
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

/** For a statement that knows a bookable and selects RULES. */
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

/** What is set, the nearest first: a null of a nearer place is not looked past. */
export type RuleFacts = {
  rules: Rules
  bookable: RulesRow['bookable']
  zone: string
  /** Those of the user. */
  groups: number[]
  /** Of the bookable, and of all that it lies in. */
  closed: Array<Closed & { name: string }>
  /** Where the bookings of a user are counted: the place that sets the limit. */
  countedIn: { column: keyof PlaceIds; id: number; name: string }
  /** The bookable, and what it lies in. */
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
    closed: [building, location, bookable].flatMap(({ name, rules }) =>
      (rules?.closed ?? []).map((each) => ({ ...each, name })),
    ),
    countedIn: countedIn(row),
    places: { bookables: bookable.id, locations: location.id, buildings: building.id },
  }
}

/** For rooms that are locked, in the order of their ids; only those that are held to any. */
export async function findRoomRules(trx: Transaction, ids: number[], userId: number): Promise<RuleFacts[]> {
  const { rows } = await trx.raw(
    `SELECT ${RULES} AS rules FROM unnest(CAST(:ids AS bigint[])) AS asked (bookable_id)
     JOIN users ON users.id = :userId ${joinPlaces('asked.bookable_id')} ORDER BY bookable_id`,
    { ids, userId },
  )
  const facts = rows.map((row: { rules: RulesRow | null }) => ruleFacts(row.rules))
  return facts.filter((each: RuleFacts | undefined) => each !== undefined)
}

function countedIn({ bookable, location, building }: RulesRow): RuleFacts['countedIn'] {
  const sets = ({ rules }: Place) => rules?.bookings_ahead_max !== undefined
  if (sets(bookable)) return { column: 'bookables', id: bookable.id, name: bookable.name }
  if (sets(location)) return { column: 'locations', id: location.id, name: location.name }
  return { column: 'buildings', id: building.id, name: building.name }
}
