// Where random tests begin to draw. It is the same in each run, so that a commit is green or red by itself and not by
// chance; the long runs draw anew.
import { isLong } from './time.ts'

const given = process.env.TEST_SEED ?? (isLong ? 'random' : '1')

/** `TEST_SEED=random` draws it anew, `TEST_SEED=7` repeats a run. */
export const testSeed = given === 'random' ? Math.floor(Math.random() * 1e6) : Number(given)
