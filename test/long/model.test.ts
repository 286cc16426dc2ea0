// Runs the full comparison with the model: a thousand sequences of writes.
import { compareWithModel } from '../model/compare.ts'

const SEQUENCES = Number(process.env.SEQUENCES ?? 1_000)
const LIMIT_MS = 600_000

describe('the full set of random write sequences', function () {
  this.timeout(LIMIT_MS + 60_000)

  it(`gets the responses that the model predicts (${SEQUENCES} sequences)`, () =>
    compareWithModel(SEQUENCES, { ms: LIMIT_MS, mustFinish: true }))
})
