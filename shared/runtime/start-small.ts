// Starts a process in a way that uses little memory while the process is idle. By default, V8 reserves 32 MB for
// short-lived values while it loads the code, and keeps that memory. The threads that optimize code during loading
// leave another 4 to 11 MB behind.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const STARTED_AFTER_MS = 1_000

export async function startWithLittleMemory(load: () => Promise<unknown>): Promise<void> {
  // While the code is loaded, the space for short-lived values keeps its initial size (1 MB). Afterwards, the space
  // grows with the load.
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
