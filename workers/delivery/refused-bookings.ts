// Keeps refused bookings, moves and changes of time for the pages of people and places. They are written beside the work, once a second, so that no
// booking waits for them: what a dying process had not written yet is lost.
import type { Knex } from 'knex'
import type { Envelope, InputOf, JobName, Outcome } from '../../shared/jobs/jobs.ts'
import { literal, type Message } from '../../shared/messages/message.ts'
import { RULE_REFUSALS } from '../../shared/messages/refusal-kinds.ts'
import { FaultLog } from '../../shared/utilities/fault-log.ts'
import { parseJsonText } from '../../shared/utilities/json-text.ts'
import type { Log } from '../../shared/utilities/log.ts'
import { poll } from '../../shared/utilities/poller.ts'

const EVERY_MS = 1_000
const WAITING_MAX = 1_000
const OF_A_PERSON_A_DAY_MAX = 20

/** Mistakes in the request itself are not kept. */
const CODES = new Set<string>(['booking_conflict', 'bookable_blocked', 'bookable_assigned', ...RULE_REFUSALS])

/** Of a new booking: what was asked for. Of a present one: its id, and what was to change. */
type Asked = {
  booking_id?: number
  user_id?: number
  bookable_id?: number
  from_time?: string | null | undefined
  to_time?: string | null | undefined
}
type Refused = { asked: Asked | undefined; code: string; detail: Message }

// Those of people and places that still exist. A move on the same bookable is a change of times.
const INSERT = `
  INSERT INTO refused_bookings (at, job, user_id, bookable_id, during, code, detail, actor_type, actor_id)
  SELECT at, job, user_id, bookable_id, tstzrange(from_time, to_time), code, detail, actor_type, actor_id
  FROM (
    SELECT wanted.*, row_number() OVER (PARTITION BY user_id ORDER BY at) + (
      SELECT count(*) FROM refused_bookings AS present
      WHERE present.user_id = wanted.user_id AND present.at > now() - interval '1 day'
    ) AS number
    FROM (
      SELECT asked.at, asked.code, asked.detail, asked.actor_type, asked.actor_id,
        CASE WHEN asked.bookable_id = bookings.bookable_id THEN 'bookings.update' ELSE asked.job END AS job,
        coalesce(asked.user_id, bookings.user_id) AS user_id,
        coalesce(asked.bookable_id, bookings.bookable_id) AS bookable_id,
        coalesce(asked.from_time, lower(bookings.during)) AS from_time,
        coalesce(asked.to_time, upper(bookings.during)) AS to_time
      FROM jsonb_to_recordset(CAST(? AS jsonb)) AS asked (at timestamptz, job text, booking_id bigint, user_id bigint,
        bookable_id bigint, from_time timestamptz, to_time timestamptz, code text, detail jsonb, actor_type text,
        actor_id bigint)
      LEFT JOIN bookings ON bookings.id = asked.booking_id
    ) AS wanted
    WHERE coalesce(from_time < to_time, true) AND EXISTS (SELECT FROM users WHERE users.id = wanted.user_id)
      AND EXISTS (SELECT FROM bookables WHERE bookables.id = wanted.bookable_id)
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
        // Without a time a new booking begins at once; a present one keeps its own.
        const isAtOnce = asked.from_time === null || asked.booking_id === undefined
        const from_time = asked.from_time ?? (isAtOnce ? at : undefined)
        const by = { actor_type: actor.type, actor_id: actor.id }
        waiting.push({ ...asked, at, job: name, from_time, code, detail, ...by })
      }
    },
    async stop() {
      await poller.stop()
      await write().catch(() => undefined)
    },
  }
}

function listRefused(name: JobName, input: unknown, outcome: Outcome): Refused[] {
  const listAsked = ASKED[name] as ((input: unknown) => Asked[]) | undefined
  const asked = listAsked?.(input) ?? []
  if (!outcome.refused)
    return outcome.refusals?.map(({ index, ...why }) => ({ asked: asked[index], ...why })) ?? []
  const { refused: code, body, messages } = outcome
  const { index, detail } = parseJsonText(body)
  const why = { code, detail: messages?.detail ?? literal(detail) }
  // In a batch that is refused as a whole, the first booking that was.
  const those = name === 'bookings.create-batch' ? asked.slice(Number(index ?? 0)).slice(0, 1) : asked
  return those.map((each) => ({ asked: each, ...why }))
}

const ASKED: { [Name in JobName]?: (input: InputOf<Name>) => Asked[] } = {
  'bookings.create': (input) => [pick(input)],
  'bookings.create-open': (input) => [pick(input)],
  'bookings.create-batch': ({ bookings }) => bookings.map(pick),
  'series.create': (input) => [pick(input)],
  'bookings.update': (input) =>
    input.from_time === undefined && input.to_time === undefined ? [] : [ofBooking(input)],
  'bookings.move': (input) => [ofBooking(input)],
  'bookings.swap': ({ one, other }) => [
    { booking_id: one.id, bookable_id: other.bookable_id },
    { booking_id: other.id, bookable_id: one.bookable_id },
  ],
}

const pick = ({ user_id, bookable_id, from_time, to_time }: Asked): Asked => ({
  user_id,
  bookable_id,
  from_time,
  to_time,
})

const ofBooking = ({ id, bookable_id, from_time, to_time }: Asked & { id: number }): Asked => ({
  booking_id: id,
  bookable_id,
  from_time,
  to_time,
})
