// Tests pollers, which repeat some work on a timer.
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { FaultLog } from '../../../shared/utilities/fault-log.ts'
import { createLog } from '../../../shared/utilities/log.ts'
import { type Poller, startPolling } from '../../../shared/utilities/poller.ts'
import { eventually } from '../../support/time.ts'

describe('a poller', () => {
  const lines: string[] = []
  const log = createLog('test', 'info', { write: (line: string) => lines.push(line) })
  const open: Poller[] = []
  const begin = (work: (isStopping: () => boolean) => Promise<number | undefined>, everyMs = 1) => {
    const faults = new FaultLog(log, 'it works again')
    const poller = startPolling({ everyMs, work, faults, fault: 'it does not work' })
    open.push(poller)
    return poller
  }

  beforeEach(() => {
    lines.length = 0
  })
  afterEach(async () => {
    await Promise.all(open.splice(0).map((each) => each.stop()))
  })

  it('starts a round only after the previous round has ended', async () => {
    let [underWay, most, rounds] = [0, 0, 0]
    begin(async () => {
      most = Math.max(most, ++underWay)
      await wait(5)
      underWay--
      rounds++
    })
    await eventually(() => expect(rounds).to.be.greaterThan(3))
    expect(most).to.equal(1)
  })

  it('pauses between rounds for as long as the work requests', async () => {
    let rounds = 0
    begin(async () => {
      rounds++
      return 3_600_000
    })
    await eventually(() => expect(rounds).to.equal(1))
    await wait(30)
    expect(rounds).to.equal(1)
  })

  it('continues after errors, and logs each error once', async () => {
    let rounds = 0
    begin(async () => {
      if (++rounds < 4) throw new Error('Postgres is down')
    })
    await eventually(() => expect(lines.join()).to.include('it works again'))
    expect(lines.filter((line) => line.includes('it does not work'))).to.have.length(1)
  })

  it('aborts and awaits the running round when the poller is stopped', async () => {
    let [rounds, ended] = [0, 0]
    const poller = begin(async (isStopping) => {
      rounds++
      while (!isStopping()) await wait(1)
      await wait(10)
      ended++
    })
    await eventually(() => expect(rounds).to.equal(1))
    await poller.stop()
    expect(ended).to.equal(1)
    await wait(20)
    expect(rounds).to.equal(1)
  })
})
