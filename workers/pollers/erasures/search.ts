// Removes what no index finds of an erased person: in the audit log, guests and texts of others, answers,
// files, finished jobs. Upkeep searches at once, and again when all that was under way has settled.
import type { Queue } from 'bullmq'
import type { Knex } from 'knex'
import {
  CHANGED_SHAPES,
  type ChangedResource,
  changedDataSql,
} from '../../../shared/changes/changes-shape.ts'
import { readFormerPlaces } from '../../../shared/changes/former.ts'
import { recordChanges, UPKEEP } from '../../../shared/changes/record.ts'
import { isDatabaseUnavailable } from '../../../shared/database/faults.ts'
import { refuseDuringImport } from '../../../shared/imports/import-lock.ts'
import { erasedKey } from '../../../shared/jobs/idempotency.ts'
import { message } from '../../../shared/messages/message.ts'
import { problemBody, Refusal } from '../../../shared/messages/refusal.ts'
import { QUEUES, type QueueName } from '../../../shared/schemas/job.ts'
import type { Log } from '../../../shared/utilities/log.ts'
import { hasName, hasPersonalData, hasTerm, termValues } from './patterns.ts'
import { type Erasure, redactQueue } from './redact-queue.ts'

type Due = Erasure & { isSettled: boolean }

const PIECE = 10_000
// Longer than any caller waits for an answer.
const SETTLED_AFTER = "interval '15 minutes'"
// An erasure commits within this time; work that began in between may still have seen the user.
const UNTIL = "created_at + interval '5 minutes'"

// A search takes seconds if the audit log is long, and upkeep has other work: the rest is done later.
const RUN_MS_MAX = 20_000
export async function searchErasures(
  database: Knex,
  queueOf: (name: QueueName) => Queue,
  log: Log,
  runMsMax = RUN_MS_MAX,
): Promise<void> {
  const { rows } = await database.raw(
    `SELECT id, user_id AS "userId", terms, ${UNTIL} AS until, extract(epoch FROM ${UNTIL})::float8 * 1000 AS "untilMs",
       searched_at IS NOT NULL AS "isSettled"
     FROM erasures WHERE searched_at IS NULL OR searched_at < now() - ${SETTLED_AFTER} ORDER BY id`,
  )
  const endMs = Date.now() + runMsMax
  for (const erasure of rows as Due[]) {
    // One failing erasure must not keep the others from being searched.
    await searchErasure(database, queueOf, erasure, log).catch((error: unknown) => {
      if (isDatabaseUnavailable(error)) throw error
      log.warn({ err: error, userId: erasure.userId }, 'the search for an erased user failed')
    })
    if (Date.now() >= endMs) return
  }
}

async function searchErasure(
  database: Knex,
  queueOf: (name: QueueName) => Queue,
  { isSettled, ...erasure }: Due,
  log: Log,
): Promise<void> {
  await redactRows(database, erasure)
  const isOver = isSettled && (await redactTemporaryData(database, queueOf, erasure))
  await database.raw(
    isOver ? 'DELETE FROM erasures WHERE id = ?' : 'UPDATE erasures SET searched_at = now() WHERE id = ?',
    [erasure.id],
  )
  log.info({ userId: erasure.userId, isOver }, 'searched for what is left of an erased user')
}

// An entry keeps what was done, by whom, and what names nobody. Of the user's own things it keeps less.
const HAS_USER_ID = ['before', 'after'].flatMap((column) =>
  ['user_id', 'organizer_user_id'].map((key) => `${column} -> '${key}' = to_jsonb(CAST(:user AS bigint))`),
)
const BELONGS_TO_USER = `coalesce(${HAS_USER_ID.join(' OR ')}, false)`
const IS_USER = "(resource = 'users' AND resource_id = :user AND action <> 'users.erase')"
const PERSONAL = `'{user_id,organizer_user_id,guest_name,guest_email,booking_info,license_plate,vehicle_id,attendees,name,description}'::text[]`
const isGuest = (name: string, email: string) =>
  `(${hasTerm(`concat_ws(chr(10), ${name}, ${email})`)} OR ${hasName(`(${name})`)})`
