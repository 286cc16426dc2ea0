// Finds when the people and the room of a meeting are free: the busy times without any details, and the first
// times that suit everybody. Leaves out people who hide from the viewer.
import { claimsOfBookableSql } from '../../../../shared/affected-bookings/claims.ts'
import { BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import type { OpeningHours } from '../../../../shared/rules/opening-hours.ts'
import { rulesAllowSql } from '../../../../shared/rules/rules-shape.ts'
import { findStartOfDay, formatLocalDate, fromWallClock } from '../../../../shared/schemas/wall-clock.ts'
import { formatInstant } from '../../../../shared/utilities/date-times.ts'
import { busyTimesSql } from '../../../reads/people/busy-times.ts'
import { nameSqlParameters } from '../../../reads/rows/parameters.ts'
import * as rows from '../../../reads/rows/rows.ts'
import type { Call } from '../../pages/page/page.ts'
import { addDaysToDate } from '../../pages/time/instants.ts'
import type { BookedSpan } from './seats.ts'
import { findOpenHours, type OpenHours } from './wanted-time.ts'

const SEARCHED_DAYS = 14
const PEOPLE_MAX = 50
const SUGGESTED_MAX = 3
/** How many times to check against the room's rules, which may refuse some of them. */
const CANDIDATES_MAX = 40
const STEP_MS = 30 * 60_000

export type FreeTimesSearch = BookedSpan & {
  userIds: number[]
  /** The number of invited people whose times are unknown: guests, and people who hide from the viewer. */
  unknown: number
  room: { id: number; hours: OpeningHours | null } | undefined
  /** The id of the meeting whose time is being chosen, or null. Its present time does not count as busy. */
  event: number | null
  zone: string
}

const { sql: $, values: valuesOf } = nameSqlParameters('users', 'room', 'event', 'from', 'to', 'viewer')
const [FROM, TO] = [`${$.from}::timestamptz`, `${$.to}::timestamptz`]
const IS_OTHER_EVENT_SQL = `event_id IS DISTINCT FROM ${$.event}::bigint`

// Only meetings and meeting rooms make people busy. A person who has booked a desk can still attend a
// meeting.
const SELECT_BUSY_TIMES_OF_PERSON = busyTimesSql({
  user: 'people.id',
  from: FROM,
  to: TO,
  ofType: `type = ${BOOKABLE_TYPES.meetingRoom}`,
  meetings: `(SELECT * FROM meeting_times WHERE ${IS_OTHER_EVENT_SQL})`,
})

const SELECT_TAKEN_TIMES_OF_ROOM = `
  SELECT during FROM (${claimsOfBookableSql('bookables.id', FROM, TO)}) AS claims WHERE exclusive AND ${IS_OTHER_EVENT_SQL}`

const mergeSpans = (busy: string) =>
  `(SELECT range_agg(busy.during * tstzrange(${FROM}, ${TO})) FROM (${busy}) AS busy)`

const ROW_COLUMNS = {
  name: rows.textColumn('asked.name'),
  isRoom: rows.flagColumn('asked.is_room'),
  busy: rows.listColumn(
    { from: rows.instantColumn('lower(span)'), to: rows.instantColumn('upper(span)') },
    'unnest(asked.busy) AS span',
    'lower(span)',
  ),
}
export type BusyRow = rows.RowOf<typeof ROW_COLUMNS>

const ROWS_SQL = `(
  SELECT people.name, false AS is_room, wanted.ordinal, ${mergeSpans(SELECT_BUSY_TIMES_OF_PERSON)} AS busy
  FROM unnest(${$.users}::bigint[]) WITH ORDINALITY AS wanted (id, ordinal)
  JOIN (
    SELECT id, name FROM colleagues UNION ALL SELECT id, name FROM users WHERE id = ${$.viewer}::bigint
  ) AS people ON people.id = wanted.id
  UNION ALL
  SELECT bookables.name, true, 0, ${mergeSpans(SELECT_TAKEN_TIMES_OF_ROOM)} FROM bookables WHERE bookables.id = ${$.room}::bigint
) AS asked ORDER BY asked.is_room DESC, asked.ordinal`

export type FreeTimes = BookedSpan & {
  rows: BusyRow[]
  unknown: number
  /** The day that the picture shows. `open` has its working hours; undefined if it has none. */
  date: string
  open: OpenHours | undefined
  zone: string
  suggestions: BookedSpan[]
}

export async function findFreeTimes(call: Call, search: FreeTimesSearch): Promise<FreeTimes> {
  const { userIds, room, event, from, to, zone } = search
  const [today, wanted] = [formatLocalDate(call.now, zone), formatLocalDate(from, zone)]
  const date = wanted > today ? wanted : today
  const users = userIds.slice(0, PEOPLE_MAX)
  const found = await rows.selectRows(
    call.reads,
    ROW_COLUMNS,
    ROWS_SQL,
    valuesOf({
      users,
      room: room?.id,
      event,
      from: findStartOfDay(date, zone),
      to: findStartOfDay(addDaysToDate(date, SEARCHED_DAYS), zone),
      viewer: call.requirePerson().id,
    }),
  )
  const hours = room?.hours ?? null
  const known = found.filter(({ isRoom }) => !isRoom).length
  const suiting = listSuitableTimes({ from, to, zone, date, hours, now: call.now }, found)
  return {
    rows: found,
    unknown: search.unknown + userIds.length - known,
    date,
    open: findOpenHours(date, hours),
    from,
    to,
    zone,
    suggestions: await listAllowedTimes(call, room, suiting),
  }
}

type SuitableTimesSearch = BookedSpan & {
  zone: string
  date: string
  hours: OpeningHours | null
  now: string
}

/** Lists times that suit everybody: as long as the meeting, within working hours, not overlapping each other,
 * from `date` on. */
function listSuitableTimes(
  { from, to, zone, date, hours, now }: SuitableTimesSearch,
  found: BusyRow[],
): BookedSpan[] {
  const fromMs = Date.parse(from)
  const lengthMs = Date.parse(to) - fromMs
  const busy = found
    .flatMap((row) => row.busy)
    .map((span) => ({ fromMs: Date.parse(span.from), toMs: Date.parse(span.to) }))
  const suiting: BookedSpan[] = []
  for (let day = 0; day < SEARCHED_DAYS && suiting.length < CANDIDATES_MAX; day++) {
    const each = addDaysToDate(date, day)
    const open = findOpenHours(each, hours)
    if (!open) continue
    const msAt = (time: string) => Date.parse(fromWallClock(Date.parse(`${each}T${time}Z`), zone))
    const [opensMs, closesMs] = [msAt(open.from), msAt(open.to)]
    for (let atMs = findNextStep(opensMs, opensMs, Date.parse(now)); atMs + lengthMs <= closesMs; ) {
      const conflict = busy.find((span) => span.fromMs < atMs + lengthMs && span.toMs > atMs)
      if (!conflict && atMs !== fromMs)
        suiting.push({ from: formatInstant(atMs), to: formatInstant(atMs + lengthMs) })
      atMs = findNextStep(opensMs, atMs + STEP_MS, conflict ? conflict.toMs : atMs + lengthMs)
    }
  }
  return suiting.slice(0, CANDIDATES_MAX)
}

/** Returns the first half hour, counted from the opening time, that starts no earlier than either of the two
 * given times. */
const findNextStep = (opensMs: number, earliestMs: number, otherMs: number) =>
  opensMs + Math.ceil((Math.max(earliestMs, otherMs) - opensMs) / STEP_MS) * STEP_MS

/** Returns the first of these times that the rules of the room allow. */
async function listAllowedTimes(
  call: Call,
  room: FreeTimesSearch['room'],
  times: BookedSpan[],
): Promise<BookedSpan[]> {
  if (!room || times.length === 0) return times.slice(0, SUGGESTED_MAX)
  const allowed = await rows.selectRows(
    call.reads,
    { index: rows.numberColumn('suiting.ordinal::int - 1') },
    `unnest($1::timestamptz[], $2::timestamptz[]) WITH ORDINALITY AS suiting (from_time, to_time, ordinal)
     CROSS JOIN bookables ${rows.JOIN_PLACES}
     WHERE bookables.id = $3
       AND ${rulesAllowSql({ user: '$4', from: 'suiting.from_time', to: 'suiting.to_time', now: '$5' }, 'approvers')}
     ORDER BY suiting.ordinal LIMIT ${SUGGESTED_MAX}`,
    [times.map(({ from }) => from), times.map(({ to }) => to), room.id, call.requirePerson().id, call.now],
  )
  return allowed.flatMap(({ index }) => times[index] ?? [])
}
