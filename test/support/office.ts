// Creates a small company with every kind of resource, so that tests can compare whole answers.
import type { Knex } from 'knex'
import { createBookable, createBuilding, createLocation, createUser } from './factories.ts'

export type Office = Awaited<ReturnType<typeof createOffice>>

/** Creates the company, and returns its resources as the API shows them. */
export async function createOffice(database: Knex) {
  const inBuilding = { name: 'Harbour House', address: 'Am Kai 1\n20457 Hamburg' }
  const building = {
    id: await createBuilding(database, { ...inBuilding, timezone: 'Europe/Berlin' }),
    ...inBuilding,
  }
  const named = { name: 'Ground “floor” <0>', code: 'HH-0' }
  const location = { id: await createLocation(database, { ...named, building_id: building.id }), ...named }
  const bookable = async (row: { name: string; type: number; status: number }) => ({
    id: await createBookable(database, { ...row, location_id: location.id }),
    ...row,
  })
  const person = { name: 'Ada Lovelace', email: `Ada.${building.id}@example.com` }
  const attributes = { extensionAttribute2: 'Sales', extensionAttribute10: '"' }
  const id = await createUser(database, { ...person, extension_attributes: attributes })
  return {
    building,
    location,
    user: { id, ...person, extensionAttributes: attributes },
    desk: await bookable({ name: 'Desk 1', type: 0, status: 0 }),
    parking: await bookable({ name: 'P-001', type: 1, status: 2 }),
    room: await bookable({ name: 'Elbe', type: 2, status: 1 }),
    home: await bookable({ name: 'Home office', type: 3, status: 0 }),
  }
}

/** Removes everything that a test may have created, including people and places. */
export async function deleteAllResources(database: Knex): Promise<void> {
  await database.raw('TRUNCATE users, groups, buildings, locations, bookables, bookings, events CASCADE')
}
