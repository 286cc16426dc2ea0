// Tests two databases on one Redis: a worker runs only the jobs of its own database, and does not start where processes
// of another database run.
import { expect } from 'chai'
import { connectDatabase } from '../../../shared/database/database.ts'
import { QUEUES } from '../../../shared/schemas/job.ts'
import { parseConfig } from '../../../shared/settings/config.ts'
import { createToken } from '../../../shared/tokens/token-store.ts'
import { createLog } from '../../../shared/utilities/log.ts'
import { startWorker } from '../../../workers/work.ts'
import { createDatabase } from '../../support/databases.ts'
import { countBookings, createEnvelope, createSlot, useWrites } from '../../support/faults/pipeline.ts'
import { Client } from '../../support/http/http.ts'
import { startWorkerProcess } from '../../support/processes.ts'
import { eventually } from '../../support/time.ts'
import { use } from '../../support/use.ts'
import { useClient, useWorld, type World } from '../../support/world.ts'

type OtherDatabase = Awaited<ReturnType<typeof createOther>>

/** Creates a second database: an empty one, or a copy of the world's database. */
async function createOther(id: string | undefined) {
  const database = await createDatabase()
  const connection = connectDatabase(database.databaseUrl, { connectionsMax: 1 })
  if (id) await connection('identity').update({ id })
  return { ...database, connection }
}

const useOther = (id?: string): OtherDatabase =>
  use(() => createOther(id), {
    async close({ connection, drop }) {
      await connection.destroy()
      await drop()
    },
  })

const createEnvironment = ({ redisUrl }: World, { databaseUrl }: { databaseUrl: string }) => ({
  REDIS_URL: redisUrl,
  DATABASE_URL: databaseUrl,
})

describe('a worker of another database', () => {
  const lines: string[] = []
  const world = useWorld({ onLog: (line) => lines.push(line) })
  const client = useClient(world, 'booking-write')
  const other = useOther('other')
  const copy = useOther()

  for (const [title, database] of [
    ['of a different database', other],
    ['of a copy of the database', copy],
  ] as const) {
    it(`refuses to share a Redis with another Berth, and explains why (the other is ${title})`, async () => {
      const worker = await startWorker(
        [...QUEUES],
        parseConfig(createEnvironment(world, database)),
        createLog('worker', 'trace', { write: (line) => lines.push(line) }),
      )
      const error = await worker.failed
      await worker.stop()
      expect(error?.message).to.match(
        /^Process \d+ on .+ uses this Redis with another database\. Set DATABASE_URL to the same one, or REDIS_PREFIX/,
      )
      expect(await database.connection('receipts')).to.deep.equal([])
      expect(await client.post('bookings', await createSlot(world))).to.include({ status: 200 })
    })
  }

  it('ends with exit code 1', async () => {
    const failure = await startWorkerProcess({ ...createEnvironment(world, other), LOG_LEVEL: 'fatal' }).then(
      () => undefined,
      (error: Error) => error,
    )
    expect(failure?.message).to.include('ended (1)').and.include('uses this Redis with another database')
  })

  it('works on the same Redis under its own prefix', async () => {
    const elsewhere = { ...createEnvironment(world, other), REDIS_PREFIX: 'staging' }
    const worker = await startWorkerProcess(elsewhere)
    const gateway = await world.startGateway(elsewhere)
    const own = await world.startGateway({ REDIS_PREFIX: 'elsewhere' })
    const isThere = async ({ url }: { url: string }) =>
      (await new Client(url).get('/readyz')).json.workers.writes.ok
    await eventually(async () => expect(await isThere(gateway)).to.equal(true))
    expect(await isThere(own)).to.equal(false)
    expect(await client.post('bookings', await createSlot(world))).to.include({ status: 200 })
    worker.kill('SIGTERM')
    expect(await worker.ended).to.equal(0)
  })

  it('starts if the workers of the first database have died', async () => {
    const dead = await startWorkerProcess({ ...createEnvironment(world, other), REDIS_PREFIX: 'crashed' })
    dead.kill('SIGKILL')
    await dead.ended
    await world.startWorkers(['writes'], { REDIS_PREFIX: 'crashed' })
    await eventually(() => expect(lines.filter((line) => line.includes('"working"'))).to.have.length(2))
  })
})

describe('a job of another database', () => {
  const world = useWorld()
  const writes = useWrites(world)
  const copy = useOther()

  it('is never executed, and leaves no receipt in the database', async () => {
    const slot = await createSlot(world)
    for (const database of ['other', 'other@1.2', '']) {
      const envelope = createEnvelope(slot, { database })
      const job = await writes.queue.add('bookings.create', envelope, { jobId: envelope.attempt })
      await eventually(async () => expect(await job.getState()).to.equal('failed'))
    }
    expect(await countBookings(world, slot)).to.equal(0)
    expect(await world.database('receipts')).to.deep.equal([])
  })

  it('is cancelled immediately, and its caller learns that nothing was done', async () => {
    const slot = await createSlot(world)
    // A long wait for writes, so that the test would time out if the gateway did not cancel the write
    // immediately.
    const gateway = await world.startGateway({ DATABASE_URL: copy.databaseUrl, WRITE_WAIT_MS: '240000' })
    const { token } = await createToken(copy.connection, {
      name: 'copied',
      abilities: ['booking-write'],
      createdBy: 'test',
    })
    const copied = new Client(gateway.url, token)
    const answer = await copied.post('bookings', slot)
    expect([answer.status, answer.json.code]).to.deep.equal([503, 'not_executed'])
    expect(await countBookings(world, slot)).to.equal(0)
    expect(await copy.connection('receipts').whereNotNull('abandoned_at')).to.have.length(1)
  })
})
