// Checks that workers queue notifications to browsers and that the process `hooks` sends them. The keys are checked
// when the settings are read (shared/settings/push.ts).
import type pg from 'pg'
import { OLDEST_DUE_PUSH_SQL } from '../../shared/mail/mail-figures.ts'
import type { Config } from '../../shared/settings/config.ts'
import { queryRow, queryValue } from './connections.ts'
import { checkFacts, createProblem, createWarning, type FactChecks, type Finding } from './findings.ts'

const LATE_SECONDS_MAX = 120
const OPERATIONS_HINT = '(docs/operations.md, Notifications).'

type PushFacts = { hasPages: boolean; unsent: number; unqueued: number; browsers: number }

export async function checkPushes(
  pool: pg.Pool,
  { push, peoplePages }: Pick<Config, 'push' | 'peoplePages'>,
): Promise<Finding[]> {
  // Skips the check if migrations are pending, which another check reports.
  if (!push || !(await queryValue<boolean>(pool, "SELECT to_regclass('pushes') IS NOT NULL"))) return []
  const facts = await queryRow<Omit<PushFacts, 'hasPages'>>(
    pool,
    `SELECT coalesce((${OLDEST_DUE_PUSH_SQL}), 0) AS unsent, (SELECT count(*) FROM push_subscriptions)::int AS browsers,
       coalesce((SELECT extract(epoch FROM now() - min(next_at))::float8 FROM pushes WHERE next_at <= now()), 0) AS unqueued`,
  )
  return checkFacts(PUSH_CHECKS, { ...facts, hasPages: peoplePages })
}

const PUSH_CHECKS: FactChecks<PushFacts> = {
  notifications: ({ hasPages, unsent, unqueued, browsers }) => {
    if (!hasPages)
      return createWarning(
        'nobody can turn them on',
        'Set PEOPLE_PAGES=on, or remove PUSH_PUBLIC_KEY and PUSH_PRIVATE_KEY.',
      )
    if (unqueued > LATE_SECONDS_MAX)
      return createProblem(
        `one has been due for ${Math.round(unqueued)} s`,
        `Start a worker with the queue upkeep, and with PUSH_PUBLIC_KEY ${OPERATIONS_HINT}`,
      )
    if (unsent > LATE_SECONDS_MAX)
      return createProblem(
        `one has been ready to send for ${Math.round(unsent)} s`,
        `Start the line “hooks” of the Procfile, with PUSH_PRIVATE_KEY ${OPERATIONS_HINT}`,
      )
    return `${browsers} ${browsers === 1 ? 'browser gets' : 'browsers get'} them`
  },
}
