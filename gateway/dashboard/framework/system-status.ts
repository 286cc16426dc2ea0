// What is down at present, as every page says it: asked beside the pages, so that none waits for a part that hangs.
import { QUEUES } from '../../../shared/contracts/job.ts'
import { type Readiness, readiness } from '../../operations/health.ts'
import type { Services } from '../../services.ts'

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
    if (!this.#services.queues.isUp()) return [REDIS_AWAY]
    return this.#sentences
  }

  async #ask() {
    this.#askedMs = Date.now()
    this.#sentences = describeReadiness(await readiness(this.#services))
  }
}

const REDIS_AWAY =
  'Redis does not answer: nothing can be changed until it is back. What is shown comes from the database, and is current.'

function describeReadiness({ migrations, redis, workers }: Readiness): string[] {
  if (!redis.ok) return [REDIS_AWAY]
  const idle = QUEUES.filter((name) => !workers[name]?.ok)
  return [
    ...(migrations.ok ? [] : ['The database is not up to date: run “npm run migrate”.']),
    ...(idle.length === 0
      ? []
      : [`No worker listens to ${idle.join(', ')}: what is sent there is not done until one does.`]),
  ]
}
