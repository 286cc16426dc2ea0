// Creates a large company that fills lists and maps: more rows than a page shows, 33 desks on a floor plan, and many
// floors.
import type { Knex } from 'knex'
import { findStartOfDay, formatLocalDate } from '../../../shared/schemas/wall-clock.ts'
import { addHours } from '../../../shared/utilities/date-times.ts'
import { createLog } from '../../../shared/utilities/log.ts'
import { updateDailyFigures } from '../../../workers/pollers/figures/update-daily-figures.ts'
import { createBookable, createBuilding, createEvent, createLocation, createUser } from '../factories.ts'
import type { Client } from '../http/http.ts'
import { createFloorPlanColumns, drawPng } from './pictures.ts'

const TIME_ZONE = 'Europe/Berlin'
const PERSON_COUNT = 60
const BUILDING_COUNT = 4
/** The number of floors, 8 of which are in the largest building. */
const FLOOR_COUNT = 12
const DESK_COUNT = 33
const FIRST_NAMES = ['Charlotte', 'Maximilian', 'Friederike', 'Jonas', 'Aleksandra', 'Mohammed', 'Ida', 'Ben']
const LAST_NAMES = [
  'Brandenburger',
  'Schmidt',
  'Oyelaran',
  'Kowalczyk',
  'Nguyen',
  'von Hohenberg',
  'Fernández',
]

export type Company = { building: number; floor: number; floorOfRooms: number; day: string }

/** Books every desk and room tomorrow, so that none of the bookings is over. */
export async function createFullCompany(database: Knex, client: Client): Promise<Company> {
  const day = formatLocalDate(new Date(Date.now() + 24 * 3_600_000).toISOString(), TIME_ZONE)
  const at = (hour: number) => addHours(findStartOfDay(day, TIME_ZONE), hour)
  const people = await makeInTurn(PERSON_COUNT, (number) => {
    const [first, last] = [FIRST_NAMES[number % FIRST_NAMES.length], LAST_NAMES[number % LAST_NAMES.length]]
    const email = `${first}.${last}.${number}@harbour.example`.toLowerCase().replaceAll(' ', '-')
    return createUser(database, { name: `${first} ${last}`, email })
  })
  const [building = 0] = await makeInTurn(BUILDING_COUNT, (number) =>
    createBuilding(database, {
      name: number === 0 ? 'Harbour House' : `Office ${number}, Warehouse district`,
      address: 'Am Sandtorkai 1\n20457 Hamburg',
      timezone: TIME_ZONE,
    }),
  )
  const plan = createFloorPlanColumns(drawPng(60, 40))
  const floors = await makeInTurn(FLOOR_COUNT, (number) =>
    createLocation(database, {
      building_id: number < 8 ? building : building + 1 + (number % (BUILDING_COUNT - 1)),
      name: `Floor ${number + 1}, north wing`,
      code: `HH-${number}`,
      ...(number < 2 ? plan : {}),
    }),
  )
  const [floor = 0, floorOfRooms = 0] = floors
  const desks = await makeInTurn(DESK_COUNT, (number) =>
    createBookable(database, {
      location_id: floor,
      name: `Desk 1.${String(number + 1).padStart(2, '0')}`,
      position_x: (number % 8) / 8 + 0.05,
      position_y: Math.floor(number / 8) / 6 + 0.1,
      tags: number % 3 ? ['window', 'monitor'] : [],
    }),
  )
  const rooms = await makeInTurn(70, (number) =>
    createBookable(database, {
      location_id: floorOfRooms,
      name: number < 15 ? `Elbe ${number}` : `Desk 2.${number}`,
      type: number < 15 ? 2 : 0,
      capacity: number < 15 ? 8 : null,
      description: number % 4 ? null : 'Height-adjustable, beside the kitchen',
      tags: ['quiet'],
    }),
  )
  for (const location_id of floors.slice(2)) await createBookable(database, { location_id, name: 'Desk 1' })
  for (const [number, user] of people.entries()) {
    const bookable = [...desks.slice(0, 28), ...rooms.slice(20)][number]
    const [from, to] = [at(8 + (number % 3)), at(17 + (number % 2))]
    const { status, text } = await client.post('bookings', {
      location_id: number < 28 ? floor : floorOfRooms,
      bookable_id: bookable,
      user_id: user,
      from_time: from,
      to_time: to,
    })
    if (status !== 200) throw new Error(text)
    const [start, end] = [at(9 + (number % 4) * 2), at(10 + (number % 4) * 2)]
    const event = await createEvent(database, {
      name: `Planning of quarter ${number}`,
      organizer_user_id: user,
      from: start,
      to: end,
    })
    const room = rooms[Math.floor(number / 4)]
    await database('bookings').insert({
      bookable_id: room,
      event_id: event,
      exclusive: true,
      during: database.raw('tstzrange(?, ?)', [start, end]),
    })
  }
  await countPastDays(database)
  return { building, floor, floorOfRooms, day }
}

/** Adds buildings up to 40 with 160 floors, like a group of companies. */
export async function addBuildings(database: Knex): Promise<void> {
  for (let number = 0; number < 36; number++) {
    const building_id = await createBuilding(database, { name: `Office ${number}, Warehouse district` })
    await makeInTurn(number < 4 ? 5 : 4, async (floor) => {
      const location_id = await createLocation(database, { building_id, name: `Floor ${floor}` })
      await createBookable(database, { location_id, name: 'Desk 1' })
    })
  }
  await countPastDays(database)
}

async function countPastDays(database: Knex) {
  await database.raw(`UPDATE bookables SET created_at = now() - interval '40 days'`)
  await updateDailyFigures(database, createLog('test', 'silent'))
}

async function makeInTurn<Made>(number: number, make: (number: number) => Promise<Made>): Promise<Made[]> {
  const made: Made[] = []
  for (let index = 0; index < number; index++) made.push(await make(index))
  return made
}
