// Hooks of test helpers around tests and files. Helpers register their hooks when they are loaded, so that a test file
// loads only the helpers that it uses. setup.ts runs these hooks, and starts servers only if a file uses them.
type Step = () => unknown

const doNothing: Step = () => undefined

export const hooks = {
  needsServers: false,
  /** Resources that may still be open after a file. */
  openBefore: [] as string[],
  beforeTest: new Set<Step>(),
  afterTest: new Set<Step>(),
  /** Closes resources that a failed test left open, in the given order. */
  afterFile: { browser: doNothing, children: doNothing, worlds: doNothing, proxies: doNothing },
}

export const listOpen = () => process.getActiveResourcesInfo().filter((each) => each !== 'Timeout')

/** Removes each of `known` once. */
export function without(all: string[], known: string[]): string[] {
  const left = [...all]
  for (const each of known) if (left.includes(each)) left.splice(left.indexOf(each), 1)
  return left
}
