// A fight for slots: so many clients want each of them at the same moment, and the database is looked at afterwards.
import { expect } from 'chai'
import { createBookable, createDesk, hoursFromNow } from '../factories.ts'
import type { Client } from '../http/http.ts'
import { eventually } from '../time.ts'
import type { World } from '../world.ts'

const DESKS = 5

/** In a world without workers of its own. */
export async function fightForSlots(
  world: World,
  client: Client,
  { slots, clients }: { slots: number; clients: number },
): Promise<void> {
  const winners: number[] = []
  await expectNoDeadlock(world, async () => {
    const desk = await createDesk(world.database)
    const bookables = [desk.bookable_id]
    while (bookables.length < DESKS)
      bookables.push(await createBookable(world.database, { location_id: desk.location_id }))

    for (let slot = 0; slot < slots; slot++) {
      const bookable_id = bookables[slot % DESKS]
      const statuses = await Promise.all(
        Array.from({ length: clients }, async (_, number) => {
          // All overlap, but they are not all the same.
          const from = 24 + slot * 4 + (number % 2)
          const times = { from_time: hoursFromNow(from), to_time: hoursFromNow(from + 2) }
          return (await client.post('bookings', { ...desk, bookable_id, ...times })).status
        }),
      )
      expect(statuses.filter((status) => status !== 200 && status !== 409)).to.deep.equal([])
      winners.push(statuses.filter((status) => status === 200).length)
    }
  })
  expect(winners).to.deep.equal(Array(slots).fill(1))
}

/** Lets workers of its own do what the fight asks for, and looks at the database afterwards. */
export async function expectNoDeadlock(world: World, fight: () => Promise<void>): Promise<void> {
  const deadlocksBefore = await deadlocks(world)
  const workers = await world.startWorkers(['writes'])
  // Postgres may tell of a deadlock only when the connection that met it ends.
  await fight().finally(() => workers.stop())
  await eventually(async () => expect(await workerConnections(world)).to.equal(0))
  expect((await deadlocks(world)) - deadlocksBefore).to.equal(0)
  expect(await overlaps(world)).to.equal(0)
}

function deadlocks(world: World): Promise<number> {
  return countOf(world, 'SELECT deadlocks AS n FROM pg_stat_database WHERE datname = current_database()')
}

function workerConnections(world: World): Promise<number> {
  return countOf(
    world,
    `SELECT count(*) AS n FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'berth-worker'`,
  )
}

/** Not by the constraint's own operator: it would find no more than the constraint does. */
export function overlaps(world: World): Promise<number> {
  return countOf(
    world,
    `SELECT count(*) AS n FROM bookings a JOIN bookings b
       ON a.bookable_id = b.bookable_id AND a.id < b.id AND a.exclusive AND b.exclusive
       AND lower(a.during) < upper(b.during) AND lower(b.during) < upper(a.during)`,
  )
}

async function countOf(world: World, sql: string): Promise<number> {
  return Number((await world.database.raw(sql)).rows[0].n)
}
