// Runs upkeep, the scheduled tasks that any free worker performs: deletes expired rows, requeues lost jobs, and
// computes the daily figures. Upkeep deletes dependent rows itself, in batches. If deletions cascaded, one statement
// would delete the 200,000 rows of an import plan.
import type { Queue } from 'bullmq'
import type { Knex } from 'knex'
import { followCluster, OUTBOX_MOVED_MESSAGE } from '../../shared/changes/cluster.ts'
import { CHANGES_KEPT_DAYS } from '../../shared/changes/read.ts'
import { IS_PROVIDER_SET_SQL } from '../../shared/room-calendars/room-calendars-shape.ts'
import { UPKEEP_INTERVALS_MS } from '../../shared/runtime/queues.ts'
import { QUEUES, type QueueName } from '../../shared/schemas/job.ts'
import type { Config } from '../../shared/settings/config.ts'
import type { Log } from '../../shared/utilities/log.ts'
import { requeueAcceptedJobs } from '../runtime/accepted-jobs.ts'
import type { AttemptTools } from '../runtime/attempts.ts'
import { redactFinishedJobs } from '../runtime/finished-jobs.ts'
import { maintainChangePartitions } from './change-partitions.ts'
import { anonymizeOldBookings } from './erasures/old-bookings.ts'
import { searchErasures } from './erasures/search.ts'
import { updateDailyFigures } from './figures/update-daily-figures.ts'
import { writeUserTexts } from './user-texts.ts'

const BATCH_ROWS = 5_000
// The number of file chunks in a batch. Each chunk has half a megabyte.
const BATCH_CHUNKS = 200

// SQL that finds deleted webhooks that still have deliveries. Uses the index on webhook_id and not a full scan.
const DELETED_WEBHOOKS_SQL = `
  WITH RECURSIVE known AS (
    SELECT min(webhook_id) AS id FROM webhook_deliveries
    UNION ALL
    SELECT (SELECT min(webhook_id) FROM webhook_deliveries WHERE webhook_id > known.id) FROM known WHERE known.id IS NOT NULL
  )
  SELECT id FROM known WHERE id IS NOT NULL AND NOT EXISTS (SELECT FROM webhooks WHERE webhooks.id = known.id)`

// SQL condition for unlinked calendars that no process can end, because none has settings for their provider any more.
const LEFT_CALENDARS_SQL = `is_ending AND leased_until < now() AND NOT EXISTS (SELECT FROM calendar_providers
  WHERE calendar_providers.provider = room_calendars.provider AND ${IS_PROVIDER_SET_SQL})`

// SQL conditions for expired rows. A receipt is kept far longer than the deadline of its attempt (WRITE_WAIT_MS is at
// most 5 minutes), after which no worker takes the job. An accepted job may run an hour later, so the receipt of an
// abandoned attempt is still there.
const EXPIRED_CONDITIONS = {
  receipts: `created_at < now() - interval '1 hour' AND (abandoned_at IS NULL OR NOT EXISTS (
    SELECT FROM jobs WHERE jobs.id = receipts.attempt AND jobs.finished_at IS NULL))`,
  idempotency_keys: "created_at < now() - interval '24 hours'",
  file_chunks: 'file_id IN (SELECT id FROM files WHERE expires_at < now())',
  files: 'expires_at < now()',
  import_plan_rows: 'plan_id IN (SELECT id FROM import_plans WHERE expires_at < now())',
  import_plans: 'expires_at < now()',
  import_layouts: "used_at < now() - interval '2 years'",
  // Expired authorizations are kept for another hour, so that programs learn why they get no token.
  device_authorizations: "expires_at < now() - interval '1 hour'",
  sessions: 'expires_at < now()',
  person_sessions: 'expires_at < now()',
  sign_in_links: 'expires_at < now()',
  decision_links: 'expires_at < now()',
  // The invitations to meetings of an erased person stay until everybody has got the mail about the cancellation.
  // After a week, Berth no longer waits for people who are deactivated or have turned such mails off.
  invitations: `event_id IN (SELECT events.id FROM events JOIN users ON users.id = organizer_user_id WHERE is_anonymous)
    AND ((told IS NULL OR (told ->> 'to')::timestamptz < now())
        AND NOT EXISTS (SELECT FROM mails WHERE invitation_id = invitations.id AND next_at IS NOT NULL)
      OR EXISTS (SELECT FROM events WHERE events.id = event_id AND updated_at < now() - interval '7 days'))`,
  answer_links: 'expires_at < now()',
  setup_links: 'expires_at < now()',
  admin_links: 'expires_at < now()',
  jobs: "finished_at < now() - interval '7 days'",
  // Keeps mails that still wait. A mail about a meeting may wait until its reader gets mails again, or until an hour
  // before the meeting.
  mails:
    "created_at < now() - interval '30 days' AND (next_at IS NULL OR next_at < now() - interval '1 day')",
  // If this row is deleted, Berth assumes that the person knows the booking as it was before its next change.
  told_bookings: "told_at < now() - interval '30 days'",
  pushes: "created_at < now() - interval '30 days'",
  pushed_bookings: "told_at < now() - interval '30 days'",
  push_deliveries: 'expires_at < now()',
  // Deliveries that are still open after 30 days belong to a disabled webhook.
  webhook_deliveries: `created_at < now() - interval '30 days' OR webhook_id = ANY (ARRAY(${DELETED_WEBHOOKS_SQL}))`,
  // Cancelled bookings are kept until calendar programs have fetched every calendar again.
  cancelled_bookings: "cancelled_at < now() - interval '30 days'",
  absences: 'upper(days) < current_date - 365',
  team_days: 'date < current_date - 31',
  loans: 'upper(days) < current_date - 365',
  waits: "ended_at < now() - interval '30 days'",
  // Deletes the arrivals of visitors whom nobody announced. Other arrivals are deleted along with their booking or
  // meeting.
  arrivals: "host_id IS NOT NULL AND arrived_at < now() - interval '30 days'",
  refused_bookings: "at < now() - interval '30 days'",
  // A reading begins a day ago, so it no longer names these entries. Keeps the entry of a booking without an end, which Berth extends
  // every day: it may have ended during an outage.
  calendar_entries: `upper(during) < now() - interval '1 day' AND NOT (key IS NOT NULL AND EXISTS (SELECT FROM bookings
      WHERE bookings.id = booking_id AND upper_inf(bookings.during) AND released_at IS NULL))
    OR bookable_id = ANY (ARRAY(SELECT bookable_id FROM room_calendars WHERE ${LEFT_CALENDARS_SQL}))`,
  room_calendars: `${LEFT_CALENDARS_SQL}
    AND NOT EXISTS (SELECT FROM calendar_entries WHERE calendar_entries.bookable_id = room_calendars.bookable_id)`,
  organizer_entries: "ends_at < now() - interval '1 day'",
  // The name that another system gives to a recurring meeting of which no occurrence is left.
  calendar_series: `NOT EXISTS (SELECT FROM events
    WHERE events.series_id = calendar_series.series_id AND upper(events.during) > now() - interval '1 day')`,
  // Providers that no running process has settings for.
  provider_rooms:
    "provider IN (SELECT provider FROM calendar_providers WHERE seen_at < now() - interval '30 days')",
  calendar_providers: "seen_at < now() - interval '30 days'",
  // The default partition only contains rows for days without a partition.
  changes_default: `at < now() - interval '${CHANGES_KEPT_DAYS} days'`,
}

