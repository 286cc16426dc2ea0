// Runs tests that mostly wait at the same time. Each has a world of its own.

// More at once would fill the queues of a busy machine, which then refuses writes.
const AT_ONCE = 8

/** Reports each test under its own title, as if they ran one after the other. */
export function itInParallel(tests: Record<string, () => Promise<void>>): void {
  const running = new Map<string, Promise<void>>()

  before(() => {
    const lanes = Array.from({ length: AT_ONCE }, () => Promise.resolve())
    for (const [index, [title, test]] of Object.entries(tests).entries()) {
      const lane = index % AT_ONCE
      const end = (lanes[lane] ?? Promise.resolve()).then(test)
      // Reported when its turn comes.
      lanes[lane] = end.catch(() => undefined)
      running.set(title, end)
    }
  })
  for (const title of Object.keys(tests)) it(title, () => running.get(title))
  after(() => Promise.allSettled(running.values()))
}
