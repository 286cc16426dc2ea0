// Removes personal data of an erased person that cannot be found through an index: in the audit log, in
// guests and texts of other people's bookings, and in stored responses, files and finished jobs. Upkeep
// searches immediately, and again after all work that was under way has finished.
import type { Queue } from 'bullmq'
import type { Knex } from 'knex'
import {
  CHANGED_SHAPES,
  type ChangedResource,
  changedDataSql,
} from '../../../shared/changes/changes-shape.ts'
import { readFormerBuildings } from '../../../shared/changes/former-state.ts'
import { recordChanges, UPKEEP_AUTHOR } from '../../../shared/changes/record.ts'
import { isDatabaseUnavailable } from '../../../shared/database/faults.ts'
import {
  BASE_WITHOUT_CONTENT_SQL,
  SEEN_WITHOUT_CONTENT_SQL,
} from '../../../shared/erasures/calendar-entries.ts'
import { refuseDuringImport } from '../../../shared/imports/import-lock.ts'
import { erasedKeySql } from '../../../shared/jobs/idempotency.ts'
import { message } from '../../../shared/messages/message.ts'
import { createProblemBody, Refusal } from '../../../shared/messages/refusal.ts'
import { QUEUES, type QueueName } from '../../../shared/schemas/job.ts'
import type { Log } from '../../../shared/utilities/log.ts'
import { containsNameSql, containsPersonalDataSql, containsTermSql, createTermValues } from './patterns.ts'
import { type ErasureSearch, redactQueue } from './redact-queue.ts'

type DueErasure = ErasureSearch & { isSettled: boolean }

const ROWS_PER_PIECE = 10_000
// When all work from before the erasure has finished. No caller waits this long for a response.
const SETTLED_AFTER = "interval '15 minutes'"
// SQL for the time until which work may still have seen the user. The transaction of an erasure commits
// within five minutes.
const UNTIL_SQL = "created_at + interval '5 minutes'"

