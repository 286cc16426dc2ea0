// The comparison with the model in full: a thousand sequences of writes.
import { compareWithModel } from '../model/compare.ts'

const SEQUENCES = Number(process.env.SEQUENCES ?? 1_000)
const LIMIT_MS = 600_000

describe('random sequences of all writes, in full', function () {
  this.timeout(LIMIT_MS + 60_000)

  it(`answer and change what the model does (${SEQUENCES} sequences)`, () =>
    compareWithModel(SEQUENCES, { ms: LIMIT_MS, mustFinish: true }))
})
