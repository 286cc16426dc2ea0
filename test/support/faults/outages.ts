// Tests an outage under constant reads and writes: the answers during the outage, the time until recovery, and that no
// answer was false.
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import type { Client } from '../http/http.ts'
import { eventually, isLong, promised } from '../time.ts'
import { expectAnswers, Observer } from './observer.ts'
import { withProxiedWorld } from './pipeline.ts'
import type { TcpProxy } from './proxy.ts'

export const RECOVERY_MS = 2_000
export const REFUSED_MS_MAX = 2_500
/** Much longer than an answer usually takes, but shorter than any timeout. */
export const USUAL_ANSWER_MS_MAX = 1_500

type RequestKind = 'read' | 'write'
type Readiness = { status: number; postgres: boolean; redis: boolean }

export type Outage = {
  begin(proxy: TcpProxy): Promise<void> | void
  outageMs: number
  /** Whether existing connections stay silent after the outage, so that only new connections work. */
  lost?: boolean
  /** The time within which everything must recover. */
  recoveryMs?: number
  environment?: Record<string, string>
}

/** Waits until everything has recovered. Returns the time from which on every request must succeed. */
export async function waitForRecovery(
  observer: Observer,
  kinds: RequestKind[],
  overMs: number,
  recoveryMs = RECOVERY_MS,
) {
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
 * Waits until the outage has lasted long enough, /readyz reports it, and each kind of request was answered. On a busy
 * machine that may take longer than planned.
 */
async function testOutage(
  observer: Observer,
  client: Client,
  { kinds, ready, outageMs }: { kinds: RequestKind[]; ready: Readiness; outageMs: number },
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

/** Tests an outage of Redis. Writes may be answered with the given statuses, and reads must be answered as usual. */
export function testRedisOutage(
  { begin, outageMs, lost = false, recoveryMs, environment = {} }: Outage,
  statuses: string[],
): Promise<void> {
  return withProxiedWorld(environment, async ({ world, gateway, workers, client }) => {
    const observer = await Observer.start(world, client)
    await observer.recovery('write', 0)
    const sides = [gateway.redis, workers.redis]
    const beganMs = Date.now()
    await Promise.all(sides.map(begin))
    const ready = { status: 200, postgres: true, redis: false }
    const { begunMs, overMs } = await testOutage(observer, client, { kinds: ['write'], ready, outageMs })
    await Promise.all(sides.map((side) => side.restore({ lost })))
    const settledMs = await waitForRecovery(observer, ['write'], overMs, recoveryMs)
    await observer.stop()
    expectAnswers(observer.samples('read', beganMs), { statuses: ['200'], ms: USUAL_ANSWER_MS_MAX })
    expectAnswers(observer.answered('write', begunMs, overMs), { statuses, ms: REFUSED_MS_MAX })
    expectAnswers(observer.samples('write', settledMs), { statuses: ['200'], ms: USUAL_ANSWER_MS_MAX })
    await observer.expectTruth()
    expect((await client.get('/readyz')).json.redis).to.deep.equal({ ok: true })
  })
}

export function testPostgresOutage({
  begin,
  outageMs,
  lost = false,
  recoveryMs,
  environment = {},
}: Outage): Promise<void> {
  return withProxiedWorld(environment, async ({ world, gateway, workers, client }) => {
    const observer = await Observer.start(world, client)
    await observer.recovery('write', 0)
    const sides = [gateway.postgres, workers.postgres]
    await Promise.all(sides.map(begin))
    const ready = { status: 503, postgres: false, redis: true }
    const { begunMs, overMs } = await testOutage(observer, client, {
      kinds: ['read', 'write'],
      ready,
      outageMs,
    })
    await Promise.all(sides.map((side) => side.restore({ lost })))
    const settledMs = await waitForRecovery(observer, ['read', 'write'], overMs, recoveryMs)
    await observer.stop()
    for (const kind of ['read', 'write'] as const) {
      const refused = { statuses: ['503 unavailable'], ms: REFUSED_MS_MAX }
      expectAnswers(observer.answered(kind, begunMs, overMs), refused)
      expectAnswers(observer.samples(kind, settledMs), { statuses: ['200'], ms: USUAL_ANSWER_MS_MAX })
    }
    await observer.expectTruth()
    expect((await client.get('/readyz')).status).to.equal(200)
  })
}
