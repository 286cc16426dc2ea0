// Runs attempts that came in one batch with shared statements. On a fault none of them is done, and each is
// left to run alone: a poisonous attempt fails by itself, and all others end as if there had been no batch.
import type { Envelope, InputOf } from '../../shared/jobs/jobs.ts'
import { batchHandlers } from '../jobs/handlers.ts'
import type { Attempt, Ended, Tools } from '../runtime/attempts.ts'
import { performTogether } from '../runtime/perform-together.ts'
import { reply } from '../runtime/replies.ts'
import { traceTogether } from '../runtime/trace-attempts.ts'
import { resultOf } from './run-alone.ts'

type BatchedName = keyof typeof batchHandlers
type BatchedAttempt = Attempt & { name: BatchedName; envelope: Envelope<InputOf<BatchedName>> }

/** A redelivered attempt runs alone: it may be the one that crashed its worker. */
export function goesTogether(attempt: Attempt): attempt is BatchedAttempt {
  return !attempt.isRepeated && Object.hasOwn(batchHandlers, attempt.name)
}

export async function runTogether(attempts: BatchedAttempt[], tools: Tools): Promise<Map<Attempt, Ended>> {
  const [first] = attempts
  if (!first) return new Map()
  try {
    const envelopes = attempts.map(({ envelope }) => envelope)
    // All batched names share one handler today; a second handler will need a group for each.
    const outcomes = await traceTogether(attempts, () =>
      performTogether(tools.database, envelopes, batchHandlers[first.name]),
    )
    const answered = envelopes.flatMap((envelope, index) => {
      const outcome = outcomes[index]
      return outcome ? [{ envelope, outcome }] : []
    })
    await reply(tools.redis, answered, first.log)
    return new Map(attempts.map((attempt, index) => [attempt, resultOf(outcomes[index], attempt, tools)]))
  } catch (error) {
    first.log.warn({ err: error, attempts: attempts.length }, 'a fault; each attempt runs alone')
    return new Map()
  }
}
