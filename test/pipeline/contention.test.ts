// Tests many concurrent writes for the same slot: one succeeds, all others get a conflict, and none deadlocks.
import { expect } from 'chai'
import { competeForSlots } from '../support/faults/contention.ts'
import { countBookings, createSlot } from '../support/faults/pipeline.ts'
import type { ApiAnswer } from '../support/http/http.ts'
import { useClient, useWorld } from '../support/world.ts'

const CLIENT_COUNT = 16
// test/long runs the same test with more slots and clients.
const SLOT_COUNT = 40

describe('many simultaneous writes for the same slots', function () {
  this.timeout(120_000)
  const world = useWorld({
    workers: [],
    environment: {
      RATE_LIMIT_PER_MINUTE: '1000000',
      // The last of two hundred writes waits long on a busy machine.
      WRITE_WAIT_MS: '60000',
      WRITES_CONCURRENCY: String(CLIENT_COUNT),
      DATABASE_CONNECTIONS_MAX: String(CLIENT_COUNT),
    },
  })
  const client = useClient(world, 'booking-write')

  it('get one of 200 bookings accepted, and the others refused with a conflict', async () => {
    const workers = await world.startWorkers(['writes'])
    const slot = await createSlot(world)
    // Repeats requests that a busy gateway refuses.
    const book = async (): Promise<ApiAnswer> => {
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

  it(`let ${CLIENT_COUNT} clients get each of ${SLOT_COUNT} slots exactly once, without a deadlock`, () =>
    competeForSlots(world, client, { slots: SLOT_COUNT, clients: CLIENT_COUNT }))
})
