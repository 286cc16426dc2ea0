// Deploys one release over another in the right order and back while clients book, and then in the wrong
// order.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { projectDirectory } from '../../local/tools/folders.ts'
import { runAgainst } from '../commands/support/run.ts'
import { createLaterRelease } from '../harness/built-copy.ts'
import { createSlot } from '../support/faults/pipeline.ts'
import { type ApiAnswer, Client } from '../support/http/http.ts'
import { type Child, startGatewayProcess, startWorkerProcess } from '../support/processes.ts'
import { eventually } from '../support/time.ts'
import { useWorld } from '../support/world.ts'

const LATER_MIGRATION = '9998-later'
const JOB_LINE = "'bookings.delete': writeJob("
const RENAMED_JOB_LINE =
  "'bookings.remove': writeJob(object({ id: required(id()), if_match: ifMatch() }), null),"
const HANDLERS_LINE = '...bookingHandlers,'
const RENAMED_HANDLER_LINE = "'bookings.remove': bookingHandlers['bookings.delete'],"
const ROUTE_LINE = "job: 'bookings.delete',"

/** The current release with an additional migration and a renamed job. Its workers know both names of the job. */
const LATER_RELEASE = {
  patches: [
    { file: 'shared/bookings/bookings.js', find: JOB_LINE, replace: `${RENAMED_JOB_LINE}\n${JOB_LINE}` },
    {
      file: 'workers/jobs/handlers.js',
      find: HANDLERS_LINE,
      replace: `${HANDLERS_LINE}\n${RENAMED_HANDLER_LINE}`,
    },
    {
      file: 'gateway/api/rest/bookings/bookings-routes.js',
      find: ROUTE_LINE,
      replace: ROUTE_LINE.replace('delete', 'remove'),
    },
  ],
  migrations: { [LATER_MIGRATION]: { up: 'ALTER TABLE bookings ADD COLUMN later text' } },
}

describe('the deployment of another release', function suite() {
  this.timeout(180_000)
  const world = useWorld({ workers: [] })
  let newer: string
  let environment: Record<string, string>
  let token: string
  before(async () => {
    newer = createLaterRelease(await mkdtemp(join(tmpdir(), 'berth-later-')), LATER_RELEASE)
    environment = {
      DATABASE_URL: world.databaseUrl,
      REDIS_URL: world.redisUrl,
      // The test sends requests for as long as the processes take to start.
      RATE_LIMIT_PER_MINUTE: '1000000',
    }
    token = String((await world.client()).token)
  })
  after(() => rm(newer, { recursive: true }))

  const release = async (folder: string) =>
    (await runAgainst(world, environment, folder)('migrate', [])).stdout
  const startGateway = (folder: string) => startGatewayProcess(environment, folder)
  const startWorker = (folder: string) => startWorkerProcess(environment, ['writes'], folder)
  const stop = async (child: Child) => {
    child.kill('SIGTERM')
    expect(await child.ended).to.equal(0)
  }

  it('executes every write while it replaces the old release, and when it is reverted', async () => {
    let gateway = await startGateway(projectDirectory)
    let worker = await startWorker(projectDirectory)
    let isOver = false
    const answers = new Map<number, number>()
    // Acts like a proxy: the old gateway answers its running requests, and all later requests go to the new gateway.
    const underWay = new Map<string, number>()
    const note = (url: string, change: number) => underWay.set(url, (underWay.get(url) ?? 0) + change)
    const ask = async (question: (client: Client) => Promise<ApiAnswer>): Promise<ApiAnswer> => {
      const { url } = gateway
      note(url, 1)
      const answer = await question(new Client(url, token))
      note(url, -1)
      answers.set(answer.status, (answers.get(answer.status) ?? 0) + 1)
      return answer
    }
    const book = async () => {
      while (!isOver) {
        const slot = await createSlot(world)
        const { json } = await ask((client) => client.post('bookings', slot))
        await ask((client) => client.delete(`bookings/${json.data[0].id}`))
      }
    }
    const replace = async (folder: string, order: Array<'gateway' | 'worker'>) => {
      for (const part of order) {
        if (part === 'worker') {
          const old = worker
          worker = await startWorker(folder)
          await stop(old)
        } else {
          const old = gateway
          gateway = await startGateway(folder)
          await eventually(() => expect(underWay.get(old.url)).to.equal(0))
          await stop(old)
        }
      }
    }
    const load = Promise.all([book(), book()])
    expect(await release(newer)).to.equal(`Applied ${LATER_MIGRATION}.\n`)
    await replace(newer, ['worker', 'gateway'])
    await replace(projectDirectory, ['gateway', 'worker'])
    expect(await release(projectDirectory)).to.equal(
      `The database is newer than this release: it has ${LATER_MIGRATION}. These were left as they are.\nThe database is up to date.\n`,
    )
    isOver = true
    await load
    expect([...answers.keys()].sort()).to.deep.equal([200, 204])
    await Promise.all([stop(gateway), stop(worker)])
  })

  it('cancels and logs jobs that the older workers do not know, if gateways are deployed first', async () => {
    // A long wait for writes, so that the test would time out if the gateway did not cancel the write
    // immediately.
    const patient = { ...environment, WRITE_WAIT_MS: '240000' }
    const [gateway, worker] = await Promise.all([
      startGatewayProcess(patient, newer),
      startWorker(projectDirectory),
    ])
    const client = new Client(gateway.url, token)
    const { json } = await client.post('bookings', await createSlot(world))
    const { id } = json.data[0]
    const answer = await client.delete(`bookings/${id}`)
    expect([answer.status, answer.json.code]).to.deep.equal([503, 'not_executed'])
    expect(await worker.line('not a valid payload')).to.include({ job: 'bookings.remove', severity: 'error' })
    expect(await world.database('bookings').where({ id })).to.have.length(1)
    // Workers of the newer release execute the write.
    const known = await startWorker(newer)
    await stop(worker)
    await eventually(async () => expect((await client.delete(`bookings/${id}`)).status).to.equal(204))
    await Promise.all([stop(gateway), stop(known)])
  })
})
