// Tests the warm-up of a worker.
import { expect } from 'chai'
import { createLog } from '../../../shared/utilities/log.ts'
import { warmUpWrites } from '../../../workers/delivery/warm-up.ts'
import { startWorker } from '../../../workers/work.ts'
import { createDesk } from '../../support/factories.ts'
import { countRows } from '../../support/schema.ts'
import { eventually, promised } from '../../support/time.ts'
import { useClient, useWorld } from '../../support/world.ts'

type Line = { msg: string; batches?: number }

describe('the warm-up of a worker', () => {
  const world = useWorld({ workers: [] })
  const client = useClient(world)

  /** Starts a worker, and returns it with the lines that it logs. */
  async function startWarmWorker(warmUp = warmUpWrites) {
    const lines: Line[] = []
    const log = createLog('worker', 'debug', { write: (line) => void lines.push(JSON.parse(line)) })
    const worker = await startWorker(['writes'], world.config, log, Date.now, warmUp)
    return { lines, worker }
  }

  it('creates bookings on a database without places or people, and leaves no row', async () => {
    const before = await countRows(world.database)
    const { lines, worker } = await startWarmWorker()
    await eventually(() => expect(lines.map(({ msg }) => msg)).to.include('working'))
    await worker.stop()
    expect(lines.find(({ msg }) => msg === 'warmed up')?.batches).to.be.greaterThan(0)
    expect(await countRows(world.database)).to.deep.equal(before)
  })

  it('lets the worker start in time if another transaction locks a table', async () => {
    const blocking = await world.database.transaction()
    await blocking.raw('LOCK TABLE buildings IN ACCESS EXCLUSIVE MODE')
    const { lines, worker } = await startWarmWorker()
    await eventually(() => expect(lines.map(({ msg }) => msg)).to.include('working'), promised(2_500))
    await blocking.rollback()
    await worker.stop()
    expect(lines.map(({ msg }) => msg)).to.include('the warm-up failed: the first writes take longer')
  })

  it('lets the worker start on a read-only database', async () => {
    const name = new URL(world.databaseUrl).pathname.slice(1)
    await world.database.raw(`ALTER DATABASE ${name} SET default_transaction_read_only = on`)
    const { lines, worker } = await startWarmWorker()
    await eventually(() => expect(lines.map(({ msg }) => msg)).to.include('working'))
    await worker.stop()
    await world.database.raw('SET default_transaction_read_only = off')
    await world.database.raw(`ALTER DATABASE ${name} RESET default_transaction_read_only`)
    expect(lines.map(({ msg }) => msg)).to.include('the warm-up failed: the first writes take longer')
  })

  it('ends before the worker takes its first job', async () => {
    let endWarmUp: () => void = () => undefined
    const held = new Promise<void>((resolve) => {
      endWarmUp = resolve
    })
    const desk = await createDesk(world.database)
    const [from_time, to_time] = ['2090-01-01T08:00:00Z', '2090-01-01T09:00:00Z']
    const booking = client.post('bookings', { ...desk, from_time, to_time })
    // `startWorker` does not wait longer than a second for a worker that cannot begin.
    const { lines, worker } = await startWarmWorker(() => held)
    expect(lines.map(({ msg }) => msg)).to.not.include('working')
    endWarmUp()
    expect((await booking).status).to.equal(200)
    await worker.stop()
  })
})
