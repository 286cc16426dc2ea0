// Every job by name, and what travels with it: gateway and workers derive their types from here, and a worker
// validates each job that it gets against them.
import type * as yup from 'yup'
import { adminJobs } from '../administrators/admins.ts'
import { bookableImportJobs, bookableJobs } from '../bookables/bookable-jobs.ts'
import { bookingRequestJobs } from '../booking-requests/booking-requests.ts'
import { bookingBatchJobs } from '../bookings/booking-batches.ts'
import { bookingExportJobs } from '../bookings/booking-search.ts'
import { bookingJobs } from '../bookings/bookings.ts'
import { seriesJobs } from '../bookings/series.ts'
import { buildingJobs } from '../buildings/buildings.ts'
import { eventJobs } from '../events/event-jobs.ts'
import { groupJobs } from '../groups/groups.ts'
import { locationJobs } from '../locations/locations.ts'
import type { Message } from '../messages/message.ts'
import type { FieldErrors, Problem, RefusalCode } from '../messages/refusal.ts'
import { peopleJobs } from '../people/people.ts'
import { reportJobs } from '../reports/reports.ts'
import { closingJobs } from '../rules/closing-places.ts'
import { ruleJobs } from '../rules/rules.ts'
import { ACCEPTING_QUEUES, type AcceptingQueue, type JobContract } from '../schemas/job.ts'
import type { Progress } from '../schemas/progress.ts'
import { scimJobs } from '../scim/scim-jobs.ts'
import { screenJobs } from '../screens/screens.ts'
import { calendarJobs } from '../tokens/calendars.ts'
import { deviceJobs } from '../tokens/devices.ts'
import { tokenJobs } from '../tokens/tokens.ts'
import { undoJobs } from '../undo/undo.ts'
import { userJobs } from '../users/users.ts'
import type { JsonText } from '../utilities/json-text.ts'
import { visitorJobs } from '../visitors/visitors.ts'
import { waitJobs } from '../waits/waits.ts'
import { webhookDeliveryJobs, webhookJobs } from '../webhooks/webhooks.ts'

export const jobs = {
  ...adminJobs,
  ...bookingJobs,
  ...bookingBatchJobs,
  ...bookingExportJobs,
  ...bookingRequestJobs,
  ...seriesJobs,
  ...bookableJobs,
  ...bookableImportJobs,
  ...calendarJobs,
  ...deviceJobs,
  ...buildingJobs,
  ...eventJobs,
  ...groupJobs,
  ...locationJobs,
  ...peopleJobs,
  ...reportJobs,
  ...closingJobs,
  ...ruleJobs,
  ...scimJobs,
  ...screenJobs,
  ...tokenJobs,
  ...undoJobs,
  ...userJobs,
  ...visitorJobs,
  ...waitJobs,
  ...webhookJobs,
  ...webhookDeliveryJobs,
}

export type JobName = keyof typeof jobs
export type AcceptedJobName = {
  [Name in JobName]: (typeof jobs)[Name]['queue'] extends AcceptingQueue ? Name : never
}[JobName]
export type InputOf<Name extends JobName> = yup.InferType<(typeof jobs)[Name]['input']>
/** What its handler returns: null if there is nothing to report but success. */
export type ReplyOf<Name extends JobName> = (typeof jobs)[Name]['reply'] extends yup.AnySchema
  ? yup.InferType<(typeof jobs)[Name]['reply']>
  : null

/** The weight of a write, which is what it costs: the number of its bookings. */
export function weigh<Name extends JobName>(name: Name, input: InputOf<Name>): number {
  const contract: JobContract = jobs[name]
  return contract.weigh?.(input) ?? 1
}

// “constructor” is a member of every object, but not a job.
export const isJobName = (name: string): name is JobName => Object.hasOwn(jobs, name)

export function isAcceptedJobName(name: string): name is AcceptedJobName {
  return isJobName(name) && ACCEPTING_QUEUES.some((queue) => queue === jobs[name].queue)
}

/** Who asked for the job. */
export type Actor = { type: 'token' | 'admin' | 'user' | 'system'; id: number | null; name: string }

/** Identifies an idempotency key: whose it is, and what “the same request” means. */
export type Idempotency = { scope: string; key: string; fingerprint: string }

export type Envelope<Input = unknown> = {
  /** The server's own id of this attempt: the job's id and its receipt's. */
  attempt: string
  /** The job's database: a worker of another database does not touch it. */
  database: string
  input: Input
  actor: Actor
  /** The only buildings that exist for the token that writes; absent means all. */
  buildingIds?: number[] | undefined
  /** The person to whom the token belongs, and for whom alone it writes; absent means anybody. */
  userId?: number | undefined
  requestId: string
  baseUrl: string
  /** The “now” of the write: the moment its request arrived. */
  receivedAt: string
  deadlineMs: number
  /** The reply channel of the gateway process that waits. */
  replyTo: string | null
  /** Accepted with 202: its row in jobs is kept up to date. */
  accepted?: boolean | undefined
  idempotency: Idempotency | null
  /** The parent of the worker's spans; only present if the trace is sampled. */
  traceparent?: string | undefined
}

/** How long an accepted job may wait. */
export const ACCEPTED_WAIT_MS = 24 * 3_600_000

/** A job that goes through each queue now and then, to check whether writes work. */
export const PROBE = 'probe'

/** Attempts that travel as one job, each with its own envelope; a single attempt travels without a batch. */
export const BATCH = 'batch'
export type Batch = { attempts: Array<Envelope & { job: JobName }> }
export const BATCH_ATTEMPTS_MAX = 64

/** The outcome of an attempt, as its receipt keeps it: finished to the byte. */
export type Outcome<Reply = unknown> = DoneOutcome<Reply> | RefusedOutcome

export type DoneOutcome<Reply = unknown> = {
  status: number
  /** The reply; null if the reply is null. */
  body: JsonText<Reply> | null
  refused?: undefined
  /** After a change of a single resource: the hash of its GET. The previous release stored none. */
  etag?: string
} & Kept

export type RefusedOutcome = {
  status: number
  body: JsonText<Problem>
  refused: RefusalCode
  /** The English text of the body as messages, for the pages; the previous release stored none. */
  messages?: { detail: Message; errors?: FieldErrors | undefined }
} & Kept

/** Set if an idempotency key had kept the outcome. */
type Kept = { replayed?: true }

/** What a worker tells the waiting gateway about one attempt; a message on the channel is a list of them. */
export type ReplyMessage = { attempt: string } & (
  | { outcome: Outcome }
  /** There is an outcome, but it is too large for a channel: read it from the receipt. */
  | { isStored: true }
  | { progress: Progress }
  /** The worker may not run the attempt, and no other will: it can be called off at once. */
  | { isDeclined: true }
)
