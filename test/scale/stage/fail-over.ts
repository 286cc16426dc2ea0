// Makes a master fail under load, measures how soon writes work again, and checks that no answer was false.
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { expectAnswers, Observer } from '../../support/faults/observer.ts'
import type { Client } from '../../support/http/http.ts'
import { promised } from '../../support/time.ts'
import type { World } from '../../support/world.ts'
import type { RedisProcess } from './redis-servers.ts'

// The time until the other servers consider a silent master dead, elect a new one, and clients connect to it.
const FAIL_OVER_MS = 10_000
const REJOIN_WAIT_MS = 2_000

type FailOver = {
  world: World
  client: Client
  findMaster(): Promise<RedisProcess>
  /** Returns a function that brings the old master back as a replica of the new one. */
  fail(master: RedisProcess): Promise<() => Promise<void> | void>
}

export async function testFailOver(parts: FailOver): Promise<void> {
  const observer = await Observer.start(parts.world, parts.client)
  try {
    await observeFailOver(observer, parts)
  } finally {
    // Ignores later errors after a failed test, because the world is about to be closed.
    await observer.stop().catch(() => undefined)
  }
}

async function observeFailOver(observer: Observer, { client, findMaster, fail }: FailOver): Promise<void> {
  await observer.calm('write', Date.now(), promised(20_000))
  const old = await findMaster()
  const failedMs = Date.now()
  const restore = await fail(old)
  const calmMs = (await observer.calm('write', failedMs, promised(3 * FAIL_OVER_MS))) - failedMs
  expect((await findMaster()).port).to.not.equal(old.port)
  await restore()
  // The returned server must not be used as the master again.
  await wait(REJOIN_WAIT_MS)
  await observer.calm('write', Date.now(), promised(FAIL_OVER_MS))
  await observer.stop()
  const writes = observer.samples('write', failedMs)
  console.log(`      each write done again after ${calmMs} ms; ${countAnswers(writes)}`)
  await observer.expectTruth()
  expect(calmMs).to.be.below(promised(FAIL_OVER_MS))
  expectAnswers(observer.samples('read', failedMs), { statuses: ['200'], ms: 1_500 })
  // Writes without an answer are cancelled at their deadline.
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
