// Queues a job for each entry that is still to be applied, and waits a few seconds for these jobs. A job that is queued twice
// runs once, because its attempt id is computed from the entry.
import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Queue } from 'bullmq'
import type { Knex } from 'knex'
import type { Envelope, InputOf } from '../../../shared/jobs/jobs.ts'
import { formatInstant } from '../../../shared/utilities/date-times.ts'
import type { CalendarLink } from '../calendar-link.ts'
import { takesTimeSql } from '../reading/store-entries.ts'

const JOB = 'room-calendars.apply'
// The limit on queued jobs of one calendar. Each job locks the calendar, so they run one after the other. While another transaction
// has locked the calendar, these jobs wait in workers and delay other writes.
const UNDER_WAY_MAX = 4
const PENDING_READ_MAX = 100
export const APPLY_WAIT_MS = 5_000
const POLL_MS = 25
const POLL_MS_MAX = 400
// Writes of people have no priority, and BullMQ takes those first.
const PRIORITY = 10
const ACTOR = { type: 'system', id: null, name: 'calendar' } as const

const TAKES_NO_TIME_SQL = `NOT coalesce(${takesTimeSql('seen')}, false)`

// The limit on waiting jobs of all calendars. On a busy machine, further jobs would only pass their deadline.
const WAITING_MAX = 100
/** Nobody waits for these jobs, so they may take longer than writes of people. */
const DEADLINE_MS = 30_000

/**
 * SQL for the time at which an entry that is still pending is queued again: soon after the deadline, then less often. For the first
 * hundred tries, the interval stays within minutes, because jobs that no worker ran before their deadline also count as tries.
 */
export const QUEUE_AGAIN_AT_SQL = `queued_at + CASE WHEN tries > 100 THEN interval '1 hour'
  ELSE interval '35 seconds' * power(2, least(tries, 3) - 1) END`

// After this many tries, an entry no longer holds up the others of its calendar: its job probably fails each time.
const TRIES_WAITED_FOR = 2

/** How jobs reach the workers. */
export type ApplyJobs = {
  open(): Promise<{ queue: Queue; database: string }>
  /** Runs work of all calendars of this process one after the other. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result>
  /** How long a round waits for its jobs. */
  applyWaitMs: number
  baseUrl: string
  appliesRules: boolean
}

type PendingEntry = {
  id: number
  revision: number
  tries: number
  rank: number
  isQueued: boolean
  /** Whether its jobs have failed several times, so that nothing waits for it any more. */
  isStuck: boolean
}

/**
 * `done`: no entry is pending. `stuck`: all pending entries have failed several times. `pending`: other entries are still pending.
 * `away`: jobs cannot be queued at the moment.
 */
export type QueueResult = { state: 'done' | 'stuck' | 'pending' | 'away'; applied: number; error?: unknown }

// The limit on the work of one round, in case applied entries make others pending again and again.
const PASSES_MAX = 2_000

/** Queues the pending entries of a calendar until none is left, or until a job takes longer than the round waits. */
export async function queuePendingEntries(
  database: Knex,
  link: CalendarLink,
  jobs: ApplyJobs,
): Promise<QueueResult> {
  const applied = new Set<number>()
  const first = await applyPending(database, link, jobs, applied)
  if (first.state !== 'done' || !(await retryConflicts(database, link, applied))) return first
  return applyPending(database, link, jobs, applied)
}

async function applyPending(
  database: Knex,
  link: CalendarLink,
  jobs: ApplyJobs,
  applied: Set<number>,
): Promise<QueueResult> {
  for (let passes = 0; passes < PASSES_MAX; passes++) {
    const pending = await findPending(database, link)
    if (pending.length === 0) return { state: 'done', applied: applied.size }
    if (link.mustEnd()) break
    const awaited = pending.filter(({ isStuck }) => !isStuck)
    const underWay = awaited.filter(({ isQueued }) => isQueued)
    const rank = Math.min(...awaited.map((entry) => entry.rank))
    const chosen = pending
      .filter((entry) => !entry.isQueued && (entry.isStuck || entry.rank === rank))
      .slice(0, Math.max(0, UNDER_WAY_MAX - underWay.length))
    const { queued, error } = await jobs.inTurn(() => queueEntries(database, chosen, jobs))
    if (error !== undefined) return { state: 'away', applied: applied.size, error }
    const waited = [...underWay, ...queued.filter(({ isStuck }) => !isStuck)]
    if (awaited.length === 0) return { state: 'stuck', applied: applied.size }
    // No job of this calendar was queued, because too many jobs of other calendars wait.
    if (waited.length === 0) break
    // After queuing jobs, the pass ends while some of them are left, so that workers always have a job of this calendar.
    const leftMax = waited.length > underWay.length ? UNDER_WAY_MAX / 2 : 0
    if ((await waitUntilApplied(database, waited, leftMax, link, jobs)) > leftMax) break
    for (const { id } of waited) applied.add(id)
  }
  return { state: 'pending', applied: applied.size }
}

/**
 * Tries once more what was refused and is not declined yet, because another entry of the round may have freed its time: two
 * meetings that change places are refused in any order. Otherwise the refusal would be sent to the organizer.
 */
