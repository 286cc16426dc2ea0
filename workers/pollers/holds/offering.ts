// Offers what has become free to those who wait for it, in their order. It looks at what is free now, so that it does not
// matter how a place became free. One process at a time serves a floor. Each offer is a transaction of its own, which
// checks everything again: what a dying process had begun is undone, and no pass holds up the change feed.

import { randomUUID } from 'node:crypto'
import type { Knex } from 'knex'
import { onlyRow } from '../../../shared/database/database.ts'
import { lockOf, tryLock } from '../../../shared/database/locks.ts'
import type { RefusalCode } from '../../../shared/messages/refusal.ts'
import { isRule, REMEDIES } from '../../../shared/messages/refusal-kinds.ts'
import { timestampText } from '../../../shared/schemas/json.ts'
import { addMinutes } from '../../../shared/utilities/date-times.ts'
import { FaultLog } from '../../../shared/utilities/fault-log.ts'
import type { Log } from '../../../shared/utilities/log.ts'
import { type Poller, poll } from '../../../shared/utilities/poller.ts'
import { OFFER_GRACE_MINUTES, OFFER_MINUTES } from '../../../shared/waits/waits.ts'
import { lockBookingFacts } from '../../jobs/claims/facts.ts'
import { createHold } from '../../jobs/claims/holds.ts'
import { changeWaits } from '../../jobs/claims/waits.ts'
import { lockUserBookings } from '../../jobs/rules/enforce-rules.ts'
import { openWrite, type Recorder } from '../../runtime/write.ts'
import { candidateOf, findRefusals, hasNoOffer, PIECE, readLine, type Waiting } from './waiting-line.ts'

const EVERY_MS = 2_000
const author = () => ({
  actor: { type: 'system' as const, id: null, name: 'waits' },
  requestId: 'waits',
  attempt: randomUUID(),
})
/** After this many offers, it is the next floor's turn. */
const OFFERS_MAX = 100
const ENDED_MAX = 500

/** Returns the function that stops the poller once work under way is finished. */
export function startOfferPoller(database: Knex, log: Log): Poller {
  return poll({
    everyMs: EVERY_MS,
    faults: new FaultLog(log, 'free places are offered again'),
    fault: 'free places cannot be offered',
    async work(isStopping) {
      const { hasMore } = await offerInTurn(database, log, isStopping)
      return hasMore ? 0 : undefined
    },
  })
}

/** Returns the number of offers. */
export async function offerPlaces(database: Knex, log: Log): Promise<number> {
  return (await offerInTurn(database, log)).offered
}

type Pass = { offered: number; hasMore: boolean }

async function offerInTurn(database: Knex, log: Log, isStopping = () => false): Promise<Pass> {
  await endPassed(database)
  const pass: Pass = { offered: 0, hasMore: false }
  for (const location of await listFloors(database)) {
    if (isStopping()) break
    const { offered, hasMore } = await offerOnFloor(database, location, isStopping)
    pass.offered += offered
    pass.hasMore ||= hasMore
  }
  if (pass.offered > 0) log.info({ offered: pass.offered }, 'free places offered')
  return pass
}

async function endPassed(database: Knex): Promise<void> {
  await database.raw(
    `UPDATE waits SET state = 'over', ended_at = now() WHERE id = ANY (ARRAY(
       SELECT id FROM waits WHERE state = 'waiting' AND upper(during) <= now() LIMIT ${ENDED_MAX}))`,
  )
}

async function listFloors(database: Knex): Promise<number[]> {
  const { rows } = await database.raw<{ rows: Array<{ id: number }> }>(
    `SELECT DISTINCT coalesce(waits.location_id, bookables.location_id) AS id
     FROM waits LEFT JOIN bookables ON bookables.id = waits.bookable_id WHERE waits.state = 'waiting' ORDER BY 1`,
  )
  return rows.map(({ id }) => id)
}

/** Offers what is free on a floor, as long as no other process serves it. `hasMore` if it stopped at the limit. */
export async function offerOnFloor(
  database: Knex,
  location: number,
  isStopping = () => false,
): Promise<Pass> {
  const { now } = onlyRow(
    (await database.raw<{ rows: Array<{ now: string }> }>(`SELECT ${timestampText('now()')} AS now`)).rows,
  )
  const floor: Floor = { database, location, taken: [] }
  let offered = 0
  for (let after = 0; ; ) {
    const line = await readLine(database, { location, now, after })
    await endRuledOut(database, line)
    for (const waiting of line) {
      if (isStopping()) return { offered, hasMore: false }
      const outcome = await offerOne(floor, waiting)
      if (outcome === 'busy') return { offered, hasMore: false }
      if (outcome === 'offered') offered++
      if (offered >= OFFERS_MAX) return { offered, hasMore: true }
    }
    after = line.at(-1)?.id ?? 0
    if (line.length < PIECE) return { offered, hasMore: false }
  }
}

