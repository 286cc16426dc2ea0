// Every answer of every write is true, whatever fails meanwhile; and without what makes it so, this test finds lies.
// npm run test:long tries every fault many times.
import { expect } from 'chai'
import { itAtOnce } from '../support/at-once.ts'
import { allFaults } from '../truth/faults.ts'
import { SABOTAGE } from '../truth/sabotage.ts'
import { tryTruth } from '../truth/trial.ts'

// In which faults the missing pillar shows.
const SHOWN_BY: Record<keyof typeof SABOTAGE, string[]> = {
  'the receipt of what was done': Array(2).fill('a worker is killed after its commit, before its reply'),
  'the mark of what was abandoned': Array(2).fill('claims of attempts are late past their deadline'),
  'the exclusion constraint': [],
}

const sabotaged = Object.entries(SABOTAGE).map(([pillar, prepare]) => [
  `is missed without ${pillar}`,
  async () => {
    const { lies, answers } = await tryTruth({ faults: SHOWN_BY[pillar as keyof typeof SABOTAGE], prepare })
    expect(lies, JSON.stringify(answers)).to.not.have.length(0)
  },
])

describe('the truth of answers', function () {
  this.timeout(120_000)

  itAtOnce({
    'survives every fault at a random moment': async () => {
      const { lies, answers } = await tryTruth({ faults: allFaults() })
      expect(lies, JSON.stringify(answers)).to.deep.equal([])
      expect(answers).to.include.keys('200', '204', '409 booking_conflict')
    },
    ...Object.fromEntries(sabotaged),
  })
})
