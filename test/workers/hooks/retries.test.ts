// When a delivery is tried again: the schedule, its jitter, and what the receiver asks for.
import { expect } from 'chai'
import fc from 'fast-check'
import { retryDelaySeconds } from '../../../workers/hooks/deliveries.ts'

const PROMISED_SECONDS = [5, 30, 300, 1_800, 7_200, 21_600, 43_200, 86_400]
const DAY_SECONDS = 86_400
const nowMs = Date.parse('2026-11-20T09:00:00Z')

const delayAfter = (attempts: number, retryAfter?: string, random = 0) =>
  retryDelaySeconds(attempts, retryAfter, nowMs, () => random)

describe('retries of deliveries', () => {
  it('come after 5 s, 30 s, 5 min, 30 min, 2 h, 6 h, 12 h and 24 h, and then no more', () => {
    const delays = Array.from({ length: 10 }, (_, index) => delayAfter(index + 1))
    expect(delays).to.deep.equal([...PROMISED_SECONDS, undefined, undefined])
  })

  it('come at most a fifth later, and never earlier', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 8 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (attempts, random) => {
          const promised = PROMISED_SECONDS[attempts - 1] ?? Number.NaN
          expect(delayAfter(attempts, undefined, random)).to.be.within(promised, promised * 1.2)
        },
      ),
    )
    expect(delayAfter(1, undefined, 0.5)).to.equal(5.5)
  })

  it('wait as long as Retry-After asks, in seconds or until a date; never less than the schedule', () => {
    expect(delayAfter(1, '120')).to.equal(120)
    expect(delayAfter(1, 'Fri, 20 Nov 2026 10:00:00 GMT')).to.equal(3_600)
    expect(delayAfter(4, '120')).to.equal(1_800)
    expect(delayAfter(4, 'Fri, 20 Nov 2026 08:00:00 GMT')).to.equal(1_800)
  })

  it('wait a day at most, and ignore a Retry-After that is not a time', () => {
    expect(delayAfter(1, '999999999')).to.equal(DAY_SECONDS)
    expect(delayAfter(1, 'Fri, 20 Nov 2099 09:00:00 GMT')).to.equal(DAY_SECONDS)
    for (const nothing of ['soon', '', '-5', '1e9', '12345678901']) {
      expect(delayAfter(2, nothing), nothing).to.be.within(30, DAY_SECONDS)
    }
    expect(delayAfter(2, 'soon')).to.equal(30)
  })

  it('do not start again because of Retry-After once they are over', () => {
    expect(delayAfter(9, '5')).to.equal(undefined)
  })
})
