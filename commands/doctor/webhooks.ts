// Whether somebody tells webhooks of changes. The process that does says nothing in Redis, so the outbox is looked at.
import type pg from 'pg'
import { OUTBOX_AGE } from '../../shared/changes/read.ts'
import { onlyRow } from '../../shared/database.ts'
import { type Finding, ok, problem, warning } from './findings.ts'

const WAIT_SECONDS_MAX = 60
// An import may hold the outbox up for so long.
const HELD_UP_SECONDS_MAX = 900
const START = 'Start the line “hooks” of the Procfile.'

type Told = { enabled: number; hasBegun: boolean; seconds: number }

export async function checkWebhooks(pool: pg.Pool): Promise<Finding[]> {
  const known = await pool.query<{ isThere: boolean }>(
    `SELECT to_regclass('webhook_position') IS NOT NULL AS "isThere"`,
  )
  // That migrations are pending is told elsewhere.
  if (!onlyRow(known.rows).isThere) return []
  const { rows } = await pool.query<Told>(
    `SELECT (SELECT count(*) FROM webhooks WHERE enabled)::int AS enabled,
       EXISTS (SELECT FROM webhook_position) AS "hasBegun", coalesce((${OUTBOX_AGE}), 0) AS seconds`,
  )
  return [judgeWebhooks(onlyRow(rows))]
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
