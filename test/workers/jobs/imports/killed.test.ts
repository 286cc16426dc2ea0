// Kills a worker in the middle of an import, and the process that reads its file: the import is executed
// once, entirely or not at all, and a waiting caller gets the correct answer from the worker that takes over.
import { expect } from 'chai'
import { createUser } from '../../../support/factories.ts'
import { type Proxies, startProxies } from '../../../support/faults/pipeline.ts'
import { closeProxies } from '../../../support/faults/proxy.ts'
import type { ApiAnswer, Client } from '../../../support/http/http.ts'
import { itInParallel } from '../../../support/parallel-tests.ts'
import {
  type Child,
  killChildren,
  listChildProcesses,
  startWorkerProcess,
} from '../../../support/processes.ts'
import { eventually, within } from '../../../support/time.ts'
import { readPeople } from '../../../support/user-lists.ts'
import { createWorld, type World } from '../../../support/world.ts'

// The time on a busy machine for a job's lock to expire, for another worker to notice, and for the import itself.
const TAKEN_OVER_MS_MAX = 120_000
// A caller that waits longer gets the beginning of a response, whose status can then no longer change (see send.ts).
const KEEPALIVE_AFTER_MS = 2 * TAKEN_OVER_MS_MAX
// Large enough for more than one chunk of the output.
const ROW_COUNT = 4_500
const RESPOND_ASYNC_HEADERS = { Prefer: 'respond-async' }
const IMPORT_OPTIONS = { update: 'true', deactivate: 'true' }

const USER_LIST_CSV = `email,name,groups,license_plates\n${Array.from(
  { length: ROW_COUNT },
  (_, row) => `user${row}@lists.example,User ${row},Group ${row % 7},P ${row}\n`,
).join('')}`

/** The text that is sent to the server at the moment of the kill, and whether it still arrives. */
const MOMENTS = {
  'while it reads': ['COPY import_rows', 'hold'],
  'while it compares': ['CREATE TEMPORARY TABLE import_plan', 'forward'],
  'while it applies': ['INSERT INTO vehicles', 'forward'],
  'between two chunks': ['pg_logical_emit_message', 'hold'],
  'before its commit': ['COMMIT;', 'hold'],
  'in its commit': ['COMMIT;', 'forward'],
} as const
type Moment = keyof typeof MOMENTS

type Scene = { world: World; client: Client; worker: Child; proxies: Proxies }

describe('Berth, when processes of an import are killed', function () {
  this.timeout(3 * TAKEN_OVER_MS_MAX)
  const scenes: Scene[] = []

  const tests: Record<string, (scene: Scene) => Promise<void>> = {}
  for (const moment of [
    'while it reads',
    'while it applies',
    'between two chunks',
    'before its commit',
  ] as const)
    tests[`runs an import once, with another worker, when its worker is killed ${moment}`] = (scene) =>
      waitFor(scene, moment)
  for (const moment of ['while it compares', 'in its commit'] as const) {
    tests[`completes an accepted import once when its worker is killed ${moment}`] = (scene) =>
      runAcceptedJob(scene, moment)
  }
  tests['fails an import that kills every worker, and its caller gets this answer'] = giveUp
  tests['refuses an import whose reading process is killed, while its worker continues'] = killReader

  before(async () => {
    for (const _ of Object.keys(tests)) scenes.push(await createScene())
  })
  itInParallel(
    Object.fromEntries(
      Object.entries(tests).map(([title, test], place) => [title, () => test(scenes[place] as Scene)]),
    ),
  )
  // Runs after the tests, because closing a world waits for its running requests.
  after(async () => {
    await killChildren()
    await Promise.all(scenes.map(({ world }) => world.close()))
    await closeProxies()
  })
})

