// Many concurrent writes for the same slot: one gets it, the others get a conflict, and there are no
// deadlocks.
import { expect } from 'chai'
import { fightForSlots } from '../support/faults/contention.ts'
import { countBookings, createSlot } from '../support/faults/pipeline.ts'
import type { Answered } from '../support/http/http.ts'
import { useClient, useWorld } from '../support/world.ts'

const CLIENTS = 16
// test/long runs this with more clients.
const SLOTS = 40

describe('many simultaneous writes for one slot', function () {
  this.timeout(120_000)
  const world = useWorld({
    workers: [],
    environment: {
      RATE_LIMIT_PER_MINUTE: '1000000',
      // The last of two hundred writes waits long on a busy machine.
      WRITE_WAIT_MS: '60000',
      WRITES_CONCURRENCY: String(CLIENTS),
      DATABASE_CONNECTIONS_MAX: String(CLIENTS),
    },
  })
  const client = useClient(world, 'booking-write')

  it('lead to one of 200 bookings, and to 199 refusals with the conflict', async () => {
    const workers = await world.startWorkers(['writes'])
    const slot = await createSlot(world)
    // A busy gateway refuses some of so many at once; these are sent again.
    const book = async (): Promise<Answered> => {
      const answer = await client.post('bookings', slot)
      return answer.status === 503 && answer.json.code === 'unavailable' ? book() : answer
    }
    const answers = await Promise.all(Array.from({ length: 200 }, book))
    const winners = answers.filter(({ status }) => status === 200)
    const losers = answers.filter(({ status, json }) => status === 409 && json.code === 'booking_conflict')
    expect([winners.length, losers.length]).to.deep.equal([1, 199])
    expect(await countBookings(world, slot)).to.equal(1)
    await workers.stop()
  })

  it(`leave each of ${SLOTS} slots to one of ${CLIENTS} clients, without a deadlock`, () =>
    fightForSlots(world, client, { slots: SLOTS, clients: CLIENTS }))
})
