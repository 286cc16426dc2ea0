// All writes against a plain model of them. npm run test:long plays a thousand sequences; SEQUENCES says otherwise.
import { compareWithModel } from './compare.ts'

const SEQUENCES = Number(process.env.SEQUENCES ?? 20)
const LIMIT_MS = 30_000

describe('random sequences of all writes', function () {
  this.timeout(LIMIT_MS + 60_000)

  it(`have the same answers and effects as the model, several at a time on the same bookables (${SEQUENCES} sequences)`, () =>
    compareWithModel(SEQUENCES, { ms: LIMIT_MS, mustFinish: false }))
})
