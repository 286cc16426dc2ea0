// Describes whether the queues are healthy, in sentences, the worst first.
import type { QueueName } from '../../../shared/schemas/job.ts'
import { type Readiness, readiness } from '../../http/health.ts'
import type { Services } from '../../services/services.ts'
import { MIGRATIONS_PENDING, REDIS_DOWN } from '../kit/system-status.ts'
import { cacheFor } from '../kit/ttl-cache.ts'
import { plural, t, translate } from '../locales/translate.ts'
import { formatDuration } from '../time/durations.ts'
import { findQueues, type QueueRow } from './queries.ts'

export type Tone = 'good' | 'warn' | 'bad'
export type Finding = { tone: Tone; sentence: string }
type Health = { queues: QueueRow[] | undefined; ready: Readiness; findings: Finding[] }

const CACHED_MS = 1_000

// Callers wait for writes. Imports run one after the other and may take minutes each.
const WAIT_MS_MAX: Record<QueueName, number> = {
  writes: 2_000,
  imports: 600_000,
  exports: 120_000,
  upkeep: 120_000,
}

const findStates = cacheFor(CACHED_MS, async (services: Services) => {
  const [queues, ready] = await Promise.all([findQueues(services), readiness(services)])
  return { queues, ready }
})

// The sentences are not cached, because the next viewer may use another language.
export async function findHealth(services: Services): Promise<Health> {
  const { queues, ready } = await findStates(services)
  return { queues, ready, findings: assess(queues, ready) }
}

/** At least one finding, the worst first. */
function assess(queues: QueueRow[] | undefined, { migrations }: Readiness): Finding[] {
  const found = [
    ...(migrations.ok ? [] : [pendingMigrations()]),
    ...(queues?.flatMap(assessQueue) ?? [redisDown()]),
  ]
  const worst = [...found.filter(({ tone }) => tone === 'bad'), ...found.filter(({ tone }) => tone !== 'bad')]
  return worst.length > 0 ? worst : [allNormal()]
}

const pendingMigrations = (): Finding => ({ tone: 'bad', sentence: translate(MIGRATIONS_PENDING) })
const redisDown = (): Finding => ({
  tone: 'bad',
  sentence: `${translate(REDIS_DOWN)} ${t`Accepted imports and exports continue once it is back.`}`,
})
const allNormal = (): Finding => ({
  tone: 'good',
  sentence: t`All systems normal: no job is waiting long, and no failed job is left from the last hour.`,
})

function assessQueue({ name, isPaused, counts, oldestWaitMs, lastHour, workers }: QueueRow): Finding[] {
  const waiting =
    counts.waiting === 0 ? '' : ` ${plural(counts.waiting, 'One job is waiting.', '# jobs are waiting.')}`
  const found: Finding[] = []
  if (isPaused) {
    const paused = t`The “${name}” queue is paused. Its jobs wait until someone resumes it.`
    found.push({ tone: 'bad', sentence: paused + waiting })
  } else if (workers.length === 0) {
    found.push({ tone: 'bad', sentence: t`No worker is running for the “${name}” queue.` + waiting })
  } else if (oldestWaitMs > WAIT_MS_MAX[name]) {
    const oldest = t`The oldest job in the “${name}” queue has been waiting for ${formatDuration(oldestWaitMs)}.`
    found.push({ tone: 'bad', sentence: oldest + waiting })
  }
  if (lastHour.failed > 0) {
    found.push({
      tone: 'warn',
      sentence: plural(
        lastHour.failed,
        'One job in the “{0}” queue failed in the last hour.',
        '# jobs in the “{0}” queue failed in the last hour.',
        name,
      ),
    })
  }
  return found
}
