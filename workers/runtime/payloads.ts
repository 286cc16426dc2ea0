// Validates a job's payload again: anybody who can reach Redis can add a job.
import { UnrecoverableError } from 'bullmq'
import { readEnvelope } from '../../shared/jobs/envelope.ts'
import {
  BATCH,
  BATCH_ATTEMPTS_MAX,
  type Envelope,
  type InputOf,
  isAcceptedJobName,
  isJobName,
  type JobName,
  jobs,
} from '../../shared/jobs/jobs.ts'
import { messageWithoutValues } from '../../shared/utilities/error-details.ts'

// For a job in an unknown format.
const UNKNOWN_ATTEMPTS_MAX = 1_000

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

export type Delivery = {
  id?: string | undefined
  name: string
  data: unknown
  /** How often it was taken over from a worker that stopped responding. */
  stalledCounter?: number
  /** How often it has failed; more than zero if it was retried by hand. */
  attemptsMade?: number
}

/** Returns each attempt of a batch as if it had come alone; undefined if the job is no batch. */
export function splitBatch({ name, data, ...delivery }: Delivery): Delivery[] | undefined {
  if (name !== BATCH) return undefined
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

/** A job name that this release does not know; another release may. */
export class UnknownJob extends UnrecoverableError {}

type Payload = { name: JobName; envelope: Envelope<InputOf<JobName>> }

export function parsePayload({ id, name, data }: Delivery): Payload {
  if (!isJobName(name)) throw new UnknownJob(`There is no job “${name}”`)
  try {
    const envelope = readEnvelope(data)
    if (envelope.attempt !== id) throw new Error('The id of the job is not that of its attempt')
    if (envelope.accepted && !isAcceptedJobName(name))
      throw new Error('A job of this name cannot be accepted')
    const { input } = data as { input: unknown }
    return {
      name,
      envelope: { ...envelope, input: jobs[name].input.validateSync(input, { stripUnknown: true }) },
    }
  } catch (error) {
    throw new UnrecoverableError(`Not a valid payload of ${name}: ${messageWithoutValues(error as Error)}`)
  }
}

/** Reads enough of an invalid payload to answer its caller; undefined if it names no attempt. */
export function readAttempt({ id, data }: Delivery): Envelope | undefined {
  const { attempt, database, requestId, baseUrl, replyTo, accepted } = (data ?? {}) as Record<string, unknown>
  if (typeof attempt !== 'string' || attempt !== id || !UUID.test(attempt)) return undefined
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

/** Reads enough to answer the callers of a job that carries several attempts, in whatever format. */
export function readAttempts(data: unknown): Envelope[] {
  const attempts: unknown = (data as { attempts?: unknown } | null)?.attempts
  if (!Array.isArray(attempts)) return []
  return attempts.slice(0, UNKNOWN_ATTEMPTS_MAX).flatMap((each: unknown) => {
    const { attempt } = (each ?? {}) as { attempt?: unknown }
    const envelope = readAttempt({ id: String(attempt), name: '', data: each })
    return envelope ? [envelope] : []
  })
}
