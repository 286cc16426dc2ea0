// Follows the outbox to find rooms whose claims have changed, so that their calendars are compared. The hourly
// comparison finds the effects of any change that is missed here, so this only has to be fast.
import type { Knex } from 'knex'
import { OUTBOX_ORDER, SERVED_HORIZON_SQL, servedChangesSql } from '../../../shared/changes/read.ts'
import { isLockTimeout } from '../../../shared/database/faults.ts'
import { LOCKS, tryLockSql } from '../../../shared/database/locks.ts'
import { takesTimeSql } from '../reading/store-entries.ts'

const CHANGES_MAX = 1_000
const PAGES_MAX = 10
// While it waits for one calendar, this process may have locked others, so it waits no longer than a batch of writes does.
const LOCK_TIMEOUT_MS = 500

type Position = { horizon: number; sequence: number; at: string }
type Turn = { isLocked: boolean; hasRooms: boolean; position: Position | null }
type NextChange = Position & { isLate: boolean }

/**
 * Makes the calendars of rooms due whose claims have changed since the last call. Returns whether there is more to follow at
 * once. Only one process follows at a time. If another transaction keeps a calendar locked, the call stops, and the next call
 * tries the same changes again.
 */
export async function followOutbox(
  { database }: { database: Knex },
  isStopping: () => boolean,
): Promise<boolean> {
  try {
    for (let pages = 0; pages < PAGES_MAX; pages++)
      if (isStopping() || !(await followPage(database))) return false
    return true
  } catch (error) {
    if (isLockTimeout(error)) return false
    throw error
  }
}

const TAKE_TURN_SQL = `
  SELECT EXISTS (SELECT FROM room_calendars WHERE NOT is_ending) AS "hasRooms",
    CASE WHEN EXISTS (SELECT FROM room_calendars) THEN ${tryLockSql(LOCKS.calendarPosition)} ELSE false END AS "isLocked",
    (SELECT json_build_object('horizon', horizon, 'sequence', sequence, 'at', at) FROM calendar_position) AS position`

const BEGIN_SQL = `
  INSERT INTO calendar_position (horizon, sequence, at) VALUES (${SERVED_HORIZON_SQL}, 0, now())
  ON CONFLICT (is_only) DO UPDATE SET horizon = excluded.horizon, sequence = excluded.sequence, at = excluded.at`

const ALL_ROOMS_SQL = 'SELECT bookable_id AS id, true AS "isPlace" FROM room_calendars ORDER BY bookable_id'

const behindSql = servedChangesSql({
  horizon: ':horizon',
  sequence: ':sequence',
  at: 'CAST(:at AS timestamptz)',
})

const FIND_NEXT_SQL = `SELECT horizon, sequence, at, at < now() - interval '1 hour' AS "isLate" ${behindSql} ORDER BY ${OUTBOX_ORDER} LIMIT :limit`

// The rooms of a change, before and after it. A place that is blocked or closed releases its bookings, which are changes of
// their own. Once it is opened again, what was refused because of it may be possible. `isPlace` says so.
const FIND_ROOMS_SQL = `
  WITH page AS (
    SELECT type, resource_id, CAST(data AS jsonb) AS data, CAST(previous AS jsonb) AS previous
    FROM (SELECT * ${behindSql} AND (horizon, sequence) <= (:last, :end)) AS changes
    WHERE type IN ('user', 'loan') OR building_ids && ARRAY(
      SELECT locations.building_id FROM room_calendars JOIN bookables ON bookables.id = bookable_id
      JOIN locations ON locations.id = bookables.location_id)
  ), concerned AS (
    SELECT CAST(state -> 'bookable' ->> 'id' AS bigint) AS id, false AS is_place FROM page, unnest(ARRAY[data, previous]) AS state
    WHERE type = 'booking'
    UNION ALL
    SELECT CAST(room ->> 'id' AS bigint), false FROM page, unnest(ARRAY[data, previous]) AS state,
      jsonb_array_elements(state -> 'bookables') AS room
    WHERE type = 'event'
    UNION ALL
    SELECT resource_id, true FROM page WHERE type = 'bookable'
    UNION ALL
    SELECT bookables.id, true FROM page JOIN bookables ON bookables.location_id = resource_id WHERE page.type = 'location'
    UNION ALL
    SELECT bookables.id, true FROM page JOIN locations ON locations.building_id = resource_id
    JOIN bookables ON bookables.location_id = locations.id WHERE page.type = 'building'
    UNION ALL
    -- The rooms whose calendars name a person who has changed.
    SELECT bookings.bookable_id, false FROM page JOIN bookings ON bookings.user_id = resource_id
    WHERE page.type = 'user' AND bookings.during && tstzrange(now(), NULL)
    UNION ALL
    SELECT bookings.bookable_id, false FROM page JOIN events ON events.organizer_user_id = resource_id
    JOIN bookings ON bookings.event_id = events.id
    WHERE page.type = 'user' AND bookings.during && tstzrange(now(), NULL)
  )
  SELECT room_calendars.bookable_id AS id, bool_or(is_place) AS "isPlace"
  FROM concerned JOIN room_calendars ON room_calendars.bookable_id = concerned.id
  GROUP BY room_calendars.bookable_id ORDER BY room_calendars.bookable_id`

