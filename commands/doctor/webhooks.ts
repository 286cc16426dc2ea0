// Checks that a process sends webhooks. That process leaves no trace in Redis, so the check reads the outbox.
import type pg from 'pg'
import { findCluster, OUTBOX_MOVED_AT_SQL } from '../../shared/changes/cluster.ts'
import { OUTBOX_AGE_SQL } from '../../shared/changes/read.ts'
import { queryRow, queryRows, queryValue } from './connections.ts'
import { checkFacts, createProblem, createWarning, type FactChecks, type Finding } from './findings.ts'

const DELIVERY_WAIT_SECONDS_MAX = 60
// How long an import may hold up the outbox, in seconds.
const HELD_UP_SECONDS_MAX = 900
const START_HOOKS_HINT = 'Start the line “hooks” of the Procfile.'

type WebhookFacts = {
  enabled: number
  hasBegun: boolean
  seconds: number
  moved: string | null
  /** Whether the database has moved from another Postgres cluster and the outbox has not caught up yet. */
  isMoved: boolean
}

export async function checkWebhooks(pool: pg.Pool): Promise<Finding[]> {
  // Skips the check if migrations are pending, which another finding reports.
  if (!(await queryValue<boolean>(pool, "SELECT to_regproc('changes_offset') IS NOT NULL"))) return []
  const facts = await queryRow<WebhookFacts>(
    pool,
    `SELECT (SELECT count(*) FROM webhooks WHERE enabled)::int AS enabled,
       EXISTS (SELECT FROM webhook_position) AS "hasBegun", coalesce((${OUTBOX_AGE_SQL}), 0) AS seconds,
       to_char(${OUTBOX_MOVED_AT_SQL} AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI') AS moved`,
  )
  const { isMoved } = await findCluster(queryRows(pool))
  return checkFacts(WEBHOOK_CHECKS, { ...facts, isMoved })
}

const WEBHOOK_CHECKS: FactChecks<WebhookFacts> = {
  webhooks: ({ enabled, hasBegun, seconds }) => {
    if (enabled === 0) return 'none is on'
    if (!hasBegun)
      return createProblem(`${enabled} are on, but have never been sent a change`, START_HOOKS_HINT)
    if (seconds <= DELIVERY_WAIT_SECONDS_MAX) return `${enabled} are on, and told of changes`
    const fault = seconds > HELD_UP_SECONDS_MAX ? createProblem : createWarning
    return fault(
      `${enabled} are on, and a change has been waiting for ${Math.round(seconds)} s to be told`,
      `${START_HOOKS_HINT} Where it runs, end the transaction that is open for so long (pg_stat_activity, xact_start).`,
    )
  },
  cluster: ({ isMoved, moved }) => {
    if (isMoved)
      return createProblem(
        'the database has come from another cluster of Postgres: webhooks and the feed may leave out changes',
        'Run npm run migrate (docs/backups.md, “After a restore”).',
      )
    if (moved === null) return 'the one in which webhooks and the feed began'
    return `webhooks and the feed have continued in this one since ${moved} UTC`
  },
}