type UpkeepSettings = Pick<Config, 'bookingsAnonymousAfterMonths' | 'auditLogKeptMonths'>

/**
 * Schedules upkeep. Workers repeat this from time to time, because a Redis that has lost its data has also lost its
 * schedules.
 */
export async function scheduleUpkeep(queue: Queue): Promise<void> {
  for (const [name, every] of Object.entries(UPKEEP_INTERVALS_MS)) {
    await queue.upsertJobScheduler(name, { every }, { name: `upkeep.${name}` })
  }
}

export async function runUpkeep(
  task: string,
  { database, identity, log }: Pick<AttemptTools, 'database' | 'identity' | 'log'>,
  queueOf: (name: QueueName) => Queue,
  config: UpkeepSettings,
): Promise<void> {
  if (task === 'upkeep.sweep') {
    await maintainChangePartitions(database, log)
    await deleteExpiredRows(database, log, config)
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
    if (moved) log.warn(moved, OUTBOX_MOVED_MESSAGE)
    await requeueAcceptedJobs(database, identity.database, queueOf, log)
  }
}

/**
 * Deletes expired rows in batches, so that no statement holds locks for long. Returns the number of deleted rows by
 * table.
 */
export async function deleteExpiredRows(
  database: Knex,
  log: Log,
  { auditLogKeptMonths }: Pick<Config, 'auditLogKeptMonths'>,
): Promise<Record<string, number>> {
  const deleted: Record<string, number> = {}
  for (const [table, condition] of Object.entries(EXPIRED_CONDITIONS)) {
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
  const batch = table === 'file_chunks' ? BATCH_CHUNKS : BATCH_ROWS
  const rows = `SELECT ctid FROM ${table} WHERE ${condition} LIMIT ${batch}`
  return repeatStatement(database, `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(${rows}))`, batch)
}

/** Repeats a statement until it changes fewer rows than a batch has. Returns the total number of changed rows. */
async function repeatStatement(database: Knex, statement: string, batch: number): Promise<number> {
  for (let total = 0; ; ) {
    const { rowCount } = await database.raw(statement)
    total += rowCount
    if (rowCount < batch) return total
  }
}

/**
 * Adds ids to visitors whom an older release invited. Also adds ids to attendees who are hidden from other people,
 * because these people see them as visitors. A later release will remove the first part and its index.
 */
export async function assignVisitorIds(database: Knex): Promise<number> {
  const ofVisitors = 'SELECT id FROM event_attendees WHERE user_id IS NULL AND visitor_id IS NULL ORDER BY id'
  const ofHidden = `SELECT event_attendees.id FROM person_settings JOIN event_attendees USING (user_id)
    WHERE visibility <> 'everybody' AND visitor_id IS NULL`
  const assign = (rows: string) =>
    repeatStatement(
      database,
      `UPDATE event_attendees SET visitor_id = nextval(pg_get_serial_sequence('users', 'id'))
       WHERE id = ANY (ARRAY(${rows} LIMIT ${BATCH_ROWS}))`,
      BATCH_ROWS,
    )
  return (await assign(ofVisitors)) + (await assign(ofHidden))
}
