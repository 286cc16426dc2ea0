// Tests the limits that Postgres puts on the connections of each queue.
import { expect } from 'chai'
import { QUEUES } from '../../../shared/schemas/job.ts'
import { connectWorkDatabase } from '../../../workers/delivery/consumers.ts'
import { useWorld } from '../../support/world.ts'

describe('a connection of a queue', () => {
  const world = useWorld({ workers: [] })

  it('ends if its transaction is idle for too long, so that a worker that has vanished holds no locks', async () => {
    const pauses: Record<string, string> = {}
    for (const queue of QUEUES) {
      const database = connectWorkDatabase(queue, 1, world.config)
      const { rows } = await database.raw('SHOW idle_in_transaction_session_timeout')
      pauses[queue] = rows[0].idle_in_transaction_session_timeout
      await database.destroy()
    }
    expect(pauses).to.deep.equal({ writes: '4s', imports: '15min', exports: '15min', upkeep: '1min' })
  })
})
