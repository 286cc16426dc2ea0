// Creates the data for the stored answers: the same rows with the same ids in every run, in a separate
// database.
import type { Knex } from 'knex'
import { createBookable, createBooking, createEvent, createUser } from '../../support/factories.ts'

/** All stored requests run at this time, a Tuesday. */
export const NOW = '2026-03-03T12:00:00Z'

const at = (day: number, hour: number) =>
  `2026-03-${String(day).padStart(2, '0')}T${String(hour).padStart(2, '0')}:00:00Z`
const uuid = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`

export async function createCompany(database: Knex): Promise<void> {
  await createPeople(database)
  await createPlaces(database)
  await createBookings(database)
  await createEvents(database)
}

async function createPeople(database: Knex): Promise<void> {
  const attributes = { extensionAttribute2: 'Sales', extensionAttribute10: '"' }
  const people = [
    { name: 'Ada Lovelace', email: 'Ada@example.com', upn: 'ada@corp', extension_attributes: attributes },
    { name: 'Grace Hopper', email: 'grace+navy@example.com' },
    { name: 'Gone Fishing', email: 'gone@example.com', deactivated_at: '2026-02-01T00:00:00Z' },
    { name: 'Zoë 😀 <b>', email: 'zoe@example.com' },
  ]
  for (const person of people) await createUser(database, person)
  await database('groups').insert([{ name: 'Engineering' }, { name: 'Äpfel' }])
  await database('group_members').insert({ group_id: 1, user_id: 1 })
  await database('vehicles').insert([
    { user_id: 1, license_plate: 'HH AL 1' },
    { user_id: 2, license_plate: 'HH GH 2' },
  ])
}

async function createPlaces(database: Knex): Promise<void> {
  await database('buildings').insert([
    { name: 'Harbour House', address: 'Am Kai 1\n20457 Hamburg', timezone: 'Europe/Berlin' },
    { name: 'Empty House', address: '' },
  ])
  await database('locations').insert([
    { building_id: 1, name: 'Ground “floor”', code: 'HH-0' },
    { building_id: 1, name: 'First floor', code: '' },
  ])
  const bookables = [
    { name: 'Desk 1', type: 0, tags: ['window', 'quiet'] },
    { name: 'Desk 2', type: 0, status: 1 },
    { name: 'Desk 3', type: 0, status: 2 },
    { name: 'Desk 4', type: 0 },
    { name: 'P-1', type: 1, requires_vehicle: true },
    { name: 'P-2', type: 1 },
    { name: 'Elbe', type: 2, capacity: 8, integration_email: 'elbe@rooms.example.com', tags: ['screen'] },
    { name: 'Home office', type: 3 },
    { name: 'Alster', type: 2, location_id: 2 },
    { name: 'Old desk', type: 0, deleted_at: '2026-02-01T00:00:00Z' },
  ]
  for (const [index, bookable] of bookables.entries())
    await createBookable(database, { location_id: 1, uuid: uuid(index + 1), ...bookable })
  await database('bookable_assignees').insert({ bookable_id: 3, user_id: 1 })
}

async function createBookings(database: Knex): Promise<void> {
  const bookings = [
    { bookable_id: 1, user_id: 1, from: at(2, 8), to: at(2, 17) },
    { bookable_id: 1, user_id: 1, from: at(3, 8), to: at(3, 17) },
    { bookable_id: 1, user_id: 2, from: at(4, 8), to: at(4, 17), guest_name: 'A Guest' },
    { bookable_id: 4, user_id: 2, from: at(4, 8), to: at(4, 12), guest_email: 'guest@example.org' },
    { bookable_id: 5, user_id: 1, from: at(3, 9), to: at(3, 18), vehicle_id: 1, license_plate: 'HH AL 1' },
    { bookable_id: 6, user_id: 4, from: at(1, 0), to: null },
    { bookable_id: 8, user_id: 1, from: at(5, 8), to: at(5, 17), exclusive: false },
    { bookable_id: 8, user_id: 2, from: at(5, 8), to: at(5, 17), exclusive: false },
    { bookable_id: 4, user_id: 3, from: at(6, 8), to: at(6, 17) },
    { bookable_id: 3, user_id: 1, from: at(3, 8), to: at(3, 17) },
  ]
  for (const booking of bookings) await createBooking(database, booking)
}

async function createEvents(database: Knex): Promise<void> {
  const today = { from: at(3, 11), to: at(3, 13) }
  const next = { from: at(5, 9), to: at(5, 10) }
  const zones = { from_timezone: 'Europe/Berlin', to_timezone: 'America/New_York' }
  await createEvent(database, {
    ...today,
    ...zones,
    name: 'Stand-up',
    description: '  *Today*\n',
    organizer_user_id: 1,
    classification: 0,
  })
  await createEvent(database, { ...next, name: 'Review', organizer_user_id: 2 })
  await createEvent(database, { ...today, name: 'Called off', organizer_user_id: 1, status: 2 })
  await createBooking(database, { ...today, bookable_id: 7, event_id: 1 })
  await createBooking(database, { ...next, bookable_id: 9, event_id: 2 })
  const visitor_id = database.raw("nextval('users_id_seq')")
  await database('event_attendees').insert([
    { event_id: 1, user_id: 1, role: 0, status: 1 },
    { event_id: 1, user_id: 2, role: 1, status: 2 },
    { event_id: 1, email: 'visitor@example.org', visitor_id, role: 1, status: 0 },
    { event_id: 2, user_id: 2, role: 0, status: 1 },
    { event_id: 3, user_id: 1, role: 0, status: 1 },
  ])
}
