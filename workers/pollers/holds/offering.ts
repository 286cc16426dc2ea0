// Offers free places to the people who wait for them, in the order in which they joined the waitlist. This
// process only looks at what is free now, no matter how a place became free. One process at a time serves a
// floor. Each offer has its own transaction, which checks everything again. If a process dies, its unfinished
// offer is undone. No transaction is long, because that would delay the change feed.

import { randomUUID } from 'node:crypto'
import type { Knex } from 'knex'
import { getOnlyRow } from '../../../shared/database/database.ts'
import { lockKeySql, tryLockSql } from '../../../shared/database/locks.ts'
import type { RefusalCode } from '../../../shared/messages/refusal.ts'
import { isBookingRule, REMEDIES } from '../../../shared/messages/refusal-kinds.ts'
import { timestampText } from '../../../shared/schemas/json.ts'
import { addMinutes } from '../../../shared/utilities/date-times.ts'
import { FaultLog } from '../../../shared/utilities/fault-log.ts'
import type { Log } from '../../../shared/utilities/log.ts'
import { type Poller, startPolling } from '../../../shared/utilities/poller.ts'
import { OFFER_GRACE_MINUTES, OFFER_MINUTES } from '../../../shared/waits/waits.ts'
import { lockBookingFacts } from '../../jobs/claims/facts.ts'
import { createHold } from '../../jobs/claims/holds.ts'
import { updateWaitlistEntries } from '../../jobs/claims/waits.ts'
import { lockUserBookings } from '../../jobs/rules/enforce-rules.ts'
import { openWrite, type Recorder } from '../../runtime/write.ts'
import {
  findRefusals,
  hasNoOfferSql,
  readWaitingLine,
  toOfferCandidate,
  WAITING_PEOPLE_PER_PIECE,
  type WaitingPerson,
} from './waiting-line.ts'

const OFFER_INTERVAL_MS = 2_000
const createAuthor = () => ({
  actor: { type: 'system' as const, id: null, name: 'waits' },
  requestId: 'waits',
  attempt: randomUUID(),
})
/** The limit on offers for one floor before the next floor is served. */
const OFFERS_PER_FLOOR_MAX = 100
const ENDED_WAITS_MAX = 500

/** Starts the poller that makes offers. */
export function startOfferPoller(database: Knex, log: Log): Poller {
  return startPolling({
    everyMs: OFFER_INTERVAL_MS,
    faults: new FaultLog(log, 'free places are offered again'),
    fault: 'free places cannot be offered',
    async work(isStopping) {
      const { hasMore } = await offerInTurn(database, log, isStopping)
      return hasMore ? 0 : undefined
    },
  })
}

/** Offers free places on all floors. Returns the number of offers. */
export async function offerPlaces(database: Knex, log: Log): Promise<number> {
  return (await offerInTurn(database, log)).offered
}

type OfferPass = { offered: number; hasMore: boolean }

async function offerInTurn(database: Knex, log: Log, isStopping = () => false): Promise<OfferPass> {
  await endExpiredWaits(database)
  const pass: OfferPass = { offered: 0, hasMore: false }
  for (const location of await listFloors(database)) {
    if (isStopping()) break
    const { offered, hasMore } = await offerOnFloor(database, location, isStopping)
    pass.offered += offered
    pass.hasMore ||= hasMore
  }
  if (pass.offered > 0) log.info({ offered: pass.offered }, 'free places offered')
  return pass
}

// Ends waits whose time is over, or whose place has been deleted.
async function endExpiredWaits(database: Knex): Promise<void> {
  await database.raw(
    `UPDATE waits SET state = 'over', ended_at = now() WHERE id = ANY (ARRAY(
       SELECT id FROM waits WHERE state = 'waiting' AND (upper(during) <= now() OR EXISTS (
         SELECT FROM bookables WHERE bookables.id = waits.bookable_id AND deleted_at IS NOT NULL))
       LIMIT ${ENDED_WAITS_MAX}))`,
  )
}

async function listFloors(database: Knex): Promise<number[]> {
  const { rows } = await database.raw<{ rows: Array<{ id: number }> }>(
    `SELECT DISTINCT coalesce(waits.location_id, bookables.location_id) AS id
     FROM waits LEFT JOIN bookables ON bookables.id = waits.bookable_id WHERE waits.state = 'waiting' ORDER BY 1`,
  )
  return rows.map(({ id }) => id)
}

/**
 * Offers the free places of a floor, unless another process serves the floor. `hasMore` is true if the limit on offers
 * was reached.
 */
export async function offerOnFloor(
  database: Knex,
  location: number,
  isStopping = () => false,
): Promise<OfferPass> {
  const { now } = getOnlyRow(
    (await database.raw<{ rows: Array<{ now: string }> }>(`SELECT ${timestampText('now()')} AS now`)).rows,
  )
  const floor: ServedFloor = { database, location, taken: [] }
  let offered = 0
  for (let after = 0; ; ) {
    const line = await readWaitingLine(database, { location, now, after })
    await endRuledOutWaits(database, line)
    for (const waiting of line) {
      if (isStopping()) return { offered, hasMore: false }
      const outcome = await offerToPerson(floor, waiting)
      if (outcome === 'busy') return { offered, hasMore: false }
      if (outcome === 'offered') offered++
      if (offered >= OFFERS_PER_FLOOR_MAX) return { offered, hasMore: true }
    }
    after = line.at(-1)?.id ?? 0
    if (line.length < WAITING_PEOPLE_PER_PIECE) return { offered, hasMore: false }
  }
}