// Keys are not searched, and a guest's name and e-mail are removed together.
const stripped = (column: string) => `CASE
  WHEN jsonb_typeof(${column}) IS DISTINCT FROM 'object' THEN CASE WHEN ${hasTerm(`${column}::text`)} THEN NULL ELSE ${column} END
  WHEN ${IS_USER} THEN '{"erased": true}'
  ELSE (
    SELECT coalesce(jsonb_object_agg(key, value), '{}') FROM jsonb_each(${column})
    WHERE NOT ${hasTerm('value::text')} AND NOT (${BELONGS_TO_USER} AND key = ANY(${PERSONAL}))
      AND NOT (key IN ('guest_name', 'guest_email') AND ${isGuest(`${column} ->> 'guest_name'`, `${column} ->> 'guest_email'`)})
      AND NOT (key = 'license_plate' AND ${hasName(`(${column} ->> 'license_plate')`)})
  ) || '{"erased": true}' END`
const NAMED = ['before', 'after'].map((column) => `${column} ->> 'guest_name', ${column} ->> 'license_plate'`)
const IS_GUEST = isGuest('guest_name', 'guest_email')

const isTheirs = (column: 'data' | 'previous') => {
  const guest = `CAST(${column} AS json) ->> 'guest', CAST(${column} AS json) ->> 'license_plate'`
  return `coalesce(strpos(${column}, '"user":{"id":' || :user || ',') > 0 OR ${hasPersonalData(column)}
    OR type IN ('booking', 'booking_request') AND ${hasName(`concat_ws(chr(10), ${guest})`)}, false)`
}

// A change that names the person is replaced by the current state of its resource.
const currentStates = Object.entries(CHANGED_SHAPES).map(
  ([resource, { type }]) =>
    `WHEN '${type}' THEN ${changedDataSql(resource as ChangedResource, 'changes.resource_id')}`,
)

/** Replaces each column where its condition is true. */
function redact(table: string, columns: Record<string, [condition: string, replacement: string]>): string {
  const sets = Object.entries(columns).map(
    ([column, [condition, value]]) => `${column} = CASE WHEN ${condition} THEN ${value} ELSE ${column} END`,
  )
  const conditions = new Set(Object.values(columns).map(([condition]) => condition))
  return `UPDATE ${table} SET ${sets.join(', ')}
    WHERE id > :from AND id <= :to AND (${[...conditions].join(' OR ')}) RETURNING id`
}

/** One statement per table, for ids from :from to :to. */
const STATEMENTS = {
  users: `
    UPDATE users SET extension_attributes = (
      SELECT coalesce(jsonb_object_agg(key, value), '{}') FROM jsonb_each(extension_attributes)
      WHERE NOT ${hasTerm('value::text')}
    ) WHERE id > :from AND id <= :to AND ${hasTerm('extension_attributes::text')}
    RETURNING id`,
  audit_log: `
    UPDATE audit_log SET before = ${stripped('before')}, after = ${stripped('after')},
      actor_name = CASE WHEN ${hasTerm('actor_name')} THEN 'erased' ELSE actor_name END
    WHERE id > :from AND id <= :to AND (${IS_USER} OR ${BELONGS_TO_USER}
      OR ${hasTerm("concat_ws(' ', actor_name, before::text, after::text)")} OR ${hasName(`concat_ws(chr(10), ${NAMED})`)})`,
  bookings: redact('bookings', {
    guest_name: [IS_GUEST, 'NULL'],
    guest_email: [IS_GUEST, 'NULL'],
    booking_info: [hasTerm('booking_info'), 'NULL'],
    license_plate: [`(${hasTerm('license_plate')} OR ${hasName('license_plate')})`, 'NULL'],
  }),
  holds: redact('holds', {
    guest_name: [IS_GUEST, 'NULL'],
    guest_email: [IS_GUEST, 'NULL'],
    booking_info: [hasTerm('booking_info'), 'NULL'],
    reason: [hasTerm('reason'), 'NULL'],
  }),
  events: redact('events', {
    name: [hasTerm('name'), "'Event'"],
    description: [hasTerm('description'), "''"],
  }),
  event_attendees: `
    DELETE FROM event_attendees WHERE id > :from AND id <= :to AND ${hasTerm('email')}
    RETURNING event_id AS id`,
  tokens: redact('tokens', {
    name: [hasTerm('name'), "'Token ' || id"],
    created_by: [hasTerm('created_by'), "'erased'"],
  }),
  webhooks: redact('webhooks', { description: [hasTerm('description'), "''"] }),
  // A receiver may answer with what it was sent.
  webhook_deliveries: redact('webhook_deliveries', { answer: [hasPersonalData('answer'), 'NULL'] }),
  // Last, because it reads the tables above in their final state.
  changes: `
    UPDATE changes SET data = CASE type ${currentStates.join(' ')} END, previous = NULL, actor_name = CASE WHEN ${hasTerm('actor_name')} THEN 'erased' ELSE actor_name END
    WHERE sequence > :from AND sequence <= :to AND (
      (type = 'user' AND resource_id = :user) OR ${hasTerm('actor_name')} OR ${isTheirs('data')} OR ${isTheirs('previous')})`,
}

