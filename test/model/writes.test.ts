// Compares all kinds of writes with a simple model. npm run test:long runs a thousand sequences; SEQUENCES sets another
// number.
import { compareWithModel } from './compare.ts'

const SEQUENCES = Number(process.env.SEQUENCES ?? 20)
const LIMIT_MS = 30_000

describe('random sequences of writes', function () {
  this.timeout(LIMIT_MS + 60_000)

  it(`match the model even if they run concurrently (${SEQUENCES} sequences)`, () =>
    compareWithModel(SEQUENCES, { ms: LIMIT_MS, mustFinish: false }))
})
