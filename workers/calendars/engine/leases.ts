// Leases calendars to this process, so that two processes never work on the same calendar. A lease expires if its process dies.
import { randomUUID } from 'node:crypto'
import type { Knex } from 'knex'
import type { Message } from '../../../shared/messages/message.ts'
import type { CalendarProviderName } from '../../../shared/room-calendars/room-calendars.ts'
import { IS_ENTRY_FAULTY_SQL } from '../../../shared/room-calendars/room-calendars-shape.ts'
import { timestampText } from '../../../shared/schemas/json.ts'
import type { CalendarLink } from '../calendar-link.ts'
import { QUEUE_AGAIN_AT_SQL } from './queue-entries.ts'

/** How long a lease lasts without being renewed. */
const LEASE_SECONDS = 60
export const LEASE_RENEWAL_MS = 15_000
/** A process stops relying on a lease that it could not renew after this time, before another process may take the lease. */
export const LEASE_RELIED_ON_MS = 45_000

type Held = Pick<CalendarLink, 'bookableId' | 'lease'>

/** A provider that may get more work, and how many of its calendars may be leased. */
export type OpenProvider = { name: CalendarProviderName; free: number }

type LeasedRow = Omit<CalendarLink, 'calendar' | 'period' | 'mustEnd'> & {
  calendarId: string
  zone: string
  from: string | null
  to: string | null
  failures: number
}
/** A leased calendar, and how often in a row it has failed. */
export type LeasedCalendar = { link: Omit<CalendarLink, 'mustEnd'>; failures: number }

// While notifications arrive, reading the calendar only finds changes that no notification reported.
const WATCHED_POLL_SECONDS = 3_600

// A calendar whose lease was not released is due for everything, because its process may have died after it stored that a step
// was done. The times of due steps are moved on here, so that a notification or a change during the round makes the calendar due
// again. An unlinked calendar only needs to be deleted, so it needs no provider. Random intervals spread the readings over time.
const LEASE_DUE_SQL = `
  WITH due AS (
    SELECT due.*
    FROM unnest(CAST(:names AS text[]), CAST(:free AS int[]), CAST(:known AS boolean[])) AS open (provider, free, is_known),
    LATERAL (
      SELECT bookable_id, due_at, lease IS NOT NULL OR NOT is_complete OR next_read_at <= now() AS is_read_due,
        lease IS NOT NULL OR coalesce(next_write_at <= now(), false) AS is_write_due
      FROM room_calendars
      WHERE provider = open.provider AND due_at <= now() AND (open.is_known OR is_ending)
      ORDER BY due_at LIMIT open.free
      FOR UPDATE SKIP LOCKED
    ) AS due
    ORDER BY due.due_at LIMIT :limit
  ), leased AS (
    UPDATE room_calendars SET lease = :lease, leased_until = now() + interval '${LEASE_SECONDS} seconds',
      next_read_at = CASE WHEN is_read_due THEN now() + interval '1 second' * (0.9 + 0.2 * random()) * greatest(:pollSeconds,
        least(${WATCHED_POLL_SECONDS}, coalesce(extract(epoch FROM watch_ends_at - now()), 0))) ELSE next_read_at END,
      next_write_at = CASE WHEN is_write_due THEN NULL ELSE next_write_at END
    FROM due WHERE due.bookable_id = room_calendars.bookable_id
    RETURNING room_calendars.*, is_read_due, is_write_due
  )
  SELECT leased.bookable_id AS "bookableId", provider, calendar AS "calendarId", buildings.timezone AS zone, names, position,
    ${timestampText('lower(period)')} AS "from", ${timestampText('upper(period)')} AS "to", reading, is_complete AS "isComplete", is_new AS "isNew",
    is_read_due AS "isReadDue", is_write_due AS "isWriteDue", next_watch_at <= now() AS "isWatchDue", is_ending AS "isEnding",
    is_clearing AS "isClearing", read_zone AS "readZone", former_watches AS "formerWatches", watch, watch_secret AS "watchSecret", ${timestampText('watch_ends_at')} AS "watchEndsAt", CAST(lease AS text) AS lease,
    failures
  FROM leased JOIN bookables ON bookables.id = bookable_id JOIN locations ON locations.id = bookables.location_id
  JOIN buildings ON buildings.id = locations.building_id
  ORDER BY bookable_id`

/**
 * Leases the calendars that have been due longest. `others` are providers without settings in this
 * process, whose calendars can only end.
 */