async function retryConflicts(
  database: Knex,
  { bookableId }: CalendarLink,
  applied: Set<number>,
): Promise<boolean> {
  if (applied.size === 0) return false
  const { rowCount } = await database.raw(
    `UPDATE calendar_entries SET pending_since = now(), revision = revision + 1, queued_at = NULL, tries = 0
     WHERE bookable_id = :bookableId AND conflict IS NOT NULL AND decline IS NULL AND pending_since IS NULL
       AND key IS NULL AND upper(during) > now() AND NOT ${TAKES_NO_TIME_SQL}
       -- An entry cannot have freed its own time.
       AND CAST(:applied AS bigint[]) <> ARRAY[id]`,
    { bookableId, applied: [...applied] },
  )
  return rowCount > 0
}

// Entries that free time come first, then entries that move, then new ones. Otherwise Berth could refuse and decline a meeting
// because of another one that was cancelled at the same time.
async function findPending(database: Knex, { bookableId }: CalendarLink): Promise<PendingEntry[]> {
  const { rows } = await database.raw<{ rows: PendingEntry[] }>(
    `SELECT id, revision, tries, coalesce(${QUEUE_AGAIN_AT_SQL} > now(), false) AS "isQueued",
       tries > ${TRIES_WAITED_FOR} AS "isStuck",
       CASE WHEN ${TAKES_NO_TIME_SQL} THEN 0 WHEN event_id IS NOT NULL OR booking_id IS NOT NULL THEN 1 ELSE 2 END AS rank
     FROM calendar_entries WHERE bookable_id = :bookableId AND pending_since IS NOT NULL
     -- Stuck entries that are due come first, so that other stuck entries never keep them out of the limit.
     ORDER BY "isStuck", CASE WHEN tries > ${TRIES_WAITED_FOR} THEN ${QUEUE_AGAIN_AT_SQL} END NULLS FIRST, rank, pending_since, id
     LIMIT :limit`,
    { bookableId, limit: PENDING_READ_MAX },
  )
  return rows
}

/** Queues as many of the entries as may wait, and returns them, or the error if they could not be queued. */
async function queueEntries(
  database: Knex,
  chosen: PendingEntry[],
  jobs: ApplyJobs,
): Promise<{ queued: PendingEntry[]; error?: unknown }> {
  if (chosen.length === 0) return { queued: [] }
  const { queue, database: identity } = await jobs.open()
  let queued: PendingEntry[]
  try {
    const waiting = await queue.getJobCountByTypes('prioritized')
    queued = chosen.slice(0, Math.max(0, WAITING_MAX - waiting))
    await queue.addBulk(
      queued.map((entry) => {
        const data = createEnvelope(entry, identity, jobs)
        return { name: JOB, data, opts: { jobId: data.attempt, priority: PRIORITY } }
      }),
    )
  } catch (error) {
    return { queued: [], error }
  }
  // A process that dies before this statement leaves the same attempts to the next one. An entry that has changed meanwhile
  // is queued again.
  await database.raw(
    `UPDATE calendar_entries SET queued_at = now(), tries = calendar_entries.tries + 1
     FROM unnest(CAST(:ids AS bigint[]), CAST(:revisions AS int[])) AS queued (id, revision)
     WHERE calendar_entries.id = queued.id AND calendar_entries.revision = queued.revision`,
    { ids: queued.map(({ id }) => id), revisions: queued.map(({ revision }) => revision) },
  )
  return { queued }
}

function createEnvelope(
  { id, revision, tries }: PendingEntry,
  database: string,
  { baseUrl, appliesRules }: ApplyJobs,
): Envelope<InputOf<typeof JOB>> {
  const attempt = createAttemptId(database, id, revision, tries)
  const now = Date.now()
  return {
    attempt,
    database,
    input: { entry_id: id, revision, applies_rules: appliesRules },
    actor: ACTOR,
    requestId: attempt,
    baseUrl,
    receivedAt: formatInstant(now),
    deadlineMs: now + DEADLINE_MS,
    replyTo: null,
    idempotency: null,
  }
}

/** Computes the id of an attempt, as a UUID of version 8 (RFC 9562). */
export function createAttemptId(database: string, entry: number, revision: number, tries: number): string {
  const hash = createHash('sha256').update(`${database} ${entry} ${revision} ${tries}`).digest('hex')
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-a${hash.slice(17, 20)}-${hash.slice(20, 32)}`
}

/** Waits until at most `leftMax` of the entries are pending, for a limited time. Returns how many are pending. */
async function waitUntilApplied(
  database: Knex,
  entries: PendingEntry[],
  leftMax: number,
  { mustEnd }: CalendarLink,
  { applyWaitMs }: ApplyJobs,
): Promise<number> {
  if (entries.length === 0) return 0
  const untilMs = performance.now() + applyWaitMs
  const bindings = [entries.map(({ id }) => id), entries.map(({ revision }) => revision)]
  for (let pauseMs = POLL_MS; ; pauseMs = Math.min(pauseMs * 1.5, POLL_MS_MAX)) {
    const { rows } = await database.raw<{ rows: Array<{ left: number }> }>(
      `SELECT count(*)::int AS left FROM unnest(CAST(? AS bigint[]), CAST(? AS int[])) AS queued (id, revision)
       JOIN calendar_entries ON calendar_entries.id = queued.id AND calendar_entries.revision = queued.revision
       WHERE pending_since IS NOT NULL`,
      bindings,
    )
    const left = rows[0]?.left ?? 0
    if (left <= leftMax || mustEnd() || performance.now() > untilMs) return left
    await wait(pauseMs)
  }
}
