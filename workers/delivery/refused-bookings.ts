// Stores refused bookings, for the pages of people and places. A worker writes them in the background once a second, so
// that no booking waits for this. If the process dies, the refusals that it has not written yet are lost.
import type { Knex } from 'knex'
import type { Envelope, InputOf, JobName, Outcome, RefusedOutcome, ReplyOf } from '../../shared/jobs/jobs.ts'
import { literalMessage, type Message } from '../../shared/messages/message.ts'
import { RULE_REFUSALS } from '../../shared/messages/refusal-kinds.ts'
import { FaultLog } from '../../shared/utilities/fault-log.ts'
import { type JsonText, parseJsonText } from '../../shared/utilities/json-text.ts'
import type { Log } from '../../shared/utilities/log.ts'
import { startPolling } from '../../shared/utilities/poller.ts'

const STORE_INTERVAL_MS = 1_000
const WAITING_REFUSALS_MAX = 1_000
const REFUSALS_PER_PERSON_DAY_MAX = 20

/** The codes of the refusals that are stored. Mistakes in the request itself are not stored. */
const STORED_CODES = new Set<string>([
  'booking_conflict',
  'bookable_blocked',
  'bookable_assigned',
  ...RULE_REFUSALS.filter((code) => code !== 'user_away'),
])

type BatchReplyText = JsonText<ReplyOf<'bookings.create-batch'>>
type RequestedBooking = {
  user_id: number
  bookable_id: number
  from_time?: string | null | undefined
  to_time?: string | null | undefined
}
type RefusedBooking = { asked: RequestedBooking | undefined; code: string; detail: Message }

// Skips bookings whose user or bookable no longer exists.
const INSERT_SQL = `
  INSERT INTO refused_bookings (at, user_id, bookable_id, during, code, detail, actor_type, actor_id)
  SELECT at, user_id, bookable_id, tstzrange(from_time, to_time), code, detail, actor_type, actor_id
  FROM (
    SELECT asked.*, row_number() OVER (PARTITION BY user_id ORDER BY at) + (
      SELECT count(*) FROM refused_bookings AS present
      WHERE present.user_id = asked.user_id AND present.at > now() - interval '1 day'
    ) AS number
    FROM jsonb_to_recordset(CAST(? AS jsonb)) AS asked (at timestamptz, user_id bigint, bookable_id bigint,
      from_time timestamptz, to_time timestamptz, code text, detail jsonb, actor_type text, actor_id bigint)
    WHERE coalesce(from_time < to_time, true) AND EXISTS (SELECT FROM users WHERE users.id = asked.user_id)
      AND EXISTS (SELECT FROM bookables WHERE bookables.id = asked.bookable_id)
  ) AS numbered
  WHERE number <= ${REFUSALS_PER_PERSON_DAY_MAX}`

export type RefusedBookings = ReturnType<typeof storeRefusedBookings>

export function storeRefusedBookings(database: Knex, log: Log) {
  let waiting: unknown[] = []
  const write = async () => {
    const rows = waiting
    waiting = []
    if (rows.length > 0) await database.raw(INSERT_SQL, [JSON.stringify(rows)])
    return undefined
  }
  const poller = startPolling({
    everyMs: STORE_INTERVAL_MS,
    work: write,
    faults: new FaultLog(log, 'refused bookings are kept again'),
    fault: 'refused bookings could not be kept',
  })
  return {
    note(name: JobName, { input, receivedAt: at, actor }: Envelope, outcome: Outcome) {
      for (const { asked, code, detail } of listRefusedBookings(name, input, outcome)) {
        if (!asked || !STORED_CODES.has(code) || waiting.length >= WAITING_REFUSALS_MAX) continue
        const { user_id, bookable_id, from_time, to_time } = asked
        const what = { user_id, bookable_id, from_time: from_time ?? at, to_time }
        waiting.push({ at, ...what, code, detail, actor_type: actor.type, actor_id: actor.id })
      }
    },
    async stop() {
      await poller.stop()
      await write().catch(() => undefined)
    },
  }
}

function listRefusedBookings(name: JobName, input: unknown, outcome: Outcome): RefusedBooking[] {
  if (name === 'bookings.create' || name === 'bookings.create-open' || name === 'series.create')
    return outcome.refused ? [{ asked: input as RequestedBooking, ...toStoredRefusal(outcome) }] : []
  if (name !== 'bookings.create-batch') return []
  const { bookings } = input as InputOf<'bookings.create-batch'>
  if (outcome.refused) {
    // If a whole batch of bookings is refused, stores the booking that was refused first.
    const { index = 0 } = parseJsonText(outcome.body)
    return [{ asked: bookings[Number(index)], ...toStoredRefusal(outcome) }]
  }
  const { data } = parseJsonText(outcome.body as BatchReplyText)
  return data.flatMap((item, index) =>
    item.code ? [{ asked: bookings[index], code: item.code, detail: literalMessage(item.detail ?? '') }] : [],
  )
}

const toStoredRefusal = ({ refused: code, body, messages }: RefusedOutcome) => ({
  code,
  detail: messages?.detail ?? literalMessage(parseJsonText(body).detail),
})
