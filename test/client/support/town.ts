// Creates the data of the README examples: Anna Berg, Ben Adam, and three desks on the ground floor of Harbour House.
import type { Knex } from 'knex'
import { createBookable, createBuilding, createLocation, createUser } from '../../support/factories.ts'

export type Town = Awaited<ReturnType<typeof createTown>>

export async function createTown(database: Knex) {
  const building_id = await createBuilding(database, { name: 'Harbour House' })
  const location_id = await createLocation(database, { name: 'Ground floor', building_id })
  const desks: number[] = []
  for (const number of [1, 2, 3])
    desks.push(await createBookable(database, { name: `Desk ${number}`, location_id }))
  const home = await createBookable(database, { name: 'Home office', type: 3, location_id })
  const anna = await createUser(database, { name: 'Anna Berg', email: 'anna@example.com' })
  const ben = await createUser(database, { name: 'Ben Adam', email: 'ben@example.com' })
  return { building_id, location_id, desks, home, anna, ben }
}
