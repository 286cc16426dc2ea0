// The ways to stop `npm start`: Ctrl-C, a signal, a closed terminal, or the end of npm itself.
import { commandLine, describe, isAlive } from '../tools/processes.ts'

export type Stopping = ReturnType<typeof listenForStop>

// One Ctrl-C may arrive twice: from the terminal, and passed on by npm.
const ECHO_MS = 1_000
const PARENT_POLL_MS = 1_000

export function listenForStop() {
  // Aborted by the first request: finish the work in progress.
  const graceful = new AbortController()
  // Aborted by a second Ctrl-C: do not wait any longer.
  const forced = new AbortController()
  let firstMs = 0
  const request = () => {
    if (!graceful.signal.aborted) {
      firstMs = Date.now()
      graceful.abort()
    } else if (Date.now() - firstMs > ECHO_MS) forced.abort()
  }
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, request)
  if (process.env['npm_lifecycle_event'] !== undefined) watchParent(() => graceful.abort())
  const requested = new Promise<void>((resolve) => graceful.signal.addEventListener('abort', () => resolve()))
  return { graceful: graceful.signal, forced: forced.signal, requested }
}

// The shell between npm and us forwards no signals and outlives npm: killing npm would leave us running.
function watchParent(onEnd: () => void): void {
  const parent = process.ppid
  const npm = / -c /.test(commandLine(parent)) ? Number(describe(parent).parent) : parent
  setInterval(() => {
    if (process.ppid !== parent || !isAlive(npm)) onEnd()
  }, PARENT_POLL_MS).unref()
}
