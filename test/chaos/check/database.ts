// Checks the database for consistency: nothing is booked twice, and the audit log explains how every row came to be
// as it is, step by step.
import { setTimeout as wait } from 'node:timers/promises'
import type { Knex } from 'knex'
import { SERVED_UNTIL } from '../../../shared/changes/read.ts'
import type { Broken } from '../history.ts'
import { SHARED_EMAIL } from '../load/office.ts'
import type { Facts } from './facts.ts'
import { checkWaits, WAIT_ROWS } from './waits.ts'

const AUDITED: Broken = 'an audit row without its write, or a write without its audit row'

// Transactions of other runs in the same Postgres hold the end back as long as they last.
const SERVED_MS_MAX = 10_000
const SERVED_PAUSE_MS = 200

// As the audit log has them. The rooms of events are told of with their event.
const ROWS: Record<string, string> = {
  bookings: `SELECT id, to_jsonb(bookings) AS row FROM bookings WHERE user_id IS NOT NULL`,
  bookables: `SELECT id, to_jsonb(bookables) AS row FROM bookables`,
  waits: WAIT_ROWS,
  events: `SELECT id, to_jsonb(events) || jsonb_build_object(
      'attendees', (SELECT jsonb_agg(to_jsonb(event_attendees) ORDER BY id) FROM event_attendees WHERE event_id = events.id),
      'bookables', (SELECT jsonb_agg(bookable_id ORDER BY bookable_id) FROM bookings WHERE event_id = events.id)
    ) AS row FROM events`,
}

const STEPS = `SELECT resource_id AS id, request_id, action, before, after,
    lag(after) OVER steps AS previous,
    lag(id) OVER steps IS NULL AS is_first,
    lead(id) OVER steps IS NULL AS is_last
  FROM audit_log WHERE resource = :resource
  WINDOW steps AS (PARTITION BY resource_id ORDER BY id)`

// A swap adds one more revision, because it makes room before it reads the bookings.
const withoutRevision = (row: string) => `nullif(${row}, 'null') - 'revision'`

// Only what is there from the beginning has no row of its own in the audit log.
const FIRST_ACTION: Record<string, string> = {
  bookings: 'bookings.create',
  bookables: 'bookables.update',
  events: 'events.create',
  waits: 'waits.create',
}

export async function checkDatabase(facts: Facts): Promise<void> {
  await checkOverlaps(facts)
  for (const resource of Object.keys(ROWS)) await checkSteps(facts, resource)
  await checkRooms(facts)
  await checkShared(facts)
  await checkBlocked(facts)
  await checkConflicts(facts)
  await checkReleased(facts)
  await checkHolds(facts)
  await checkWaits(facts)
  await checkPlaces(facts)
  await checkServed(facts)
}

// Not by the constraint's own operator: it would find no more than the constraint does.
async function checkOverlaps({ database, history }: Facts): Promise<void> {
  const found = await select(
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

async function checkSteps({ database, history }: Facts, resource: string): Promise<void> {
  const broken = await select(
    database,
    `SELECT id, request_id, action, 'does not begin where the step before ended' AS is
       FROM (${STEPS}) AS steps WHERE NOT is_first AND ${withoutRevision('before')} IS DISTINCT FROM ${withoutRevision('previous')}
     UNION ALL
     SELECT id, request_id, action, 'is the first one' FROM (${STEPS}) AS steps
       WHERE is_first AND action <> :first
     UNION ALL
     SELECT id, request_id, action, 'is not what is there' FROM (${STEPS}) AS steps
       LEFT JOIN (${ROWS[resource]}) AS present USING (id)
       WHERE is_last AND after IS DISTINCT FROM present.row
     UNION ALL
     SELECT present.id, '', 'nothing', 'tells of it' FROM (${ROWS[resource]}) AS present
       WHERE :first LIKE '%.create'
         AND NOT EXISTS (SELECT FROM audit_log WHERE resource = :resource AND resource_id = present.id)`,
    { resource, first: FIRST_ACTION[resource] ?? '' },
  )
  for (const { id, request_id, action, is } of broken)
    history.find(AUDITED, undefined, `${resource} ${id}: ${action} of ${request_id} ${is}`)
}

/** The rooms of an event are taken for its time, and for no other. */
async function checkRooms({ database, history }: Facts): Promise<void> {
  const found = await select(
    database,
    `SELECT bookings.id, event_id FROM bookings JOIN events ON events.id = event_id
     WHERE bookings.during <> events.during`,
  )
  for (const row of found) history.find(AUDITED, undefined, `a room at another time: ${JSON.stringify(row)}`)
}

/** The last import that was done is the one whose mark the shared user bears. */
async function checkShared({ database, history }: Facts): Promise<void> {
  const [last] = await select(
    database,
    `SELECT after ->> 'filename' AS filename FROM audit_log WHERE action = 'users.import' ORDER BY id DESC LIMIT 1`,
  )
  const [shared] = await select(
    database,
    `SELECT extension_attributes ->> 'extensionAttribute1' AS mark FROM users WHERE email = :email`,
    { email: SHARED_EMAIL },
  )
  const expected = String(last?.filename ?? '').replace('.csv', '')
  if (expected !== (shared?.mark ?? ''))
    history.find(AUDITED, undefined, `the last import is ${expected}, but ${shared?.mark} is there`)
}

/** Who books looks at the state under a lock; so the log has the two in their order. */
async function checkBlocked({ database, history }: Facts): Promise<void> {
  const found = await select(
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

/** Who checks in has the rest; what was released is somebody else's. */
async function checkReleased({ database, history }: Facts): Promise<void> {
  const found = await select(
    database,
    `SELECT late.request_id FROM audit_log AS late JOIN audit_log AS released USING (resource, resource_id)
     WHERE late.action IN ('bookings.check-in', 'bookings.update') AND released.action = 'bookings.release'
       AND released.id < late.id`,
  )
  for (const { request_id } of found)
    history.find('checked in after the release', undefined, String(request_id))
}

/** A pending request or offer has one claim, its own, and no end; any other has one end, and no claim. */
async function checkHolds({ database, history }: Facts): Promise<void> {
  const found = await select(
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

/** A token that is limited to buildings is told of each write in them, deletions included. */
async function checkPlaces({ database, history }: Facts): Promise<void> {
  const found = await select(
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
  for (const row of found)
    history.find('a change that does not say in which buildings it was', undefined, JSON.stringify(row))
}

/** At rest the feed and webhooks have come to the end of the outbox. */
async function checkServed({ database, history }: Facts): Promise<void> {
  const deadlineMs = Date.now() + SERVED_MS_MAX
  for (;;) {
    const found = await select(
      database,
      `SELECT type, action, resource_id, request_id FROM changes WHERE horizon >= ${SERVED_UNTIL}`,
    )
    if (found.length > 0 && Date.now() < deadlineMs) {
      await wait(SERVED_PAUSE_MS)
      continue
    }
    for (const row of found) history.find('a change that is never served', undefined, JSON.stringify(row))
    return
  }
}

/** Whoever was refused for a claim that nobody gives up was refused for one that is there. */
async function checkConflicts({ database, history }: Facts): Promise<void> {
  const claims = await select(
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
        history.find('refused, and nobody was in the way', write, `in the way was ${mark ?? 'nobody'}`)
    }
  }
}

async function select(
  database: Knex,
  sql: string,
  values: Record<string, string> = {},
): Promise<Record<string, unknown>[]> {
  const { rows } = await database.raw(sql, values)
  return rows
}
