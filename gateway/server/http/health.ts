// Health checks for operators and their tools: whether the process is alive, whether it is ready, and its
// metrics.
import { listMigrations } from '../../../shared/database/migrations.ts'
import { findWrongClock } from '../../../shared/identity/heartbeat.ts'
import { literal, type Message, message } from '../../../shared/messages/message.ts'
import { writeEnglish } from '../../../shared/messages/write-message.ts'
import { QUEUES, type QueueName } from '../../../shared/schemas/job.ts'
import { describeClock } from '../../../shared/utilities/clock.ts'
import type { Log } from '../../../shared/utilities/log.ts'
import { withTimeout } from '../../../shared/utilities/timeouts.ts'
import { noWorker } from '../../queue/queue-monitor.ts'
import type { Services } from '../services/services.ts'
import type { PlainRoute } from './router.ts'

type CheckResult = { ok: boolean; detail?: Message }
/** `count` is how many workers can reach Redis and their database. */
type WorkersResult = CheckResult & { count: number }
export type Readiness = Record<'postgres' | 'migrations' | 'redis' | 'clock', CheckResult> & {
  /** Present if a replica is configured. */
  replica?: CheckResult
  workers: Record<string, WorkersResult>
}

const CHECK_TIMEOUT_MS = 1_500
const POSTGRES_DOWN = message`Postgres is not responding.`
const REDIS_DOWN = message`Redis is not responding.`

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
      const parts = await readiness(services, { asksWorkers: true })
      // Reads depend on these two only: anything else that is missing is listed, but does not divert traffic.
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

/** With `asksWorkers`, a tiny job goes through each queue to check that writes work. */
export async function readiness(services: Services, { asksWorkers = false } = {}): Promise<Readiness> {
  const { queues, log } = services
  // A driver's message may name hosts, ports and roles, and callers of this need no token, so it only goes to
  // the log.
  const check = (ask: () => Promise<Message | undefined>, failed: Message) => checkPart(ask, failed, log)
  const [postgres, migrations, clock, workers] = await Promise.all([
    check(() => services.reserved.operations.query('SELECT 1').then(() => undefined), POSTGRES_DOWN),
    check(() => checkMigrations(services), message`The migrations could not be read.`),
    check(() => checkClocks(services), REDIS_DOWN),
    Promise.all(QUEUES.map(async (name) => [name, await checkWorkers(services, name, asksWorkers)] as const)),
  ])
  const redis = queues.isRedisUp() ? { ok: true } : { ok: false, detail: REDIS_DOWN }
  const replica = describeReplica(services)
  const parts = { postgres, migrations, ...(replica && { replica }), redis, clock }
  return { ...parts, workers: Object.fromEntries(workers) }
}

// Reads work without the replica.
function describeReplica({ reads }: Services): CheckResult | undefined {
  const problem = reads.replica?.problem
  if (problem !== undefined) return { ok: false, detail: literal(`${problem} Reads go to the primary.`) }
  return reads.replica && { ok: true }
}

async function checkMigrations({ reserved }: Services): Promise<Message | undefined> {
  const known = await listMigrations()
  const { rows } = await reserved.operations.query<{ name: string }>('SELECT name FROM migrations')
  const applied = new Set(rows.map((row) => row.name))
  const pending = known.filter((name) => !applied.has(name))
  return pending.length > 0 ? message`Pending migrations: ${pending.join(', ')}` : undefined
}

// If Redis cannot be asked for the workers' clocks, the check of Redis reports that.
async function checkClocks({ clock, queues, redis }: Services): Promise<Message | undefined> {
  const wrong = clock.describe()
  if (wrong !== undefined) return literal(wrong)
  if (!queues.isUp('shared')) return undefined
  const aheadMs = await findWrongClock(redis.get('shared'), queues.keys)
  return aheadMs === undefined ? undefined : literal(describeClock('a worker’s', aheadMs))
}

async function checkWorkers(
  { queues, queueProbe, log }: Services,
  name: QueueName,
  asksWorkers: boolean,
): Promise<WorkersResult> {
  if (!queues.isUp(name)) return { ok: false, detail: REDIS_DOWN, count: 0 }
  let count = 0
  const ask = async () => {
    const problem = asksWorkers ? await queueProbe.findProblem(name) : undefined
    count = await queues.countWorkers(name)
    const found = problem ?? (count === 0 ? noWorker(name) : undefined)
    return found === undefined ? undefined : literal(found)
  }
  return { ...(await checkPart(ask, REDIS_DOWN, log)), count }
}

/** `ask` returns what is missing, if anything; `failed` is reported if it throws. */
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
