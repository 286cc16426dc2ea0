// Makes several clients request each slot simultaneously, and checks the database afterwards.
import { expect } from 'chai'
import { createBookable, createDesk, hoursFromNow } from '../factories.ts'
import type { Client } from '../http/http.ts'
import { eventually } from '../time.ts'
import type { World } from '../world.ts'

const DESK_COUNT = 5

/** Makes clients compete for slots. Needs a world without workers. */
export async function competeForSlots(
  world: World,
  client: Client,
  { slots, clients }: { slots: number; clients: number },
): Promise<void> {
  const winners: number[] = []
  await expectNoDeadlock(world, async () => {
    const desk = await createDesk(world.database)
    const bookables = [desk.bookable_id]
    while (bookables.length < DESK_COUNT)
      bookables.push(await createBookable(world.database, { location_id: desk.location_id }))

    for (let slot = 0; slot < slots; slot++) {
      const bookable_id = bookables[slot % DESK_COUNT]
      const statuses = await Promise.all(
        Array.from({ length: clients }, async (_, number) => {
          // All times overlap, but not all are equal.
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

/** Starts workers for the competition, and checks the database afterwards. */
export async function expectNoDeadlock(world: World, fight: () => Promise<void>): Promise<void> {
  const deadlocksBefore = await deadlocks(world)
  const workers = await world.startWorkers(['writes'])
  // Postgres may report a deadlock only when the connection that met it ends.
  await fight().finally(() => workers.stop())
  await eventually(async () => expect(await countWorkerConnections(world)).to.equal(0))
  expect((await deadlocks(world)) - deadlocksBefore).to.equal(0)
  expect(await overlaps(world)).to.equal(0)
}

function deadlocks(world: World): Promise<number> {
  return countOf(world, 'SELECT deadlocks AS n FROM pg_stat_database WHERE datname = current_database()')
}

function countWorkerConnections(world: World): Promise<number> {
  return countOf(
    world,
    `SELECT count(*) AS n FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'berth-worker'`,
  )
}

/** Compares times without the constraint's operator, because the operator itself could be wrong. */
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