type Span = { from: string; to: string }
type Floor = {
  database: Knex
  location: number
  // Places that this pass has offered, or that others have booked meanwhile. If one becomes free again, the next pass offers it
  // to the first in the line, whom this pass has passed over.
  taken: Array<Span & { bookable: number }>
}

/** `busy`: another process serves the floor. `lost`: somebody else has the place. `gone`: the person no longer waits. */
type Outcome = 'offered' | 'busy' | 'lost' | 'refused' | 'gone'

/** Tries each free place, but only one of those with the same rules if these refuse it. */
async function offerOne(floor: Floor, waiting: Waiting): Promise<Outcome> {
  for (const { bookables, refusal } of waiting.choices) {
    if (refusal) continue
    for (const bookable of bookables) {
      if (isTaken(floor, bookable, waiting)) continue
      const outcome = await offer(floor, waiting, bookable)
      if (outcome === 'refused') break
      if (outcome === 'lost' || outcome === 'offered') floor.taken.push({ bookable, ...spanOf(waiting) })
      if (outcome !== 'lost') return outcome
    }
  }
  return 'refused'
}

const spanOf = ({ from, to }: Span): Span => ({ from, to })

const isTaken = ({ taken }: Floor, bookable: number, { from, to }: Span) =>
  taken.some((each) => each.bookable === bookable && each.from < to && from < each.to)

// Whatever happens on other floors meanwhile, the lock of the person lets only one floor offer them something at a time.
function offer({ database, location }: Floor, waiting: Waiting, bookable: number): Promise<Outcome> {
  return database.transaction(async (trx) => {
    const statements = openWrite(trx, author())
    const { isOurs, now } = await statements.only<{ isOurs: boolean; now: string }>(
      `SELECT ${tryLock(lockOf('floorWaits', 'CAST(? AS bigint)'))} AS "isOurs",
         ${timestampText('now()')} AS now`,
      [location],
    )
    if (!isOurs) return 'busy'
    const write = { ...statements, now }
    const candidate = candidateOf(waiting, bookable, { location })
    const connection = await write.connection()
    const facts = await lockBookingFacts(connection, [candidate])
    await lockUserBookings(connection, [waiting.user_id])
    if (!(await lockWaiting(write, waiting.id))) return 'gone'
    const [refusal] = await findRefusals(connection, [candidate], facts, now)
    if (refusal) return 'refused'
    const { location_id: _, ...held } = candidate
    const expiresAt = expiryOf(waiting.from, now)
    const holdId = await createHold(write, { kind: 'offer', ...held, exclusive: true, expiresAt })
    if (holdId === undefined) return 'lost'
    await changeWaits(write, {
      action: 'waits.offer',
      set: "state = 'offered', hold_id = :holdId",
      where: 'id = :wait',
      values: { holdId, wait: waiting.id },
    })
    return 'offered'
  })
}

/** Another floor may have offered the person something for this time meanwhile. The lock of the person is held. */
async function lockWaiting(write: Recorder, wait: number): Promise<boolean> {
  const found = await write.ids(
    `SELECT id FROM waits WHERE id = ? AND state = 'waiting' AND ${hasNoOffer('waits')} FOR UPDATE SKIP LOCKED`,
    [wait],
  )
  return found.length > 0
}

/** Ends the waits of people whose own bookings exclude them. Their page says why. */
async function endRuledOut(database: Knex, line: Waiting[]): Promise<void> {
  const ended = line.flatMap((waiting) => {
    const code = findRuledOut(waiting)
    return code ? [{ id: waiting.id, code }] : []
  })
  if (ended.length === 0) return
  await database.transaction((trx) =>
    changeWaits(openWrite(trx, author()), {
      action: 'waits.end',
      set: `state = 'over', ended_at = now(),
        end_reason = (CAST(:codes AS text[]))[array_position(CAST(:ids AS bigint[]), waits.id)]`,
      where: "waits.id = ANY (CAST(:ids AS bigint[])) AND waits.state = 'waiting'",
      values: { ids: ended.map(({ id }) => id), codes: ended.map(({ code }) => code) },
    }),
  )
}

/** A rule by which the person's own booking excludes the wait until they cancel it, such as one desk at a time. */
const isRuledOut = (code: RefusalCode | undefined) =>
  code !== undefined && isRule(code) && REMEDIES[code] === 'moving_the_other_booking'

/** Some desks may have their own rules, so all free desks must refuse with the same code, and one must have the rules of the floor. */
function findRuledOut({ bookable_id, choices }: Waiting): RefusalCode | undefined {
  const codes = choices.map(({ refusal }) => refusal?.code)
  const isForAll = bookable_id !== null || choices.some(({ isRuleOfBookable }) => !isRuleOfBookable)
  const [code] = codes
  return code && isForAll && codes.every(isRuledOut) ? code : undefined
}

/** In a quarter of an hour, or shortly after the start. */
function expiryOf(from: string, now: string): string {
  const last = addMinutes(now, OFFER_MINUTES)
  const late = addMinutes(from, OFFER_GRACE_MINUTES)
  return late < last ? late : last
}
