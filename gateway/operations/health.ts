// What operators and their tools ask: does the process live, is it ready, how is it doing.
import { QUEUES } from '../../shared/contracts/job.ts'
import type { Log } from '../../shared/log.ts'
import { listMigrations } from '../../shared/migrations.ts'
import { describeClock } from '../../shared/utilities/clock.ts'
import { withTimeout } from '../../shared/utilities/timeouts.ts'
import { findWrongClock } from '../../shared/utilities/wrong-clock.ts'
import type { PlainRoute } from '../http/router.ts'
import type { Services } from '../services.ts'

type CheckResult = { ok: boolean; detail?: string }
export type Readiness = Record<'postgres' | 'migrations' | 'redis' | 'clock', CheckResult> & {
  workers: Record<string, CheckResult>
}

const CHECK_TIMEOUT_MS = 1_500
const POSTGRES_DOWN = 'Postgres is not responding.'
const REDIS_DOWN = 'Redis is not responding.'

export const healthRoutes: PlainRoute[] = [
  {
    path: '/healthz',
    handle(ctx) {
      ctx.body = { status: 'ok' }
    },
  },
  {
    path: '/readyz',
    async handle(ctx, services) {
      const parts = await readiness(services)
      // Reads depend on these two only: whatever else is missing is listed, but takes no traffic away.
      ctx.status = parts.postgres.ok && parts.migrations.ok ? 200 : 503
      ctx.body = { status: ctx.status === 200 ? 'ready' : 'not ready', ...parts }
    },
  },
  {
    path: '/metrics',
    async handle(ctx, { metrics }) {
      ctx.set('Content-Type', metrics.registry.contentType)
      ctx.body = await metrics.text()
    },
  },
]

export async function readiness(services: Services): Promise<Readiness> {
  const { queues, log } = services
  // What a driver says may name hosts, ports and roles, and whoever asks needs no token: that is for the log.
  const check = (ask: () => Promise<string | undefined>, failed: string) => checkPart(ask, failed, log)
  const [postgres, migrations, clock, workers] = await Promise.all([
    check(() => checkPostgres(services), POSTGRES_DOWN),
    check(() => checkMigrations(services), 'The migrations could not be read.'),
    check(() => checkClocks(services), REDIS_DOWN),
    Promise.all(
      QUEUES.map(
        async (name) => [name, await check(() => checkWorkers(services, name), REDIS_DOWN)] as const,
      ),
    ),
  ])
  const redis = queues.isRedisUp() ? { ok: true } : { ok: false, detail: REDIS_DOWN }
  return { postgres, migrations, redis, clock, workers: Object.fromEntries(workers) }
}

async function checkPostgres({ primary }: Services): Promise<undefined> {
  await primary.query('SELECT 1')
}

async function checkMigrations({ primary }: Services): Promise<string | undefined> {
  const known = await listMigrations()
  const { rows } = await primary.query<{ name: string }>('SELECT name FROM migrations')
  const applied = new Set(rows.map((row) => row.name))
  const pending = known.filter((name) => !applied.has(name))
  return pending.length > 0 ? `Pending migrations: ${pending.join(', ')}` : undefined
}

// Where Redis cannot be asked for the workers', that is told of Redis.
async function checkClocks({ clock, queues, redis }: Services): Promise<string | undefined> {
  const wrong = clock.describe()
  if (wrong !== undefined || !queues.isUp()) return wrong
  const aheadMs = await findWrongClock(redis, queues.keys)
  return aheadMs === undefined ? undefined : describeClock('a worker’s', aheadMs)
}

async function checkWorkers(
  { queues }: Services,
  name: (typeof QUEUES)[number],
): Promise<string | undefined> {
  if (!queues.isUp()) return REDIS_DOWN
  return (await queues.workers(name)) === 0 ? `No worker is listening to “${name}”.` : undefined
}

/** `ask` says what is missing, if anything; `failed` is said where it cannot be found out. */
async function checkPart(
  ask: () => Promise<string | undefined>,
  failed: string,
  log: Log,
): Promise<CheckResult> {
  try {
    const detail = await withTimeout(ask(), CHECK_TIMEOUT_MS, () => 'Timed out.')
    return detail === undefined ? { ok: true } : { ok: false, detail }
  } catch (error) {
    log.debug({ err: error }, 'a check of readiness failed')
    return { ok: false, detail: failed }
  }
}
