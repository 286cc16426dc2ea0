// The lag of a replica, in time.
import { expect } from 'chai'
import { Lag } from '../../../../gateway/reads/connections/replica.ts'

describe('the lag of a replica', () => {
  it('is 0 if the replica has everything of the primary, however old that is', () => {
    const lag = new Lag()
    lag.notePrimary(100, 1_000)
    expect(lag.ms(100, 1_001)).to.equal(0)
    lag.notePrimary(100, 60_000)
    expect(lag.ms(100, 60_001)).to.equal(0)
  })

  it('is the age of the first missing write', () => {
    const lag = new Lag()
    lag.notePrimary(100, 1_000)
    lag.notePrimary(200, 2_000)
    lag.notePrimary(200, 3_000)
    lag.notePrimary(300, 4_000)
    expect(lag.ms(50, 4_500)).to.equal(3_500)
    expect(lag.ms(150, 4_500)).to.equal(2_500)
    expect(lag.ms(299, 4_500)).to.equal(500)
    expect(lag.ms(300, 4_500)).to.equal(0)
  })

  it('keeps growing while the replica stands still', () => {
    const lag = new Lag()
    for (let second = 1; second <= 5_000; second++) lag.notePrimary(second, second * 1_000)
    expect(lag.ms(0, 5_000_000)).to.equal(4_999_000)
    lag.notePrimary(6_000, 6_000_000)
    expect(lag.ms(6_000, 6_000_000)).to.equal(0)
  })
})
