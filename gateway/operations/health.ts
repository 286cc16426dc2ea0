// What operators and their tools ask: does the process live, is it ready, how is it doing.
import { QUEUES } from '../../shared/contracts/job.ts'
import { listMigrations } from '../../shared/migrations.ts'
import { withTimeout } from '../../shared/utilities/timeouts.ts'
import type { PlainRoute } from '../http/router.ts'
import type { Services } from '../services.ts'

type CheckResult = { ok: boolean; detail?: string }
export type Readiness = Record<'postgres' | 'migrations' | 'redis', CheckResult> & {
  workers: Record<string, CheckResult>
}

const CHECK_TIMEOUT_MS = 1_500

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
  const [postgres, migrations, workers] = await Promise.all([
    check(async () => void (await services.primary.query('SELECT 1'))),
    check(() => checkMigrations(services)),
    Promise.all(QUEUES.map(async (name) => [name, await checkWorkers(services, name)] as const)),
  ])
  const redis = services.queues.isUp() ? { ok: true } : { ok: false, detail: 'Redis is not responding.' }
  return { postgres, migrations, redis, workers: Object.fromEntries(workers) }
}

async function checkMigrations({ primary }: Services): Promise<void> {
  const known = await listMigrations()
  const { rows } = await primary.query<{ name: string }>('SELECT name FROM migrations')
  const applied = new Set(rows.map((row) => row.name))
  const pending = known.filter((name) => !applied.has(name))
  if (pending.length > 0) throw new Error(`Pending migrations: ${pending.join(', ')}`)
}

async function checkWorkers({ queues }: Services, name: (typeof QUEUES)[number]): Promise<CheckResult> {
  return check(async () => {
    if (!queues.isUp()) throw new Error('Redis is not responding.')
    if ((await queues.workers(name)) === 0) throw new Error(`No worker is listening to “${name}”.`)
  })
}

async function check(ask: () => Promise<void>): Promise<CheckResult> {
  try {
    await withTimeout(ask(), CHECK_TIMEOUT_MS, () => {
      throw new Error('Timed out.')
    })
    return { ok: true }
  } catch (error) {
    return { ok: false, detail: (error as Error).message || 'No response.' }
  }
}
