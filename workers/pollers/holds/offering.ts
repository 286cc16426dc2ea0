// Offers what has become free to those who wait for it, in their order. It looks at what is free now, so that it does not
// matter how a place became free. One process at a time serves a floor, and each offer is a transaction of its own: the
// first in the line is looked for anew, and what a dying process had begun is undone.

import type { Knex } from 'knex'
import { BOOKABLE_STATUSES } from '../../../shared/bookables/bookables.ts'
import { findBrokenRules } from '../../../shared/rules/broken-rules.ts'
import { spanColumns, timestampText } from '../../../shared/schemas/json.ts'
import { addMinutes } from '../../../shared/utilities/date-times.ts'
import { FaultLog } from '../../../shared/utilities/fault-log.ts'
import type { Log } from '../../../shared/utilities/log.ts'
import { type Poller, poll } from '../../../shared/utilities/poller.ts'
import { OFFER_GRACE_MINUTES, OFFER_MINUTES, SHORTEST_OFFERED_MINUTES } from '../../../shared/waits/waits.ts'
import { findRefusal } from '../../jobs/bookings/creations.ts'
import { refuseUnbookable } from '../../jobs/claims/checks.ts'
import { type BookingFacts, lockBookingFacts } from '../../jobs/claims/facts.ts'
import { createHold } from '../../jobs/claims/holds.ts'
import { changeWaits } from '../../jobs/claims/waits.ts'
import { lockUserBookings } from '../../jobs/rules/enforce-rules.ts'
import { openWrite, refusalBy, type Write } from '../../runtime/write.ts'

const EVERY_MS = 2_000
const PIECE = 200
const AUTHOR = { actor: { type: 'system' as const, id: null, name: 'waits' }, requestId: 'waits' }

/** Returns the function that stops the poller once work under way is finished. */
export function startOfferPoller(database: Knex, log: Log): Poller {
  return poll({
    everyMs: EVERY_MS,
    faults: new FaultLog(log, 'free places are offered again'),
    fault: 'free places cannot be offered',
    async work(isStopping) {
      await offerPlaces(database, log, isStopping)
      return undefined
    },
  })
}

/** Returns the number of offers. */
export async function offerPlaces(database: Knex, log: Log, isStopping = () => false): Promise<number> {
  await database.raw(
    "UPDATE waits SET state = 'over', ended_at = now() WHERE state = 'waiting' AND upper(during) <= now()",
  )
  const { rows } = await database.raw<{ rows: Array<{ id: number }> }>(
    `SELECT DISTINCT coalesce(waits.location_id, bookables.location_id) AS id
     FROM waits LEFT JOIN bookables ON bookables.id = waits.bookable_id WHERE waits.state = 'waiting' ORDER BY 1`,
  )
  let offered = 0
  for (const { id } of rows) while (!isStopping() && (await offerNext(database, id))) offered++
  if (offered > 0) log.info({ offered }, 'free places offered')
  return offered
}

/** False if nobody waits for what is free, or another process serves this floor. */
export function offerNext(database: Knex, location: number): Promise<boolean> {
  return database.transaction(async (trx) => {
    const statements = openWrite(trx, AUTHOR)
    const { isOurs, now } = await statements.only<{ isOurs: boolean; now: string }>(
      `SELECT pg_try_advisory_xact_lock(hashtextextended('waits for ' || CAST(? AS bigint), 3)) AS "isOurs",
         ${timestampText('now()')} AS now`,
      [location],
    )
    return isOurs && offerFirst(writeAt(statements, now, database), location)
  })
}

const writeAt = (
  statements: ReturnType<typeof openWrite<typeof AUTHOR>>,
  now: string,
  database: Knex,
): Write => ({
  ...statements,
  buildingIds: undefined,
  userId: undefined,
  baseUrl: '',
  now,
  attempt: '',
  identity: '',
  report: () => undefined,
  database,
})

async function offerFirst(write: Write, location: number): Promise<boolean> {
  // Where somebody else was faster: when it is free again, it is for the first in the line, who has been passed over.
  const lost = new Set<number>()
  for (let last: Pick<Candidate, 'wait' | 'bookable_id'> | undefined; ; ) {
    const candidates = await findCandidates(write, location, last)
    for (const candidate of await findAllowed(write, candidates)) {
      if (lost.has(candidate.bookable_id)) continue
      const outcome = await offer(write, candidate)
      if (outcome === 'offered') return true
      if (outcome === 'lost') lost.add(candidate.bookable_id)
    }
    last = candidates.at(-1)
    if (candidates.length < PIECE) return false
  }
}

type Candidate = {
  wait: number
  user_id: number
  user_vehicle_id: number | null
  bookable_id: number
  location_id: number
  from: string
  to: string
}

const hasNoOffer = (wait: string) => `NOT EXISTS (
  SELECT FROM waits AS offered
  WHERE offered.user_id = ${wait}.user_id AND offered.state = 'offered' AND offered.during && ${wait}.during)`

