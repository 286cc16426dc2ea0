// Queues pushes (notifications to people's browsers) from the outbox, in the same way as mails
// (workers/pollers/mail/queue-booking-mails.ts). Pushes have their own position in the outbox, so they work without a
// mail server and during its outages.
import type { Knex } from 'knex'
import { OUTBOX_ORDER } from '../../../shared/changes/read.ts'
import { LOCKS, tryLockSql } from '../../../shared/database/locks.ts'
import { PUSH_CHANNEL } from '../mail/channels.ts'
import {
  CHANGES_PER_RUN_MAX,
  changesBehindSql,
  endSql,
  holderSql,
  IS_OWN_CHANGE_SQL,
  type Position,
  queueChangesSql,
} from '../mail/queue-booking-mails.ts'

/** Queues pushes about changes. Returns whether there may be more changes to process immediately. */
export async function queueChangePushes(database: Knex): Promise<boolean> {
  return database.transaction(async (trx) => {
    const { rows } = await trx.raw<{ rows: Array<{ isLocked: boolean; position: Position | null }> }>(
      TAKE_TURN_SQL,
    )
    const [turn] = rows
    if (!turn?.isLocked || !turn.position) return false
    const { rows: next } = await trx.raw<{ rows: Position[] }>(FIND_NEXT_SQL, {
      ...turn.position,
      limit: CHANGES_PER_RUN_MAX,
    })
    const last = next.at(-1)
    if (!last) return false
    const values = { ...turn.position, last: last.horizon, end: last.sequence, lastAt: last.at }
    await trx.raw(RECORD_OWN_CHANGES_SQL, values)
    await trx.raw(QUEUE_SQL, values)
    return next.length === CHANGES_PER_RUN_MAX
  })
}

const TAKE_TURN_SQL = `
  SELECT ${tryLockSql(LOCKS.pushes)} AS "isLocked",
    (SELECT json_build_object('horizon', horizon, 'sequence', sequence, 'at', at) FROM push_position) AS position`

const FIND_NEXT_SQL = `SELECT horizon, sequence, at ${changesBehindSql} ORDER BY ${OUTBOX_ORDER} LIMIT :limit`

// Nobody gets a push about their own changes. This statement updates the record of what pushes said accordingly.
// Otherwise, a later push would compare the booking with a state that the person themselves has changed.
const RECORD_OWN_CHANGES_SQL = `
  WITH page AS (
    SELECT horizon, sequence, resource_id, action, actor_type, actor_id, data::json AS data
    ${changesBehindSql} AND (horizon, sequence) <= (:last, :end) AND type = 'booking'
  ), own AS (
    SELECT DISTINCT ON (people.id, resource_id) people.id AS user_id, resource_id, action <> 'deleted' AS is_known, data
    FROM page JOIN users AS people ON people.id = ${holderSql('data')} AND ${IS_OWN_CHANGE_SQL}
    ORDER BY people.id, resource_id, horizon DESC, sequence DESC
  )
  UPDATE pushed_bookings AS told SET told_at = now(),
    bookable_id = CASE WHEN is_known THEN (data -> 'bookable' ->> 'id')::bigint END,
    during = CASE WHEN is_known THEN tstzrange((data ->> 'from')::timestamptz, ${endSql('data')}) END
  FROM own WHERE told.user_id = own.user_id AND told.booking_id = resource_id`

const QUEUE_SQL = `${queueChangesSql(PUSH_CHANNEL)}
  UPDATE push_position SET horizon = :last, sequence = :end, at = CAST(:lastAt AS timestamptz)`
