// Decides what an administrator sees of a job: its structure and ids and, if it failed, the kind of the
// failure, the parts of the message known to contain no personal data, and where in the code the failure
// occurred. Payloads contain names, e-mails and plates, so only the fields listed here are shown. A new field
// is masked until it is listed.
import type { Job } from 'bullmq'
import * as yup from 'yup'
import { ENVELOPE_FIELD_NAMES } from '../../../../shared/jobs/envelope.ts'
import { BATCH_JOB, isJobName, jobs } from '../../../../shared/jobs/jobs.ts'
import { joinMessages, literalMessage, type Message, message } from '../../../../shared/messages/message.ts'
import { UPKEEP_INTERVALS_MS } from '../../../../shared/runtime/queues.ts'
import { formatMessage, sentence } from '../../locales/translate.ts'

const MASK_TEXT = '•••'

const UUID_PATTERN = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i
const INSTANT_PATTERN = /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:?\d\d))?$/
const WORD_PATTERN = /^[a-z]+(_[a-z]+)*$/
const SENTENCE_PATTERN = /^[\w ,.:;’'()-]{1,200}$/
// The format of texts that may be shown, by field name. All other text is masked.
const SHOWN_TEXT_PATTERNS: Record<string, RegExp> = {
  attempt: UUID_PATTERN,
  file_id: UUID_PATTERN,
  file: UUID_PATTERN,
  requestId: /^[\w.:-]{1,100}$/,
  receivedAt: INSTANT_PATTERN,
  from: INSTANT_PATTERN,
  to: INSTANT_PATTERN,
  type: /^(token|admin|system)$/,
  format: /^(csv|xlsx)$/,
  refused: WORD_PATTERN,
  skipped: SENTENCE_PATTERN,
}
const SHOWN_NUMBER_NAMES = /^(id|.+_ids?|type|status|role|deadlineMs|classification)$/
const SHOWN_ITEMS_MAX = 20
const SHOWN_DEPTH_MAX = 8

const knownJobNames = new Set([
  ...Object.keys(jobs),
  BATCH_JOB,
  ...Object.keys(UPKEEP_INTERVALS_MS).map((task) => `upkeep.${task}`),
])
const knownFieldNames = new Set([
  ...ENVELOPE_FIELD_NAMES,
  ...Object.values(jobs).flatMap(({ input }) => listFieldNames(input)),
  'attempts',
  'job',
  'input',
  'file',
  'status',
  'refused',
  'skipped',
  'isForgotten',
])

type MaskedJob = { name: string; data: unknown; answer: unknown; failure: string | undefined }

export function maskJob({ name, data, returnvalue, failedReason, stacktrace }: Job): MaskedJob {
  const failures = [failedReason, ...(stacktrace ?? [])].filter((each) => typeof each === 'string')
  return {
    name: maskJobName(name),
    data: maskValue(data),
    answer: maskValue(returnvalue),
    failure: failures.length > 0 ? [...new Set(failures.map(maskFailure))].join('\n\n') : undefined,
  }
}

export function maskJobName(name: unknown): string {
  return typeof name === 'string' && knownJobNames.has(name) ? name : sentence`unknown job`
}

function maskValue(value: unknown, name = '', depth = 0): unknown {
  if (value === null || value === undefined || typeof value === 'boolean') return value
  if (typeof value === 'number') return SHOWN_NUMBER_NAMES.test(name) ? value : MASK_TEXT
  if (name === 'job') return typeof value === 'string' && isJobName(value) ? value : MASK_TEXT
  if (typeof value !== 'object') return SHOWN_TEXT_PATTERNS[name]?.test(String(value)) ? value : MASK_TEXT
  if (depth === SHOWN_DEPTH_MAX) return MASK_TEXT
  if (Array.isArray(value)) {
    const items = value.slice(0, SHOWN_ITEMS_MAX).map((item) => maskValue(item, name, depth + 1))
    return value.length > SHOWN_ITEMS_MAX ? [...items, `and ${value.length - SHOWN_ITEMS_MAX} more`] : items
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      knownFieldNames.has(key) ? key : MASK_TEXT,
      knownFieldNames.has(key) ? maskValue(each, key, depth + 1) : MASK_TEXT,
    ]),
  )
}

