// What helpers of tests need done around tests and files. They say so when they are first loaded, so that a test file
// loads only what it uses: setup.ts runs these hooks, and starts servers only if a file uses some.
type Step = () => unknown

const nothing: Step = () => undefined

export const hooks = {
  needsServers: false,
  /** What may still be open after a file. */
  openBefore: [] as string[],
  beforeTest: new Set<Step>(),
  afterTest: new Set<Step>(),
  /** Close what a test that failed left open, in this order. */
  afterFile: { browser: nothing, children: nothing, worlds: nothing, proxies: nothing },
}

export const listOpen = () => process.getActiveResourcesInfo().filter((each) => each !== 'Timeout')

/** Each of `known` counts once. */
export function without(all: string[], known: string[]): string[] {
  const left = [...all]
  for (const each of known) if (left.includes(each)) left.splice(left.indexOf(each), 1)
  return left
}
