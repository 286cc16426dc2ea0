// A worker that is killed in the middle of an import, and the process that reads its file: the import has happened
// entirely or not at all, once, and a waiting caller gets the true answer from the worker that takes over.
import { expect } from 'chai'
import { createUser } from '../../../support/factories.ts'
import { type Proxies, startProxies } from '../../../support/faults/pipeline.ts'
import { closeProxies } from '../../../support/faults/proxy.ts'
import type { Answered, Client } from '../../../support/http/http.ts'
import { itInParallel } from '../../../support/parallel-tests.ts'
import { type Child, childrenOf, killChildren, startWorkerProcess } from '../../../support/processes.ts'
import { eventually, within } from '../../../support/time.ts'
import { peopleOf } from '../../../support/user-lists.ts'
import { createWorld, type World } from '../../../support/world.ts'

// The lock of a job, the look for those whose lock is over, and the import itself, on a busy machine.
const TAKEN_OVER_MS = 120_000
// A caller that waits longer gets the beginning of an answer, and afterwards only its end or none: see send.ts.
const KEEPALIVE_AFTER_MS = 2 * TAKEN_OVER_MS
// Larger than one piece of the output.
const ROWS = 4_500
const ACCEPTED = { Prefer: 'respond-async' }
const FIELDS = { update: 'true', deactivate: 'true' }

const LIST = `email,name,groups,license_plates\n${Array.from(
  { length: ROWS },
  (_, row) => `user${row}@lists.example,User ${row},Group ${row % 7},P ${row}\n`,
).join('')}`

/** What passes to the server at that moment, and whether it still arrives. */
const MOMENTS = {
  'while it reads': ['COPY import_rows', 'hold'],
  'while it compares': ['CREATE TEMPORARY TABLE import_plan', 'forward'],
  'while it applies': ['INSERT INTO vehicles', 'forward'],
  'between two pieces': ['pg_logical_emit_message', 'hold'],
  'before its commit': ['COMMIT;', 'hold'],
  'in its commit': ['COMMIT;', 'forward'],
} as const
type Moment = keyof typeof MOMENTS

type Scene = { world: World; client: Client; worker: Child; proxies: Proxies }

describe('an import', function () {
  this.timeout(3 * TAKEN_OVER_MS)
  const scenes: Scene[] = []

  const tests: Record<string, (scene: Scene) => Promise<void>> = {}
  for (const moment of [
    'while it reads',
    'while it applies',
    'between two pieces',
    'before its commit',
  ] as const)
    tests[`whose worker is killed ${moment} is done once, by another one`] = (scene) => waitFor(scene, moment)
  for (const moment of ['while it compares', 'in its commit'] as const) {
    tests[`that was accepted, whose worker is killed ${moment}, ends done, once`] = (scene) =>
      accept(scene, moment)
  }
  tests['that kills every worker ends as failed, and its caller gets this answer'] = giveUp
  tests['whose reading process is killed is refused, while its worker continues'] = killReader

  before(async () => {
    for (const _ of Object.keys(tests)) scenes.push(await createScene())
  })
  itInParallel(
    Object.fromEntries(
      Object.entries(tests).map(([title, test], place) => [title, () => test(scenes[place] as Scene)]),
    ),
  )
  // Behind the tests: who ends a world in which one still waits, waits too.
  after(async () => {
    await killChildren()
    await Promise.all(scenes.map(({ world }) => world.close()))
    await closeProxies()
  })
})

async function createScene(): Promise<Scene> {
  const environment = {
    KEEPALIVE_AFTER_MS: String(KEEPALIVE_AFTER_MS),
    // The test polls for the outcome.
    RATE_LIMIT_PER_MINUTE: '1000000',
  }
  const world = await createWorld({ workers: [], environment })
  await createUser(world.database, { email: 'user1@lists.example', name: 'Old' })
  await createUser(world.database, { email: 'left.out@lists.example', name: 'Left out' })
  const client = await world.client('user-write')
  return { world, client, ...(await startWorker(world)) }
}

async function startWorker(world: World) {
  const proxies = await startProxies(world)
  return { proxies, worker: await startWorkerProcess(proxies.environment, ['imports']) }
}

function killAt({ proxies, worker }: Pick<Scene, 'proxies' | 'worker'>, moment: Moment): Promise<unknown> {
  const [text, fate] = MOMENTS[moment]
  const caught = proxies.postgres.catch('server', text, () => {
    worker.kill('SIGKILL')
    return fate
  })
  return Promise.all([caught, worker.ended])
}

