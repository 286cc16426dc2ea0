// The services that are currently down, as every page shows them. They are checked in the background, so that
// no page waits for a service that hangs.
import { QUEUES } from '../../../../shared/schemas/job.ts'
import { checkReadiness, type Readiness } from '../../../server/http/health.ts'
import type { Services } from '../../../server/services/services.ts'
import { sentence, t, translate } from '../../locales/translate.ts'

export const MIGRATIONS_PENDING = sentence`The database schema is out of date. Run “npm run migrate”.`
export const REDIS_DOWN = sentence`Redis is not responding. Nothing can be changed until it is back.`
const DATA_UP_TO_DATE = sentence`The data shown is still up to date.`

const CHECK_EVERY_MS = 2_000

export class SystemStatus {
  readonly #services: Services
  #known: Readiness | undefined
  #askedMs = 0

  constructor(services: Services) {
    this.#services = services
  }

  describe(): string[] {
    if (Date.now() - this.#askedMs > CHECK_EVERY_MS) this.#ask()
    // Redis is reported as down at once, because this process notices that itself. The other results may be
    // slightly old.
    if (!this.#services.queues.isUp()) return [describeRedisDown()]
    return this.#known ? describeReadiness(this.#known) : []
  }

  async #ask() {
    this.#askedMs = Date.now()
    this.#known = await checkReadiness(this.#services)
  }
}

const describeRedisDown = () => `${translate(REDIS_DOWN)} ${translate(DATA_UP_TO_DATE)}`

function describeReadiness({ migrations, redis, workers }: Readiness): string[] {
  if (!redis.ok) return [describeRedisDown()]
  const idle = QUEUES.filter((name) => !workers[name]?.ok)
  return [
    ...(migrations.ok ? [] : [translate(MIGRATIONS_PENDING)]),
    ...(idle.length === 0 ? [] : [describeIdleQueues(idle)]),
  ]
}

function describeIdleQueues(queues: string[]): string {
  return queues.length === 1
    ? t`No worker is running for ${queues.join()}. Jobs in this queue wait until a worker starts.`
    : t`No worker is running for ${queues.join(', ')}. Jobs in these queues wait until a worker starts.`
}
