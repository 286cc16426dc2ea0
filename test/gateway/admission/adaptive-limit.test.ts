// How many may be under way: many while they end soon, and as many as end in time while they do not.
import { expect } from 'chai'
import { AdaptiveLimit } from '../../../gateway/admission/adaptive-limit.ts'

const TARGET_MS = 500
const STEP_MS = 10

describe('a limit that learns from how long things take', () => {
  let nowMs = 0
  const create = (max: number) => new AdaptiveLimit({ max, targetMs: TARGET_MS, now: () => nowMs })

  type Waiting = { begunMs: number; end(): void }
  type Load = { perSecond: number; ms: number; come(underWay: number): number }

  /** So many a second can be served; returns how long those took that were. */
  function serve(limit: AdaptiveLimit, { perSecond, ms, come }: Load, waiting: Waiting[] = []): number[] {
    const took: number[] = []
    const endMs = nowMs + ms
    for (let served = 0; nowMs < endMs; nowMs += STEP_MS) {
      for (let left = come(waiting.length); left > 0; left--) {
        if (waiting.length < limit.current) waiting.push({ begunMs: nowMs, end: limit.begin() })
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

  /** Ten come where one can be served. */
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
    it(`keeps those waiting short that begin, where ${perSecond} a second can be served`, () => {
      const limit = create(1_000)
      overload(limit, { perSecond, ms: 10_000 })
      const took = overload(limit, { perSecond, ms: 20_000 })
      const slowestMs = Math.max(...took)
      expect(slowestMs).to.be.below(2 * TARGET_MS)
      // And nobody is idle for it.
      expect(took.length).to.be.above(perSecond * 20 * 0.95)
    })
  }

  it('stays above what is under way while callers who wait for their answers see a pause', () => {
    const limit = create(500)
    const callers = 128
    const come = (underWay: number) => callers - underWay
    const waiting: Waiting[] = []
    for (let pause = 0; pause < 5; pause++) {
      const took = serve(limit, { perSecond: 600, ms: 3_000, come }, waiting)
      expect(took.length, 'nobody was kept out').to.be.above(1_700)
      expect(limit.current).to.be.above(callers)
      nowMs += 1_200
    }
  })

  it('stays as it is while only a part of it is used, however slow that is', () => {
    const limit = create(500)
    for (let look = 0; look < 10; look++) {
      const ends = Array.from({ length: 200 }, () => limit.begin())
      nowMs += 3_000
      for (const end of ends) end()
    }
    expect(limit.current).to.equal(500)
  })

  it('counts one that is like many as often', () => {
    const limit = create(400)
    for (let look = 0; look < 10; look++) {
      const ends = [limit.begin(300), limit.begin(1)]
      nowMs += 100
      ends[1]?.()
      nowMs += 900
      ends[0]?.()
    }
    // 301 a second: most of them take a second.
    expect(limit.current).to.be.within(100, 200)
  })

  it('takes on little while its process cannot keep up, and all again at once', () => {
    let isBehind = false
    const limit = new AdaptiveLimit({ max: 100, targetMs: TARGET_MS, isBehind: () => isBehind })
    isBehind = true
    expect(limit.current).to.equal(10)
    isBehind = false
    expect(limit.current).to.equal(100)
  })

  it('is as before some seconds later, used or not', () => {
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

  it('never closes for what takes long and comes seldom', () => {
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
