// How an attempt is refused that no worker has answered.
import type { QueueName } from '../../shared/contracts/job.ts'
import { Refusal } from '../../shared/refusal.ts'
import { WORK_NOUNS } from './queue-monitor.ts'

/** It was called off. */
export function notExecuted(queueName: QueueName, why: string): Refusal {
  return new Refusal(
    'not_executed',
    `${why}, so the ${WORK_NOUNS[queueName]} was called off: nothing was changed, and nothing will be.`,
  )
}

/** What became of it could not be found out. */
export function outcomeUnknown(queueName: QueueName): Refusal {
  return new Refusal(
    'outcome_unknown',
    `It is unknown whether the ${WORK_NOUNS[queueName]} was done. Repeat it with the same Idempotency-Key to find out.`,
  )
}
