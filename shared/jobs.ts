// Every job, by name, and what travels with one: whoever enqueues and whoever works derive their types from here,
// and a worker parses what it gets against it again.
import type * as yup from 'yup'
import { adminJobs } from './contracts/administrators/admins.ts'
import { reportJobs } from './contracts/administrators/reports.ts'
import { bookableJobs } from './contracts/bookables.ts'
import { bookingJobs } from './contracts/bookings.ts'
import { buildingJobs } from './contracts/buildings.ts'
import { eventJobs } from './contracts/events.ts'
import { bookingBatchJobs } from './contracts/finding/booking-batches.ts'
import { seriesJobs } from './contracts/finding/series.ts'
import { calendarJobs } from './contracts/integrations/calendars.ts'
import { tokenJobs } from './contracts/integrations/tokens.ts'
import { webhookDeliveryJobs } from './contracts/integrations/webhook-deliveries.ts'
import { webhookJobs } from './contracts/integrations/webhooks.ts'
import { ACCEPTING_QUEUES, type AcceptingQueue, type JobContract } from './contracts/job.ts'
import { locationJobs } from './contracts/locations.ts'
import { bookableImportJobs } from './contracts/places/bookable-imports.ts'
import { manyBookablesJobs } from './contracts/places/many-bookables.ts'
import type { Progress } from './contracts/progress.ts'
import { ruleJobs } from './contracts/rules/rules.ts'
import { userJobs } from './contracts/users.ts'
import type { Message } from './messages/message.ts'
import type { FieldErrors, Problem, RefusalCode } from './refusal.ts'
import type { JsonText } from './shapes/json-text.ts'

export const jobs = {
  ...adminJobs,
  ...bookingJobs,
  ...bookingBatchJobs,
  ...seriesJobs,
  ...bookableJobs,
  ...bookableImportJobs,
  ...manyBookablesJobs,
  ...calendarJobs,
  ...buildingJobs,
  ...eventJobs,
  ...locationJobs,
  ...reportJobs,
  ...ruleJobs,
  ...tokenJobs,
  ...userJobs,
  ...webhookJobs,
  ...webhookDeliveryJobs,
}

export type JobName = keyof typeof jobs
export type AcceptedJobName = {
  [Name in JobName]: (typeof jobs)[Name]['queue'] extends AcceptingQueue ? Name : never
}[JobName]
export type InputOf<Name extends JobName> = yup.InferType<(typeof jobs)[Name]['input']>
/** What its handler returns: null where there is nothing to say but that it is done. */
export type ReplyOf<Name extends JobName> = (typeof jobs)[Name]['reply'] extends yup.AnySchema
  ? yup.InferType<(typeof jobs)[Name]['reply']>
  : null

/** How many bookings are in a write, which is what it costs. */
export function weigh<Name extends JobName>(name: Name, input: InputOf<Name>): number {
  const contract: JobContract = jobs[name]
  return contract.weigh?.(input) ?? 1
}

// “constructor” is in every object, and is no job.
export const isJobName = (name: string): name is JobName => Object.hasOwn(jobs, name)

export function isAcceptedJobName(name: string): name is AcceptedJobName {
  return isJobName(name) && ACCEPTING_QUEUES.some((queue) => queue === jobs[name].queue)
}

/** Who asked for it. */
export type Actor = { type: 'token' | 'admin' | 'system'; id: number | null; name: string }

/** The claim on an idempotency key: whose it is, and what “the same request” means. */
export type Idempotency = { scope: string; key: string; fingerprint: string }

export type Envelope<Input = unknown> = {
  /** The server's own id of this attempt: the job's id and its receipt's. */
  attempt: string
  /** Whose it is: a worker of another database does not touch it. */
  database: string
  input: Input
  actor: Actor
  /** The only buildings that exist for the token whose write it is; absent means all. */
  buildingIds?: number[] | undefined
  requestId: string
  baseUrl: string
  /** The “now” of the write: the moment its request arrived. */
  receivedAt: string
  deadlineMs: number
  /** The channel of the gateway process that waits. */
  replyTo: string | null
  /** Accepted with 202: its row in jobs is kept up to date. */
  accepted?: boolean | undefined
  idempotency: Idempotency | null
  /** Of the span that the worker's are part of; only there where the trace is sampled. */
  traceparent?: string | undefined
}

/** So long an accepted job may wait. */
export const ACCEPTED_WAIT_MS = 24 * 3_600_000

/** Goes through each queue now and then, to find out whether writes work. */
export const PROBE = 'probe'

/** Attempts that travel as one job, each with its own envelope; one that is alone travels as it is. */
export const BATCH = 'batch'
export type Batch = { attempts: Array<Envelope & { job: JobName }> }
export const BATCH_ATTEMPTS_MAX = 64

/** What became of an attempt, as its receipt keeps it: finished to the byte. */
export type Outcome<Reply = unknown> = DoneOutcome<Reply> | RefusedOutcome

export type DoneOutcome<Reply = unknown> = {
  status: number
  /** The reply; null where that is null. */
  body: JsonText<Reply> | null
  refused?: undefined
  /** What the GET of the resource hashes to after a change of this one alone; the release before stored none. */
  etag?: string
} & Kept

export type RefusedOutcome = {
  status: number
  body: JsonText<Problem>
  refused: RefusalCode
  /** What the body says in English, for the pages; the release before stored none. */
  messages?: { detail: Message; errors?: FieldErrors | undefined }
} & Kept

/** Set where the outcome is the one that an idempotency key kept. */
type Kept = { replayed?: true }

/** What a worker sends to the gateway that waits, of one attempt; a message is a list of them. */
export type ReplyMessage = { attempt: string } & (
  | { outcome: Outcome }
  /** There is an outcome, too large for a channel: the receipt has it. */
  | { isStored: true }
  | { progress: Progress }
  /** The worker may not do it, and nobody will: it may be called off at once. */
  | { isDeclined: true }
)
