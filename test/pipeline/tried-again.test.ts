// Tests failed jobs that are retried by hand: an accepted job then runs once. A job with a waiting caller does not run,
// because the caller already has the failure. The queue and the row in Postgres show the outcome.
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { countBookings, createSlot, openQueueOf } from '../support/faults/pipeline.ts'
import { Client } from '../support/http/http.ts'
import { eventually } from '../support/time.ts'
import { countFiles } from '../support/user-lists.ts'
import { useClient, useWorld } from '../support/world.ts'

const USER_LIST_CSV = 'email,name\nann@again.example,Ann\n'
// Long enough for the job to finish, even on a busy machine.
const WAIT_MS = 3_000

describe('a failed job that is retried', () => {
  const world = useWorld({
    each: true,
    workers: ['writes', 'imports', 'exports'],
    // Allows many requests, because the tests poll for the outcome of a job.
    environment: { RATE_LIMIT_PER_MINUTE: '1000000' },
  })
  const client = useClient(world)

  /** Makes every write to a table fail as if by a bug, until the test repairs the table. */
  async function breakTable(table: string) {
    await world.database.raw(`
      CREATE OR REPLACE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'broken for ann@again.example'; END $$;
      CREATE TRIGGER broken BEFORE INSERT ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION fail()`)
    return () => world.database.raw(`DROP TRIGGER broken ON ${table}`)
  }

  async function accept(): Promise<string> {
    const accepted = await client.import(USER_LIST_CSV, {}, { Prefer: 'respond-async' })
    expect(accepted.status).to.equal(202)
    return new URL(accepted.headers.get('Location') ?? '').pathname
  }

  const ending = (path: string, state: string) =>
    eventually(async () => {
      const { data } = (await client.get(path)).json
      expect(data.state).to.equal(state)
      return data
    })

  async function tryAgain(
    name: 'imports' | 'exports' | 'writes',
    id: string,
    from: 'failed' | 'completed' = 'failed',
  ) {
    const { queue, close } = openQueueOf(world, name)
    const job = await eventually(async () => {
      expect(await queue.getJobState(id)).to.equal(from)
      return queue.getJob(id)
    })
    const before = job?.finishedOn ?? 0
    await job?.retry(from)
    const result = await eventually(async () => {
      const done = await queue.getJob(id)
      expect(done?.finishedOn ?? 0).to.be.greaterThan(before)
      return done?.returnvalue ?? done?.failedReason
    })
    await close()
    return result
  }

  const idOf = (path: string) => path.split('/').at(-1) ?? ''
  const imports = () => world.database('audit_log').where({ action: 'users.import' })

  it('runs once if it is an accepted job, and stores its outcome', async () => {
    const mend = await breakTable('users')
    const path = await accept()
    const failed = await ending(path, 'failed')
    expect(failed.error).to.include({ code: 'internal_error' })
    await mend()
    expect(await tryAgain('imports', idOf(path))).to.deep.equal({ status: 200 })
    const done = await ending(path, 'done')
    expect(done).to.deep.include({ progress: 100, error: null })
    expect(done.result).to.deep.include({ created: [2] })
    expect(await imports()).to.have.length(1)
    expect(await world.database('users').pluck('email')).to.deep.equal(['ann@again.example'])
    expect(await countFiles(world.database)).to.deep.equal({ files: 0, chunks: 0 })
  })

  it('fails again, and can be retried again, until the cause is fixed', async () => {
    const mend = await breakTable('users')
    const path = await accept()
    await ending(path, 'failed')
    expect(await tryAgain('imports', idOf(path))).to.match(/^error: /)
    await ending(path, 'failed')
    await mend()
    await tryAgain('imports', idOf(path))
    await ending(path, 'done')
    expect(await imports()).to.have.length(1)
  })

  it('creates a complete file if the job is an export', async () => {
    const mend = await breakTable('file_chunks')
    const accepted = await client.get('users/export?format=csv', { Prefer: 'respond-async' })
    const { pathname: path } = new URL(accepted.headers.get('Location') ?? '')
    await ending(path, 'failed')
    await mend()
    await tryAgain('exports', idOf(path))
    const { file } = await ending(path, 'done')
    expect((await client.get(new URL(file).pathname)).status).to.equal(200)
  })

  it('does not run again if an earlier attempt succeeded, even without its receipt', async () => {
    const path = await accept()
    await ending(path, 'done')
    await world.database('receipts').delete()
    expect(await tryAgain('imports', idOf(path), 'completed')).to.deep.equal({ status: 200 })
    expect(await imports()).to.have.length(1)
    expect((await client.get(path)).json.data.state).to.equal('done')
  })

  it('does not run if its caller has already received the failure', async () => {
    const slot = await createSlot(world)
    const mend = await breakTable('bookings')
    expect((await client.post('bookings', slot)).status).to.equal(500)
    await mend()
    const attempt = String((await world.database('receipts').first()).attempt)
    expect(await tryAgain('writes', attempt)).to.equal(
      'Left undone: its caller has already been told that it failed',
    )
    expect(await countBookings(world, slot)).to.equal(0)
  })

  it('does not run if its caller no longer waits for the reply', async () => {
    const short = await world.startGateway({ WRITE_WAIT_MS: String(WAIT_MS) })
    const slot = await createSlot(world)
    const mend = await breakTable('bookings')
    expect((await new Client(short.url, client.token).post('bookings', slot)).status).to.equal(500)
    await mend()
    const attempt = String((await world.database('receipts').first()).attempt)
    await world.database('receipts').delete()
    await wait(WAIT_MS + 100)
    expect(await tryAgain('writes', attempt)).to.equal('Left undone: its deadline has passed')
    expect(await countBookings(world, slot)).to.equal(0)
  })
})
