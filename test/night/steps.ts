// The steps of `npm run test:night`. Each is a command that may run for an hour or more, so that a run which is stopped loses
// at most one of them.

export type Step = {
  name: string
  command: string[]
  /** The seed of a random step. The ledger names it, so that anybody can repeat the step. */
  seed?: number
}

const CHAOS_WRITES_PER_STEP = 20_000
const CHAOS_STEPS = 10
const FUZZ_REQUESTS_PER_STEP = 200_000
const FUZZ_STEPS = 5
const FUZZ_RACES = 20_000
const FUZZ_FILES_PER_STEP = 5_000
const FUZZ_FILE_STEPS = 4
const FUZZ_IMPORTS = 5_000
const SEED_MAX = 1_000_000

/**
 * Lists all steps for a commit: 200,000 writes, 1,000,000 requests, 20,000 races and 20,000 files, with seeds that depend on
 * the commit.
 */
export function listSteps(commit: string): Step[] {
  const first = Number.parseInt(commit.slice(0, 8), 16) % SEED_MAX
  const chaos = ['npm', 'run', 'test:chaos', '--', '--only']
  const fuzz = ['npm', 'run', 'test:fuzz', '--', '--only']
  return [
    ...repeat(CHAOS_STEPS, 'chaos', first, [...chaos, 'run', `--writes=${CHAOS_WRITES_PER_STEP}`]),
    ...repeat(1, 'chaos, planted faults', first, [...chaos, 'planted']),
    ...repeat(FUZZ_STEPS, 'fuzz, requests', first, [
      ...fuzz,
      'requests',
      `--requests=${FUZZ_REQUESTS_PER_STEP}`,
    ]),
    ...repeat(1, 'fuzz, races', first, [...fuzz, 'races', `--races=${FUZZ_RACES}`]),
    ...repeat(FUZZ_FILE_STEPS, 'fuzz, files', first, [...fuzz, 'files', `--files=${FUZZ_FILES_PER_STEP}`]),
    ...repeat(1, 'fuzz, imports', first, [...fuzz, 'imports', `--imports=${FUZZ_IMPORTS}`]),
    ...repeat(1, 'fuzz, connections', first, [...fuzz, 'connections']),
    ...repeat(1, 'fuzz, planted faults', first, [...fuzz, 'planted']),
    { name: 'long', command: ['npm', 'run', 'test:long'] },
    { name: 'scale', command: ['npm', 'run', 'test:scale'] },
    { name: 'bench', command: ['npm', 'run', 'bench'] },
  ]
}

function repeat(times: number, name: string, firstSeed: number, command: string[]): Step[] {
  return Array.from({ length: times }, (_, index) => {
    const seed = firstSeed + index
    return {
      name: times === 1 ? name : `${name} ${index + 1} of ${times}`,
      seed,
      command: [...command, '--seed', String(seed)],
    }
  })
}
