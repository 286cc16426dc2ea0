// Upkeep: what is done on a schedule, by whichever worker is free. It deletes what has expired, and queues lost jobs again.
import type { Queue } from 'bullmq'
import type { Knex } from 'knex'
import type { Config } from '../shared/config.ts'
import { QUEUES, type QueueName } from '../shared/contracts/job.ts'
import type { Log } from '../shared/log.ts'
import { UPKEEP_EVERY_MS } from '../shared/queues.ts'
import { requeueAccepted } from './accepted.ts'
import { anonymizeOldBookings } from './erasures/old-bookings.ts'
import { searchErasures } from './erasures/search.ts'
import { forgetFinishedJobs } from './finished-jobs.ts'

const BATCH = 5_000

// A receipt outlives every deadline of its attempt by far (WRITE_WAIT_MS is 5 minutes at most): after the deadline no
// worker takes the job any more, receipt or not.
const EXPIRED = {
  receipts: "created_at < now() - interval '1 hour'",
  idempotency_keys: "created_at < now() - interval '24 hours'",
  files: 'expires_at < now()',
  import_plans: 'expires_at < now()',
  sessions: 'expires_at < now()',
  jobs: "finished_at < now() - interval '7 days'",
}

export type UpkeepSettings = Pick<Config, 'bookingsAnonymousAfterMonths'>

/** Asserted again from time to time: a Redis that lost its data has lost its schedules too. */
export async function scheduleUpkeep(queue: Queue): Promise<void> {
  for (const [name, every] of Object.entries(UPKEEP_EVERY_MS)) {
    await queue.upsertJobScheduler(name, { every }, { name: `upkeep.${name}` })
  }
}

export async function runUpkeep(
  task: string,
  database: Knex,
  queueOf: (name: QueueName) => Queue,
  log: Log,
  config: UpkeepSettings,
): Promise<void> {
  if (task === 'upkeep.sweep') {
    await sweep(database, log)
    for (const name of QUEUES) await forgetFinishedJobs(queueOf(name))
  }
  if (task === 'upkeep.erase') await searchErasures(database, queueOf, log)
  if (task === 'upkeep.anonymize')
    await anonymizeOldBookings(database, config.bookingsAnonymousAfterMonths, log)
  if (task === 'upkeep.requeue') await requeueAccepted(database, queueOf, log)
}

/** Deletes in batches, so that no statement holds locks for long. Returns how many rows were deleted, by table. */
export async function sweep(database: Knex, log: Log): Promise<Record<string, number>> {
  const deleted: Record<string, number> = {}
  for (const [table, condition] of Object.entries(EXPIRED)) {
    deleted[table] = await deleteBatches(database, table, condition)
  }
  log.info({ deleted }, 'expired rows deleted')
  return deleted
}

async function deleteBatches(database: Knex, table: string, condition: string): Promise<number> {
  let total = 0
  for (;;) {
    const { rowCount } = await database.raw(
      `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${table} WHERE ${condition} LIMIT ${BATCH}))`,
    )
    total += rowCount
    if (rowCount < BATCH) return total
  }
}
