// Runs tests that mostly wait at the same time. Each has a world of its own.

type Options = {
  /** How many run at once, for tests that would fill the queues of a busy machine. Defaults to all. */
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
      // Reported when its turn comes.
      lanes[lane] = end.catch(() => undefined)
      running.set(title, end)
    }
  })
  for (const title of Object.keys(tests)) it(title, () => running.get(title))
  after(() => Promise.allSettled(running.values()))
}
