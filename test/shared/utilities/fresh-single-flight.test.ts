// Tests runs that many callers share: each caller gets the result of a run that began after the call.
import { expect } from 'chai'
import { FreshSingleFlight } from '../../../shared/utilities/shared-look-ups.ts'

describe('freshSingleFlight', () => {
  /** Creates numbered runs that end when the test says so. */
  function useRuns() {
    const open: Array<{ end(): void; fail(): void }> = []
    const run = () =>
      new Promise<number>((resolve, reject) => {
        const number = open.length + 1
        open.push({ end: () => resolve(number), fail: () => reject(new Error(`${number} failed`)) })
      })
    return { open, run, runs: new FreshSingleFlight<number>() }
  }
  const turn = () => new Promise((resolve) => setImmediate(resolve))

  it('runs immediately for the first caller, and once more for all later callers during that run', async () => {
    const { open, run, runs } = useRuns()
    const first = runs.ask('a', run)
    const others = [runs.ask('a', run), runs.ask('a', run)]
    expect(open).to.have.length(1)
    open[0]?.end()
    expect(await first).to.equal(1)
    await turn()
    expect(open).to.have.length(2)
    const late = runs.ask('a', run)
    open[1]?.end()
    expect(await Promise.all(others)).to.deep.equal([2, 2])
    await turn()
    open[2]?.end()
    expect(await late).to.equal(3)
    expect(open).to.have.length(3)
  })

  it('never shares a run between callers with different keys', async () => {
    const { open, run, runs } = useRuns()
    const both = [runs.ask('a', run), runs.ask('b', run)]
    for (const each of open) each.end()
    expect(await Promise.all(both)).to.deep.equal([1, 2])
  })

  it('starts a new run after a failure, which no later caller sees', async () => {
    const { open, run, runs } = useRuns()
    const first = runs.ask('a', run)
    const second = runs.ask('a', run)
    open[0]?.fail()
    expect(await first.catch((error: Error) => error.message)).to.equal('1 failed')
    await turn()
    open[1]?.end()
    expect(await second).to.equal(2)
    const third = runs.ask('a', run)
    open[2]?.end()
    expect(await third).to.equal(3)
  })

  it('does not delay later callers if a run hangs', async () => {
    const { open, run, runs } = useRuns()
    const hanging = runs.ask('a', run)
    await new Promise((resolve) => setTimeout(resolve, 60))
    const later = runs.ask('a', run)
    expect(open).to.have.length(2)
    open[1]?.end()
    expect(await later).to.equal(2)
    open[0]?.end()
    expect(await hanging).to.equal(1)
  })
})
