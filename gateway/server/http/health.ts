// Health checks for operators and their tools: whether the process is alive, whether it is ready, and its
// metrics.
import { listMigrations } from '../../../shared/database/migrations.ts'
import { findWrongClock } from '../../../shared/identity/heartbeat.ts'
import { literalMessage, type Message, message } from '../../../shared/messages/message.ts'
import { writeEnglish } from '../../../shared/messages/write-message.ts'
import { QUEUES, type QueueName } from '../../../shared/schemas/job.ts'
import { describeClock } from '../../../shared/utilities/clock.ts'
import type { Log } from '../../../shared/utilities/log.ts'
import { withTimeout } from '../../../shared/utilities/timeouts.ts'
import { describeMissingWorker } from '../../queue/queue-monitor.ts'
import type { Services } from '../services/services.ts'
import type { PlainRoute } from './router.ts'

type CheckResult = { ok: boolean; detail?: Message }
/** The result of a check of workers. `count` is how many workers can reach Redis and their database. */
type WorkersResult = CheckResult & { count: number }
export type Readiness = Record<'postgres' | 'migrations' | 'redis' | 'clock', CheckResult> & {
  /** The result for the replica, if one is configured. */
  replica?: CheckResult
  workers: Record<string, WorkersResult>
}

const CHECK_TIMEOUT_MS = 1_500
const POSTGRES_NOT_RESPONDING = message`Postgres is not responding.`
const REDIS_NOT_RESPONDING = message`Redis is not responding.`

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
      const parts = await checkReadiness(services, { asksWorkers: true })
      // Reads depend only on Postgres and the migrations. All other problems are listed, but do not divert
      // traffic.
      const isReady = parts.postgres.ok && parts.migrations.ok
      ctx.status = isReady && !services.isStopping ? 200 : 503
      const status = isReady ? 'ready' : 'not ready'
      ctx.body = { status: services.isStopping ? 'stopping' : status, ...writeParts(parts) }
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

function writeParts({ workers, ...parts }: Readiness) {
  const inEnglish = (part: CheckResult) => ({ ...part, detail: part.detail && writeEnglish(part.detail) })
  const write = (each: Record<string, CheckResult>) =>
    Object.fromEntries(Object.entries(each).map(([name, part]) => [name, inEnglish(part)]))
  return { ...write(parts), workers: write(workers) }
}

/**
 * Checks whether the gateway is ready. With `asksWorkers`, sends a tiny job through each queue to check that writes
 * work.
 */
export async function checkReadiness(services: Services, { asksWorkers = false } = {}): Promise<Readiness> {
  const { queues, log } = services
  // Logs the driver's message instead of returning it: it may name hosts, ports and roles, and callers of this endpoint
  // need no token.
  const check = (ask: () => Promise<Message | undefined>, failed: Message) => checkPart(ask, failed, log)
  const [postgres, migrations, clock, workers] = await Promise.all([
    check(
      () => services.reserved.operations.query('SELECT 1').then(() => undefined),
      POSTGRES_NOT_RESPONDING,
    ),
    check(() => checkMigrations(services), message`The migrations could not be read.`),
    check(() => checkClocks(services), REDIS_NOT_RESPONDING),
    Promise.all(QUEUES.map(async (name) => [name, await checkWorkers(services, name, asksWorkers)] as const)),
  ])
  const redis = queues.isRedisUp() ? { ok: true } : { ok: false, detail: REDIS_NOT_RESPONDING }
  const replica = describeReplica(services)
  const parts = { postgres, migrations, ...(replica && { replica }), redis, clock }
  return { ...parts, workers: Object.fromEntries(workers) }
}

// Describes the replica. It does not affect readiness, because reads work without it.
function describeReplica({ reads }: Services): CheckResult | undefined {
  const problem = reads.replica?.problem
  if (problem !== undefined)
    return { ok: false, detail: literalMessage(`${problem} Reads go to the primary.`) }
  return reads.replica && { ok: true }
}

async function checkMigrations({ reserved }: Services): Promise<Message | undefined> {
  const known = await listMigrations()
  const { rows } = await reserved.operations.query<{ name: string }>('SELECT name FROM migrations')
  const applied = new Set(rows.map((row) => row.name))
  const pending = known.filter((name) => !applied.has(name))
  return pending.length > 0 ? message`Pending migrations: ${pending.join(', ')}` : undefined
}

// Ignores an error of Redis when asking for the workers' clocks, because the check of Redis reports the
// error.
async function checkClocks({ clock, queues, redis }: Services): Promise<Message | undefined> {
  const wrong = clock.describe()
  if (wrong !== undefined) return literalMessage(wrong)
  if (!queues.isUp('shared')) return undefined
  const aheadMs = await findWrongClock(redis.get('shared'), queues.keys)
  return aheadMs === undefined ? undefined : literalMessage(describeClock('a worker’s', aheadMs))
}

async function checkWorkers(
  { queues, queueProbe, log }: Services,
  name: QueueName,
  asksWorkers: boolean,
): Promise<WorkersResult> {
  if (!queues.isUp(name)) return { ok: false, detail: REDIS_NOT_RESPONDING, count: 0 }
  let count = 0
  const ask = async () => {
    const problem = asksWorkers ? await queueProbe.findProblem(name) : undefined
    count = await queues.countWorkers(name)
    const found = problem ?? (count === 0 ? describeMissingWorker(name) : undefined)
    return found === undefined ? undefined : literalMessage(found)
  }
  return { ...(await checkPart(ask, REDIS_NOT_RESPONDING, log)), count }
}

/** Runs a check. `ask` returns what is missing, if anything. If `ask` throws, `failed` is reported. */
async function checkPart(
  ask: () => Promise<Message | undefined>,
  failed: Message,
  log: Log,
): Promise<CheckResult> {
  try {
    const detail = await withTimeout(ask(), CHECK_TIMEOUT_MS, () => message`Timed out.`)
    return detail === undefined ? { ok: true } : { ok: false, detail }
  } catch (error) {
    log.debug({ err: error }, 'a readiness check failed')
    return { ok: false, detail: failed }
  }
}