type ConcernedRoom = { id: number; isPlace: boolean }

/** Follows one page. Returns whether there may be more. The transaction that writes is short, so it delays no change feed. */
function followPage(database: Knex): Promise<boolean> {
  return database.transaction(async (trx) => {
    const { rows } = await trx.raw<{ rows: Turn[] }>(TAKE_TURN_SQL)
    const [turn] = rows
    if (!turn?.isLocked || !turn.hasRooms) return false
    const { position } = turn
    if (!position) return startAgain(trx)
    const values = { ...position, limit: CHANGES_MAX }
    const { rows: next } = await trx.raw<{ rows: NextChange[] }>(FIND_NEXT_SQL, values)
    const last = next.at(-1)
    if (!last) return false
    if (next[0]?.isLate) return startAgain(trx)
    const found = await trx.raw<{ rows: ConcernedRoom[] }>(FIND_ROOMS_SQL, {
      ...position,
      last: last.horizon,
      end: last.sequence,
    })
    await makeDue(trx, found.rows)
    await trx.raw(
      'UPDATE calendar_position SET horizon = :horizon, sequence = :sequence, at = CAST(:at AS timestamptz)',
      { ...last },
    )
    return next.length === CHANGES_MAX
  })
}

// If changes have not been followed for long, for example because no room was linked, every calendar is compared instead. That
// takes less time than following each change.
async function startAgain(trx: Knex.Transaction): Promise<false> {
  await makeDue(trx, (await trx.raw<{ rows: ConcernedRoom[] }>(ALL_ROOMS_SQL)).rows)
  await trx.raw(BEGIN_SQL)
  return false
}

// Entries that Berth refused because their time was taken are tried again once that time is free. After a change of the place,
// refused entries are tried again whatever the reason. Declined entries are not tried again. Neither are conflicts with a
// `reason`: Berth itself moved or cancelled these meetings, or gave up their room.
const RETRY_CONFLICTS_SQL = `
  UPDATE calendar_entries SET pending_since = now(), revision = revision + 1, queued_at = NULL, tries = 0
  WHERE id = ANY (ARRAY(
    SELECT calendar_entries.id FROM calendar_entries
    JOIN unnest(CAST(:ids AS bigint[]), CAST(:places AS boolean[])) AS room (id, is_place) ON room.id = bookable_id
    WHERE conflict IS NOT NULL AND conflict ->> 'reason' IS NULL AND decline IS DISTINCT FROM 'declined'
      AND key IS NULL AND pending_since IS NULL AND upper(calendar_entries.during) > now() AND ${takesTimeSql('seen')}
      AND (is_place OR NOT EXISTS (SELECT FROM bookings WHERE bookings.bookable_id = room.id AND bookings.exclusive
        AND bookings.during && calendar_entries.during))
    ORDER BY calendar_entries.id FOR NO KEY UPDATE OF calendar_entries))`

const MAKE_DUE_SQL = `
  UPDATE room_calendars SET next_write_at = now()
  WHERE bookable_id = ANY (ARRAY(SELECT bookable_id FROM room_calendars WHERE bookable_id = ANY (CAST(? AS bigint[]))
    AND (next_write_at IS NULL OR next_write_at > now()) ORDER BY bookable_id FOR NO KEY UPDATE))`

async function makeDue(trx: Knex.Transaction, rooms: ConcernedRoom[]): Promise<void> {
  if (rooms.length === 0) return
  await trx.raw(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`)
  const ids = rooms.map(({ id }) => id)
  await trx.raw(MAKE_DUE_SQL, [ids])
  await trx.raw(RETRY_CONFLICTS_SQL, { ids, places: rooms.map(({ isPlace }) => isPlace) })
}