function listFieldNames(schema: unknown): string[] {
  if (schema instanceof yup.ObjectSchema) {
    const fields: Record<string, unknown> = schema.fields
    return Object.entries(fields).flatMap(([name, field]) => [name, ...listFieldNames(field)])
  }
  if (schema instanceof yup.ArraySchema) return listFieldNames(schema.innerType)
  if (schema instanceof yup.LazySchema) return [schema.spec.meta?.['either']].flat().flatMap(listFieldNames)
  return []
}

const TABLE_NAMES_PATTERN =
  'admins|audit_log|bookable_assignees|bookables|bookings|buildings|event_attendees|events|file_chunks|files|' +
  'group_members|groups|idempotency_keys|jobs|locations|receipts|sessions|tokens|users|vehicles'
// Berth's own error messages, which contain no personal data.
const OWN_MESSAGES = [
  message`The workers of the job stopped responding`,
  message`The job id does not match its attempt`,
  message`There is no job`,
  message`Left undone: its deadline has passed`,
  message`Left undone: its caller has already been told that it failed`,
  message`Left undone: it was called off`,
  message`Not a valid payload`,
]
// Parts of messages of BullMQ, Postgres and the operating system that contain no personal data.
const KNOWN_MESSAGE_PARTS = [
  new RegExp(`\\b(?:INSERT INTO|UPDATE|DELETE FROM) "?(?:${TABLE_NAMES_PATTERN})\\b`, 'i'),
  /job stalled more than allowable limit/,
  /deadlock detected/,
  /canceling statement due to (?:statement|lock) timeout/,
  /could not serialize access/,
  /Connection terminated(?: unexpectedly| due to connection timeout)?/,
  /ECONN(?:REFUSED|RESET)|ETIMEDOUT|ENOTFOUND/,
  /Timeout acquiring a connection/,
  /terminating connection due to [\w -]+/,
  /duplicate key value violates unique constraint "\w+"/,
  /violates (?:check|exclusion|foreign key|not-null) constraint(?: "\w+")?/,
]
const ERROR_KIND_PATTERN = /^([A-Z]\w{0,40}(?:Error|Refusal)|error)\b/
const STACK_FRAME_PATTERN =
  /^\s*at (?:async )?((?:new )?[\w.$<>]{1,80} )?\(?.{0,300}?((?:[\w-]+\/){0,3}[\w.-]+\.[cm]?[jt]s:\d+)/
const SHOWN_FRAMES_MAX = 12

/** Masks a failure. Its first line says what failed, and the other lines say where in the code. */
function maskFailure(text: string): string {
  const frames = listStackFrames(text).map(
    ({ name, source }) => `    at ${name}${name ? `(${source})` : source}`,
  )
  return [formatMessage(describeFailureReason(text)), ...frames].join('\n')
}

/** Returns the reason of a failure in one line, which is identical for failures of the same kind, so that
 * they can be counted together. */
export function describeFailureReason(text: string): Message {
  // Removes the prefix with which workers mark errors that BullMQ must not retry.
  const kind = ERROR_KIND_PATTERN.exec(text.replace(/^UnrecoverableError: /, ''))?.[1]
  const known = KNOWN_MESSAGE_PARTS.map((each) => each.exec(text)?.[0].replaceAll('"', ''))
  const words = [kind === 'error' ? 'DatabaseError' : kind, ...known].filter((each) => each !== undefined)
  const parts = [...words.map(literalMessage), ...OWN_MESSAGES.filter((own) => text.includes(own.text))]
  return parts.length > 0 ? joinMessages(parts, ': ') : message`Unknown failure (see the log)`
}

/** Finds the position in Berth's own code. Errors from libraries often lack their caller. */
export function findFailureSource(text: string): string | undefined {
  return listStackFrames(text).find(({ source }) => /^(workers|shared|gateway)\//.test(source))?.source
}

function listStackFrames(text: string): Array<{ name: string; source: string }> {
  const found = text.split('\n').flatMap((line) => {
    const [, name = '', source = ''] = STACK_FRAME_PATTERN.exec(line) ?? []
    const own = /(?:workers|shared|gateway)\/.*$/.exec(source)
    return source ? [{ name, source: own?.[0] ?? source }] : []
  })
  return found.slice(0, SHOWN_FRAMES_MAX)
}
