// Runs the contention test of test/pipeline for longer.
import { competeForSlots } from '../support/faults/contention.ts'
import { createWorld } from '../support/world.ts'

const CLIENT_COUNT = 16

describe('many clients that compete for the same slots for a long time', function () {
  this.timeout(300_000)

  it('get each of 500 slots exactly once, without a deadlock', async () => {
    const world = await createWorld({
      workers: [],
      environment: {
        RATE_LIMIT_PER_MINUTE: '1000000',
        WRITES_CONCURRENCY: String(CLIENT_COUNT),
        DATABASE_CONNECTIONS_MAX: String(CLIENT_COUNT),
      },
    })
    await competeForSlots(world, await world.client(), { slots: 500, clients: CLIENT_COUNT })
    await world.close()
  })
})
