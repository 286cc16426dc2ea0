// Checks that the database is consistent: nothing is booked twice, and the audit log explains each change of
// every row.
import { setTimeout as wait } from 'node:timers/promises'
import type { Knex } from 'knex'
import { AUDITED_ABSENCE_SQL } from '../../../shared/absences/absences-shape.ts'
import { SERVED_HORIZON_SQL } from '../../../shared/changes/read.ts'
import { AUDITED_LOAN_SQL } from '../../../shared/loans/loans-shape.ts'
import type { BrokenPromise } from '../history.ts'
import { SHARED_EMAIL } from '../load/office.ts'
import type { Facts } from './facts.ts'
import { checkWaits, WAITLIST_ROWS_SQL } from './waits.ts'

const AUDIT_PROMISE: BrokenPromise = 'an audit row without its write, or a write without its audit row'

// Transactions of other runs in the same Postgres delay the feed until they end.
const FEED_WAIT_MS_MAX = 10_000
const FEED_POLL_INTERVAL_MS = 200

// SQL for rows in the format of the audit log. The rooms of an event are part of the event's row.
const AUDITED_ROW_SQL: Record<string, string> = {
  bookings: `SELECT id, to_jsonb(bookings) AS row FROM bookings WHERE user_id IS NOT NULL`,
  bookables: `SELECT id, to_jsonb(bookables) AS row FROM bookables`,
  waits: WAITLIST_ROWS_SQL,
  absences: `SELECT id, ${AUDITED_ABSENCE_SQL} AS row FROM absences`,
  loans: `SELECT id, ${AUDITED_LOAN_SQL} AS row FROM loans`,
  team_days: 'SELECT id, to_jsonb(team_days) AS row FROM team_days',
  events: `SELECT id, to_jsonb(events) || jsonb_build_object(
      'attendees', (SELECT jsonb_agg(to_jsonb(event_attendees) ORDER BY id) FROM event_attendees WHERE event_id = events.id),
      'bookables', (SELECT jsonb_agg(bookable_id ORDER BY bookable_id) FROM bookings WHERE event_id = events.id)
    ) AS row FROM events`,
}

// The audit entry of an answer to an invitation has only the attendee, so `checkInvitations` checks answers separately.
const AUDIT_STEPS_SQL = `SELECT resource_id AS id, request_id, action, before, after,
    lag(after) OVER steps AS previous,
    lag(id) OVER steps IS NULL AS is_first,
    lead(id) OVER steps IS NULL AS is_last
  FROM audit_log WHERE resource = :resource AND action <> 'events.answer'
  WINDOW steps AS (PARTITION BY resource_id ORDER BY id)`

const removeAnswersSql = (
  row: string,
) => `CASE WHEN jsonb_exists(${row}, 'attendees') THEN jsonb_set(${row}, '{attendees}', (
    SELECT jsonb_agg(attendee - '{status,answered_at}'::text[] ORDER BY attendee -> 'id') FROM jsonb_array_elements(${row} -> 'attendees') AS attendee
  )) ELSE ${row} END`
// A swap increases the revision once more, because it makes room before it reads the bookings.
const removeRevisionSql = (row: string) => `nullif(${removeAnswersSql(row)}, 'null') - 'revision'`

// The first audit action of each resource. Only rows that existed before the run have no entry with this
// action.
const FIRST_AUDIT_ACTION: Record<string, string> = {
  bookings: 'bookings.create',
  bookables: 'bookables.update',
  events: 'events.create',
  waits: 'waits.create',
  absences: 'absences.create',
  loans: 'loans.create',
  team_days: 'team_days.create',
}

export async function checkDatabase(facts: Facts): Promise<void> {
  await checkOverlaps(facts)
  for (const resource of Object.keys(AUDITED_ROW_SQL)) await checkAuditSteps(facts, resource)
  await checkInvitations(facts)
  await checkEventRooms(facts)
  await checkSharedUser(facts)
  await checkBlockedBookables(facts)
  await checkConflicts(facts)
  await checkReleasedBookings(facts)
  await checkHolds(facts)
  await checkWaits(facts)
  await checkBuildingLimits(facts)
  await checkOutboxServed(facts)
}

// Compares times without the constraint's operator, because the operator itself could be wrong.
async function checkOverlaps({ database, history }: Facts): Promise<void> {
  const found = await selectRows(
    database,
    `SELECT * FROM (
       SELECT bookable_id, id, lower(during) AS "from",
         max(upper(during)) OVER (PARTITION BY bookable_id ORDER BY lower(during), id
           ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS taken_until
       FROM bookings WHERE exclusive
     ) AS claims WHERE "from" < taken_until`,
  )
  for (const row of found) history.find('double-booked', undefined, JSON.stringify(row))
}

