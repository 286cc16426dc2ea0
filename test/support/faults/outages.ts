// An outage from its beginning to its end, under constant reads and writes: the answers meanwhile, how soon
// all is well again, and that no answer was a lie.
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import type { Client } from '../http/http.ts'
import { eventually, isLong, promised } from '../time.ts'
import { expectAnswers, Observer } from './observer.ts'
import { inProxiedWorld } from './pipeline.ts'
import type { TcpProxy } from './proxy.ts'

export const RECOVERY_MS = 2_000
export const REFUSED_MS = 2_500
/** Far more than an answer takes, less than any timeout. */
export const USUAL_MS = 1_500

type Kind = 'read' | 'write'
type Ready = { status: number; postgres: boolean; redis: boolean }

export type Outage = {
  begin(proxy: TcpProxy): Promise<void> | void
  outageMs: number
  /** Connections from before stay dead without a word; only new ones work. */
  lost?: boolean
  /** Within which all is well again. */
  recoveryMs?: number
  environment?: Record<string, string>
}

/** Waits until all is well again, and some more; from what it returns on everything must be. */
export async function settle(observer: Observer, kinds: Kind[], overMs: number, recoveryMs = RECOVERY_MS) {
  let slowestMs = recoveryMs / 2
  for (const kind of kinds) {
    const tookMs = await observer.recovery(kind, overMs, promised(10_000))
    expect(tookMs, kind).to.be.lessThan(promised(recoveryMs))
    slowestMs = Math.max(slowestMs, tookMs)
  }
  const settledMs = overMs + (isLong ? recoveryMs : 2 * slowestMs)
  await wait(Math.max(0, settledMs - Date.now()) + 500)
  return settledMs
}

/**
 * Waits until the outage has lasted so long, readiness says so, and each kind was answered meanwhile: on a busy machine that may
 * take longer than the outage should.
 */
async function sitOut(
  observer: Observer,
  client: Client,
  { kinds, ready, outageMs }: { kinds: Kind[]; ready: Ready; outageMs: number },
): Promise<{ begunMs: number; overMs: number }> {
  const begunMs = Date.now()
  await wait(outageMs)
  await eventually(async () => {
    const { status, json } = await client.get('/readyz')
    expect({ status, postgres: json.postgres.ok, redis: json.redis.ok }).to.deep.equal(ready)
    for (const kind of kinds) expect(observer.answered(kind, begunMs, Date.now()), kind).to.not.have.length(0)
  })
  expect((await client.get('/healthz')).status).to.equal(200)
  return { begunMs, overMs: Date.now() }
}

/** Writes may be answered with these, and reads are answered as ever. */
export function sitOutRedis(
  { begin, outageMs, lost = false, recoveryMs, environment = {} }: Outage,
  statuses: string[],
): Promise<void> {
  return inProxiedWorld(environment, async ({ world, gateway, workers, client }) => {
    const observer = await Observer.start(world, client)
    await observer.recovery('write', 0)
    const sides = [gateway.redis, workers.redis]
    const beganMs = Date.now()
    await Promise.all(sides.map(begin))
    const ready = { status: 200, postgres: true, redis: false }
    const { begunMs, overMs } = await sitOut(observer, client, { kinds: ['write'], ready, outageMs })
    await Promise.all(sides.map((side) => side.restore({ lost })))
    const settledMs = await settle(observer, ['write'], overMs, recoveryMs)
    await observer.stop()
    expectAnswers(observer.samples('read', beganMs), { statuses: ['200'], ms: USUAL_MS })
    expectAnswers(observer.answered('write', begunMs, overMs), { statuses, ms: REFUSED_MS })
    expectAnswers(observer.samples('write', settledMs), { statuses: ['200'], ms: USUAL_MS })
    await observer.expectTruth()
    expect((await client.get('/readyz')).json.redis).to.deep.equal({ ok: true })
  })
}

export function sitOutPostgres({
  begin,
  outageMs,
  lost = false,
  recoveryMs,
  environment = {},
}: Outage): Promise<void> {
  return inProxiedWorld(environment, async ({ world, gateway, workers, client }) => {
    const observer = await Observer.start(world, client)
    await observer.recovery('write', 0)
    const sides = [gateway.postgres, workers.postgres]
    await Promise.all(sides.map(begin))
    const ready = { status: 503, postgres: false, redis: true }
    const { begunMs, overMs } = await sitOut(observer, client, { kinds: ['read', 'write'], ready, outageMs })
    await Promise.all(sides.map((side) => side.restore({ lost })))
    const settledMs = await settle(observer, ['read', 'write'], overMs, recoveryMs)
    await observer.stop()
    for (const kind of ['read', 'write'] as const) {
      const refused = { statuses: ['503 unavailable'], ms: REFUSED_MS }
      expectAnswers(observer.answered(kind, begunMs, overMs), refused)
      expectAnswers(observer.samples(kind, settledMs), { statuses: ['200'], ms: USUAL_MS })
    }
    await observer.expectTruth()
    expect((await client.get('/readyz')).status).to.equal(200)
  })
}
