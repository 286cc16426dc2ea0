// The fight for slots of test/pipeline, for longer.
import { fightForSlots } from '../support/faults/contention.ts'
import { createWorld } from '../support/world.ts'

const CLIENTS = 16

describe('many writes for the same slots, for a long time', function () {
  this.timeout(300_000)

  it('leave each of 500 slots to one of 16 clients, without a deadlock', async () => {
    const world = await createWorld({
      workers: [],
      environment: {
        RATE_LIMIT_PER_MINUTE: '1000000',
        WRITES_CONCURRENCY: String(CLIENTS),
        DATABASE_CONNECTIONS_MAX: String(CLIENTS),
      },
    })
    await fightForSlots(world, await world.client(), { slots: 500, clients: CLIENTS })
    await world.close()
  })
})
