// The trial of truth in full: every fault many times, in any order.
import { expect } from 'chai'
import { allFaults } from '../truth/faults.ts'
import { tryTruth } from '../truth/trial.ts'

const ROUNDS = Number(process.env.ROUNDS ?? 10)

describe('the truth of answers, in full', function () {
  this.timeout(900_000)

  it(`survives ${ROUNDS} rounds of every fault at random moments`, async () => {
    const { lies, answers } = await tryTruth({ faults: Array.from({ length: ROUNDS }, allFaults).flat() })
    console.log(JSON.stringify(answers))
    expect(lies).to.deep.equal([])
  })
})