export async function leaseDueCalendars(
  database: Knex,
  open: OpenProvider[],
  others: CalendarProviderName[],
  { limit, pollSeconds }: { limit: number; pollSeconds: number },
): Promise<LeasedCalendar[]> {
  const { rows } = await database.raw<{ rows: LeasedRow[] }>(LEASE_DUE_SQL, {
    names: [...open.map(({ name }) => name), ...others],
    free: [...open.map(({ free }) => free), ...others.map(() => limit)],
    known: [...open.map(() => true), ...others.map(() => false)],
    limit,
    pollSeconds,
    lease: randomUUID(),
  })
  return rows.map(({ calendarId, zone, from, to, failures, ...row }) => ({
    failures,
    link: {
      ...row,
      calendar: { id: calendarId, zone },
      period: from === null || to === null ? null : { from, to },
    },
  }))
}

/** The result of a renewal. `busy`: another transaction has locked the row, so the next renewal tries again. */
type Renewal = 'renewed' | 'busy'

const RENEW_SQL = `
  WITH held AS (
    SELECT room_calendars.bookable_id, room_calendars.lease FROM room_calendars
    JOIN unnest(CAST(:ids AS bigint[]), CAST(:leases AS uuid[])) AS given (bookable_id, lease)
      ON given.bookable_id = room_calendars.bookable_id AND given.lease = room_calendars.lease
    WHERE NOT is_ending
  ), renewed AS (
    UPDATE room_calendars SET leased_until = now() + interval '${LEASE_SECONDS} seconds'
    WHERE bookable_id = ANY (ARRAY(
      SELECT room_calendars.bookable_id FROM room_calendars JOIN held USING (bookable_id, lease)
      FOR NO KEY UPDATE OF room_calendars SKIP LOCKED))
    RETURNING bookable_id
  )
  SELECT held.bookable_id AS "bookableId", held.lease, CASE WHEN renewed.bookable_id IS NULL THEN 'busy' ELSE 'renewed' END AS renewal
  FROM held LEFT JOIN renewed USING (bookable_id)`

/**
 * Renews leases, and returns the result of each by its id. Leaves out leases that this process has lost, and leases of unlinked
 * calendars. Waits for no lock, because one busy row must not end the rounds of all calendars.
 */
export async function renewLeases(database: Knex, leases: Held[]): Promise<Map<string, Renewal>> {
  const { rows } = await database.raw<{ rows: Array<Held & { renewal: Renewal }> }>(RENEW_SQL, {
    ids: leases.map(({ bookableId }) => bookableId),
    leases: leases.map(({ lease }) => lease),
  })
  return new Map(rows.map((row) => [getLeaseId(row), row.renewal]))
}

/** How long a round relies on its lease. `now` is a clock that never goes back, in milliseconds. */
export class LeaseTime {
  readonly #now: () => number
  #untilMs: number
  #isOver = false

  /** The lease lasts from `sinceMs`, when Berth asked for it, because the answer may have taken a while. */
  constructor(sinceMs: number, now = () => performance.now()) {
    this.#now = now
    this.#untilMs = sinceMs + LEASE_RELIED_ON_MS
  }

  /** Takes the result of a renewal for which Berth asked at `sinceMs`. */
  renew(renewal: Renewal | undefined, sinceMs: number) {
    if (renewal === 'renewed') this.#untilMs = sinceMs + LEASE_RELIED_ON_MS
    if (renewal === undefined) this.#isOver = true
  }

  /**
   * Returns whether the round can no longer rely on its lease. Stays true even if the lease is renewed later, because another
   * process may have worked on the calendar in between.
   */
  isOver(): boolean {
    this.#isOver ||= this.#untilMs <= this.#now()
    return this.#isOver
  }
}

export const getLeaseId = ({ bookableId, lease }: Held) => `${bookableId} ${lease}`

// Both sides say the same if everything is read, applied and written. What will be written later, such as the entries of the
// next day, does not count.
const IS_ROUND_IN_STEP_SQL = `is_complete AND NOT EXISTS (SELECT FROM calendar_entries
    WHERE calendar_entries.bookable_id = room_calendars.bookable_id AND (pending_since IS NOT NULL OR ${IS_ENTRY_FAULTY_SQL}))
  AND coalesce(least(next_write_at, CAST(:moreAt AS timestamptz)) > now() + interval '1 minute', true)`

