// Upkeep: scheduled tasks, run by any free worker. Deletes expired rows, requeues lost jobs, makes the daily
// figures. No deletion cascades: 200,000 rows of an import plan would be a single statement.
import type { Queue } from 'bullmq'
import type { Knex } from 'knex'
import { followCluster, MOVED } from '../../shared/changes/cluster.ts'
import { CHANGES_KEPT_DAYS } from '../../shared/changes/read.ts'
import { UPKEEP_EVERY_MS } from '../../shared/runtime/queues.ts'
import { QUEUES, type QueueName } from '../../shared/schemas/job.ts'
import type { Config } from '../../shared/settings/config.ts'
import type { Log } from '../../shared/utilities/log.ts'
import { requeueAccepted } from '../runtime/accepted-jobs.ts'
import type { Tools } from '../runtime/attempts.ts'
import { redactFinishedJobs } from '../runtime/finished-jobs.ts'
import { maintainChangePartitions } from './change-partitions.ts'
import { anonymizeOldBookings } from './erasures/old-bookings.ts'
import { searchErasures } from './erasures/search.ts'
import { updateDailyFigures } from './figures/update-daily-figures.ts'
import { writeUserTexts } from './user-texts.ts'

const BATCH = 5_000
// Half a megabyte each.
const CHUNKS_BATCH = 200

// Deleted webhooks that still have deliveries, found by the index on webhook_id without a full scan.
const DELETED_WEBHOOKS = `
  WITH RECURSIVE known AS (
    SELECT min(webhook_id) AS id FROM webhook_deliveries
    UNION ALL
    SELECT (SELECT min(webhook_id) FROM webhook_deliveries WHERE webhook_id > known.id) FROM known WHERE known.id IS NOT NULL
  )
  SELECT id FROM known WHERE id IS NOT NULL AND NOT EXISTS (SELECT FROM webhooks WHERE webhooks.id = known.id)`

// A receipt far outlives the deadline of its attempt (WRITE_WAIT_MS is 5 minutes at most), after which no
// worker takes the job. An accepted job may run after an hour, so the receipt that calls it off stays.
const EXPIRED = {
  receipts: `created_at < now() - interval '1 hour' AND (abandoned_at IS NULL OR NOT EXISTS (
    SELECT FROM jobs WHERE jobs.id = receipts.attempt AND jobs.finished_at IS NULL))`,
  idempotency_keys: "created_at < now() - interval '24 hours'",
  file_chunks: 'file_id IN (SELECT id FROM files WHERE expires_at < now())',
  files: 'expires_at < now()',
  import_plan_rows: 'plan_id IN (SELECT id FROM import_plans WHERE expires_at < now())',
  import_plans: 'expires_at < now()',
  import_layouts: "used_at < now() - interval '2 years'",
  // A while longer, so that programs learn why they get no token.
  device_authorizations: "expires_at < now() - interval '1 hour'",
  sessions: 'expires_at < now()',
  person_sessions: 'expires_at < now()',
  sign_in_links: 'expires_at < now()',
  decision_links: 'expires_at < now()',
  setup_links: 'expires_at < now()',
  admin_links: 'expires_at < now()',
  jobs: "finished_at < now() - interval '7 days'",
  mails: "created_at < now() - interval '30 days'",
  // Of a booking that is not there, a person knows what it was before its next change.
  told_bookings: "told_at < now() - interval '30 days'",
  // Deliveries still open by then belong to a disabled webhook.
  webhook_deliveries: `created_at < now() - interval '30 days' OR webhook_id = ANY (ARRAY(${DELETED_WEBHOOKS}))`,
  // Long enough for every calendar to have been fetched again.
  cancelled_bookings: "cancelled_at < now() - interval '30 days'",
  waits: "ended_at < now() - interval '30 days'",
  // Visitors whom nobody announced; other arrivals go with their booking or meeting.
  arrivals: "host_id IS NOT NULL AND arrived_at < now() - interval '30 days'",
  refused_bookings: "at < now() - interval '30 days'",
  // Only for days without a partition.
  changes_default: `at < now() - interval '${CHANGES_KEPT_DAYS} days'`,
}

