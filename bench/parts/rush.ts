// Measures the rush at nine o'clock: check-ins, and at the same time changes, deletions and events.
import { connectDatabase } from '../../shared/database/database.ts'
import { BOOKINGS_PATH, createBookingBody } from '../load/bookings.ts'
import type { LoadRequest } from '../load/work.ts'
import type { Target } from '../stage/targets.ts'
import type { Scenario } from './scenarios.ts'

const CHECK_IN_COUNT = 2_000
const OTHER_REQUEST_COUNT = 1_000
const CALLER_COUNT = 32
const MINUTE_SECONDS = 60
const COLLEAGUES_PER_EVENT = 4

const createRushScenario = (name: string, requests: Scenario['requests']): Scenario => ({
  name: `${name}, ${CALLER_COUNT} at a time`,
  connections: CALLER_COUNT,
  rivals: [],
  goals: {},
  requests,
  once: true,
})

const createCheckIns = async (target: Target): Promise<LoadRequest[]> => {
  const ids = await insertBookings(target, CHECK_IN_COUNT)
  return ids.map((id) => ({ method: 'POST', path: `${BOOKINGS_PATH}/${id}/check-in` }))
}

export const RUSH_SCENARIOS: readonly Scenario[] = [
  {
    ...createRushScenario('POST bookings/{id}/check-in', createCheckIns),
    name: `${CHECK_IN_COUNT} check-ins in a minute`,
    perSecond: CHECK_IN_COUNT / MINUTE_SECONDS,
  },
  createRushScenario('POST bookings/{id}/check-in', createCheckIns),
  createRushScenario('PATCH bookings/{id}, half an hour longer', async (target) => {
    const first = target.company.nextSlot
    const ids = await insertBookings(target, OTHER_REQUEST_COUNT)
    return ids.map((id, index) => {
      const { to_time } = JSON.parse(createBookingBody(target.company.office, first + index))
      return { method: 'PATCH', path: `${BOOKINGS_PATH}/${id}`, body: JSON.stringify({ to_time }) }
    })
  }),
  createRushScenario('DELETE bookings/{id}', async (target) => {
    const ids = await insertBookings(target, OTHER_REQUEST_COUNT)
    return ids.map((id) => ({ method: 'DELETE', path: `${BOOKINGS_PATH}/${id}` }))
  }),
  createRushScenario('POST events of a room and five people', ({ company }) => {
    const first = company.nextSlot
    company.nextSlot += OTHER_REQUEST_COUNT
    return Array.from({ length: OTHER_REQUEST_COUNT }, (_, index) => ({
      method: 'POST',
      path: '/api/v1/events',
      body: createEventBody(company.office, first + index),
    }))
  }),
]

/**
 * Books the next slots without their last half hour, and opens check-in for these bookings. Returns the bookings' ids
 * in the order of the slots.
 */
async function insertBookings({ company, databaseUrl }: Target, number: number): Promise<number[]> {
  const slots = Array.from({ length: number }, (_, index) => company.nextSlot + index)
  company.nextSlot += number
  const database = connectDatabase(databaseUrl, { connectionsMax: 1 })
  const { rows } = await database.raw<{ rows: Array<{ id: string }> }>(
    `INSERT INTO bookings (bookable_id, user_id, during, exclusive, check_in_from, check_in_until)
     SELECT bookable_id, user_id, tstzrange(from_time, to_time - interval '30 minutes'), true, now() - interval '1 hour', to_time
     FROM jsonb_to_recordset(?) AS wanted (bookable_id bigint, user_id bigint, from_time timestamptz, to_time timestamptz)
     RETURNING id`,
    [`[${slots.map((slot) => createBookingBody(company.office, slot)).join(', ')}]`],
  )
  await database.destroy()
  return rows.map(({ id }) => Number(id)).sort((a, b) => a - b)
}

function createEventBody(office: Target['company']['office'], slot: number): string {
  const { bookable_id, user_id, from_time, to_time } = JSON.parse(createBookingBody(office, slot))
  const colleagues = Array.from(
    { length: COLLEAGUES_PER_EVENT },
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
