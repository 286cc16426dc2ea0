// Validates the envelope that travels with a job's input. By hand: a worker validates every attempt of every
// batch, and yup would take twenty times as long.
import type { Actor, Envelope, Idempotency } from './jobs.ts'

type Check = (value: unknown) => boolean
type Checks<Value> = { [Member in keyof Value]-?: Check }

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i
const ACTOR_TYPES = new Set<unknown>(['token', 'admin', 'user', 'system'])

const isText: Check = (value) => typeof value === 'string'
const isFilled: Check = (value) => typeof value === 'string' && value !== ''
const orNull =
  (isValid: Check): Check =>
  (value) =>
    value === null || isValid(value)

const actor: Checks<Actor> = {
  type: (value) => ACTOR_TYPES.has(value),
  id: orNull(Number.isSafeInteger),
  name: isText,
}

const idempotency: Checks<Idempotency> = { scope: isFilled, key: isFilled, fingerprint: isFilled }

const envelope: Checks<Omit<Envelope, 'input'>> = {
  attempt: (value) => typeof value === 'string' && UUID.test(value),
  database: isFilled,
  actor: (value) => invalidMember(value, actor) === undefined,
  buildingIds: (value) => value === undefined || (Array.isArray(value) && value.every(Number.isSafeInteger)),
  userId: (value) => value === undefined || Number.isSafeInteger(value),
  requestId: isFilled,
  baseUrl: isText,
  receivedAt: isFilled,
  deadlineMs: Number.isFinite,
  replyTo: orNull(isText),
  accepted: (value) => value === undefined || typeof value === 'boolean',
  idempotency: orNull((value) => invalidMember(value, idempotency) === undefined),
  traceparent: (value) => value === undefined || isText(value),
}

/** The names of all members, including nested ones. */
export const ENVELOPE_NAMES: string[] = [envelope, actor, idempotency].flatMap(Object.keys)

/** Returns the members of an envelope only. */
export function readEnvelope(data: unknown): Omit<Envelope, 'input'> {
  const invalid = invalidMember(data, envelope)
  if (invalid) throw new Error(`${invalid} is not valid.`)
  return pick(data as Omit<Envelope, 'input'>, envelope)
}

function invalidMember<Value>(value: unknown, checks: Checks<Value>): string | undefined {
  if (typeof value !== 'object' || value === null) return 'this'
  for (const name in checks) {
    if (!checks[name](Object.hasOwn(value, name) ? (value as Value)[name] : undefined)) return name
  }
  return undefined
}

function pick<Value>(value: Value, checks: Checks<Value>): Value {
  const picked = {} as Value
  for (const name in checks) if (Object.hasOwn(value as object, name)) picked[name] = value[name]
  return picked
}
