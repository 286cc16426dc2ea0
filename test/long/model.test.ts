// The comparison with the model in full: a thousand sequences of writes.
import { compareWithModel } from '../model/compare.ts'

const SEQUENCES = Number(process.env.SEQUENCES ?? 1_000)
const LIMIT_MS = 600_000

describe('the full set of random sequences of all writes', function () {
  this.timeout(LIMIT_MS + 60_000)

  it(`has the same answers and effects as the model (${SEQUENCES} sequences)`, () =>
    compareWithModel(SEQUENCES, { ms: LIMIT_MS, mustFinish: true }))
})