// When to look again at what is pending: soon while its jobs are under way, and less and less often if they have failed.
const NEXT_APPLY_SQL = `(SELECT min(greatest(now() + interval '5 seconds', CASE WHEN tries > 1 THEN ${QUEUE_AGAIN_AT_SQL} END))
  FROM calendar_entries
  WHERE calendar_entries.bookable_id = room_calendars.bookable_id AND pending_since IS NOT NULL)`

const HELD_SQL = 'room_calendars.bookable_id = :bookableId AND lease = :lease'

/** Releases a calendar after a round. `moreAt` is when to compare it again. A reading that is not complete goes on at once. */
export async function finishRound(
  database: Knex,
  { bookableId, lease, isWatchDue }: Held & Pick<CalendarLink, 'isWatchDue'>,
  moreAt: number | undefined,
): Promise<void> {
  await database.raw(
    `UPDATE room_calendars SET lease = NULL, leased_until = now(), failures = 0, fault_kind = NULL, fault = NULL,
       fault_since = NULL, retry_at = NULL, next_apply_at = ${NEXT_APPLY_SQL},
       next_write_at = least(next_write_at, CAST(:moreAt AS timestamptz)),
       next_read_at = CASE WHEN is_complete THEN next_read_at ELSE least(next_read_at, now()) END,
       next_watch_at = CASE WHEN :isWatchDue AND next_watch_at <= now() THEN now() + interval '10 minutes' ELSE next_watch_at END,
       in_step_at = CASE WHEN ${IS_ROUND_IN_STEP_SQL} THEN now() ELSE in_step_at END
     WHERE ${HELD_SQL}`,
    { bookableId, lease, isWatchDue, moreAt: moreAt === undefined ? null : new Date(moreAt).toISOString() },
  )
}

// Everything is due again, because the round did not get through all its steps.
const UNDONE_SQL = `lease = NULL, leased_until = now(), next_read_at = least(next_read_at, now()),
  next_write_at = least(next_write_at, now())`

/** Releases a calendar whose round was cut short, so that another process goes on at once. */
export async function leaveRound(database: Knex, { bookableId, lease }: Held): Promise<void> {
  await database.raw(`UPDATE room_calendars SET ${UNDONE_SQL} WHERE ${HELD_SQL}`, { bookableId, lease })
}

type RoundFault = { kind: string; fault: Message; retryMs: number }

/** Releases a calendar whose round failed, and stores why, and when it is tried again. */
export async function failRound(
  database: Knex,
  { bookableId, lease }: Held,
  { kind, fault, retryMs }: RoundFault,
): Promise<void> {
  await database.raw(
    `UPDATE room_calendars SET ${UNDONE_SQL}, failures = failures + 1, fault_kind = :kind, fault = CAST(:fault AS jsonb),
       fault_since = coalesce(fault_since, now()), retry_at = now() + :retryMs * interval '1 millisecond'
     WHERE ${HELD_SQL}`,
    { bookableId, lease, kind, fault: JSON.stringify(fault), retryMs },
  )
}

const DELETED_ENTRIES_MAX = 2_000

// The room may be linked again at any moment. The entries of the new link must stay.
const DELETE_ENTRIES_SQL = `
  DELETE FROM calendar_entries WHERE id IN (
    SELECT id FROM calendar_entries
    WHERE bookable_id = :bookableId AND EXISTS (SELECT FROM room_calendars WHERE ${HELD_SQL} AND (is_ending OR is_clearing))
    LIMIT ${DELETED_ENTRIES_MAX})`

// Uses several statements, so that none of them takes long.
async function deleteEntries(database: Knex, { bookableId, lease }: Held): Promise<void> {
  for (let deleted = DELETED_ENTRIES_MAX; deleted === DELETED_ENTRIES_MAX; )
    deleted = (await database.raw(DELETE_ENTRIES_SQL, { bookableId, lease })).rowCount
}

/** Deletes a calendar that was unlinked, with its entries. */
export async function deleteCalendar(database: Knex, { bookableId, lease }: Held): Promise<void> {
  await deleteEntries(database, { bookableId, lease })
  await database.raw(`DELETE FROM room_calendars WHERE ${HELD_SQL} AND is_ending`, { bookableId, lease })
}

/** Deletes the entries of the former link of a room, before the calendar of the new link is read. */
export async function clearCalendar(database: Knex, { bookableId, lease }: Held): Promise<void> {
  await deleteEntries(database, { bookableId, lease })
  await database.raw(`UPDATE room_calendars SET is_clearing = false WHERE ${HELD_SQL}`, { bookableId, lease })
}
