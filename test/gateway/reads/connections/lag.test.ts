// Tests how the lag of a replica is measured as a duration.
import { expect } from 'chai'
import { ReplicaLag } from '../../../../gateway/reads/connections/replica.ts'

describe('the replication lag of a replica', () => {
  it('is 0 if the replica has every write of the primary, even if the last write is old', () => {
    const lag = new ReplicaLag()
    lag.notePrimary(100, 1_000)
    expect(lag.ms(100, 1_001)).to.equal(0)
    lag.notePrimary(100, 60_000)
    expect(lag.ms(100, 60_001)).to.equal(0)
  })

  it('is the age of the oldest write that the replica lacks', () => {
    const lag = new ReplicaLag()
    lag.notePrimary(100, 1_000)
    lag.notePrimary(200, 2_000)
    lag.notePrimary(200, 3_000)
    lag.notePrimary(300, 4_000)
    expect(lag.ms(50, 4_500)).to.equal(3_500)
    expect(lag.ms(150, 4_500)).to.equal(2_500)
    expect(lag.ms(299, 4_500)).to.equal(500)
    expect(lag.ms(300, 4_500)).to.equal(0)
  })

  it('keeps growing while the replica stops applying writes', () => {
    const lag = new ReplicaLag()
    for (let second = 1; second <= 5_000; second++) lag.notePrimary(second, second * 1_000)
    expect(lag.ms(0, 5_000_000)).to.equal(4_999_000)
    lag.notePrimary(6_000, 6_000_000)
    expect(lag.ms(6_000, 6_000_000)).to.equal(0)
  })
})