// On a busy machine the gateway may be kept from its database for too long; it says then that nothing was done.
async function importList({ client }: Scene, list = LIST, headers = {}): Promise<Answered> {
  for (;;) {
    const answer = await client.import(list, FIELDS, headers)
    if (answer.status !== 503 || answer.json.code !== 'unavailable') return answer
  }
}

/** Fails with the answer where that comes before anybody is killed. */
async function killedBefore(answer: Promise<Answered>, killed: Promise<unknown>): Promise<void> {
  const tooEarly = answer.then(({ status, text }) => {
    throw new Error(`It was answered before its worker was killed: ${status} ${text.slice(0, 500)}`)
  })
  await within(2 * TAKEN_OVER_MS, Promise.race([killed, tooEarly]))
}

async function waitFor(scene: Scene, moment: Moment) {
  const { world } = scene
  const killed = killAt(scene, moment)
  const asked = importList(scene)
  await killedBefore(asked, killed)
  await world.startWorkers(['imports'])
  await expectDone(scene, await within(TAKEN_OVER_MS, asked))
}

async function accept(scene: Scene, moment: Moment) {
  const { world, client } = scene
  const killed = killAt(scene, moment)
  const accepted = await importList(scene, LIST, ACCEPTED)
  expect(accepted.status).to.equal(202)
  const { pathname } = new URL(accepted.headers.get('Location') ?? '')
  await killed
  await world.startWorkers(['imports'])
  const job = await eventually(async () => {
    const { data } = (await client.get(pathname)).json
    expect(data.finished_at).to.not.equal(null)
    return data
  }, TAKEN_OVER_MS)
  expect(job).to.include({ state: 'done', progress: 100, error: null })
  await expectDone(scene, { status: 200, json: job.result } as Answered)
}

async function expectDone(
  { world: { database } }: Scene,
  { status, json }: Pick<Answered, 'status' | 'json'>,
) {
  expect([status, json.created?.length, json.updated, json.deleted, json.errors]).to.deep.equal([
    200,
    ROWS - 1,
    [3],
    1,
    [],
  ])
  const { people, groups } = await peopleOf(database)
  expect([people.length, groups.length]).to.deep.equal([ROWS + 1, 7])
  const told = people.filter(
    ({ active, groups: own, plates }) => active && own.length === 1 && plates.length === 1,
  )
  expect(told).to.have.length(ROWS)
  expect(await database('audit_log').where({ action: 'users.import' })).to.have.length(1)
}

// The first worker is killed, the one that takes over too: nobody else shall be.
async function giveUp(scene: Scene) {
  const { world } = scene
  const before = await peopleOf(world.database)
  const killed = killAt(scene, 'while it reads')
  const asked = importList(scene)
  await killedBefore(asked, killed)
  const second = await startWorker(world)
  await within(TAKEN_OVER_MS, killAt(second, 'while it reads'))
  const third = await startWorker(world)
  const { status, json } = await within(TAKEN_OVER_MS, asked)
  expect([status, json.code]).to.deep.equal([500, 'internal_error'])
  expect(await peopleOf(world.database)).to.deep.equal(before)
  expect((await importList(scene)).status).to.equal(200)
  expect(third.worker.lines.filter(({ msg }) => msg === 'failed')).to.have.length(1)
}

async function killReader(scene: Scene) {
  const { world, worker } = scene
  const before = await peopleOf(world.database)
  // Large enough to be still read when its reader is found.
  const list = LIST + Array.from({ length: 150_000 }, (_, row) => `u${row}@lists.example,U\n`).join('')
  const asked = importList(scene, list)
  const [reader] = await eventually(() => {
    const found = childrenOf(worker.pid)
    expect(found).to.have.length(1)
    return found
  }, TAKEN_OVER_MS)
  process.kill(reader as number, 'SIGKILL')
  const { status, json } = await within(TAKEN_OVER_MS, asked)
  expect([status, json.code]).to.deep.equal([413, 'too_large'])
  expect(json.detail).to.match(/^The file needs too much memory to read/)
  expect(await peopleOf(world.database)).to.deep.equal(before)
  expect((await importList(scene)).status).to.equal(200)
  expect(worker.lines.filter(({ msg }) => msg === 'working')).to.have.length(1)
}
