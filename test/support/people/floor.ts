// Creates a floor with desks and a person who books there, for tests of booking.
import type { Knex } from 'knex'
import { createBookable, createBuilding, createLocation, createUser } from '../factories.ts'
import { signInAs } from './person.ts'

const TIME_ZONE = 'Europe/Berlin'
/** A Tuesday in winter, when 9:00 local time is 8:00 UTC. */
export const DAY = '2031-02-11'
export const FROM = `${DAY}T08:00:00Z`
export const TO = `${DAY}T16:00:00Z`

export async function createFloor(
  world: { url: string; database: Knex },
  { names = ['Desk 1', 'Desk 2', 'Desk 3'], rules }: { names?: string[]; rules?: object | undefined } = {},
) {
  const { database } = world
  const building_id = await createBuilding(database, { timezone: TIME_ZONE, name: 'Quay' })
  const location_id = await createLocation(database, {
    building_id,
    name: 'Third floor',
    ...(rules && { rules: JSON.stringify(rules) }),
  })
  const desks: number[] = []
  for (const name of names) desks.push(await createBookable(database, { location_id, name }))
  const user_id = await createUser(database, { name: 'Ada Lovelace' })
  const browser = await signInAs(world, user_id)
  const place = `/my/book?location=${location_id}&date=${DAY}`
  return { location_id, building_id, desks, user_id, browser, place }
}
