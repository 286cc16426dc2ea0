// The rows at the end of a run, with which the history is compared.
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
  /** By the mark of their write. */
  audit: Map<string, AuditRow[]>
  jobs: Map<string, JobRow[]>
  /** By what was written into them: how many bookings, events and users there are. */
  marked: Map<string, number>
  /** Why a worker failed, by the id of the request. */
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
    // An approval is one write, though it also creates a booking.
    .whereRaw(
      `NOT (action = 'bookings.create' AND EXISTS (
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
      UNION ALL SELECT split_part(email, '.', 1) FROM users WHERE email LIKE '%@chaos.example'
    ) AS marks GROUP BY mark`)
  return {
    history,
    database,
    audit: byMark<AuditRow>(audit),
    jobs: byMark<JobRow>(jobs),
    marked: new Map(rows.map(({ mark, number }: { mark: string; number: number }) => [mark, number])),
    failures: new Map(failed.map(({ requestId, err }) => [String(requestId), JSON.stringify(err)])),
  }
}

const SHARED = /^together-/

// Writes that share a request id are told apart by their guest.
function byMark<Row extends { request_id: string; guest?: string | null }>(rows: Row[]): Map<string, Row[]> {
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const own = SHARED.test(row.request_id) ? row.guest : row.request_id.split('.')[0]
    const mark = own ?? ''
    const group = groups.get(mark)
    if (group) group.push(row)
    else groups.set(mark, [row])
  }
  return groups
}

/** Its row came after its caller had heard 503: it is there, and will never be done. */
export const wasCalledOff = ({ outcome }: JobRow) => outcome?.refused === 'not_executed'

/** It ended with an internal error, so its key is free, and a repeat runs as another job (workers/runtime/accepted-jobs.ts). */
export const freedItsKey = ({ outcome }: JobRow) => (outcome?.status ?? 0) >= 500

export const auditOf = ({ audit }: Facts, { mark }: Write): AuditRow[] => audit.get(mark) ?? []
