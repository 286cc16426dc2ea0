// Tests the adaptive concurrency limit: it is high while requests end quickly, and otherwise low enough for
// them to end in time.
import { expect } from 'chai'
import { AdaptiveLimit } from '../../../gateway/overload/admission.ts'

const TARGET_MS = 500
const STEP_MS = 10

describe('an adaptive concurrency limit', () => {
  let nowMs = 0
  const create = (max: number) => new AdaptiveLimit({ max, targetMs: TARGET_MS, now: () => nowMs })

  type Waiting = { begunMs: number; end(): void }
  type Load = { perSecond: number; ms: number; come(underWay: number): number; onRefused?(): void }

  /** Serves `perSecond` requests a second, and returns how long each one took. */
  function serve(
    limit: AdaptiveLimit,
    { perSecond, ms, come, onRefused }: Load,
    waiting: Waiting[] = [],
  ): number[] {
    const took: number[] = []
    const endMs = nowMs + ms
    for (let served = 0; nowMs < endMs; nowMs += STEP_MS) {
      for (let left = come(waiting.length); left > 0; left--) {
        if (waiting.length < limit.current) waiting.push({ begunMs: nowMs, end: limit.begin() })
        else onRefused?.()
      }
      served += (perSecond * STEP_MS) / 1_000
      for (; served >= 1 && waiting.length > 0; served--) {
        const next = waiting.shift()
        next?.end()
        took.push(nowMs - (next?.begunMs ?? 0))
      }
    }
    return took
  }

  /** Adds ten requests for each request that can be served. */
  function overload(limit: AdaptiveLimit, { perSecond, ms }: Pick<Load, 'perSecond' | 'ms'>): number[] {
    const waiting: Waiting[] = []
    const took = serve(limit, { perSecond, ms, come: () => (10 * perSecond * STEP_MS) / 1_000 }, waiting)
    for (const { end } of waiting) end()
    return took
  }

  beforeEach(() => {
    nowMs = 1_000
  })

  for (const perSecond of [200, 400, 3_000]) {
    it(`keeps the waiting time of admitted work short at ${perSecond} requests per second`, () => {
      const limit = create(1_000)
      overload(limit, { perSecond, ms: 10_000 })
      const took = overload(limit, { perSecond, ms: 20_000 })
      const slowestMs = Math.max(...took)
      expect(slowestMs).to.be.below(2 * TARGET_MS)
      // The limit keeps waiting times short without leaving capacity unused.
      expect(took.length).to.be.above(perSecond * 20 * 0.95)
    })
  }

  it('stays above the number of running requests during a pause in which callers wait', () => {
    const limit = create(500)
    const callers = 128
    const come = (underWay: number) => callers - underWay
    const waiting: Waiting[] = []
    for (let pause = 0; pause < 5; pause++) {
      const onRefused = () => expect.fail(`one is refused after pause ${pause}`)
      const took = serve(limit, { perSecond: 600, ms: 3_000, come, onRefused }, waiting)
      expect(took.length).to.be.above(1_700)
      nowMs += 1_200
    }
  })

  it('does not change while only part of the limit is used, even if the work is slow', () => {
    const limit = create(500)
    for (let look = 0; look < 10; look++) {
      const ends = Array.from({ length: 200 }, () => limit.begin())
      nowMs += 3_000
      for (const end of ends) end()
    }
    expect(limit.current).to.equal(500)
  })

  it('counts each item by its weight', () => {
    const limit = create(400)
    for (let look = 0; look < 10; look++) {
      const ends = [limit.begin(300), limit.begin(1)]
      nowMs += 100
      ends[1]?.()
      nowMs += 900
      ends[0]?.()
    }
    // At 301 requests per second, most requests take a second.
    expect(limit.current).to.be.within(100, 200)
  })

  it('admits few requests while the process cannot keep up, and all requests soon afterwards', () => {
    let isBehind = false
    const limit = new AdaptiveLimit({ max: 100, targetMs: TARGET_MS, isBehind: () => isBehind })
    isBehind = true
    expect(limit.current).to.equal(10)
    isBehind = false
    expect(limit.current).to.equal(100)
  })

  it('returns to its old value within seconds, whether or not requests arrive', () => {
    const limit = create(1_000)
    overload(limit, { perSecond: 200, ms: 10_000 })
    expect(limit.current).to.be.below(300)
    nowMs += 6_000
    limit.begin()()
    expect(limit.current).to.equal(1_000)

    overload(limit, { perSecond: 200, ms: 10_000 })
    for (let second = 0; second < 6; second++) {
      const end = limit.begin()
      nowMs += 1_000
      limit.begin()()
      end()
    }
    expect(limit.current).to.be.above(500)
  })

  it('never falls to zero because of slow but rare requests', () => {
    const limit = create(100)
    const ends: Array<() => void> = []
    for (let number = 0; number < 200; number++) {
      nowMs += 500
      expect(ends.length).to.be.below(limit.current)
      ends.push(limit.begin())
      if (ends.length === 9) ends.shift()?.()
    }
  })
})