async function checkAuditSteps({ database, history }: Facts, resource: string): Promise<void> {
  const broken = await selectRows(
    database,
    `SELECT id, request_id, action, 'does not begin where the step before ended' AS is
       FROM (${AUDIT_STEPS_SQL}) AS steps WHERE NOT is_first AND ${removeRevisionSql('before')} IS DISTINCT FROM ${removeRevisionSql('previous')}
     UNION ALL
     SELECT id, request_id, action, 'is the first one' FROM (${AUDIT_STEPS_SQL}) AS steps
       WHERE is_first AND action <> :first
     UNION ALL
     SELECT id, request_id, action, 'is not what is there' FROM (${AUDIT_STEPS_SQL}) AS steps
       LEFT JOIN (${AUDITED_ROW_SQL[resource]}) AS present USING (id)
       WHERE is_last AND ${removeAnswersSql('after')} IS DISTINCT FROM ${removeAnswersSql('present.row')}
     UNION ALL
     SELECT present.id, '', 'nothing', 'tells of it' FROM (${AUDITED_ROW_SQL[resource]}) AS present
       WHERE :first LIKE '%.create'
         AND NOT EXISTS (SELECT FROM audit_log WHERE resource = :resource AND resource_id = present.id)`,
    { resource, first: FIRST_AUDIT_ACTION[resource] ?? '' },
  )
  for (const { id, request_id, action, is } of broken)
    history.find(AUDIT_PROMISE, undefined, `${resource} ${id}: ${action} of ${request_id} ${is}`)
}

/**
 * Checks that each attendee has the status of their last answer, and that each audit entry starts with the status of
 * the entry before.
 */
async function checkInvitations({ database, history }: Facts): Promise<void> {
  const broken = await selectRows(
    database,
    `SELECT steps.* FROM (
       SELECT resource_id AS id, request_id, (after #> '{attendees,0,id}')::bigint AS attendee,
         before #> '{attendees,0,status}' AS former, after #> '{attendees,0,status}' AS status,
         lag(after #> '{attendees,0,status}') OVER answers AS previous, lead(id) OVER answers IS NULL AS is_last
       FROM audit_log WHERE action = 'events.answer'
       WINDOW answers AS (PARTITION BY after #> '{attendees,0,id}' ORDER BY id)
     ) AS steps LEFT JOIN event_attendees ON event_attendees.id = attendee
     WHERE former IS DISTINCT FROM coalesce(previous, '0') OR is_last AND to_jsonb(event_attendees.status) IS DISTINCT FROM steps.status`,
  )
  for (const row of broken) history.find(AUDIT_PROMISE, undefined, JSON.stringify(row))
}

/** Checks that the rooms of an event are claimed for its time only. */
async function checkEventRooms({ database, history }: Facts): Promise<void> {
  const found = await selectRows(
    database,
    `SELECT bookings.id, event_id FROM bookings JOIN events ON events.id = event_id
     WHERE bookings.during <> events.during`,
  )
  for (const row of found)
    history.find(AUDIT_PROMISE, undefined, `a room at another time: ${JSON.stringify(row)}`)
}

/** Checks that the user whom all imports change carries the mark of the last successful import. */
async function checkSharedUser({ database, history }: Facts): Promise<void> {
  const [last] = await selectRows(
    database,
    `SELECT after ->> 'filename' AS filename FROM audit_log WHERE action = 'users.import' ORDER BY id DESC LIMIT 1`,
  )
  const [shared] = await selectRows(
    database,
    `SELECT extension_attributes ->> 'extensionAttribute1' AS mark FROM users WHERE email = :email`,
    { email: SHARED_EMAIL },
  )
  const expected = String(last?.filename ?? '').replace('.csv', '')
  if (expected !== (shared?.mark ?? ''))
    history.find(AUDIT_PROMISE, undefined, `the last import is ${expected}, but ${shared?.mark} is there`)
}

/**
 * Checks that nobody booked a blocked bookable. A booking reads the state under a lock, so the audit log has the right
 * order.
 */
async function checkBlockedBookables({ database, history }: Facts): Promise<void> {
  const found = await selectRows(
    database,
    `SELECT booked.request_id FROM audit_log AS booked
     CROSS JOIN LATERAL (
       SELECT after ->> 'status' AS status FROM audit_log AS set
       WHERE resource = 'bookables' AND resource_id = (booked.after ->> 'bookable_id')::bigint
         AND set.id < booked.id
       ORDER BY set.id DESC LIMIT 1
     ) AS set
     WHERE booked.action = 'bookings.create' AND set.status = '1'`,
  )
  for (const { request_id } of found) history.find('booked while blocked', undefined, String(request_id))
}

