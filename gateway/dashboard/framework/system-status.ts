// What is down at present, as every page says it: asked beside the pages, so that none waits for a part that hangs.
import { QUEUES } from '../../../shared/contracts/job.ts'
import { type Readiness, readiness } from '../../operations/health.ts'
import type { Services } from '../../services.ts'

export const MIGRATIONS_PENDING = 'The database schema is out of date. Run “npm run migrate”.'
export const REDIS_DOWN = 'Redis is not responding. Nothing can be changed until it is back.'
const REDIS_DOWN_HERE = `${REDIS_DOWN} What you see is still up to date.`

const ASKED_EVERY_MS = 2_000

export class SystemStatus {
  readonly #services: Services
  #sentences: string[] = []
  #askedMs = 0

  constructor(services: Services) {
    this.#services = services
  }

  describe(): string[] {
    if (Date.now() - this.#askedMs > ASKED_EVERY_MS) this.#ask()
    // This process knows at once when Redis goes; the rest is a moment old.
    if (!this.#services.queues.isUp()) return [REDIS_DOWN_HERE]
    return this.#sentences
  }

  async #ask() {
    this.#askedMs = Date.now()
    this.#sentences = describeReadiness(await readiness(this.#services))
  }
}

function describeReadiness({ migrations, redis, workers }: Readiness): string[] {
  if (!redis.ok) return [REDIS_DOWN_HERE]
  const idle = QUEUES.filter((name) => !workers[name]?.ok)
  return [
    ...(migrations.ok ? [] : [MIGRATIONS_PENDING]),
    ...(idle.length === 0
      ? []
      : [
          `No worker is running for ${idle.join(', ')}. Nothing in ${idle.length === 1 ? 'this queue' : 'these queues'} is done until one starts.`,
        ]),
  ]
}
