// Every job by name, and the envelope around its input. Gateways and workers derive their types from this file, and a
// worker validates each job that it receives with these schemas.
import type * as yup from 'yup'
import { absenceJobs } from '../absences/absences.ts'
import { adminJobs } from '../administrators/admins.ts'
import { bookableImportJobs, bookableJobs } from '../bookables/bookable-jobs.ts'
import { bookingRequestJobs } from '../booking-requests/booking-requests.ts'
import { bookingBatchJobs } from '../bookings/booking-batches.ts'
import { bookingExportJobs } from '../bookings/booking-search.ts'
import { bookingJobs } from '../bookings/bookings.ts'
import { seriesJobs } from '../bookings/series.ts'
import { workDayJobs } from '../bookings/work-days.ts'
import { buildingJobs } from '../buildings/buildings.ts'
import { eventJobs } from '../events/event-jobs.ts'
import { eventSeriesJobs } from '../events/event-series.ts'
import { groupJobs } from '../groups/groups.ts'
import { teamDayJobs } from '../groups/team-days.ts'
import { handOverJobs } from '../hand-over/hand-over.ts'
import { loanJobs } from '../loans/loans.ts'
import { locationJobs } from '../locations/locations.ts'
import type { Message } from '../messages/message.ts'
import type { FieldErrors, Problem, RefusalCode } from '../messages/refusal.ts'
import { peopleJobs } from '../people/people.ts'
import { pictureJobs } from '../people/pictures.ts'
import { reportJobs } from '../reports/reports.ts'
import { roomCalendarJobs } from '../room-calendars/room-calendar-jobs.ts'
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
import { waitlistJobs } from '../waits/waits.ts'
import { webhookDeliveryJobs, webhookJobs } from '../webhooks/webhooks.ts'

export const jobs = {
  ...loanJobs,
  ...absenceJobs,
  ...adminJobs,
  ...bookingJobs,
  ...bookingBatchJobs,
  ...bookingExportJobs,
  ...bookingRequestJobs,
  ...seriesJobs,
  ...workDayJobs,
  ...bookableJobs,
  ...bookableImportJobs,
  ...calendarJobs,
  ...deviceJobs,
  ...buildingJobs,
  ...eventJobs,
  ...eventSeriesJobs,
  ...groupJobs,
  ...teamDayJobs,
  ...locationJobs,
  ...peopleJobs,
  ...pictureJobs,
  ...reportJobs,
  ...closingJobs,
  ...roomCalendarJobs,
  ...ruleJobs,
  ...scimJobs,
  ...screenJobs,
  ...tokenJobs,
  ...undoJobs,
  ...userJobs,
  ...handOverJobs,
  ...visitorJobs,
  ...waitlistJobs,
  ...webhookJobs,
  ...webhookDeliveryJobs,
}

export type JobName = keyof typeof jobs
export type AcceptedJobName = {
  [Name in JobName]: (typeof jobs)[Name]['queue'] extends AcceptingQueue ? Name : never
}[JobName]
export type InputOf<Name extends JobName> = yup.InferType<(typeof jobs)[Name]['input']>
/** The reply that the handler of a job returns, or null if a successful job has nothing to report. */
export type ReplyOf<Name extends JobName> = (typeof jobs)[Name]['reply'] extends yup.AnySchema
  ? yup.InferType<(typeof jobs)[Name]['reply']>
  : null

/** Returns the weight of a write, which determines its cost. The weight is the number of bookings in the write. */
export function getWriteWeight<Name extends JobName>(name: Name, input: InputOf<Name>): number {
  const contract: JobContract = jobs[name]
  return contract.weigh?.(input) ?? 1
}

// Uses Object.hasOwn, because “constructor” is a member of every object but not the name of a job.
export const isJobName = (name: string): name is JobName => Object.hasOwn(jobs, name)

export function isAcceptedJobName(name: string): name is AcceptedJobName {
  return isJobName(name) && ACCEPTING_QUEUES.some((queue) => queue === jobs[name].queue)
}

/** The person, token or process that requested the job. */
export type Actor = { type: 'token' | 'admin' | 'user' | 'system'; id: number | null; name: string }

/**
 * Identifies a request with an idempotency key. `scope` tells whose key it is, and `fingerprint` tells whether two
 * requests with the same key are the same.
 */
export type Idempotency = { scope: string; key: string; fingerprint: string }

export type Envelope<Input = unknown> = {
  /** Berth's own id for this attempt. The job and its receipt have the same id. */
  attempt: string
  /** The database that the job belongs to. Workers on another database do not run the job. */
  database: string
  input: Input
  actor: Actor
  /** The buildings that the token is limited to. If absent, the token has access to all buildings. */
  buildingIds?: number[] | undefined
  /**
   * The owner of a personal token, which can write only for this person. If absent, the token can write for anybody.
   */
  userId?: number | undefined
  requestId: string
  baseUrl: string
  /** The time at which the request arrived, which the write uses as the current time. */
  receivedAt: string
  deadlineMs: number
  /** The reply channel of the waiting gateway process. */
  replyTo: string | null
  /**
   * Whether the gateway accepted the job with 202, so that the job's row in the table `jobs` must be kept up to date.
   */
  accepted?: boolean | undefined
  /** Whether the attempt must run alone, because a worker stopped responding with a batch that contained it. */
  runsAlone?: boolean | undefined
  idempotency: Idempotency | null
  /** The parent of the worker's tracing spans. Present only if the trace is sampled. */
  traceparent?: string | undefined
}

/** The limit on how long an accepted job may wait in its queue. */
export const ACCEPTED_WAIT_MS = 24 * 3_600_000

/** A job that Berth regularly sends through each queue, to check whether writes work. */
export const PROBE_JOB = 'probe'

/**
 * The name of a job that contains several attempts, each with its own envelope. A single attempt is sent without a
 * batch.
 */
export const BATCH_JOB = 'batch'
export type Batch = { attempts: Array<Envelope & { job: JobName }> }
export const BATCH_ATTEMPTS_MAX = 64

/** The outcome of an attempt, as its receipt stores it. It contains the exact bytes of the response. */
export type Outcome<Reply = unknown> = DoneOutcome<Reply> | RefusedOutcome

export type DoneOutcome<Reply = unknown> = {
  status: number
  /** The reply as JSON text, or null if the handler returns null. */
  body: JsonText<Reply> | null
  refused?: undefined
  /**
   * The ETag that a GET of the changed resource returns. Absent unless the write changed a single resource, and in
   * outcomes that the previous release stored.
   */
  etag?: string
} & Replayed

export type RefusedOutcome = {
  status: number
  body: JsonText<Problem>
  refused: RefusalCode
  /**
   * The messages from which the English text in the body was written, for pages in other languages. Outcomes that the
   * previous release stored have none.
   */
  messages?: { detail: Message; errors?: FieldErrors | undefined }
} & Replayed

/** Set if the outcome was stored for an idempotency key and is now returned again. */
type Replayed = { replayed?: true }

/**
 * A worker's report to the waiting gateway about one attempt. Each message on a reply channel is a list of such
 * reports.
 */
export type ReplyMessage = { attempt: string } & (
  | { outcome: Outcome }
  /** Set if the outcome is too large for a reply channel, so that the gateway reads it from the receipt. */
  | { isStored: true }
  | { progress: Progress }
  /** Set if no worker may run the attempt, so that the gateway can abandon it at once. */
  | { isDeclined: true }
)
