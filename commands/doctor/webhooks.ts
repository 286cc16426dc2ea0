// Checks that a process sends webhooks. That process leaves no trace in Redis, so this looks at the outbox.
import type pg from 'pg'
import { findCluster, MOVED_AT } from '../../shared/changes/cluster.ts'
import { OUTBOX_AGE } from '../../shared/changes/read.ts'
import { onlyRow } from '../../shared/database/database.ts'
import { type Finding, ok, problem, warning } from './findings.ts'

const WAIT_SECONDS_MAX = 60
// An import may hold up the outbox for this long.
const HELD_UP_SECONDS_MAX = 900
const START = 'Start the line “hooks” of the Procfile.'

type Told = { enabled: number; hasBegun: boolean; seconds: number; moved: string | null }

export async function checkWebhooks(pool: pg.Pool): Promise<Finding[]> {
  const known = await pool.query<{ isThere: boolean }>(
    `SELECT to_regproc('changes_offset') IS NOT NULL AS "isThere"`,
  )
  // Pending migrations are reported by another finding.
  if (!onlyRow(known.rows).isThere) return []
  const { rows } = await pool.query<Told>(
    `SELECT (SELECT count(*) FROM webhooks WHERE enabled)::int AS enabled,
       EXISTS (SELECT FROM webhook_position) AS "hasBegun", coalesce((${OUTBOX_AGE}), 0) AS seconds,
       to_char(${MOVED_AT} AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI') AS moved`,
  )
  const { isMoved } = await findCluster(async (sql) => (await pool.query<Record<string, unknown>>(sql)).rows)
  return [judgeWebhooks(onlyRow(rows)), judgeCluster(isMoved, onlyRow(rows))]
}

function judgeWebhooks({ enabled, hasBegun, seconds }: Told): Finding {
  const about = 'webhooks'
  if (enabled === 0) return ok(about, 'none is on')
  if (!hasBegun) return problem(about, `${enabled} are on, and were never told of a change`, START)
  if (seconds <= WAIT_SECONDS_MAX) return ok(about, `${enabled} are on, and told of changes`)
  const judge = seconds > HELD_UP_SECONDS_MAX ? problem : warning
  return judge(
    about,
    `${enabled} are on, and a change has been waiting for ${Math.round(seconds)} s to be told`,
    `${START} Where it runs, end the transaction that is open for so long (pg_stat_activity, xact_start).`,
  )
}

function judgeCluster(isMoved: boolean, { moved }: Told): Finding {
  const about = 'cluster'
  if (isMoved)
    return problem(
      about,
      'the database has come from another cluster of Postgres: webhooks and the feed may leave out changes',
      'Run npm run migrate (docs/backups.md, “After a restore”).',
    )
  if (moved === null) return ok(about, 'the one that webhooks and the feed began in')
  return ok(about, `webhooks and the feed have gone on in this one since ${moved} UTC`)
}