/** Tables whose change is visible in the API. */
const SHOWN: Record<string, ChangedResource> = {
  users: 'users',
  bookings: 'bookings',
  holds: 'booking_requests',
  events: 'events',
  event_attendees: 'events',
}

async function redactRows(database: Knex, { userId, terms }: Erasure): Promise<void> {
  const values = { user: userId, ...termValues(terms) }
  for (const [table, statement] of Object.entries(STATEMENTS)) {
    const key = table === 'changes' ? 'sequence' : 'id'
    const { rows } = await database.raw(`SELECT coalesce(max(${key}), 0) AS last FROM ${table}`)
    for (let from = 0; from < rows[0].last; from += PIECE)
      await database.transaction(async (trx) => {
        // Upkeep retries a minute later.
        if (table === 'users') await refuseDuringImport(trx)
        const changed = await trx.raw(statement, { ...values, from, to: from + PIECE })
        const resource = SHOWN[table]
        if (!resource) return
        const ids = changed.rows.map(({ id }: { id: number }) => id)
        const former = await readFormerPlaces(trx, resource, ids)
        await recordChanges(trx, UPKEEP, { resource, action: 'updated' }, former)
      })
  }
}

/** Removes answers, files, plans and jobs from then. Returns false if some of that work is unfinished. */
async function redactTemporaryData(database: Knex, queueOf: (name: QueueName) => Queue, erasure: Erasure) {
  const values = { ...termValues(erasure.terms), until: erasure.until, outcome: ERASED_OUTCOME }
  const { rows } = await database.raw(
    'SELECT count(*)::int AS unfinished FROM jobs WHERE finished_at IS NULL AND created_at <= :until',
    values,
  )
  let isOver = rows[0].unfinished === 0
  for (const name of QUEUES) isOver = (await redactQueue(queueOf(name), erasure)) && isOver
  for (const statement of isOver ? [...TEMPORARY, ...TEMPORARY_FILES] : TEMPORARY)
    await database.raw(statement, values)
  return isOver
}

// A repeated request gets this answer and is not done again.
const refusal = new Refusal('not_found', message`The person of this request has been erased.`)
const ERASED_OUTCOME = JSON.stringify({
  status: refusal.status,
  refused: refusal.code,
  body: problemBody(refusal, { baseUrl: '', requestId: 'erased' }),
})

const TEMPORARY = [
  `UPDATE receipts SET outcome = :outcome
   WHERE created_at < now() - ${SETTLED_AFTER} AND ${hasPersonalData('outcome::text')}`,
  `UPDATE idempotency_keys SET key = ${erasedKey('key')} WHERE ${hasTerm('key')}`,
  `UPDATE idempotency_keys SET outcome = :outcome WHERE ${hasPersonalData('outcome::text')}`,
  `DELETE FROM jobs
   WHERE finished_at IS NOT NULL AND ${hasPersonalData("concat_ws(' ', actor_name, envelope::text, outcome::text)")}`,
]

// Any file may name them, so all files from then expire, unless a job needs them. The sweep deletes them.
const TEMPORARY_FILES = [
  `UPDATE files SET expires_at = now()
   WHERE created_at <= :until AND expires_at > now() AND NOT EXISTS (
     SELECT FROM jobs WHERE finished_at IS NULL AND (import_file_id = files.id OR jobs.id = files.attempt)
   )`,
  'UPDATE import_plans SET expires_at = now() WHERE created_at <= :until AND expires_at > now()',
]
