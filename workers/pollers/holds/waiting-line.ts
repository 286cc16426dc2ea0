// Reads who waits on a floor, and which free places these people may book, or why they may not. Runs outside
// of write transactions, so that it delays nobody. workers/pollers/holds/offering.ts checks again before it
// offers a place.
import type { Knex } from 'knex'
import { BOOKABLE_STATUSES } from '../../../shared/bookables/bookables.ts'
import { isLentSql } from '../../../shared/loans/loans-shape.ts'
import type { Refusal } from '../../../shared/messages/refusal.ts'
import { findBrokenRules } from '../../../shared/rules/broken-rules.ts'
import { instantsOfDaysSql } from '../../../shared/schemas/days.ts'
import { spanColumns } from '../../../shared/schemas/json.ts'
import { SHORTEST_OFFERED_MINUTES } from '../../../shared/waits/waits.ts'
import { refuseInvalidBooking, refuseUnbookable } from '../../jobs/claims/checks.ts'
import { type BookingFacts, findBookingFacts } from '../../jobs/claims/facts.ts'
import {
  type CountedBooking,
  findBrokenCounts,
  findUserBookings,
  hasCountingRules,
  NO_USER_BOOKINGS,
} from '../../jobs/rules/enforce-rules.ts'
import { type Connection, getConnection } from '../../runtime/connection.ts'
import { catchRefusal, queryAll } from '../../runtime/write.ts'

/** The limit on waiting people who are read at once, and on free places for each of them. */
export const WAITING_PEOPLE_PER_PIECE = 200

const { assigned, blocked } = BOOKABLE_STATUSES

export type WaitingPerson = {
  id: number
  user_id: number
  vehicle_id: number | null
  bookable_id: number | null
  from: string
  to: string
  choices: PlaceChoice[]
}

/** Free places with the same rules and requirements. If a person is refused one of them, they are refused all
 * of them. */
type PlaceChoice = { bookables: number[]; refusal: Refusal | undefined; isRuleOfBookable: boolean }

type WaitingRow = Omit<WaitingPerson, 'choices'> & { choices: number[][] | null }

/** SQL condition that the person has no offer for the time of this wait. */
export const hasNoOfferSql = (wait: string) => `NOT EXISTS (
  SELECT FROM waits AS offered
  WHERE offered.user_id = ${wait}.user_id AND offered.state = 'offered' AND offered.during && ${wait}.during)`

// SQL condition that the waiting person is away. A person who is away today cannot accept an offer in time, and a
// person who is away on a day of the wanted time does not need one.
const IS_AWAY_SQL = `EXISTS (
  SELECT FROM absences JOIN locations ON locations.id = :location JOIN buildings ON buildings.id = locations.building_id
  WHERE absences.user_id = waits.user_id AND (
    absences.days @> (CAST(:now AS timestamptz) AT TIME ZONE buildings.timezone)::date
    OR ${instantsOfDaysSql('absences.days', 'buildings.timezone')} && waits.during))`

// SQL that finds the waiting people for whom something is free. Many people wait for the same time, so the statement
// looks up free places once for each time. If a time has already started, Berth offers the rest of it. Only people for
// whom something is free count towards the limit.
const FIND_LINE_SQL = `
  WITH line AS MATERIALIZED (
    SELECT waits.id, waits.user_id, waits.vehicle_id, waits.bookable_id, waits.type,
      tstzrange(greatest(lower(waits.during), CAST(:now AS timestamptz)), upper(waits.during)) AS during
    FROM waits LEFT JOIN bookables ON bookables.id = waits.bookable_id
    WHERE waits.state = 'waiting' AND coalesce(waits.location_id, bookables.location_id) = :location AND waits.id > :after
      AND upper(waits.during) > CAST(:now AS timestamptz) + interval '${SHORTEST_OFFERED_MINUTES} minutes'
      AND NOT ${IS_AWAY_SQL}
  ), wanted AS MATERIALIZED (
    SELECT DISTINCT bookable_id, type, during FROM line
  ), free AS MATERIALIZED (
    SELECT wanted.*, bookables.id AS free_id, CAST(bookables.rules AS text) AS rules, bookables.requires_vehicle, bookables.status,
      ${isLentSql('bookables.id', 'lower(wanted.during)', 'upper(wanted.during)')} AS is_lent
    FROM wanted JOIN bookables ON bookables.location_id = :location AND bookables.deleted_at IS NULL
      AND bookables.status <> ${blocked} AND (bookables.id = wanted.bookable_id OR bookables.type = wanted.type)
    WHERE NOT EXISTS (
      SELECT FROM bookings WHERE bookings.bookable_id = bookables.id AND exclusive AND bookings.during && wanted.during)
  ), first AS MATERIALIZED (
    SELECT * FROM line
    WHERE ${hasNoOfferSql('line')} AND EXISTS (
      SELECT FROM free WHERE free.during = line.during AND free.bookable_id IS NOT DISTINCT FROM line.bookable_id
        AND free.type IS NOT DISTINCT FROM line.type)
    ORDER BY id LIMIT ${WAITING_PEOPLE_PER_PIECE}
  )
  SELECT first.id, first.user_id, first.vehicle_id, first.bookable_id, ${spanColumns('first')}, (
    SELECT json_agg(ids ORDER BY ids) FROM (
      SELECT (array_agg(free_id ORDER BY free_id))[1:${WAITING_PEOPLE_PER_PIECE}] AS ids FROM free
      WHERE free.during = first.during AND free.bookable_id IS NOT DISTINCT FROM first.bookable_id
        AND free.type IS NOT DISTINCT FROM first.type
        AND (free.status <> ${assigned} OR free.is_lent OR EXISTS (
          SELECT FROM bookable_assignees AS own WHERE own.bookable_id = free_id AND own.user_id = first.user_id))
      GROUP BY free.rules, free.requires_vehicle, free.status, free.is_lent
    ) AS alike) AS choices
  FROM first ORDER BY first.id`

