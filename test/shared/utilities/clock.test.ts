// The clock of deadlines, at its first comparison with that of Postgres.
import { expect } from 'chai'
import { Clock } from '../../../shared/utilities/clock.ts'
import { createLog } from '../../../shared/utilities/log.ts'

const WRONG_MS = 60_000

describe('a clock that is compared with Postgres’s', () => {
  /** `tookMs`: how long each answer takes; this machine is a minute ahead. */
  async function compare(...tookMs: number[]): Promise<Clock> {
    let nowMs = Date.parse('2026-11-20T09:30:00Z')
    const postgres = async () => {
      nowMs += tookMs.shift() ?? expect.fail('It is asked once too often')
      return nowMs - WRONG_MS
    }
    const clock = new Clock({ machine: () => nowMs, postgres, log: createLog('test', 'silent') })
    await clock.compared
    clock.stop()
    return clock
  }

  it('is compared again if the first query had to wait for its connection', async () => {
    expect((await compare(10)).describe()).to.include('60.0 s ahead of Postgres’s')
    expect((await compare(2_000, 10)).describe()).to.include('60.0 s ahead of Postgres’s')
    expect((await compare(2_000, 2_000)).describe(), 'nobody knows').to.equal(undefined)
  })
})
