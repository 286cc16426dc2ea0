// Tests the first comparison of the deadline clock with the clock of Postgres.
import { expect } from 'chai'
import { Clock } from '../../../shared/utilities/clock.ts'
import { createLog } from '../../../shared/utilities/log.ts'

const CLOCK_ERROR_MS = 60_000

describe('the comparison of the process’s clock with the Postgres clock', () => {
  /** Compares the clocks. `tookMs` are the response times, and the process's clock is a minute ahead. */
  async function compare(...tookMs: number[]): Promise<Clock> {
    let nowMs = Date.parse('2026-11-20T09:30:00Z')
    const postgres = async () => {
      nowMs += tookMs.shift() ?? expect.fail('It is asked once too often')
      return nowMs - CLOCK_ERROR_MS
    }
    const clock = new Clock({ machine: () => nowMs, postgres, log: createLog('test', 'silent') })
    await clock.compared
    clock.stop()
    return clock
  }

  it('is repeated if the first query had to wait for its connection', async () => {
    expect((await compare(10)).describe()).to.include('60.0 s ahead of Postgres’s')
    expect((await compare(2_000, 10)).describe()).to.include('60.0 s ahead of Postgres’s')
    expect((await compare(2_000, 2_000)).describe(), 'nobody knows').to.equal(undefined)
  })
})
