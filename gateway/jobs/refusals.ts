// Refusals for attempts that no worker has answered.

import { type JobName, jobs } from '../../shared/jobs/jobs.ts'
import { message } from '../../shared/messages/message.ts'
import { Refusal, type UnavailableReason } from '../../shared/messages/refusal.ts'
import type { QueueName } from '../../shared/schemas/job.ts'
import { FaultLog } from '../../shared/utilities/fault-log.ts'
import type { Log } from '../../shared/utilities/log.ts'
import { WORK_NOUNS } from './queue-monitor.ts'

const OVER_AFTER_MS = 10_000

/** Refuses jobs that their queue did not take; the reason is logged once. */
export class RefusedJobs {
  readonly #faults: FaultLog

  constructor(log: Log) {
    this.#faults = new FaultLog(log, 'jobs are no longer refused by their queues', OVER_AFTER_MS)
  }

  refuse(name: JobName, error: unknown): Refusal {
    this.#faults.fault(error, 'a job was refused by its queue')
    const noun = WORK_NOUNS[jobs[name].queue]
    return new Refusal('unavailable', message`The ${noun} queue is unavailable. Nothing was changed.`, {
      reason: 'queue_refused',
    })
  }
}

/** For an attempt that was called off. */
export function notExecuted(queueName: QueueName, why: string, reason?: UnavailableReason): Refusal {
  return new Refusal(
    'not_executed',
    message`${why}, so the ${WORK_NOUNS[queueName]} was called off: nothing was changed, and nothing will be.`,
    reason === undefined ? {} : { reason },
  )
}

/** For an attempt whose outcome could not be found out. */
export function outcomeUnknown(queueName: QueueName): Refusal {
  return new Refusal(
    'outcome_unknown',
    message`It is unknown whether the ${WORK_NOUNS[queueName]} was done. Repeat it with the same Idempotency-Key to find out.`,
  )
}