type UpkeepSettings = Pick<Config, 'bookingsAnonymousAfterMonths' | 'auditLogKeptMonths'>

/** Repeated from time to time, because a Redis that lost its data has also lost its schedules. */
export async function scheduleUpkeep(queue: Queue): Promise<void> {
  for (const [name, every] of Object.entries(UPKEEP_EVERY_MS)) {
    await queue.upsertJobScheduler(name, { every }, { name: `upkeep.${name}` })
  }
}

export async function runUpkeep(
  task: string,
  { database, identity, log }: Pick<Tools, 'database' | 'identity' | 'log'>,
  queueOf: (name: QueueName) => Queue,
  config: UpkeepSettings,
): Promise<void> {
  if (task === 'upkeep.sweep') {
    await maintainChangePartitions(database, log)
    await sweep(database, log, config)
    await assignVisitorIds(database)
    for (const name of QUEUES) await redactFinishedJobs(queueOf(name))
  }
  if (task === 'upkeep.erase') await searchErasures(database, queueOf, log)
  if (task === 'upkeep.anonymize')
    await anonymizeOldBookings(database, config.bookingsAnonymousAfterMonths, log)
  if (task === 'upkeep.figures') await updateDailyFigures(database, log)
  if (task === 'upkeep.texts') await writeUserTexts(database, log)
  if (task === 'upkeep.requeue') {
    const moved = await followCluster(database)
    if (moved) log.warn(moved, MOVED)
    await requeueAccepted(database, identity.database, queueOf, log)
  }
}

/** Deletes in batches, so that no statement holds locks for long. Returns the numbers by table. */
export async function sweep(
  database: Knex,
  log: Log,
  { auditLogKeptMonths }: Pick<Config, 'auditLogKeptMonths'>,
): Promise<Record<string, number>> {
  const deleted: Record<string, number> = {}
  for (const [table, condition] of Object.entries(EXPIRED)) {
    deleted[table] = await deleteBatches(database, table, condition)
  }
  if (auditLogKeptMonths > 0) {
    const condition = `at < now() - interval '${auditLogKeptMonths} months'`
    deleted['audit_log'] = await deleteBatches(database, 'audit_log', condition)
  }
  log.info({ deleted }, 'expired rows deleted')
  return deleted
}

function deleteBatches(database: Knex, table: string, condition: string): Promise<number> {
  const batch = table === 'file_chunks' ? CHUNKS_BATCH : BATCH
  const rows = `SELECT ctid FROM ${table} WHERE ${condition} LIMIT ${batch}`
  return repeat(database, `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(${rows}))`, batch)
}

/** Runs a statement until it changes fewer rows than a batch. Returns how many it changed. */
async function repeat(database: Knex, statement: string, batch: number): Promise<number> {
  for (let total = 0; ; ) {
    const { rowCount } = await database.raw(statement)
    total += rowCount
    if (rowCount < batch) return total
  }
}

/**
 * Adds ids to visitors whom an older release invited, and to attendees who hide, whom others see as visitors. A later release
 * removes the first part with its index.
 */
export async function assignVisitorIds(database: Knex): Promise<number> {
  const ofVisitors = 'SELECT id FROM event_attendees WHERE user_id IS NULL AND visitor_id IS NULL ORDER BY id'
  const ofHidden = `SELECT event_attendees.id FROM person_settings JOIN event_attendees USING (user_id)
    WHERE visibility <> 'everybody' AND visitor_id IS NULL`
  const assign = (rows: string) =>
    repeat(
      database,
      `UPDATE event_attendees SET visitor_id = nextval(pg_get_serial_sequence('users', 'id'))
       WHERE id = ANY (ARRAY(${rows} LIMIT ${BATCH}))`,
      BATCH,
    )
  return (await assign(ofVisitors)) + (await assign(ofHidden))
}
