// Collects the rows that exist at the end of a run, to compare them with the history.
import type { Knex } from 'knex'
import type { LogLine } from '../../support/processes.ts'
import type { History, Write } from '../history.ts'

export type AuditRow = {
  action: string
  resource_id: number | null
  request_id: string
  attempt: string
  guest: string | null
  filename: string | null
}
export type JobRow = {
  id: string
  state: string
  request_id: string
  outcome: { status: number; body: string; refused?: string } | null
}

export type Facts = {
  history: History
  database: Knex
  /** Audit rows by the mark of their write. */
  audit: Map<string, AuditRow[]>
  jobs: Map<string, JobRow[]>
  /** The number of bookings, events, team days and users by the mark that was written into them. */
  marked: Map<string, number>
  /** The errors that workers logged, by request id. */
  failures: Map<string, string>
}

export async function collectFacts(
  history: History,
  database: Knex,
  failed: readonly LogLine[],
): Promise<Facts> {
  const audit = await database('audit_log')
    .select('action', 'resource_id', 'request_id', 'attempt')
    .select(database.raw(`after ->> 'filename' AS filename, after ->> 'guest_name' AS guest`))
    // An approval is a single write, although it also creates a booking or a meeting.
    .whereRaw(
      `NOT (action IN ('bookings.create', 'events.create') AND EXISTS (
        SELECT FROM audit_log AS approval
        WHERE approval.action = 'booking_requests.approve' AND approval.request_id = audit_log.request_id))`,
    )
    .orderBy('id')
  const jobs = await database('jobs').select(
    'id',
    'state',
    'outcome',
    database.raw(`envelope ->> 'requestId' AS request_id`),
  )
  const { rows } = await database.raw(`
    SELECT mark, count(*)::int AS number FROM (
      SELECT guest_name AS mark FROM bookings WHERE guest_name IS NOT NULL
      UNION ALL SELECT name FROM events
      UNION ALL SELECT note FROM team_days
      UNION ALL SELECT split_part(email, '.', 1) FROM users WHERE email LIKE '%@chaos.example'
    ) AS marks GROUP BY mark`)
  return {
    history,
    database,
    audit: groupByMark<AuditRow>(audit),
    jobs: groupByMark<JobRow>(jobs),
    marked: new Map(rows.map(({ mark, number }: { mark: string; number: number }) => [mark, number])),
    failures: new Map(failed.map(({ requestId, err }) => [String(requestId), JSON.stringify(err)])),
  }
}

const SHARED_REQUEST_ID_PATTERN = /^together-/

// Writes that share a request id differ in their guest.
function groupByMark<Row extends { request_id: string; guest?: string | null }>(
  rows: Row[],
): Map<string, Row[]> {
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const own = SHARED_REQUEST_ID_PATTERN.test(row.request_id) ? row.guest : row.request_id.split('.')[0]
    const mark = own ?? ''
    const group = groups.get(mark)
    if (group) group.push(row)
    else groups.set(mark, [row])
  }
  return groups
}

/** Whether the job's row was stored after its caller had received 503. Such a job never runs. */
export const wasCalledOff = ({ outcome }: JobRow) => outcome?.refused === 'not_executed'

/**
 * Whether the job ended with an internal error. Its key is then free, so that a repeat creates a second job
 * (workers/runtime/accepted-jobs.ts).
 */
export const hasFreedKey = ({ outcome }: JobRow) => (outcome?.status ?? 0) >= 500

export const findAuditRows = ({ audit }: Facts, { mark }: Write): AuditRow[] => audit.get(mark) ?? []
