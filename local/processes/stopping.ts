// Listens for everything that stops `npm start`: Ctrl-C, a signal, a closed terminal, or the end of npm itself.
import { describeProcess, isAlive, readCommandLine } from '../tools/processes.ts'

export type Stopping = ReturnType<typeof listenForStop>

// How long a second signal counts as a duplicate. A single Ctrl-C may arrive twice: from the terminal, and forwarded by
// npm.
const DUPLICATE_SIGNAL_MS = 1_000
const PARENT_POLL_MS = 1_000

export function listenForStop() {
  // Aborted by the first request to stop, after which work in progress is finished.
  const graceful = new AbortController()
  // Aborted by a second Ctrl-C, after which the process waits for nothing.
  const forced = new AbortController()
  let firstMs = 0
  const request = () => {
    if (!graceful.signal.aborted) {
      firstMs = Date.now()
      graceful.abort()
    } else if (Date.now() - firstMs > DUPLICATE_SIGNAL_MS) forced.abort()
  }
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, request)
  if (process.env['npm_lifecycle_event'] !== undefined) watchParent(() => graceful.abort())
  const requested = new Promise<void>((resolve) => graceful.signal.addEventListener('abort', () => resolve()))
  return { graceful: graceful.signal, forced: forced.signal, requested }
}

// Notices the end of npm. The shell between npm and this process forwards no signals and outlives npm, so killing npm
// would leave this process running.
function watchParent(onEnd: () => void): void {
  const parent = process.ppid
  const npm = / -c /.test(readCommandLine(parent)) ? Number(describeProcess(parent).parent) : parent
  setInterval(() => {
    if (process.ppid !== parent || !isAlive(npm)) onEnd()
  }, PARENT_POLL_MS).unref()
}
