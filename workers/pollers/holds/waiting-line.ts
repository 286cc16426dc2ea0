// Reads who waits on a floor, and which free places they may have or why not. It only reads, outside of a write transaction, so
// it delays nobody; workers/pollers/holds/offering.ts checks again before it offers something.
import type { Knex } from 'knex'
import { BOOKABLE_STATUSES } from '../../../shared/bookables/bookables.ts'
import type { Refusal } from '../../../shared/messages/refusal.ts'
import { findBrokenRules } from '../../../shared/rules/broken-rules.ts'
import { spanColumns } from '../../../shared/schemas/json.ts'
import { SHORTEST_OFFERED_MINUTES } from '../../../shared/waits/waits.ts'
import { refuseInvalid, refuseUnbookable } from '../../jobs/claims/checks.ts'
import { type BookingFacts, findBookingFacts } from '../../jobs/claims/facts.ts'
import {
  type Counted,
  countsBookings,
  findBrokenCounts,
  findUserBookings,
  NONE,
} from '../../jobs/rules/enforce-rules.ts'
import { type Connection, rawConnection } from '../../runtime/connection.ts'
import { queryAll, refusalBy } from '../../runtime/write.ts'

/** How many waiting people it reads at once, and how many free places for each. */
export const PIECE = 200

const { assigned, blocked } = BOOKABLE_STATUSES

export type Waiting = {
  id: number
  user_id: number
  vehicle_id: number | null
  bookable_id: number | null
  from: string
  to: string
  choices: Choice[]
}

/** Free places with the same rules and the same requirements, so a refusal of one is a refusal of all. */
type Choice = { bookables: number[]; refusal: Refusal | undefined; isRuleOfBookable: boolean }

type Row = Omit<Waiting, 'choices'> & { choices: number[][] | null }

/** SQL: whether the person has no offer for the time of this wait. */
export const hasNoOffer = (wait: string) => `NOT EXISTS (
  SELECT FROM waits AS offered
  WHERE offered.user_id = ${wait}.user_id AND offered.state = 'offered' AND offered.during && ${wait}.during)`

// Many people wait for the same time, so the statement looks up free places once for each time. If a time has begun, Berth offers
// the rest of it. Only people for whom something is free count towards the limit.
const FIND_LINE = `
  WITH line AS MATERIALIZED (
    SELECT waits.id, waits.user_id, waits.vehicle_id, waits.bookable_id, waits.type,
      tstzrange(greatest(lower(waits.during), CAST(:now AS timestamptz)), upper(waits.during)) AS during
    FROM waits LEFT JOIN bookables ON bookables.id = waits.bookable_id
    WHERE waits.state = 'waiting' AND coalesce(waits.location_id, bookables.location_id) = :location AND waits.id > :after
      AND upper(waits.during) > CAST(:now AS timestamptz) + interval '${SHORTEST_OFFERED_MINUTES} minutes'
  ), wanted AS MATERIALIZED (
    SELECT DISTINCT bookable_id, type, during FROM line
  ), free AS MATERIALIZED (
    SELECT wanted.*, bookables.id AS free_id, CAST(bookables.rules AS text) AS rules, bookables.requires_vehicle, bookables.status
    FROM wanted JOIN bookables ON bookables.location_id = :location AND bookables.deleted_at IS NULL
      AND bookables.status <> ${blocked} AND (bookables.id = wanted.bookable_id OR bookables.type = wanted.type)
    WHERE NOT EXISTS (
      SELECT FROM bookings WHERE bookings.bookable_id = bookables.id AND exclusive AND bookings.during && wanted.during)
  ), first AS MATERIALIZED (
    SELECT * FROM line
    WHERE ${hasNoOffer('line')} AND EXISTS (
      SELECT FROM free WHERE free.during = line.during AND free.bookable_id IS NOT DISTINCT FROM line.bookable_id
        AND free.type IS NOT DISTINCT FROM line.type)
    ORDER BY id LIMIT ${PIECE}
  )
  SELECT first.id, first.user_id, first.vehicle_id, first.bookable_id, ${spanColumns('first')}, (
    SELECT json_agg(ids ORDER BY ids) FROM (
      SELECT (array_agg(free_id ORDER BY free_id))[1:${PIECE}] AS ids FROM free
      WHERE free.during = first.during AND free.bookable_id IS NOT DISTINCT FROM first.bookable_id
        AND free.type IS NOT DISTINCT FROM first.type
        AND (free.status <> ${assigned} OR EXISTS (
          SELECT FROM bookable_assignees AS own WHERE own.bookable_id = free_id AND own.user_id = first.user_id))
      GROUP BY free.rules, free.requires_vehicle, free.status
    ) AS alike) AS choices
  FROM first ORDER BY first.id`

type Floor = { location: number; now: string; after: number }

/** Returns people for whom something is free, in the order of the line. Fewer than PIECE means that no more follow. */
export function readLine(database: Knex, floor: Floor): Promise<Waiting[]> {
  return database.transaction(async (trx) => {
    const rows = await queryAll<Row>(trx, FIND_LINE, floor)
    const candidates = rows.flatMap((row) =>
      (row.choices ?? []).flatMap(([first]) => (first === undefined ? [] : [candidateOf(row, first, floor)])),
    )
    const connection = await rawConnection(trx)
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

/** A place and a time that somebody who waits may be offered. */
export type Candidate = {
  bookable_id: number
  location_id: number
  user_id: number
  user_vehicle_id: number | null
  from: string
  to: string
}

export const candidateOf = (
  { user_id, vehicle_id, from, to }: Omit<Waiting, 'choices'>,
  bookable_id: number,
  { location }: Pick<Floor, 'location'>,
): Candidate => ({ bookable_id, location_id: location, user_id, user_vehicle_id: vehicle_id, from, to })

/** Returns why each candidate may not be booked, in their order. Makes all checks of a booking except whether the place is free. */
export async function findRefusals(
  connection: Connection,
  candidates: Candidate[],
  facts: BookingFacts[],
  now: string,
): Promise<Array<Refusal | undefined>> {
  const refusals = candidates.map((candidate, index) => findRefusal(candidate, facts[index] ?? {}, now))
  const counted = candidates.flatMap((candidate, index) => {
    const counts = refusals[index] ? undefined : countedOf(candidate, facts[index], now)
    return counts ? [{ index, counts }] : []
  })
  const found = await findUserBookings(
    connection,
    counted.map(({ counts }) => counts),
  )
  for (const [place, { index, counts }] of counted.entries())
    refusals[index] = findBrokenCounts(counts, found[place] ?? NONE)[0]
  return refusals
}

function findRefusal(candidate: Candidate, fact: BookingFacts, now: string): Refusal | undefined {
  const refused = refusalBy(() => {
    refuseInvalid(candidate, candidate, fact, now)
    if (fact.bookable) refuseUnbookable(fact.bookable)
  })
  return refused ?? findBrokenRules(fact.rules, candidate, now)[0]
}

/** Undefined where no rule counts the bookings of the person. */
function countedOf(
  { user_id, from, to }: Candidate,
  fact: BookingFacts | undefined,
  now: string,
): Counted | undefined {
  const facts = fact?.rules
  if (!facts || !countsBookings(facts.rules)) return undefined
  return { userId: user_id, facts, span: { from, to }, now, isForGuest: false, buildingIds: undefined }
}
