// Decides what an administrator sees of a job: its structure and ids. Payloads contain names, e-mails and
// plates, so only the fields listed here are shown. A field that is added later is masked until it is listed.
import * as yup from 'yup'
import { ENVELOPE_NAMES } from '../../../../shared/jobs/envelope.ts'
import { BATCH, isJobName, jobs } from '../../../../shared/jobs/jobs.ts'
import { UPKEEP_EVERY_MS } from '../../../../shared/runtime/queues.ts'
import { sentence } from '../../locales/translate.ts'
import { maskFailure } from './failures.ts'

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

// The fields of a job besides its payload, all from BullMQ.
const SHOWN_MEMBERS = [
  'id',
  'timestamp',
  'processedOn',
  'processedBy',
  'finishedOn',
  'attempts',
  'delay',
  'isFailed',
  'priority',
  'attemptsStarted',
  'stalledCounter',
]
const SHOWN_OPTIONS = ['jobId', 'attempts', 'delay', 'priority', 'removeOnComplete', 'removeOnFail']

const jobNames = new Set([
  ...Object.keys(jobs),
  BATCH,
  ...Object.keys(UPKEEP_EVERY_MS).map((task) => `upkeep.${task}`),
])
const knownNames = new Set([
  ...ENVELOPE_NAMES,
  ...Object.values(jobs).flatMap(({ input }) => namesOf(input)),
  ...['attempts', 'job', 'input', 'file', 'status', 'refused', 'skipped', 'isForgotten'],
])

/** `job` is in bull-board's format. */
export function maskJob(job: Record<string, unknown>): Record<string, unknown> {
  const { name, data, progress, returnValue, failedReason, stacktrace, opts } = job
  return {
    ...pick(job, SHOWN_MEMBERS),
    name: maskJobName(name),
    data: maskValue(data),
    progress: typeof progress === 'number' ? progress : maskValue(progress),
    returnValue: maskValue(returnValue),
    ...(typeof failedReason === 'string' ? { failedReason: maskFailure(failedReason) } : {}),
    stacktrace: Array.isArray(stacktrace) ? stacktrace.map((each) => maskFailure(String(each))) : [],
    opts: pick((opts ?? {}) as Record<string, unknown>, SHOWN_OPTIONS),
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

export function pick(from: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    names.filter((name) => from[name] !== undefined).map((name) => [name, from[name]]),
  )
}

function namesOf(schema: unknown): string[] {
  if (schema instanceof yup.ObjectSchema) {
    const fields: Record<string, unknown> = schema.fields
    return Object.entries(fields).flatMap(([name, field]) => [name, ...namesOf(field)])
  }
  if (schema instanceof yup.ArraySchema) return namesOf(schema.innerType)
  return []
}