async function createScene(): Promise<Scene> {
  const environment = {
    KEEPALIVE_AFTER_MS: String(KEEPALIVE_AFTER_MS),
    // Allows many requests, because the test polls for the outcome.
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

// Repeats an import if the gateway answers that nothing was done, which happens on a busy machine.
async function importList({ client }: Scene, list = USER_LIST_CSV, headers = {}): Promise<ApiAnswer> {
  for (;;) {
    const answer = await client.import(list, IMPORT_OPTIONS, headers)
    if (answer.status !== 503 || answer.json.code !== 'unavailable') return answer
  }
}

/** Fails with the response if the response arrives before the worker is killed. */
async function expectKilledBefore(answer: Promise<ApiAnswer>, killed: Promise<unknown>): Promise<void> {
  const tooEarly = answer.then(({ status, text }) => {
    throw new Error(`It was answered before its worker was killed: ${status} ${text.slice(0, 500)}`)
  })
  await within(2 * TAKEN_OVER_MS_MAX, Promise.race([killed, tooEarly]))
}

async function waitFor(scene: Scene, moment: Moment) {
  const { world } = scene
  const killed = killAt(scene, moment)
  const asked = importList(scene)
  await expectKilledBefore(asked, killed)
  await world.startWorkers(['imports'])
  await expectDone(scene, await within(TAKEN_OVER_MS_MAX, asked))
}

async function runAcceptedJob(scene: Scene, moment: Moment) {
  const { world, client } = scene
  const killed = killAt(scene, moment)
  const accepted = await importList(scene, USER_LIST_CSV, RESPOND_ASYNC_HEADERS)
  expect(accepted.status).to.equal(202)
  const { pathname } = new URL(accepted.headers.get('Location') ?? '')
  await killed
  await world.startWorkers(['imports'])
  const job = await eventually(async () => {
    const { data } = (await client.get(pathname)).json
    expect(data.finished_at).to.not.equal(null)
    return data
  }, TAKEN_OVER_MS_MAX)
  expect(job).to.include({ state: 'done', progress: 100, error: null })
  await expectDone(scene, { status: 200, json: job.result } as ApiAnswer)
}

async function expectDone(
  { world: { database } }: Scene,
  { status, json }: Pick<ApiAnswer, 'status' | 'json'>,
) {
  expect([status, json.created?.length, json.updated, json.deleted, json.errors]).to.deep.equal([
    200,
    ROW_COUNT - 1,
    [3],
    1,
    [],
  ])
  const { people, groups } = await readPeople(database)
  expect([people.length, groups.length]).to.deep.equal([ROW_COUNT + 1, 7])
  const told = people.filter(
    ({ active, groups: own, plates }) => active && own.length === 1 && plates.length === 1,
  )
  expect(told).to.have.length(ROW_COUNT)
  expect(await database('audit_log').where({ action: 'users.import' })).to.have.length(1)
}

// Kills the first worker and the worker that takes over. No third worker may interfere.
async function giveUp(scene: Scene) {
  const { world } = scene
  const before = await readPeople(world.database)
  const killed = killAt(scene, 'while it reads')
  const asked = importList(scene)
  await expectKilledBefore(asked, killed)
  const second = await startWorker(world)
  await within(TAKEN_OVER_MS_MAX, killAt(second, 'while it reads'))
  const third = await startWorker(world)
  const { status, json } = await within(TAKEN_OVER_MS_MAX, asked)
  expect([status, json.code]).to.deep.equal([500, 'internal_error'])
  expect(await readPeople(world.database)).to.deep.equal(before)
  expect((await importList(scene)).status).to.equal(200)
  expect(third.worker.lines.filter(({ msg }) => msg === 'failed')).to.have.length(1)
}

async function killReader(scene: Scene) {
  const { world, worker } = scene
  const before = await readPeople(world.database)
  // The list is so large that its reading process is still running when the test finds it.
  const list =
    USER_LIST_CSV + Array.from({ length: 150_000 }, (_, row) => `u${row}@lists.example,U\n`).join('')
  const asked = importList(scene, list)
  const [reader] = await eventually(() => {
    const found = listChildProcesses(worker.pid)
    expect(found).to.have.length(1)
    return found
  }, TAKEN_OVER_MS_MAX)
  process.kill(reader as number, 'SIGKILL')
  const { status, json } = await within(TAKEN_OVER_MS_MAX, asked)
  expect([status, json.code]).to.deep.equal([413, 'too_large'])
  expect(json.detail).to.match(/^The file needs too much memory to read/)
  expect(await readPeople(world.database)).to.deep.equal(before)
  expect((await importList(scene)).status).to.equal(200)
  expect(worker.lines.filter(({ msg }) => msg === 'working')).to.have.length(1)
}
