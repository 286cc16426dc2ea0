// Warms up a worker before it takes writes: creates bookings in transactions that it always rolls back. This opens connections,
// prepares statements and lets V8 compile the code. Otherwise the first callers would wait for this. Each transaction books
// desks that only it sees, so nobody else waits for its locks.
import { randomInt, randomUUID } from 'node:crypto'
import type { Knex } from 'knex'
import type { Envelope } from '../../shared/jobs/jobs.ts'
import { Refusal } from '../../shared/messages/refusal.ts'
import type { Log } from '../../shared/utilities/log.ts'
import { withTimeout } from '../../shared/utilities/timeouts.ts'
import { createBookings } from '../jobs/bookings/creations.ts'
import type { NewBookingInput } from '../jobs/bookings/insert-bookings.ts'
import type { Connection } from '../runtime/connection.ts'
import { parsePayload } from '../runtime/payloads.ts'
import { performTogether, toDoneOutcome } from '../runtime/perform.ts'
import { saveReceiptOutcomes } from '../runtime/receipts.ts'

const WARM_UP_MS_MAX = 1_000
const TIMEOUT_MS = 1_500
const BATCHES_MAX = 40
const BOOKINGS_PER_BATCH = 16
const HOUR_MS = 3_600_000
// Ids that no sequence ever reaches, and that JavaScript still represents exactly.
const FIRST_ID = 2 ** 52
const IDS_MAX = 2 ** 47

const LIMIT_SQL = 'SET LOCAL statement_timeout = 1000'
// Postgres checks foreign keys at the end of the statement, so one statement can insert all these rows.
const INSERT_PLACE_SQL = `
  WITH building AS (
    INSERT INTO buildings (id, name, address) OVERRIDING SYSTEM VALUE VALUES ($1, $2, $2)
  ), location AS (
    INSERT INTO locations (id, building_id, name, code) OVERRIDING SYSTEM VALUE VALUES ($1, $1, $2, $2)
  ), person AS (
    INSERT INTO users (id, name, email) OVERRIDING SYSTEM VALUE VALUES ($1, $2, $2 || '@warm-up.invalid')
  )
  INSERT INTO bookables (id, location_id, name, type) OVERRIDING SYSTEM VALUE
  SELECT $1 + number, $1, $2 || number, 0 FROM generate_series(1, $3::int) AS number`

class RolledBack extends Error {}

/** Never throws an error. If something is wrong, the first jobs show it. */
export async function warmUpWrites(database: Knex, connections: number, log: Log): Promise<void> {
  const endMs = performance.now() + WARM_UP_MS_MAX
  let batches = 0
  const createAgainAndAgain = async () => {
    for (; batches < BATCHES_MAX && performance.now() < endMs; batches++) await createAndRollBack(database)
  }
  try {
    const all = Promise.all(Array.from({ length: connections }, createAgainAndAgain))
    await withTimeout(all, TIMEOUT_MS, () => [])
    log.debug({ batches }, 'warmed up')
  } catch (error) {
    log.info({ err: error }, 'the warm-up failed: the first writes take longer')
  }
}

async function createAndRollBack(database: Knex): Promise<void> {
  const id = FIRST_ID + randomInt(IDS_MAX) * 2 * BOOKINGS_PER_BATCH
  const envelopes = Array.from({ length: BOOKINGS_PER_BATCH }, (_, index) => inventBooking(id, index + 1))
  try {
    await performTogether(database, envelopes, createBookingsAndThrow(id)).next()
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error
  }
}

function inventBooking(id: number, number: number): Envelope<NewBookingInput> {
  const attempt = randomUUID()
  const [receivedAt, from_time, to_time] = [0, 1, 2].map((hours) =>
    new Date(Date.now() + hours * HOUR_MS).toISOString(),
  )
  const data = {
    attempt,
    requestId: attempt,
    database: 'warm-up',
    receivedAt,
    deadlineMs: 0,
    baseUrl: '',
    actor: { type: 'system', id: null, name: 'warm-up' },
    replyTo: null,
    idempotency: null,
    input: { bookable_id: id + number, location_id: id, user_id: id, from_time, to_time },
  }
  return parsePayload({ id: attempt, name: 'bookings.create', data }).envelope as Envelope<NewBookingInput>
}

// Throws when all statements have run, so that the transaction is rolled back and never committed.
const createBookingsAndThrow = (id: number): typeof createBookings => ({
  async lockFacts(connection, writes) {
    await Promise.all([connection.query(LIMIT_SQL), insertPlace(connection, id)])
    return createBookings.lockFacts(connection, writes)
  },
  async perform(connection, writes) {
    const decisions = await createBookings.perform(connection, writes)
    const outcomes = decisions.map((decision, index) => {
      if (decision instanceof Refusal) throw decision
      return { attempt: writes[index]?.write.context.attempt ?? '', outcome: toDoneOutcome(decision) }
    })
    await saveReceiptOutcomes(connection, outcomes)
    throw new RolledBack()
  },
})

const insertPlace = (connection: Connection, id: number) =>
  connection.query(INSERT_PLACE_SQL, [id, `warm-up ${id}`, BOOKINGS_PER_BATCH])
