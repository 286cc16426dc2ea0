// Tests when Berth begins no work for the calendars of a provider that asks for fewer requests.
import { expect } from 'chai'
import { ProviderFault } from '../../../shared/room-calendars/providers/provider.ts'
import { Pauses } from '../../../workers/calendars/engine/pauses.ts'

const MINUTE_MS = 60_000

describe('a provider that asks for fewer requests', () => {
  let nowMs = 0
  let pauses: Pauses
  beforeEach(() => {
    nowMs = 1_000_000
    pauses = new Pauses(() => nowMs)
  })

  const link = (bookableId: number) => ({ provider: 'microsoft' as const, bookableId })
  const throttle = (id: number, details: { retryAfterMs?: number; isOfProvider?: boolean } = {}) =>
    pauses.noteFault(link(id), new ProviderFault('throttled', 'Too many requests', details))
  const isPaused = () => pauses.isPaused('microsoft')
  /** Lets a calendar fail when the pause is over, and returns how long the next pause is, in seconds. */
  const fail = (id: number) => {
    throttle(id, { isOfProvider: true })
    let seconds = 0
    for (; isPaused(); seconds++) nowMs += 1_000
    return seconds
  }

  it('pauses once three of its calendars are throttled within a minute, while other providers go on', () => {
    for (const id of [1, 2, 1, 2]) throttle(id, { retryAfterMs: 10 * MINUTE_MS })
    expect(isPaused()).to.equal(false)
    throttle(3, { retryAfterMs: 10 * MINUTE_MS })
    expect(isPaused()).to.equal(true)
    expect(pauses.isPaused('google')).to.equal(false)
    nowMs += 10 * MINUTE_MS
    expect(isPaused()).to.equal(false)
  })

  it('goes on if three calendars are throttled one after the other over minutes', () => {
    for (const id of [1, 2, 3, 4]) {
      throttle(id, { retryAfterMs: 60 * MINUTE_MS })
      nowMs += MINUTE_MS
    }
    expect(isPaused()).to.equal(false)
  })

  it('pauses at once if it refuses the credentials', () => {
    pauses.noteFault(link(1), new ProviderFault('credentials_refused', 'Wrong secret'))
    expect(isPaused()).to.equal(true)
  })

  it('goes on if calendars fail for another reason', () => {
    for (const id of [1, 2, 3]) pauses.noteFault(link(id), new ProviderFault('unavailable', 'Away'))
    expect(isPaused()).to.equal(false)
  })

  it('pauses longer and longer if it does not say how long to wait, until Berth has read one of its calendars', () => {
    expect([1, 2, 3, 4, 5, 6].map(fail)).to.deep.equal([5, 30, 120, 300, 900, 900])
    pauses.noteReading(link(7))
    expect(fail(8)).to.equal(5)
  })

  it('pauses only once if several calendars fail at the same time', () => {
    for (const id of [1, 2, 3, 4, 5, 6, 7, 8]) throttle(id, { isOfProvider: true })
    nowMs += 5_000
    expect(isPaused()).to.equal(false)
  })
})
