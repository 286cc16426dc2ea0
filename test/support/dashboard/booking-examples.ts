// Creates examples of bookings, events and audit entries for tests that visit every page.
import { randomUUID } from 'node:crypto'
import type { Knex } from 'knex'
import { getOnlyRow } from '../../../shared/database/database.ts'
import {
  createBooking,
  createBuilding,
  createDesk,
  createEvent,
  createHold,
  createUser,
  hoursFromNow,
} from '../factories.ts'

const createExampleBooking = (database: Knex) =>
  createBooking(database, { from: hoursFromNow(-2), to: hoursFromNow(4), guest_name: 'Grace' })

const createExampleEntry = async (database: Knex) => {
  const [name, address] = ['Harbour House', 'Old Harbour 1']
  const change = { before: { name: address, tags: ['a'] }, after: { name, tags: ['a'] } }
  const entry = {
    actor_type: 'admin',
    actor_name: 'a@example.com',
    action: 'buildings.update',
    resource: 'buildings',
    resource_id: await createBuilding(database, { name, address }),
    request_id: 'r',
  }
  return getOnlyRow(
    await database('audit_log')
      .insert({ ...entry, ...change })
      .returning<{ id: number }[]>('id'),
  ).id
}

/** Creates an audit entry of a booking that the administrator moved. */
const createExampleMove = async (database: Knex) => {
  const id = await createExampleBooking(database)
  const { bookable_id, user_id, during } = await database('bookings').where({ id }).first()
  const after = { id, bookable_id, user_id, during }
  const entry = {
    actor_type: 'admin',
    actor_name: 'a@example.com',
    action: 'bookings.update',
    resource: 'bookings',
    resource_id: id,
    request_id: randomUUID(),
    before: { ...after, bookable_id: 1 },
    after,
  }
  return getOnlyRow(await database('audit_log').insert(entry).returning<{ id: number }[]>('id')).id
}

const createExampleCancellation = async (database: Knex) => {
  const booking = await database('bookings')
    .where({ id: await createExampleBooking(database) })
    .first()
  const entry = {
    actor_type: 'admin',
    actor_name: 'a@example.com',
    action: 'bookings.delete',
    resource: 'bookings',
  }
  const rows = await database('audit_log')
    .insert({ ...entry, resource_id: booking.id, before: booking, request_id: 'cancellation' })
    .returning<{ id: number }[]>('id')
  return getOnlyRow(rows).id
}

const createExampleEvent = async (database: Knex) => {
  const times = { from: hoursFromNow(1), to: hoursFromNow(2) }
  const event_id = await createEvent(database, { ...times, description: 'What we know' })
  await createBooking(database, { ...times, event_id })
  await database('event_attendees').insert({ event_id, user_id: await createUser(database), status: 2 })
  return event_id
}

export const BOOKING_EXAMPLES: Record<string, (database: Knex) => Promise<string>> = {
  '/bookings/requests/{id}': async (database) => {
    const times = { from: hoursFromNow(30), to: hoursFromNow(34) }
    return `/bookings/requests/${await createHold(database, { ...times, guest_name: 'Grace' })}`
  },
  '/bookings/waitlist': async (database) => {
    const times = { from: hoursFromNow(30), to: hoursFromNow(34) }
    const { bookable_id, location_id, user_id } = await createDesk(database)
    const hold_id = await createHold(database, { ...times, kind: 'offer', bookable_id, user_id })
    const wait = { user_id, during: database.raw('tstzrange(?, ?)', [times.from, times.to]) }
    await database('waits').insert({ ...wait, bookable_id, state: 'offered', hold_id })
    await database('waits').insert({ ...wait, location_id, type: 0 })
    return '/bookings/waitlist'
  },
  '/bookings/{id}': async (database) => `/bookings/${await createExampleBooking(database)}`,
  '/bookings/{id}/move': async (database) => `/bookings/${await createExampleBooking(database)}/move`,
  '/bookings/{id}/cancel': async (database) => `/bookings/${await createExampleBooking(database)}/cancel`,
  '/bookings/selected': async (database) => `/bookings/selected?ids=${await createExampleBooking(database)}`,
  '/bookings/swap': async (database) =>
    `/bookings/swap?ids=${await createExampleBooking(database)},${await createExampleBooking(database)}`,
  '/visitors': async (database) => {
    await createExampleBooking(database)
    return '/visitors'
  },
  '/bookings/affected/{id}': async (database) =>
    `/bookings/affected/${await createExampleCancellation(database)}`,
  '/audit-log/{id}': async (database) => `/audit-log/${await createExampleEntry(database)}`,
  '/undo/{id}': async (database) => `/undo/${await createExampleMove(database)}`,
  '/events/{id}': async (database) => `/events/${await createExampleEvent(database)}`,
  '/events/{id}/change': async (database) => `/events/${await createExampleEvent(database)}/change?place=a`,
  '/events/{id}/cancel': async (database) => `/events/${await createExampleEvent(database)}/cancel`,
}
