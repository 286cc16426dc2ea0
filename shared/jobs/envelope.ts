// Validates the envelope around a job's input. Does not use yup, which takes twenty times as long, because a worker
// validates every attempt in every batch.
import type { Actor, Envelope, Idempotency } from './jobs.ts'

type MemberCheck = (value: unknown) => boolean
type Checks<Value> = { [Member in keyof Value]-?: MemberCheck }

const UUID_PATTERN = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i
const ACTOR_TYPES = new Set<unknown>(['token', 'admin', 'user', 'system'])

const isText: MemberCheck = (value) => typeof value === 'string'
const isOptionalFlag: MemberCheck = (value) => value === undefined || typeof value === 'boolean'
const isNonEmptyText: MemberCheck = (value) => typeof value === 'string' && value !== ''
const allowNull =
  (isValid: MemberCheck): MemberCheck =>
  (value) =>
    value === null || isValid(value)

const actorChecks: Checks<Actor> = {
  type: (value) => ACTOR_TYPES.has(value),
  id: allowNull(Number.isSafeInteger),
  name: isText,
}

const idempotencyChecks: Checks<Idempotency> = {
  scope: isNonEmptyText,
  key: isNonEmptyText,
  fingerprint: isNonEmptyText,
}

const envelopeChecks: Checks<Omit<Envelope, 'input'>> = {
  attempt: (value) => typeof value === 'string' && UUID_PATTERN.test(value),
  database: isNonEmptyText,
  actor: (value) => findInvalidMember(value, actorChecks) === undefined,
  buildingIds: (value) => value === undefined || (Array.isArray(value) && value.every(Number.isSafeInteger)),
  userId: (value) => value === undefined || Number.isSafeInteger(value),
  requestId: isNonEmptyText,
  baseUrl: isText,
  receivedAt: isNonEmptyText,
  deadlineMs: Number.isFinite,
  replyTo: allowNull(isText),
  accepted: isOptionalFlag,
  runsAlone: isOptionalFlag,
  idempotency: allowNull((value) => findInvalidMember(value, idempotencyChecks) === undefined),
  traceparent: (value) => value === undefined || isText(value),
}

/** The names of all members of an envelope, including nested ones. */
export const ENVELOPE_FIELD_NAMES: string[] = [envelopeChecks, actorChecks, idempotencyChecks].flatMap(
  Object.keys,
)

/** Validates an envelope and returns only its known fields. */
export function readEnvelope(data: unknown): Omit<Envelope, 'input'> {
  const invalid = findInvalidMember(data, envelopeChecks)
  if (invalid) throw new Error(`${invalid} is not valid.`)
  return pickMembers(data as Omit<Envelope, 'input'>, envelopeChecks)
}

function findInvalidMember<Value>(value: unknown, checks: Checks<Value>): string | undefined {
  if (typeof value !== 'object' || value === null) return 'this'
  for (const name in checks) {
    if (!checks[name](Object.hasOwn(value, name) ? (value as Value)[name] : undefined)) return name
  }
  return undefined
}

function pickMembers<Value>(value: Value, checks: Checks<Value>): Value {
  const picked = {} as Value
  for (const name in checks) if (Object.hasOwn(value as object, name)) picked[name] = value[name]
  return picked
}