// The limit on one run. A search takes seconds if the audit log is long, and upkeep has other work, so a later run does
// the rest.
const RUN_MS_MAX = 20_000
export async function searchErasures(
  database: Knex,
  queueOf: (name: QueueName) => Queue,
  log: Log,
  runMsMax = RUN_MS_MAX,
): Promise<void> {
  const { rows } = await database.raw(
    `SELECT id, user_id AS "userId", terms, ${UNTIL_SQL} AS until, extract(epoch FROM ${UNTIL_SQL})::float8 * 1000 AS "untilMs",
       searched_at IS NOT NULL AS "isSettled"
     FROM erasures WHERE searched_at IS NULL OR searched_at < now() - ${SETTLED_AFTER} ORDER BY id`,
  )
  const endMs = Date.now() + runMsMax
  for (const erasure of rows as DueErasure[]) {
    // A fault in one erasure must not prevent the search for other people.
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
  { isSettled, ...erasure }: DueErasure,
  log: Log,
): Promise<void> {
  await redactRows(database, erasure)
  const isOver = isSettled && (await redactTemporaryData(database, queueOf, erasure))
  await database.raw(
    isOver ? 'DELETE FROM erasures WHERE id = ?' : 'UPDATE erasures SET searched_at = now() WHERE id = ?',
    [erasure.id],
  )
  log.info({ userId: erasure.userId, isOver }, 'searched for remaining data of an erased user')
}

// SQL condition that the entry contains the user's id. An audit log entry keeps the action, its author, and
// everything that names nobody. Entries about the user's own resources keep less.
const HAS_USER_ID_SQL = ['before', 'after'].flatMap((column) =>
  ['user_id', 'organizer_user_id'].map((key) => `${column} -> '${key}' = to_jsonb(CAST(:user AS bigint))`),
)
const BELONGS_TO_USER_SQL = `coalesce(${HAS_USER_ID_SQL.join(' OR ')}, false)`
const IS_USER_ENTRY_SQL = "(resource = 'users' AND resource_id = :user AND action <> 'users.erase')"
const PERSONAL_MEMBERS = `'{user_id,organizer_user_id,guest_name,guest_email,booking_info,license_plate,vehicle_id,attendees,name,description,title}'::text[]`
const isGuestSql = (name: string, email: string) =>
  `(${containsTermSql(`concat_ws(chr(10), ${name}, ${email})`)} OR ${containsNameSql(`(${name})`)})`
// SQL that removes personal data from JSON. Does not search the keys of objects. Removes a guest's name and
// e-mail together.
const withoutPersonalDataSql = (column: string) => `CASE
  WHEN jsonb_typeof(${column}) IS DISTINCT FROM 'object' THEN CASE WHEN ${containsTermSql(`${column}::text`)} THEN NULL ELSE ${column} END
  WHEN ${IS_USER_ENTRY_SQL} THEN '{"erased": true}'
  ELSE (
    SELECT coalesce(jsonb_object_agg(key, value), '{}') FROM jsonb_each(${column})
    WHERE NOT ${containsTermSql('value::text')} AND NOT (${BELONGS_TO_USER_SQL} AND key = ANY(${PERSONAL_MEMBERS}))
      AND NOT (key IN ('guest_name', 'guest_email') AND ${isGuestSql(`${column} ->> 'guest_name'`, `${column} ->> 'guest_email'`)})
      AND NOT (key = 'license_plate' AND ${containsNameSql(`(${column} ->> 'license_plate')`)})
  ) || '{"erased": true}' END`
const GUEST_VALUES = ['before', 'after'].map(
  (column) => `${column} ->> 'guest_name', ${column} ->> 'license_plate'`,
)
const IS_GUEST_SQL = isGuestSql('guest_name', 'guest_email')
const IS_ATTENDEE_SQL = isGuestSql('name', 'email')

const namesUserSql = (column: 'data' | 'previous') => {
  const guest = `CAST(${column} AS json) ->> 'guest', CAST(${column} AS json) ->> 'license_plate'`
  return `coalesce(strpos(${column}, '"user":{"id":' || :user || ',') > 0 OR ${containsPersonalDataSql(column)}
    OR type IN ('booking', 'booking_request') AND ${containsNameSql(`concat_ws(chr(10), ${guest})`)}, false)`
}

// SQL for the current state of each resource. It replaces the data of a change that names the person.
const CURRENT_STATES_SQL = Object.entries(CHANGED_SHAPES).map(
  ([resource, { type }]) =>
    `WHEN '${type}' THEN ${changedDataSql(resource as ChangedResource, 'changes.resource_id')}`,
)

/** Builds SQL that replaces the value of each column whose condition is true. */
function redactSql(table: string, columns: Record<string, [condition: string, replacement: string]>): string {
  const sets = Object.entries(columns).map(
    ([column, [condition, value]]) => `${column} = CASE WHEN ${condition} THEN ${value} ELSE ${column} END`,
  )
  const conditions = new Set(Object.values(columns).map(([condition]) => condition))
  return `UPDATE ${table} SET ${sets.join(', ')}
    WHERE id > :from AND id <= :to AND (${[...conditions].join(' OR ')}) RETURNING id`
}

/**
 * Builds SQL that deletes visitors. Attendees who are users stay, without the name that an inviter entered for them.
 */
const redactAttendeesSql = (table: string, owner: string) => `
    WITH renamed AS (
      UPDATE ${table} SET name = NULL
      WHERE id > :from AND id <= :to AND user_id IS NOT NULL AND ${IS_ATTENDEE_SQL}
    )
    DELETE FROM ${table} WHERE id > :from AND id <= :to AND user_id IS NULL AND ${IS_ATTENDEE_SQL}
    RETURNING ${owner} AS id`

/** One statement for each table, for the ids from :from to :to. */
const REDACT_STATEMENTS = {
  users: `
    UPDATE users SET extension_attributes = (
      SELECT coalesce(jsonb_object_agg(key, value), '{}') FROM jsonb_each(extension_attributes)
      WHERE NOT ${containsTermSql('value::text')}
    ) WHERE id > :from AND id <= :to AND ${containsTermSql('extension_attributes::text')}
    RETURNING id`,
  audit_log: `
    UPDATE audit_log SET before = ${withoutPersonalDataSql('before')}, after = ${withoutPersonalDataSql('after')},
      actor_name = CASE WHEN ${containsTermSql('actor_name')} THEN 'erased' ELSE actor_name END
    WHERE id > :from AND id <= :to AND (${IS_USER_ENTRY_SQL} OR ${BELONGS_TO_USER_SQL}
      OR ${containsTermSql("concat_ws(' ', actor_name, before::text, after::text)")} OR ${containsNameSql(`concat_ws(chr(10), ${GUEST_VALUES})`)})`,
  bookings: redactSql('bookings', {
    guest_name: [IS_GUEST_SQL, 'NULL'],
    guest_email: [IS_GUEST_SQL, 'NULL'],
    booking_info: [containsTermSql('booking_info'), 'NULL'],
    license_plate: [`(${containsTermSql('license_plate')} OR ${containsNameSql('license_plate')})`, 'NULL'],
  }),
  holds: redactSql('holds', {
    guest_name: [IS_GUEST_SQL, 'NULL'],
    guest_email: [IS_GUEST_SQL, 'NULL'],
    booking_info: [containsTermSql('booking_info'), 'NULL'],
    reason: [containsTermSql('reason'), 'NULL'],
    title: [containsTermSql('title'), "'Event'"],
  }),
  events: redactSql('events', {
    name: [containsTermSql('name'), "'Event'"],
    description: [containsTermSql('description'), "''"],
  }),
  event_attendees: redactAttendeesSql('event_attendees', 'event_id'),
  hold_attendees: redactAttendeesSql('hold_attendees', 'hold_id'),
  // Redacts invitations in the same way as events, so that nobody gets a mail about the redaction.
  invitations: `
    WITH redacted AS (
      UPDATE invitations SET told = told || jsonb_build_object(
        'name', CASE WHEN ${containsTermSql("(told ->> 'name')")} THEN 'Event' ELSE told ->> 'name' END,
        'description', CASE WHEN ${containsTermSql("(told ->> 'description')")} THEN '' ELSE told ->> 'description' END,
        'organizer', CASE WHEN ${containsTermSql("(told ->> 'organizer')")} THEN 'Anonymous' ELSE told ->> 'organizer' END,
        'organizerEmail', CASE WHEN ${containsTermSql("(told ->> 'organizerEmail')")} THEN '' ELSE told ->> 'organizerEmail' END)
      WHERE id > :from AND id <= :to AND ${containsTermSql('told::text')} AND NOT ${containsTermSql('email')}
    )
    DELETE FROM invitations WHERE id > :from AND id <= :to AND ${containsTermSql('email')} RETURNING id`,
  calendar_entries: redactSql('calendar_entries', {
    seen: [containsTermSql('seen::text'), SEEN_WITHOUT_CONTENT_SQL],
    base: [containsTermSql('base::text'), BASE_WITHOUT_CONTENT_SQL],
  }),
  tokens: redactSql('tokens', {
    name: [containsTermSql('name'), "'Token ' || id"],
    created_by: [containsTermSql('created_by'), "'erased'"],
  }),
  webhooks: redactSql('webhooks', { description: [containsTermSql('description'), "''"] }),
  // A receiver's response may repeat what the delivery contained.
  webhook_deliveries: redactSql('webhook_deliveries', {
    answer: [containsPersonalDataSql('answer'), 'NULL'],
  }),
  // The statement for `changes` runs last, because it reads the other tables in their final state.
  changes: `
    UPDATE changes SET data = CASE type ${CURRENT_STATES_SQL.join(' ')} END, previous = NULL, actor_name = CASE WHEN ${containsTermSql('actor_name')} THEN 'erased' ELSE actor_name END
    WHERE sequence > :from AND sequence <= :to AND (
      (type = 'user' AND resource_id = :user) OR ${containsTermSql('actor_name')} OR ${namesUserSql('data')} OR ${namesUserSql('previous')})`,
}

/** The tables whose changes the API shows. */
const SHOWN_RESOURCES: Record<string, ChangedResource> = {
  users: 'users',
  bookings: 'bookings',
  holds: 'booking_requests',
  hold_attendees: 'booking_requests',
  events: 'events',
  event_attendees: 'events',
}

async function redactRows(database: Knex, { userId, terms }: ErasureSearch): Promise<void> {
  const values = { user: userId, ...createTermValues(terms) }
  for (const [table, statement] of Object.entries(REDACT_STATEMENTS)) {
    const key = table === 'changes' ? 'sequence' : 'id'
    const { rows } = await database.raw(`SELECT coalesce(max(${key}), 0) AS last FROM ${table}`)
    for (let from = 0; from < rows[0].last; from += ROWS_PER_PIECE)
      await database.transaction(async (trx) => {
        // If an import is running, upkeep tries again a minute later.
        if (table === 'users') await refuseDuringImport(trx)
        const changed = await trx.raw(statement, { ...values, from, to: from + ROWS_PER_PIECE })
        const resource = SHOWN_RESOURCES[table]
        if (!resource) return
        const ids = changed.rows.map(({ id }: { id: number }) => id)
        const former = await readFormerBuildings(trx, resource, ids)
        await recordChanges(trx, UPKEEP_AUTHOR, { resource, action: 'updated' }, former)
      })
  }
}

/**
 * Removes stored responses, files, plans and jobs from before the erasure. Returns false if some of the work from that
 * time is unfinished.
 */
async function redactTemporaryData(
  database: Knex,
  queueOf: (name: QueueName) => Queue,
  erasure: ErasureSearch,
) {
  const values = { ...createTermValues(erasure.terms), until: erasure.until, outcome: ERASED_OUTCOME }
  const { rows } = await database.raw(
    'SELECT count(*)::int AS unfinished FROM jobs WHERE finished_at IS NULL AND created_at <= :until',
    values,
  )
  let isOver = rows[0].unfinished === 0
  for (const name of QUEUES) isOver = (await redactQueue(queueOf(name), erasure)) && isOver
  for (const statement of isOver
    ? [...TEMPORARY_DATA_STATEMENTS, ...TEMPORARY_FILES]
    : TEMPORARY_DATA_STATEMENTS)
    await database.raw(statement, values)
  return isOver
}

// The response to a repeated request, which is not performed again.
const erasedRefusal = new Refusal('not_found', message`The person who made this request has been erased.`)
const ERASED_OUTCOME = JSON.stringify({
  status: erasedRefusal.status,
  refused: erasedRefusal.code,
  body: createProblemBody(erasedRefusal, { baseUrl: '', requestId: 'erased' }),
})

const TEMPORARY_DATA_STATEMENTS = [
  `UPDATE receipts SET outcome = :outcome
   WHERE created_at < now() - ${SETTLED_AFTER} AND ${containsPersonalDataSql('outcome::text')}`,
  `UPDATE idempotency_keys SET key = ${erasedKeySql('key')} WHERE ${containsTermSql('key')}`,
  `UPDATE idempotency_keys SET outcome = :outcome WHERE ${containsPersonalDataSql('outcome::text')}`,
  `DELETE FROM jobs
   WHERE finished_at IS NOT NULL AND ${containsPersonalDataSql("concat_ws(' ', actor_name, envelope::text, outcome::text)")}`,
]

// The tables of files. Any file may name the person, so all files from before the erasure expire, unless a job needs
// them. A later sweep deletes them.
const TEMPORARY_FILES = [
  `UPDATE files SET expires_at = now()
   WHERE created_at <= :until AND expires_at > now() AND NOT EXISTS (
     SELECT FROM jobs WHERE finished_at IS NULL AND (import_file_id = files.id OR jobs.id = files.attempt)
   )`,
  'UPDATE import_plans SET expires_at = now() WHERE created_at <= :until AND expires_at > now()',
]
