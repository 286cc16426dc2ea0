// Decides what an administrator sees of a job: its structure and ids, and of a failure its kind, the parts known to
// contain no personal data, and where in the code it occurred. Payloads contain names, e-mails and plates, so only the
// fields listed here are shown. A field that is added later is masked until it is listed.
import type { Job } from 'bullmq'
import * as yup from 'yup'
import { ENVELOPE_NAMES } from '../../../../shared/jobs/envelope.ts'
import { BATCH, isJobName, jobs } from '../../../../shared/jobs/jobs.ts'
import { joinMessages, literal, type Message, message } from '../../../../shared/messages/message.ts'
import { UPKEEP_EVERY_MS } from '../../../../shared/runtime/queues.ts'
import { formatMessage, sentence } from '../../locales/translate.ts'

const MASK = '•••'

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i
const INSTANT = /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:?\d\d))?$/
const WORD = /^[a-z]+(_[a-z]+)*$/
const SENTENCE = /^[\w ,.:;’'()-]{1,200}$/
// Text that may be shown, by field name, if it has the expected format.
const SHOWN_TEXTS: Record<string, RegExp> = {
  attempt: UUID,
  file_id: UUID,
  file: UUID,
  requestId: /^[\w.:-]{1,100}$/,
  receivedAt: INSTANT,
  from: INSTANT,
  to: INSTANT,
  type: /^(token|admin|system)$/,
  format: /^(csv|xlsx)$/,
  refused: WORD,
  skipped: SENTENCE,
}
const SHOWN_NUMBERS = /^(id|.+_ids?|type|status|role|deadlineMs|classification)$/
const ITEMS_MAX = 20
const DEPTH_MAX = 8

const jobNames = new Set([
  ...Object.keys(jobs),
  BATCH,
  ...Object.keys(UPKEEP_EVERY_MS).map((task) => `upkeep.${task}`),
])
const knownNames = new Set([
  ...ENVELOPE_NAMES,
  ...Object.values(jobs).flatMap(({ input }) => namesOf(input)),
  'attempts',
  'job',
  'input',
  'file',
  'status',
  'refused',
  'skipped',
  'isForgotten',
])

type Masked = { name: string; data: unknown; answer: unknown; failure: string | undefined }

export function maskJob({ name, data, returnvalue, failedReason, stacktrace }: Job): Masked {
  const failures = [failedReason, ...(stacktrace ?? [])].filter((each) => typeof each === 'string')
  return {
    name: maskJobName(name),
    data: maskValue(data),
    answer: maskValue(returnvalue),
    failure: failures.length > 0 ? [...new Set(failures.map(maskFailure))].join('\n\n') : undefined,
  }
}

export function maskJobName(name: unknown): string {
  return typeof name === 'string' && jobNames.has(name) ? name : sentence`unknown job`
}

function maskValue(value: unknown, name = '', depth = 0): unknown {
  if (value === null || value === undefined || typeof value === 'boolean') return value
  if (typeof value === 'number') return SHOWN_NUMBERS.test(name) ? value : MASK
  if (name === 'job') return typeof value === 'string' && isJobName(value) ? value : MASK
  if (typeof value !== 'object') return SHOWN_TEXTS[name]?.test(String(value)) ? value : MASK
  if (depth === DEPTH_MAX) return MASK
  if (Array.isArray(value)) {
    const items = value.slice(0, ITEMS_MAX).map((item) => maskValue(item, name, depth + 1))
    return value.length > ITEMS_MAX ? [...items, `and ${value.length - ITEMS_MAX} more`] : items
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      knownNames.has(key) ? key : MASK,
      knownNames.has(key) ? maskValue(each, key, depth + 1) : MASK,
    ]),
  )
}

function namesOf(schema: unknown): string[] {
  if (schema instanceof yup.ObjectSchema) {
    const fields: Record<string, unknown> = schema.fields
    return Object.entries(fields).flatMap(([name, field]) => [name, ...namesOf(field)])
  }
  if (schema instanceof yup.ArraySchema) return namesOf(schema.innerType)
  if (schema instanceof yup.LazySchema) return [schema.spec.meta?.['either']].flat().flatMap(namesOf)
  return []
}

const TABLES =
  'admins|audit_log|bookable_assignees|bookables|bookings|buildings|event_attendees|events|file_chunks|files|' +
  'group_members|groups|idempotency_keys|jobs|locations|receipts|sessions|tokens|users|vehicles'
// Our own messages, which contain no personal data.
const OWN = [
  message`Its workers stopped responding`,
  message`The id of the job is not that of its attempt`,
  message`There is no job`,
  message`Left undone: its deadline has passed`,
  message`Left undone: its caller has already been told that it failed`,
  message`Left undone: it was called off`,
  message`Not a valid payload`,
]
// Messages of BullMQ, Postgres and the system.
const KNOWN = [
  new RegExp(`\\b(?:INSERT INTO|UPDATE|DELETE FROM) "?(?:${TABLES})\\b`, 'i'),
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
const KIND = /^([A-Z]\w{0,40}(?:Error|Refusal)|error)\b/
const FRAME =
  /^\s*at (?:async )?((?:new )?[\w.$<>]{1,80} )?\(?.{0,300}?((?:[\w-]+\/){0,3}[\w.-]+\.[cm]?[jt]s:\d+)/
const FRAMES_MAX = 12

/** The first line says what failed, the others where. */
function maskFailure(text: string): string {
  const frames = framesOf(text).map(({ name, source }) => `    at ${name}${name ? `(${source})` : source}`)
  return [formatMessage(reasonOf(text)), ...frames].join('\n')
}

/** One line, identical for failures of the same kind, which are counted by it. */
export function reasonOf(text: string): Message {
  // Workers wrap errors that BullMQ must not retry.
  const kind = KIND.exec(text.replace(/^UnrecoverableError: /, ''))?.[1]
  const known = KNOWN.map((each) => each.exec(text)?.[0].replaceAll('"', ''))
  const words = [kind === 'error' ? 'DatabaseError' : kind, ...known].filter((each) => each !== undefined)
  const told = [...words.map(literal), ...OWN.filter((own) => text.includes(own.text))]
  return told.length > 0 ? joinMessages(told, ': ') : message`Unknown failure (see the log)`
}

/** The place in our own code. Errors from libraries often lack their caller. */
export function sourceOf(text: string): string | undefined {
  return framesOf(text).find(({ source }) => /^(workers|shared|gateway)\//.test(source))?.source
}

function framesOf(text: string): Array<{ name: string; source: string }> {
  const found = text.split('\n').flatMap((line) => {
    const [, name = '', source = ''] = FRAME.exec(line) ?? []
    const own = /(?:workers|shared|gateway)\/.*$/.exec(source)
    return source ? [{ name, source: own?.[0] ?? source }] : []
  })
  return found.slice(0, FRAMES_MAX)
}
