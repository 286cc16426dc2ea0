// Tests that mostly wait, run at the same time: all begin before the first is reported, each in a world of its own.

/** Each is reported under its own title, as if they ran one after the other. */
export function itInParallel(tests: Record<string, () => Promise<void>>): void {
  const running = new Map<string, Promise<void>>()

  before(() => {
    for (const [title, test] of Object.entries(tests)) {
      const end = test()
      // Reported when its turn comes.
      end.catch(() => undefined)
      running.set(title, end)
    }
  })
  for (const title of Object.keys(tests)) it(title, () => running.get(title))
  after(() => Promise.allSettled(running.values()))
}
