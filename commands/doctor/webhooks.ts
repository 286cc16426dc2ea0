// Checks that a process sends webhooks. That process leaves no trace in Redis, so this looks at the outbox.
import type pg from 'pg'
import { findCluster, MOVED_AT } from '../../shared/changes/cluster.ts'
import { OUTBOX_AGE } from '../../shared/changes/read.ts'
import { queryRow, queryRows, queryValue } from './connections.ts'
import { type Checks, type Finding, judge, problem, warning } from './findings.ts'

const WAIT_SECONDS_MAX = 60
// An import may hold up the outbox for this long.
const HELD_UP_SECONDS_MAX = 900
const START = 'Start the line “hooks” of the Procfile.'

type Facts = {
  enabled: number
  hasBegun: boolean
  seconds: number
  moved: string | null
  /** The database has come from another cluster, which the outbox does not know yet. */
  isMoved: boolean
}

export async function checkWebhooks(pool: pg.Pool): Promise<Finding[]> {
  // Pending migrations are reported by another finding.
  if (!(await queryValue<boolean>(pool, "SELECT to_regproc('changes_offset') IS NOT NULL"))) return []
  const facts = await queryRow<Facts>(
    pool,
    `SELECT (SELECT count(*) FROM webhooks WHERE enabled)::int AS enabled,
       EXISTS (SELECT FROM webhook_position) AS "hasBegun", coalesce((${OUTBOX_AGE}), 0) AS seconds,
       to_char(${MOVED_AT} AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI') AS moved`,
  )
  const { isMoved } = await findCluster(queryRows(pool))
  return judge(CHECKS, { ...facts, isMoved })
}

const CHECKS: Checks<Facts> = {
  webhooks: ({ enabled, hasBegun, seconds }) => {
    if (enabled === 0) return 'none is on'
    if (!hasBegun) return problem(`${enabled} are on, and were never told of a change`, START)
    if (seconds <= WAIT_SECONDS_MAX) return `${enabled} are on, and told of changes`
    const fault = seconds > HELD_UP_SECONDS_MAX ? problem : warning
    return fault(
      `${enabled} are on, and a change has been waiting for ${Math.round(seconds)} s to be told`,
      `${START} Where it runs, end the transaction that is open for so long (pg_stat_activity, xact_start).`,
    )
  },
  cluster: ({ isMoved, moved }) => {
    if (isMoved)
      return problem(
        'the database has come from another cluster of Postgres: webhooks and the feed may leave out changes',
        'Run npm run migrate (docs/backups.md, “After a restore”).',
      )
    if (moved === null) return 'the one that webhooks and the feed began in'
    return `webhooks and the feed have gone on in this one since ${moved} UTC`
  },
}
