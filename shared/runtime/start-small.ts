// Starts a process that holds little memory while it is idle. Without this, loading the code fills 32 MB for
// short-lived values, and V8 keeps them. The threads that optimize code while it is loaded leave 4 to 11 MB behind.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const STARTED_AFTER_MS = 1_000

export async function startSmall(load: () => Promise<unknown>): Promise<void> {
  // Space for short-lived values stays as it begins (1 MB) while the code is loaded, and then grows with the load.
  setFlagsFromString('--semi-space-growth-factor=1')
  setFlagsFromString('--no-opt')
  await load()
  setFlagsFromString('--opt')
  setFlagsFromString('--semi-space-growth-factor=2')
  setTimeout(collectGarbage, STARTED_AFTER_MS).unref()
}

function collectGarbage() {
  setFlagsFromString('--expose-gc')
  setFlagsFromString('--compact-on-every-full-gc')
  runInNewContext('gc')()
  setFlagsFromString('--no-compact-on-every-full-gc')
}