/** Checks that a booking with a check-in was not released, and that released time belongs to the next booking. */
async function checkReleasedBookings({ database, history }: Facts): Promise<void> {
  const found = await selectRows(
    database,
    `SELECT late.request_id FROM audit_log AS late JOIN audit_log AS released USING (resource, resource_id)
     WHERE late.action IN ('bookings.check-in', 'bookings.update') AND released.action = 'bookings.release'
       AND released.id < late.id`,
  )
  for (const { request_id } of found)
    history.find('checked in after the release', undefined, String(request_id))
}

/**
 * Checks that a pending request or offer has exactly one claim and no end time, and that a completed one has an end
 * time and no claim.
 */
async function checkHolds({ database, history }: Facts): Promise<void> {
  const found = await selectRows(
    database,
    `SELECT * FROM (
       SELECT holds.id, state, (SELECT count(*)::int FROM bookings WHERE hold_id = holds.id
           AND (bookings.bookable_id, bookings.during) = (holds.bookable_id, holds.during)) AS claims,
         (SELECT count(*)::int FROM audit_log WHERE kind = 'request' AND resource = 'booking_requests'
             AND resource_id = holds.id AND action <> 'booking_requests.create'
           OR kind = 'offer' AND resource = 'waits' AND before ->> 'state' = 'offered'
             AND before -> 'hold_id' = to_jsonb(holds.id)) AS ends,
         (SELECT count(*)::int FROM audit_log WHERE action = 'booking_requests.create' AND resource_id = holds.id
           OR action = 'waits.offer' AND after -> 'hold_id' = to_jsonb(holds.id)) AS begins
       FROM holds
     ) AS requests
     WHERE begins <> 1 OR claims <> (state = 'pending')::int OR ends <> (state <> 'pending')::int`,
  )
  const promise = 'a request or offer that was decided twice, or keeps a place that is not its own'
  for (const row of found) history.find(promise, undefined, JSON.stringify(row))
}

/** Checks that a token limited to buildings sees every write in these buildings, including deletions. */
async function checkBuildingLimits({ database, history }: Facts): Promise<void> {
  const found = await selectRows(
    database,
    `SELECT resource, resource_id, action, request_id FROM audit_log AS audited
     WHERE resource IN ('bookings', 'bookables', 'events') AND NOT EXISTS (
       SELECT FROM changes
       WHERE changes.type = rtrim(audited.resource, 's') AND changes.resource_id = audited.resource_id
         AND changes.request_id = audited.request_id
         AND changes.building_ids @> ARRAY(
           SELECT locations.building_id FROM bookables JOIN locations ON locations.id = bookables.location_id
           WHERE bookables.id = CASE audited.resource WHEN 'bookables' THEN audited.resource_id END
             OR bookables.id IN (
               SELECT (state ->> 'bookable_id')::bigint FROM unnest(ARRAY[before, after]) AS state
               UNION ALL
               SELECT room::bigint FROM unnest(ARRAY[before, after]) AS state, jsonb_array_elements_text(
                 CASE jsonb_typeof(state -> 'bookables') WHEN 'array' THEN state -> 'bookables' ELSE '[]' END) AS room)))`,
  )
  for (const row of found) history.find('a change without its buildings', undefined, JSON.stringify(row))
}

/** Checks that the feed and webhooks have reached the end of the outbox when the system is idle. */
async function checkOutboxServed({ database, history }: Facts): Promise<void> {
  const deadlineMs = Date.now() + FEED_WAIT_MS_MAX
  for (;;) {
    const found = await selectRows(
      database,
      `SELECT type, action, resource_id, request_id FROM changes WHERE horizon >= ${SERVED_HORIZON_SQL}`,
    )
    if (found.length > 0 && Date.now() < deadlineMs) {
      await wait(FEED_POLL_INTERVAL_MS)
      continue
    }
    for (const row of found) history.find('a change that is never served', undefined, JSON.stringify(row))
    return
  }
}

/** Checks that every caller refused because of a permanent claim was refused because of a claim that exists. */
async function checkConflicts({ database, history }: Facts): Promise<void> {
  const claims = await selectRows(
    database,
    `SELECT bookable_id, extract(epoch FROM lower(bookings.during)) * 1000 AS "from", coalesce(guest_name, name) AS mark
     FROM bookings LEFT JOIN events ON events.id = event_id`,
  )
  const there = new Map(claims.map(({ bookable_id, from, mark }) => [`${bookable_id} ${Number(from)}`, mark]))
  for (const write of history.writes.filter(({ isForGood }) => isForGood)) {
    for (const { conflict } of write.tries) {
      if (!conflict) continue
      const mark = there.get(`${conflict.bookable_id} ${Date.parse(conflict.from)}`)
      if (mark === write.mark || mark === undefined)
        history.find('refused without a conflict', write, `in the way was ${mark ?? 'nobody'}`)
    }
  }
}

export async function selectRows(
  database: Knex,
  sql: string,
  values: Record<string, string> = {},
): Promise<Record<string, unknown>[]> {
  const { rows } = await database.raw(sql, values)
  return rows
}
