// Tests how the benchmark compares servers: in pairs of rounds, so that changes in the machine's speed do not
// distort the result.
import { expect } from 'chai'
import { computeMedian, computeMedianRatio, type Measurement } from '../../bench/measure-load.ts'

const createMeasurement = (perSecond: number): Measurement => ({
  perSecond,
  p50Ms: 1,
  p99Ms: 2,
  cpuUs: { gateway: 1, worker: 2, Postgres: 3, Redis: 4 },
  totalCpuUs: 10,
  loaderCpuUs: 5,
})

describe('the comparison of two benchmarks', () => {
  // `own` is half as fast as `other` in most rounds. The machine is slow in most rounds of `own`, and fast in most of
  // `other`.
  const own = [10, 10, 100, 10, 100].map(createMeasurement)
  const other = [20, 20, 200, 200, 200].map(createMeasurement)

  it('compares each round with the same round of the other benchmark', () => {
    expect(computeMedianRatio(own, other, ({ perSecond }) => perSecond)).to.equal(0.5)
  })

  it('reports the median of all rounds', () => {
    expect(computeMedian(own)).to.deep.equal(createMeasurement(10))
    expect(computeMedian(other)).to.deep.equal(createMeasurement(200))
  })
})