type Span = { from: string; to: string }
type ServedFloor = {
  database: Knex
  location: number
  // Places that this pass has offered, or that others booked in the meantime. If one of these places becomes
  // free again, the next pass offers it to the first person in line, because this pass has already skipped
  // that person.
  taken: Array<Span & { bookable: number }>
}

/**
 * The outcome of trying to make an offer. `busy` means that another process serves the floor, `lost` that somebody else
 * has the place, and `gone` that the person no longer waits.
 */
type OfferOutcome = 'offered' | 'busy' | 'lost' | 'refused' | 'gone'

/** Offers one of the free places to a person. If rules refuse a place, skips all others with the same rules. */
async function offerToPerson(floor: ServedFloor, waiting: WaitingPerson): Promise<OfferOutcome> {
  for (const { bookables, refusal } of waiting.choices) {
    if (refusal) continue
    for (const bookable of bookables) {
      if (isPlaceTaken(floor, bookable, waiting)) continue
      const outcome = await makeOffer(floor, waiting, bookable)
      if (outcome === 'refused') break
      if (outcome === 'lost' || outcome === 'offered') floor.taken.push({ bookable, ...getSpan(waiting) })
      if (outcome !== 'lost') return outcome
    }
  }
  return 'refused'
}

const getSpan = ({ from, to }: Span): Span => ({ from, to })

const isPlaceTaken = ({ taken }: ServedFloor, bookable: number, { from, to }: Span) =>
  taken.some((each) => each.bookable === bookable && each.from < to && from < each.to)

// Makes an offer in its own transaction. Because of the lock of the person, only one floor at a time can offer them
// something.
function makeOffer(
  { database, location }: ServedFloor,
  waiting: WaitingPerson,
  bookable: number,
): Promise<OfferOutcome> {
  return database.transaction(async (trx) => {
    const statements = openWrite(trx, createAuthor())
    const { isOurs, now } = await statements.only<{ isOurs: boolean; now: string }>(
      `SELECT ${tryLockSql(lockKeySql('floorWaits', 'CAST(? AS bigint)'))} AS "isOurs",
         ${timestampText('now()')} AS now`,
      [location],
    )
    if (!isOurs) return 'busy'
    const write = { ...statements, now }
    const candidate = toOfferCandidate(waiting, bookable, { location })
    const connection = await write.connection()
    const facts = await lockBookingFacts(connection, [candidate])
    await lockUserBookings(connection, [waiting.user_id])
    if (!(await lockWait(write, waiting.id))) return 'gone'
    const [refusal] = await findRefusals(connection, [candidate], facts, now)
    if (refusal) return 'refused'
    const { location_id: _, ...held } = candidate
    const expiresAt = computeOfferExpiry(waiting.from, now)
    const holdId = await createHold(write, { kind: 'offer', ...held, exclusive: true, expiresAt })
    if (holdId === undefined) return 'lost'
    await updateWaitlistEntries(write, {
      action: 'waits.offer',
      set: "state = 'offered', hold_id = :holdId",
      where: 'id = :wait',
      values: { holdId, wait: waiting.id },
    })
    return 'offered'
  })
}

/**
 * Locks a waitlist entry. Returns false if another floor has offered the person something for this time. The caller
 * must hold the lock of the person.
 */
async function lockWait(write: Recorder, wait: number): Promise<boolean> {
  const found = await write.ids(
    `SELECT id FROM waits WHERE id = ? AND state = 'waiting' AND ${hasNoOfferSql('waits')} FOR UPDATE SKIP LOCKED`,
    [wait],
  )
  return found.length > 0
}

/** Ends the waits of people whose own bookings exclude them. Their page says why. */
async function endRuledOutWaits(database: Knex, line: WaitingPerson[]): Promise<void> {
  const ended = line.flatMap((waiting) => {
    const code = findRulingOutCode(waiting)
    return code ? [{ id: waiting.id, code }] : []
  })
  if (ended.length === 0) return
  await database.transaction((trx) =>
    updateWaitlistEntries(openWrite(trx, createAuthor()), {
      action: 'waits.end',
      set: `state = 'over', ended_at = now(),
        end_reason = (CAST(:codes AS text[]))[array_position(CAST(:ids AS bigint[]), waits.id)]`,
      where: "waits.id = ANY (CAST(:ids AS bigint[])) AND waits.state = 'waiting'",
      values: { ids: ended.map(({ id }) => id), codes: ended.map(({ code }) => code) },
    }),
  )
}

/** Whether the person's own booking excludes the wait until they cancel the booking, as under the rule “one
 * desk at a time”. */
const isBlockedByOwnBooking = (code: RefusalCode | undefined) =>
  code !== undefined && isBookingRule(code) && REMEDIES[code] === 'moving_the_other_booking'

/**
 * Returns the code with which all free places refuse the person, if at least one of them has the rules of the floor.
 * This is required because other desks may have rules of their own.
 */
function findRulingOutCode({ bookable_id, choices }: WaitingPerson): RefusalCode | undefined {
  const codes = choices.map(({ refusal }) => refusal?.code)
  const isForAll = bookable_id !== null || choices.some(({ isRuleOfBookable }) => !isRuleOfBookable)
  const [code] = codes
  return code && isForAll && codes.every(isBlockedByOwnBooking) ? code : undefined
}

/** Returns when an offer expires: in 15 minutes, or shortly after the start of the offered time. */
function computeOfferExpiry(from: string, now: string): string {
  const last = addMinutes(now, OFFER_MINUTES)
  const late = addMinutes(from, OFFER_GRACE_MINUTES)
  return late < last ? late : last
}