type Floor = { location: number; now: string; after: number }

/**
 * Returns the people for whom something is free, in the order of the line. If there are fewer than PIECE, no others
 * follow.
 */
export function readWaitingLine(database: Knex, floor: Floor): Promise<WaitingPerson[]> {
  return database.transaction(async (trx) => {
    const rows = await queryAll<WaitingRow>(trx, FIND_LINE_SQL, floor)
    const candidates = rows.flatMap((row) =>
      (row.choices ?? []).flatMap(([first]) =>
        first === undefined ? [] : [toOfferCandidate(row, first, floor)],
      ),
    )
    const connection = await getConnection(trx)
    const facts = await findBookingFacts(connection, candidates)
    const refusals = await findRefusals(connection, candidates, facts, floor.now)
    let index = 0
    return rows.map(({ choices, ...row }) => ({
      ...row,
      choices: (choices ?? []).map((bookables) => {
        const isRuleOfBookable = facts[index]?.rules?.bookable.rules != null
        return { bookables, refusal: refusals[index++], isRuleOfBookable }
      }),
    }))
  })
}

/** A place and a time that Berth may offer to a waiting person. */
export type OfferCandidate = {
  bookable_id: number
  location_id: number
  user_id: number
  user_vehicle_id: number | null
  from: string
  to: string
}

export const toOfferCandidate = (
  { user_id, vehicle_id, from, to }: Omit<WaitingPerson, 'choices'>,
  bookable_id: number,
  { location }: Pick<Floor, 'location'>,
): OfferCandidate => ({ bookable_id, location_id: location, user_id, user_vehicle_id: vehicle_id, from, to })

/**
 * Returns why each candidate cannot be booked, in the order of the candidates. Runs all checks of a booking except
 * whether the place is free.
 */
export async function findRefusals(
  connection: Connection,
  candidates: OfferCandidate[],
  facts: BookingFacts[],
  now: string,
): Promise<Array<Refusal | undefined>> {
  const refusals = candidates.map((candidate, index) => findRefusal(candidate, facts[index] ?? {}, now))
  const counted = candidates.flatMap((candidate, index) => {
    const counts = refusals[index] ? undefined : toCountedBooking(candidate, facts[index], now)
    return counts ? [{ index, counts }] : []
  })
  const found = await findUserBookings(
    connection,
    counted.map(({ counts }) => counts),
  )
  for (const [place, { index, counts }] of counted.entries())
    refusals[index] = findBrokenCounts(counts, found[place] ?? NO_USER_BOOKINGS)[0]
  return refusals
}

function findRefusal(candidate: OfferCandidate, fact: BookingFacts, now: string): Refusal | undefined {
  const refused = catchRefusal(() => {
    refuseInvalidBooking(candidate, candidate, fact, now)
    if (fact.bookable) refuseUnbookable(fact.bookable, candidate)
  })
  return refused ?? findBrokenRules(fact.rules, candidate, now)[0]
}

/** Returns the booking as the counting rules see it. Returns undefined if no rule counts the person's bookings. */
function toCountedBooking(
  { user_id, from, to }: OfferCandidate,
  fact: BookingFacts | undefined,
  now: string,
): CountedBooking | undefined {
  const facts = fact?.rules
  if (!facts || !hasCountingRules(facts.rules)) return undefined
  return { userId: user_id, facts, span: { from, to }, now, isForGuest: false, buildingIds: undefined }
}
