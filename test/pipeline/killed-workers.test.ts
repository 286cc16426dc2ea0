// Kills a worker at the worst moments: its unfinished write takes effect once or not at all, and another worker gives
// the caller the correct answer within four seconds.

import { expect } from 'chai'
import { countBookings, createSlot, type Proxies, startProxies } from '../support/faults/pipeline.ts'
import { closeProxies } from '../support/faults/proxy.ts'
import type { Client } from '../support/http/http.ts'
import { itInParallel } from '../support/parallel-tests.ts'
import { type Child, killChildren, startWorkerProcess } from '../support/processes.ts'
import { isLong, promised } from '../support/time.ts'
import { createWorld, type World } from '../support/world.ts'

const ANSWERED_MS_MAX = promised(4_000)
const environment = { WRITE_WAIT_MS: '60000' }
const REPEAT_COUNT = isLong ? 3 : 1

type Scene = { world: World; client: Client; child: Child; proxies: Proxies }
type Moment = (proxies: Proxies, kill: () => void) => void

const moments: Record<string, Moment> = {
  'before its commit': ({ postgres }, kill) => {
    postgres.catch('server', 'COMMIT', () => {
      kill()
      return 'hold'
    })
  },
  'during its commit': ({ postgres }, kill) => {
    postgres.catch('server', 'COMMIT', () => {
      kill()
      return 'forward'
    })
  },
  'after its commit but before its reply': ({ redis }, kill) => {
    redis.catch('server', 'spublish', () => {
      kill()
      return 'hold'
    })
  },
}

describe('a worker that is killed', function () {
  this.timeout(120_000)
  const scenes: Scene[] = []

  before(async () => {
    // Starts the workers one after the other, because starting a dozen simultaneously would slow down what is
    // measured.
    for (let number = 0; number < Object.keys(moments).length * REPEAT_COUNT; number++) {
      const world = await createWorld({ workers: [], environment })
      const proxies = await startProxies(world)
      const child = await startWorkerProcess(proxies.environment)
      scenes.push({ world, client: await world.client(), child, proxies })
    }
  })
  after(async () => {
    await killChildren()
    await Promise.all(scenes.map(({ world }) => world.close()))
    await closeProxies()
  })

  const tests = Object.entries(moments).flatMap(([title, moment]) =>
    Array.from({ length: REPEAT_COUNT }, (_, repeat) => [
      `leaves one booking and gives the true answer when a worker is killed ${title} (${repeat + 1})`,
      () => killAt(moment, scenes.pop()),
    ]),
  )
  itInParallel(Object.fromEntries(tests))
})

async function killAt(moment: Moment, scene: Scene | undefined) {
  if (!scene) throw new Error('Every scene has been used')
  const { world, client, child, proxies } = scene
  const slot = await createSlot(world)
  const killed = new Promise<number>((resolve) => {
    moment(proxies, () => {
      child.kill('SIGKILL')
      resolve(Date.now())
    })
  })
  const asked = client.post('bookings', slot)
  const killedMs = await killed
  await world.startWorkers(['writes'])
  const answer = await asked
  const tookMs = Date.now() - killedMs
  expect(await child.ended).to.equal('SIGKILL')
  expect([answer.status, await countBookings(world, slot)]).to.deep.equal([200, 1])
  expect(tookMs).to.be.lessThan(ANSWERED_MS_MAX)
}
