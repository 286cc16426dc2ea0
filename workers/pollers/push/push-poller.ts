// Queues pushes, and turns each due push into deliveries, one for each browser of the person. The process `hooks` sends
// the deliveries (workers/hooks/push-deliveries.ts), because only this process may connect to hosts that others name.
import { createHash } from 'node:crypto'
import type { Knex } from 'knex'
import { LOCKS, tryLockSql } from '../../../shared/database/locks.ts'
import type { PersonPush } from '../../../shared/people/people.ts'
import { FaultLog } from '../../../shared/utilities/fault-log.ts'
import type { Log } from '../../../shared/utilities/log.ts'
import { type Poller, startPolling } from '../../../shared/utilities/poller.ts'
import { readBookingsInMail, recordMailedBookings } from '../mail/booking-mails.ts'
import { PUSH_CHANNEL } from '../mail/channels.ts'
import { findOffer, findRequestInMail, queueOffers } from '../mail/hold-mails.ts'
import { readLostRooms } from '../mail/lost-rooms.ts'
import { findReminder, queueReminders } from '../mail/reminders.ts'
import { toLanguage } from '../mail/words.ts'
import { queueChangePushes } from './queue-pushes.ts'
import { type PushContent, writePush } from './write-push.ts'

const POLL_INTERVAL_MS = 2_000
// The limit on the time for each step. A long list of changes must not hold up due pushes, nor the reverse.
const STEP_MS_MAX = 1_000
// An older push is not sent, because the person has most likely seen the change on their pages.
const PUSH_AGE_MAX = "interval '1 hour'"
// How long a push service may keep a notification for a phone that is switched off.
const DELIVERY_MS_MAX = 86_400_000

export const startPushPoller = (database: Knex, log: Log): Poller =>
  startPolling({
    everyMs: POLL_INTERVAL_MS,
    faults: new FaultLog(log, 'notifications are queued again'),
    fault: 'notifications cannot be queued',
    async work(isStopping) {
      await queueReminders(database, PUSH_CHANNEL)
      await queueOffers(database, PUSH_CHANNEL)
      const hasChanges = await repeatStep(() => queueChangePushes(database), isStopping)
      const hasPushes = await repeatStep(() => composeDuePush(database), isStopping)
      return hasChanges || hasPushes ? 0 : POLL_INTERVAL_MS
    },
  })

/** Repeats a step until nothing is left to do or the time is up. Returns whether there is more to do. */
async function repeatStep(step: () => Promise<boolean>, isStopping: () => boolean): Promise<boolean> {
  const untilMs = performance.now() + STEP_MS_MAX
  while (!isStopping() && (await step())) if (performance.now() > untilMs) return true
  return false
}

type TakenPush = {
  kind: PersonPush
  userId: number
  bookingIds: number[] | null
  lostRooms: unknown[] | null
  attempt: string | null
  holdId: number | null
  deadline: string | null
  language: string
  wanted: boolean
  database: string
}

// Only one process composes pushes at a time, because what a push says depends on the pushes before it.
const TAKE_SQL = `
  WITH turn AS MATERIALIZED (
    SELECT ${tryLockSql(LOCKS.pushes)} AS has_lock
  ), due AS (
    SELECT pushes.id FROM turn, pushes WHERE has_lock AND next_at <= now() ORDER BY next_at, pushes.id LIMIT 1
  ), taken AS (
    UPDATE pushes SET attempts = attempts + 1, next_at = NULL FROM due WHERE pushes.id = due.id RETURNING pushes.*
  )
  SELECT taken.kind, taken.user_id AS "userId", booking_ids AS "bookingIds", lost_rooms AS "lostRooms",
    change_attempt AS attempt, hold_id AS "holdId", deadline, (SELECT id FROM identity) AS database,
    coalesce(person_settings.language, person_languages.language, 'en') AS language,
    people.deactivated_at IS NULL AND NOT taken.kind = ANY (${PUSH_CHANNEL.refusedKindsSql})
      AND taken.created_at > now() - ${PUSH_AGE_MAX} AS wanted
  FROM taken JOIN users AS people ON people.id = taken.user_id
  LEFT JOIN person_settings ON person_settings.user_id = taken.user_id
  LEFT JOIN person_languages ON person_languages.user_id = taken.user_id`

/**
 * Turns the next due push into deliveries, all in one transaction, so that each browser gets it once. Returns whether
 * there was a due push.
 */
async function composeDuePush(database: Knex): Promise<boolean> {
  return database.transaction(async (trx) => {
    const { rows } = await trx.raw<{ rows: TakenPush[] }>(TAKE_SQL)
    const [push] = rows
    if (!push) return false
    const content = push.wanted ? await readPushContent(trx, push) : undefined
    if (content) await insertDeliveries(trx, push, content)
    return true
  })
}

/** Reads the current content of a push. Returns undefined if there is nothing to report any more. */
async function readPushContent(
  trx: Knex.Transaction,
  { kind, userId: user, bookingIds, lostRooms: rooms, attempt, holdId, deadline }: TakenPush,
): Promise<PushContent | undefined> {
  if (holdId !== null) {
    const hold = { id: holdId, user }
    if (kind === 'offer') {
      const offer = await findOffer(trx, hold)
      return offer && { offer }
    }
    const request = await findRequestInMail(trx, hold)
    return request && { request }
  }
  if (bookingIds === null) return undefined
  if (kind === 'reminder' && deadline !== null) {
    const reminder = await findReminder(trx, { ids: bookingIds, user, deadline })
    return reminder && { reminder }
  }
  const { told } = PUSH_CHANNEL
  const isOwn = kind !== 'changed'
  const bookings = await readBookingsInMail(trx, { isOwn, userId: user, bookingIds, attempt, told })
  await recordMailedBookings(trx, user, bookings, told)
  const lostRooms = await readLostRooms(trx, { userId: user, attempt, rooms })
  return bookings.length + lostRooms.length > 0 ? { bookings, lostRooms } : undefined
}

async function insertDeliveries(trx: Knex.Transaction, push: TakenPush, content: PushContent): Promise<void> {
  const { userId, holdId, bookingIds, kind, database } = push
  const language = toLanguage(push.language)
  const { until, ...shown } = writePush(content, holdId ?? bookingIds?.[0] ?? 0, language)
  const lastMs = Date.now() + DELIVERY_MS_MAX
  const values = {
    userId,
    payload: JSON.stringify({ ...shown, language }),
    topic: createHash('sha256').update(`${database} ${shown.tag}`).digest('base64url').slice(0, 32),
    isUrgent: kind === 'reminder' || kind === 'offer',
    until: new Date(until === null ? lastMs : Math.min(Date.parse(until), lastMs)).toISOString(),
  }
  await trx.raw(
    `INSERT INTO push_deliveries (subscription_id, payload, topic, is_urgent, expires_at)
     SELECT id, :payload, :topic, :isUrgent, CAST(:until AS timestamptz) FROM push_subscriptions WHERE user_id = :userId`,
    values,
  )
}