// Who waits, each with what is free for them. Of a time that has begun, the rest is offered. Many wait for the same time,
// so what is free is looked up once for each time. Who has an offer for then gets no second one.
function findCandidates(
  write: Write,
  location: number,
  last: Pick<Candidate, 'wait' | 'bookable_id'> | undefined,
): Promise<Candidate[]> {
  return write.all<Candidate>(
    `WITH line AS MATERIALIZED (
       SELECT waits.id, waits.user_id, waits.vehicle_id, waits.bookable_id, waits.type,
         tstzrange(greatest(lower(waits.during), CAST(:now AS timestamptz)), upper(waits.during)) AS during
       FROM waits LEFT JOIN bookables ON bookables.id = waits.bookable_id
       WHERE waits.state = 'waiting' AND coalesce(waits.location_id, bookables.location_id) = :location
         AND upper(waits.during) > CAST(:now AS timestamptz) + interval '${SHORTEST_OFFERED_MINUTES} minutes'
     ), wanted AS MATERIALIZED (
       SELECT DISTINCT bookable_id, type, during FROM line
     ), free AS MATERIALIZED (
       SELECT wanted.*, bookables.id AS free_id
       FROM wanted JOIN bookables ON bookables.location_id = :location AND bookables.deleted_at IS NULL
         AND bookables.status <> ${BOOKABLE_STATUSES.blocked}
         AND (bookables.id = wanted.bookable_id OR bookables.type = wanted.type)
       WHERE NOT EXISTS (
         SELECT FROM bookings WHERE bookings.bookable_id = bookables.id AND exclusive AND bookings.during && wanted.during)
     )
     SELECT line.id AS wait, line.user_id, line.vehicle_id AS user_vehicle_id, free_id AS bookable_id, CAST(:location AS bigint) AS location_id,
       ${spanColumns('line')}
     FROM line JOIN free ON free.during = line.during AND free.bookable_id IS NOT DISTINCT FROM line.bookable_id
       AND free.type IS NOT DISTINCT FROM line.type
     WHERE (line.id, free_id) > (:wait, :bookable) AND ${hasNoOffer('line')}
     ORDER BY line.id, free_id LIMIT ${PIECE}`,
    { now: write.now, location, wait: last?.wait ?? 0, bookable: last?.bookable_id ?? 0 },
  )
}

/** Those for whom all rules allow it that need no count of their bookings. */
async function findAllowed(write: Write, candidates: Candidate[]): Promise<Candidate[]> {
  if (candidates.length === 0) return []
  const facts = await lockBookingFacts(await write.connection(), candidates)
  return candidates.filter((candidate, index) => isAllowed(candidate, facts[index], write.now))
}

function isAllowed(span: Candidate, fact: BookingFacts | undefined, now: string): boolean {
  const { bookable, user, rules } = fact ?? {}
  if (!bookable || !user || refusalBy(() => refuseUnbookable(bookable))) return false
  return findBrokenRules(rules, span, now).length === 0
}

/** Refused if the rules do not allow it, lost if somebody else was faster: the exclusion constraint decides. */
async function offer(
  write: Write,
  { wait, from, to, ...who }: Candidate,
): Promise<'offered' | 'refused' | 'lost'> {
  const refusal = await findRefusal(write, { ...who, from_time: from, to_time: to })
  if (refusal) return refusal.code === 'booking_conflict' ? 'lost' : 'refused'
  // Rolling back to it also gives the lock of the person back, so that two floors cannot wait for each other's.
  const savepoint = await write.trx.transaction()
  const trial = { ...write, ...openWrite(savepoint, write) }
  const { bookable_id, user_id, user_vehicle_id } = who
  await lockUserBookings(await trial.connection(), [user_id])
  const hold = { kind: 'offer' as const, bookable_id, user_id, user_vehicle_id, from, to, exclusive: true }
  const expiresAt = expiryOf(from, write.now)
  const isWaiting = await lockWaiting(trial, wait)
  const holdId = isWaiting ? await createHold(trial, { ...hold, expiresAt }) : undefined
  if (holdId === undefined) {
    await savepoint.rollback()
    return isWaiting ? 'lost' : 'refused'
  }
  const change = {
    set: "state = 'offered', hold_id = :holdId",
    where: 'id = :wait',
    values: { holdId, wait },
  }
  await changeWaits(trial, { action: 'waits.offer', ...change })
  await savepoint.commit()
  return 'offered'
}

/** Another floor may have offered the person something for this time meanwhile. The lock of the person is held. */
async function lockWaiting(write: Write, wait: number): Promise<boolean> {
  const found = await write.ids(
    `SELECT id FROM waits WHERE id = ? AND state = 'waiting' AND ${hasNoOffer('waits')} FOR UPDATE SKIP LOCKED`,
    [wait],
  )
  return found.length > 0
}

/** In a quarter of an hour, or shortly after the start. */
function expiryOf(from: string, now: string): string {
  const last = addMinutes(now, OFFER_MINUTES)
  const late = addMinutes(from, OFFER_GRACE_MINUTES)
  return late < last ? late : last
}
