// Two releases at once: a deployment in the right order, and back again, while clients book; and one in the wrong order.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { projectDirectory } from '../../local/tools/folders.ts'
import { runAgainst } from '../commands/support/run.ts'
import { createLaterRelease } from '../harness/built-copy.ts'
import { createSlot } from '../support/faults/pipeline.ts'
import { type Answered, Client } from '../support/http/http.ts'
import { type Child, startGatewayProcess, startWorkerProcess } from '../support/processes.ts'
import { eventually } from '../support/time.ts'
import { useWorld } from '../support/world.ts'

const MIGRATION = '9998-later'
const JOB = "'bookings.delete': write("
const NEWER_JOB = "'bookings.remove': write(object({ id: required(id()), if_match: ifMatch() }), null),"
const HANDLERS = '...bookingHandlers,'
const NEWER_HANDLER = "'bookings.remove': bookingHandlers['bookings.delete'],"
const ROUTE = "job: 'bookings.delete',"

/** This release with one migration more; and a job has another name, which its workers know beside the old one. */
const LATER = {
  patches: [
    { file: 'shared/bookings/bookings.js', find: JOB, replace: `${NEWER_JOB}\n${JOB}` },
    { file: 'workers/jobs/handlers.js', find: HANDLERS, replace: `${HANDLERS}\n${NEWER_HANDLER}` },
    {
      file: 'gateway/api/rest/bookings/bookings-routes.js',
      find: ROUTE,
      replace: ROUTE.replace('delete', 'remove'),
    },
  ],
  migrations: { [MIGRATION]: { up: 'ALTER TABLE bookings ADD COLUMN later text' } },
}

describe('a deployment of two releases', function suite() {
  this.timeout(180_000)
  const world = useWorld({ workers: [] })
  let newer: string
  let environment: Record<string, string>
  let token: string
  before(async () => {
    newer = createLaterRelease(await mkdtemp(join(tmpdir(), 'berth-later-')), LATER)
    environment = { DATABASE_URL: world.databaseUrl, REDIS_URL: world.redisUrl }
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

  it('replaces one by the other and back while clients book, and does every write', async () => {
    let gateway = await startGateway(projectDirectory)
    let worker = await startWorker(projectDirectory)
    let isOver = false
    const answers = new Map<number, number>()
    // As a proxy does it: what is under way with a gateway is answered by it, all else goes to the new one.
    const underWay = new Map<string, number>()
    const note = (url: string, change: number) => underWay.set(url, (underWay.get(url) ?? 0) + change)
    const ask = async (question: (client: Client) => Promise<Answered>): Promise<Answered> => {
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
    expect(await release(newer)).to.equal(`Applied ${MIGRATION}.\n`)
    await replace(newer, ['worker', 'gateway'])
    await replace(projectDirectory, ['gateway', 'worker'])
    expect(await release(projectDirectory)).to.equal(
      `The database is newer than this release: it has ${MIGRATION}. These were left as they are.\nThe database is up to date.\n`,
    )
    isOver = true
    await load
    expect([...answers.keys()].sort()).to.deep.equal([200, 204])
    await Promise.all([stop(gateway), stop(worker)])
  })

  it('in the wrong order calls off jobs at once that the workers do not know, and logs this', async () => {
    // A write that is not called off at once makes its caller wait for longer than a test may take.
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
    // With workers of its own release it is done.
    const known = await startWorker(newer)
    await stop(worker)
    await eventually(async () => expect((await client.delete(`bookings/${id}`)).status).to.equal(204))
    await Promise.all([stop(gateway), stop(known)])
  })
})
