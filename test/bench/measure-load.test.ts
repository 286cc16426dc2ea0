// How a bench compares: round by round, so that a machine that is fast now and slow then does not count.
import { expect } from 'chai'
import { type Measured, medianOf, ratioOf } from '../../bench/measure-load.ts'

const measured = (perSecond: number): Measured => ({
  perSecond,
  p50Ms: 1,
  p99Ms: 2,
  cpuUs: { gateway: 1, worker: 2, Postgres: 3, Redis: 4 },
  totalCpuUs: 10,
  loaderCpuUs: 5,
})

describe('rounds of a bench', () => {
  // Half as fast as the other in most rounds; the machine is slow in most rounds of the first, and fast in most of the second.
  const own = [10, 10, 100, 10, 100].map(measured)
  const other = [20, 20, 200, 200, 200].map(measured)

  it('are compared one by one', () => {
    expect(ratioOf(own, other, ({ perSecond }) => perSecond)).to.equal(0.5)
  })

  it('are summarized by their medians', () => {
    expect(medianOf(own)).to.deep.equal(measured(10))
    expect(medianOf(other)).to.deep.equal(measured(200))
  })
})
