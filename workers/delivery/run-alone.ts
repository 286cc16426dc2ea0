// Runs one attempt in its own transaction, and retries it on transient faults.
import { setTimeout as wait } from 'node:timers/promises'
import { isTransient } from '../../shared/database/faults.ts'
import type { Envelope, InputOf, JobName } from '../../shared/jobs/jobs.ts'
import type { Progress } from '../../shared/schemas/progress.ts'
import type { Log } from '../../shared/utilities/log.ts'
import { handlers } from '../jobs/handlers.ts'
import { noteProgress } from '../runtime/async-jobs.ts'
import { type Attempt, type Ended, fail, type Result, type Tools } from '../runtime/attempts.ts'
import { perform } from '../runtime/perform.ts'
import type { Performed } from '../runtime/prior-outcomes.ts'
import { reply, sendProgress } from '../runtime/replies.ts'

const RETRY_AFTER_MS = [20, 50, 100, 200, 400]

export async function runAlone(attempt: Attempt, tools: Tools): Promise<Ended> {
  const { name, envelope, log } = attempt
  try {
    const outcome = await retryTransient(() => performJob(name, envelope, tools, log), envelope, tools, log)
    if (outcome) await reply(tools.redis, [{ envelope, outcome }], log)
    return resultOf(outcome, attempt, tools)
  } catch (error) {
    return fail(error, envelope, tools, log)
  }
}

export function resultOf(
  outcome: Performed,
  { name, envelope: { attempt, requestId } }: Attempt,
  { outcomeLog }: Tools,
): Result {
  const about = { job: name, attempt, requestId }
  if (!outcome) {
    outcomeLog.info(about, 'skipped: called off')
    return { skipped: 'it was called off' }
  }
  const { status, refused } = outcome
  outcomeLog.info({ ...about, status, refused }, 'done')
  return { status, ...(refused ? { refused } : {}) }
}

function performJob<Name extends JobName>(
  name: Name,
  envelope: Envelope<InputOf<Name>>,
  tools: Tools,
  log: Log,
): Promise<Performed> {
  return perform(tools.database, envelope, handlers[name], reporter(tools, envelope, log))
}

// A commit whose answer was lost is harmless: the next try finds its receipt.
async function retryTransient<T>(
  work: () => Promise<T>,
  { deadlineMs }: Envelope,
  { clock }: Tools,
  log: Log,
): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await work()
    } catch (error) {
      const waitMs = RETRY_AFTER_MS[tries] ?? 500
      if (!isTransient(error) || clock.now() + waitMs > deadlineMs) throw error
      log.warn({ err: error, waitMs }, 'transient fault; retrying')
      await wait(waitMs)
    }
  }
}

function reporter({ redis, database }: Tools, envelope: Envelope, log: Log) {
  return (progress: Progress) => {
    sendProgress(redis, envelope, progress, log)
    if (envelope.accepted) noteProgress(database, envelope.attempt, progress, log)
  }
}
