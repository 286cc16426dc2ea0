// Tests when a delivery is retried: the schedule, its jitter, and the delay that the receiver asks for.
import { expect } from 'chai'
import fc from 'fast-check'
import { computeRetryDelaySeconds } from '../../../workers/hooks/deliveries.ts'

const PROMISED_SECONDS = [5, 30, 300, 1_800, 7_200, 21_600, 43_200, 86_400]
const DAY_SECONDS = 86_400
const nowMs = Date.parse('2026-11-20T09:00:00Z')

const computeDelay = (attempts: number, retryAfter?: string, random = 0) =>
  computeRetryDelaySeconds(attempts, retryAfter, nowMs, () => random)

describe('retries of webhook deliveries', () => {
  it('come after 5 s, 30 s, 5 min, 30 min, 2 h, 6 h, 12 h and 24 h, and then stop', () => {
    const delays = Array.from({ length: 10 }, (_, index) => computeDelay(index + 1))
    expect(delays).to.deep.equal([...PROMISED_SECONDS, undefined, undefined])
  })

  it('come at most a fifth later than scheduled, and never earlier', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 8 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (attempts, random) => {
          const promised = PROMISED_SECONDS[attempts - 1] ?? Number.NaN
          expect(computeDelay(attempts, undefined, random)).to.be.within(promised, promised * 1.2)
        },
      ),
    )
    expect(computeDelay(1, undefined, 0.5)).to.equal(5.5)
  })

  it('obey Retry-After in seconds or as a date, but never come earlier than scheduled', () => {
    expect(computeDelay(1, '120')).to.equal(120)
    expect(computeDelay(1, 'Fri, 20 Nov 2026 10:00:00 GMT')).to.equal(3_600)
    expect(computeDelay(4, '120')).to.equal(1_800)
    expect(computeDelay(4, 'Fri, 20 Nov 2026 08:00:00 GMT')).to.equal(1_800)
  })

  it('wait a day at most, and ignore an invalid Retry-After', () => {
    expect(computeDelay(1, '999999999')).to.equal(DAY_SECONDS)
    expect(computeDelay(1, 'Fri, 20 Nov 2099 09:00:00 GMT')).to.equal(DAY_SECONDS)
    for (const nothing of ['soon', '', '-5', '1e9', '12345678901']) {
      expect(computeDelay(2, nothing), nothing).to.be.within(30, DAY_SECONDS)
    }
    expect(computeDelay(2, 'soon')).to.equal(30)
  })

  it('stop after the last attempt, even if Retry-After asks for another', () => {
    expect(computeDelay(9, '5')).to.equal(undefined)
  })
})
