// Runs tests concurrently that mostly wait. Each test has its own world.

type Options = {
  /** The number of tests that run at the same time. Defaults to all. */
  atOnce?: number
}

/** Reports each test under its own title, as if they ran one after the other. */
export function itInParallel(tests: Record<string, () => Promise<void>>, options: Options = {}): void {
  const { atOnce = Object.keys(tests).length } = options
  const running = new Map<string, Promise<void>>()

  before(() => {
    const lanes = Array.from({ length: atOnce }, () => Promise.resolve())
    for (const [index, [title, test]] of Object.entries(tests).entries()) {
      const lane = index % atOnce
      const end = (lanes[lane] ?? Promise.resolve()).then(test)
      // Ignores the failure here, because it is reported when the test's turn comes.
      lanes[lane] = end.catch(() => undefined)
      running.set(title, end)
    }
  })
  for (const title of Object.keys(tests)) it(title, () => running.get(title))
  after(() => Promise.allSettled(running.values()))
}
