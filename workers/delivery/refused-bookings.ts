// Keeps refused bookings for the pages of people and places. They are written beside the work, once a second, so that no
// booking waits for them: what a dying process had not written yet is lost.
import type { Knex } from 'knex'
import type { Envelope, InputOf, JobName, Outcome, RefusedOutcome, ReplyOf } from '../../shared/jobs/jobs.ts'
import { literal, type Message } from '../../shared/messages/message.ts'
import { RULE_REFUSALS } from '../../shared/messages/refusal-kinds.ts'
import { FaultLog } from '../../shared/utilities/fault-log.ts'
import { type JsonText, parseJsonText } from '../../shared/utilities/json-text.ts'
import type { Log } from '../../shared/utilities/log.ts'
import { poll } from '../../shared/utilities/poller.ts'

const EVERY_MS = 1_000
const WAITING_MAX = 1_000
const OF_A_PERSON_A_DAY_MAX = 20

/** Mistakes in the request itself are not kept. */
const CODES = new Set<string>(['booking_conflict', 'bookable_blocked', 'bookable_assigned', ...RULE_REFUSALS])

type BatchText = JsonText<ReplyOf<'bookings.create-batch'>>
type Asked = {
  user_id: number
  bookable_id: number
  from_time?: string | null | undefined
  to_time?: string | null | undefined
}
type Refused = { asked: Asked | undefined; code: string; detail: Message }

// Those of people and places that still exist.
const INSERT = `
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
  WHERE number <= ${OF_A_PERSON_A_DAY_MAX}`

export type RefusedBookings = ReturnType<typeof keepRefusedBookings>

export function keepRefusedBookings(database: Knex, log: Log) {
  let waiting: unknown[] = []
  const write = async () => {
    const rows = waiting
    waiting = []
    if (rows.length > 0) await database.raw(INSERT, [JSON.stringify(rows)])
    return undefined
  }
  const poller = poll({
    everyMs: EVERY_MS,
    work: write,
    faults: new FaultLog(log, 'refused bookings are kept again'),
    fault: 'refused bookings could not be kept',
  })
  return {
    note(name: JobName, { input, receivedAt: at, actor }: Envelope, outcome: Outcome) {
      for (const { asked, code, detail } of listRefused(name, input, outcome)) {
        if (!asked || !CODES.has(code) || waiting.length >= WAITING_MAX) continue
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

function listRefused(name: JobName, input: unknown, outcome: Outcome): Refused[] {
  if (name === 'bookings.create' || name === 'bookings.create-open' || name === 'series.create')
    return outcome.refused ? [{ asked: input as Asked, ...refusalOf(outcome) }] : []
  if (name !== 'bookings.create-batch') return []
  const { bookings } = input as InputOf<'bookings.create-batch'>
  if (outcome.refused) {
    // In a batch that is refused as a whole, the first booking that was.
    const { index = 0 } = parseJsonText(outcome.body)
    return [{ asked: bookings[Number(index)], ...refusalOf(outcome) }]
  }
  const { data } = parseJsonText(outcome.body as BatchText)
  return data.flatMap((item, index) =>
    item.code ? [{ asked: bookings[index], code: item.code, detail: literal(item.detail ?? '') }] : [],
  )
}

const refusalOf = ({ refused: code, body, messages }: RefusedOutcome) => ({
  code,
  detail: messages?.detail ?? literal(parseJsonText(body).detail),
})
