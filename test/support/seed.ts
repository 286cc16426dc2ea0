// Provides the seed of random tests. Most runs use the same seed, so that a commit does not pass or fail by
// chance. Long runs use a random seed.
import { isLong } from './time.ts'

const given = process.env.TEST_SEED ?? (isLong ? 'random' : '1')

/** `TEST_SEED=random` chooses a random seed, `TEST_SEED=7` repeats a run. */
export const testSeed = given === 'random' ? Math.floor(Math.random() * 1e6) : Number(given)
