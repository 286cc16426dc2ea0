// The rush of nine o'clock: check-ins, and beside them changes, deletions and events.
import { connectDatabase } from '../../shared/database/database.ts'
import { BOOKINGS_PATH, bookingBody } from '../load/bookings.ts'
import type { Asked } from '../load/work.ts'
import type { Target } from '../stage/targets.ts'
import type { Scenario } from './scenarios.ts'

const CHECK_INS = 2_000
const OTHERS = 1_000
const CALLERS = 32
const MINUTE_SECONDS = 60
const COLLEAGUES = 4

const each = (name: string, requests: Scenario['requests']): Scenario => ({
  name: `${name}, ${CALLERS} at a time`,
  connections: CALLERS,
  rivals: [],
  goals: {},
  requests,
  once: true,
})

const checkIns = async (target: Target): Promise<Asked[]> => {
  const ids = await insertBookings(target, CHECK_INS)
  return ids.map((id) => ({ method: 'POST', path: `${BOOKINGS_PATH}/${id}/check-in` }))
}

export const RUSH: readonly Scenario[] = [
  {
    ...each('POST bookings/{id}/check-in', checkIns),
    name: `${CHECK_INS} check-ins in a minute`,
    perSecond: CHECK_INS / MINUTE_SECONDS,
  },
  each('POST bookings/{id}/check-in', checkIns),
  each('PATCH bookings/{id}, half an hour longer', async (target) => {
    const first = target.company.nextSlot
    const ids = await insertBookings(target, OTHERS)
    return ids.map((id, index) => {
      const { to_time } = JSON.parse(bookingBody(target.company.office, first + index))
      return { method: 'PATCH', path: `${BOOKINGS_PATH}/${id}`, body: JSON.stringify({ to_time }) }
    })
  }),
  each('DELETE bookings/{id}', async (target) => {
    const ids = await insertBookings(target, OTHERS)
    return ids.map((id) => ({ method: 'DELETE', path: `${BOOKINGS_PATH}/${id}` }))
  }),
  each('POST events of a room and five people', ({ company }) => {
    const first = company.nextSlot
    company.nextSlot += OTHERS
    return Array.from({ length: OTHERS }, (_, index) => ({
      method: 'POST',
      path: '/api/v1/events',
      body: eventBody(company.office, first + index),
    }))
  }),
]

/** Takes the next slots, each but its last half hour; check-in is open. Returns the ids in the order of the slots. */
async function insertBookings({ company, databaseUrl }: Target, number: number): Promise<number[]> {
  const slots = Array.from({ length: number }, (_, index) => company.nextSlot + index)
  company.nextSlot += number
  const database = connectDatabase(databaseUrl, { connectionsMax: 1 })
  const { rows } = await database.raw<{ rows: Array<{ id: string }> }>(
    `INSERT INTO bookings (bookable_id, user_id, during, exclusive, check_in_from, check_in_until)
     SELECT bookable_id, user_id, tstzrange(from_time, to_time - interval '30 minutes'), true, now() - interval '1 hour', to_time
     FROM jsonb_to_recordset(?) AS wanted (bookable_id bigint, user_id bigint, from_time timestamptz, to_time timestamptz)
     RETURNING id`,
    [`[${slots.map((slot) => bookingBody(company.office, slot)).join(', ')}]`],
  )
  await database.destroy()
  return rows.map(({ id }) => Number(id)).sort((a, b) => a - b)
}

function eventBody(office: Target['company']['office'], slot: number): string {
  const { bookable_id, user_id, from_time, to_time } = JSON.parse(bookingBody(office, slot))
  const colleagues = Array.from(
    { length: COLLEAGUES },
    (_, index) => office.users[(slot + index + 1) % office.users.length],
  )
  return JSON.stringify({
    name: `Meeting ${slot}`,
    organizer_user_id: user_id,
    from_time,
    to_time,
    attendees: [{ type: 'bookable', id: bookable_id }, ...colleagues.map((id) => ({ type: 'user', id }))],
  })
}
