// Tells callers the outcomes of their attempts after the commit, and logs each outcome.
import type { Attempt, AttemptResult, AttemptTools } from '../runtime/attempts.ts'
import type { AttemptOutcome } from '../runtime/perform.ts'
import { sendReply } from '../runtime/replies.ts'

/** Returns results in the order of the attempts. */
export async function answerCallers(
  attempts: Attempt[],
  outcomes: AttemptOutcome[],
  tools: AttemptTools,
): Promise<AttemptResult[]> {
  const { redis, log, outcomeLog, refused: refusedBookings } = tools
  const answered = attempts.flatMap(({ envelope }, index) => {
    const outcome = outcomes[index]
    return outcome ? [{ envelope, outcome }] : []
  })
  await sendReply(redis, answered, log)
  return attempts.map(({ name, envelope }, index) => {
    const { attempt, requestId } = envelope
    const about = { job: name, attempt, requestId }
    const outcome = outcomes[index]
    if (!outcome) {
      outcomeLog.info(about, 'skipped: called off')
      return { skipped: 'it was called off' }
    }
    refusedBookings?.note(name, envelope, outcome)
    const { status, refused } = outcome
    outcomeLog.info({ ...about, status, refused }, 'done')
    return { status, ...(refused ? { refused } : {}) }
  })
}
