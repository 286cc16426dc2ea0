// A master that is lost under load: how soon each write is done again, and that no answer was a lie.
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { expectAnswers, Observer } from '../../support/faults/observer.ts'
import type { Client } from '../../support/http/http.ts'
import { promised } from '../../support/time.ts'
import type { World } from '../../support/world.ts'
import type { RedisProcess } from './redis-servers.ts'

// The time until the others take a silent master for dead, an election, and a connection to the new one.
const FAIL_OVER_MS = 10_000
const BACK_MS = 2_000

type FailOver = {
  world: World
  client: Client
  findMaster(): Promise<RedisProcess>
  /** Returns what brings the old one back, as a replica of the new one. */
  fail(master: RedisProcess): Promise<() => Promise<void> | void>
}

export async function sitOutFailOver(parts: FailOver): Promise<void> {
  const observer = await Observer.start(parts.world, parts.client)
  try {
    await observe(observer, parts)
  } finally {
    // Where it failed half-way: the world is about to go.
    await observer.stop().catch(() => undefined)
  }
}

async function observe(observer: Observer, { client, findMaster, fail }: FailOver): Promise<void> {
  await observer.calm('write', Date.now(), promised(20_000))
  const old = await findMaster()
  const failedMs = Date.now()
  const restore = await fail(old)
  const calmMs = (await observer.calm('write', failedMs, promised(3 * FAIL_OVER_MS))) - failedMs
  expect((await findMaster()).port).to.not.equal(old.port)
  await restore()
  // Nobody may take it for the master that it was.
  await wait(BACK_MS)
  await observer.calm('write', Date.now(), promised(FAIL_OVER_MS))
  await observer.stop()
  const writes = observer.samples('write', failedMs)
  console.log(`      each write done again after ${calmMs} ms; ${countAnswers(writes)}`)
  await observer.expectTruth()
  expect(calmMs).to.be.below(promised(FAIL_OVER_MS))
  expectAnswers(observer.samples('read', failedMs), { statuses: ['200'], ms: 1_500 })
  // Whoever was answered by nobody is called off when their time is up.
  expectAnswers(writes, { statuses: ['200', '503 unavailable', '503 not_executed'], ms: 12_000 })
  expect((await client.get('/readyz')).json.redis).to.deep.equal({ ok: true })
}

function countAnswers(answers: Array<{ status: number; code?: string }>): string {
  const counts = new Map<string, number>()
  for (const { status, code } of answers) {
    const name = [status, code].join(' ').trim()
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return [...counts].map(([name, number]) => `${number} × ${name}`).join(', ')
}
