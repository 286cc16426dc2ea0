// How many may be under way: many while they end soon, and as many as end in time while they do not.
import { expect } from 'chai'
import { AdaptiveLimit } from '../../../shared/utilities/adaptive-limit.ts'

const TARGET_MS = 500
const STEP_MS = 10

describe('a limit that learns from how long things take', () => {
  let nowMs = 0
  const create = (max: number) => new AdaptiveLimit({ max, targetMs: TARGET_MS, now: () => nowMs })

  /** Ten come where one can be served, for so long; returns how long those took that got in and were served. */
  function overload(limit: AdaptiveLimit, { perSecond, ms }: { perSecond: number; ms: number }): number[] {
    const waiting: Array<{ begunMs: number; end(): void }> = []
    const took: number[] = []
    const endMs = nowMs + ms
    const each = (perSecond * STEP_MS) / 1_000
    for (let served = 0; nowMs < endMs; nowMs += STEP_MS) {
      for (let come = 0; come < 10 * each; come++)
        if (!limit.isReached) waiting.push({ begunMs: nowMs, end: limit.begin() })
      served += each
      for (; served >= 1 && waiting.length > 0; served--) {
        const next = waiting.shift()
        next?.end()
        took.push(nowMs - (next?.begunMs ?? 0))
      }
    }
    for (const { end } of waiting) end()
    return took
  }

  beforeEach(() => {
    nowMs = 1_000
  })

  it('lets in up to its maximum at once', () => {
    const limit = create(3)
    const ends = [limit.begin(), limit.begin()]
    expect(limit.isReached).to.equal(false)
    ends.push(limit.begin())
    expect(limit.isReached).to.equal(true)
    ends[0]?.()
    expect([limit.isReached, limit.underWay]).to.deep.equal([false, 2])
  })

  for (const perSecond of [200, 400, 3_000]) {
    it(`keeps those waiting short that get in, where ${perSecond} a second can be served`, () => {
      const limit = create(1_000)
      overload(limit, { perSecond, ms: 10_000 })
      const took = overload(limit, { perSecond, ms: 20_000 })
      const slowestMs = Math.max(...took)
      expect(slowestMs).to.be.below(2 * TARGET_MS)
      // And nobody is idle for it.
      expect(took.length).to.be.above(perSecond * 20 * 0.95)
    })
  }

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

  it('takes on little while its process cannot keep up, and all again at once', () => {
    let isHeldUp = false
    const limit = new AdaptiveLimit({ max: 100, targetMs: TARGET_MS, isHeldUp: () => isHeldUp })
    const ends = Array.from({ length: 10 }, () => limit.begin())
    isHeldUp = true
    expect([limit.isReached, limit.current]).to.deep.equal([true, 10])
    ends[0]?.()
    expect(limit.isReached).to.equal(false)
    isHeldUp = false
    expect([limit.isReached, limit.current]).to.deep.equal([false, 100])
  })

  it('never closes for what takes long and comes seldom', () => {
    const limit = create(100)
    const ends: Array<() => void> = []
    for (let number = 0; number < 200; number++) {
      nowMs += 500
      expect(limit.isReached).to.equal(false)
      ends.push(limit.begin())
      if (ends.length === 9) ends.shift()?.()
    }
  })
})
