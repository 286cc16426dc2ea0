// Validates the payload of a job again, because anybody who can reach Redis can add a job.
import { UnrecoverableError } from 'bullmq'
import { readEnvelope } from '../../shared/jobs/envelope.ts'
import {
  BATCH_ATTEMPTS_MAX,
  BATCH_JOB,
  type Envelope,
  type InputOf,
  isAcceptedJobName,
  isJobName,
  type JobName,
  jobs,
} from '../../shared/jobs/jobs.ts'
import { removeValues } from '../../shared/utilities/error-details.ts'

// The limit on attempts that are read from a job in an unknown format.
const UNKNOWN_ATTEMPTS_MAX = 1_000

const UUID_PATTERN = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

export type JobDelivery = {
  id?: string | undefined
  name: string
  data: unknown
  /** How many times the job was taken over from a worker that stopped responding. */
  stalledCounter?: number
  /** How many times the job has failed. More than zero only if somebody retried the job by hand. */
  attemptsMade?: number
}

/** Returns each attempt in a batch as if it had been sent alone. Returns undefined if the job is not a batch. */
export function splitBatch({ name, data, ...delivery }: JobDelivery): JobDelivery[] | undefined {
  if (name !== BATCH_JOB) return undefined
  const attempts: unknown = (data as { attempts?: unknown } | null)?.attempts
  if (!Array.isArray(attempts) || attempts.length > BATCH_ATTEMPTS_MAX) {
    throw new UnrecoverableError('Not a valid payload of a batch')
  }
  const deliveries = attempts.map((each: { job?: unknown; attempt?: unknown } | null) => ({
    ...delivery,
    id: String(each?.attempt),
    name: String(each?.job),
    data: each,
  }))
  if (new Set(deliveries.map(({ id }) => id)).size < deliveries.length) {
    throw new UnrecoverableError('Not a valid payload of a batch: it has an attempt twice')
  }
  return deliveries
}

/** Thrown for a job name that this release does not know. Another release may know the name. */
export class UnknownJob extends UnrecoverableError {}

type JobPayload = { name: JobName; envelope: Envelope<InputOf<JobName>> }

export function parsePayload({ id, name, data }: JobDelivery): JobPayload {
  if (!isJobName(name)) throw new UnknownJob(`There is no job “${name}”`)
  try {
    const envelope = readEnvelope(data)
    if (envelope.attempt !== id) throw new Error('The job id does not match its attempt')
    if (envelope.accepted && !isAcceptedJobName(name))
      throw new Error('A job of this name cannot be accepted')
    const { input } = data as { input: unknown }
    return {
      name,
      envelope: { ...envelope, input: jobs[name].input.validateSync(input, { stripUnknown: true }) },
    }
  } catch (error) {
    throw new UnrecoverableError(`Not a valid payload of ${name}: ${removeValues(error as Error)}`)
  }
}

/** Reads enough of an invalid payload to reply to its caller. Returns undefined if the payload names no attempt. */
export function readAttempt({ id, data }: JobDelivery): Envelope | undefined {
  const { attempt, database, requestId, baseUrl, replyTo, accepted } = (data ?? {}) as Record<string, unknown>
  if (typeof attempt !== 'string' || attempt !== id || !UUID_PATTERN.test(attempt)) return undefined
  return {
    attempt,
    database: typeof database === 'string' ? database : '',
    input: null,
    actor: { type: 'system', id: null, name: '' },
    requestId: typeof requestId === 'string' ? requestId : attempt,
    baseUrl: typeof baseUrl === 'string' ? baseUrl : '',
    receivedAt: '',
    deadlineMs: 0,
    replyTo: typeof replyTo === 'string' ? replyTo : null,
    accepted: accepted === true,
    idempotency: null,
  }
}

/** Reads enough of a job in any format to reply to the callers of all its attempts. */
export function readAttempts(data: unknown): Envelope[] {
  const attempts: unknown = (data as { attempts?: unknown } | null)?.attempts
  if (!Array.isArray(attempts)) return []
  return attempts.slice(0, UNKNOWN_ATTEMPTS_MAX).flatMap((each: unknown) => {
    const { attempt } = (each ?? {}) as { attempt?: unknown }
    const envelope = readAttempt({ id: String(attempt), name: '', data: each })
    return envelope ? [envelope] : []
  })
}
