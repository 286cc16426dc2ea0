// The ways in which `npm start` is asked to stop: Ctrl-C, a signal, a closed terminal, or the end of npm itself.
import { commandLine, isAlive, parentOf } from './processes.ts'

export type Stopping = {
  /** Aborted by the first request: stop in good order. */
  soon: AbortSignal
  /** Aborted by a second Ctrl-C: do not wait any longer. */
  now: AbortSignal
  requested: Promise<void>
}

// One Ctrl-C may arrive twice: from the terminal, and passed on by npm.
const ECHO_MS = 1_000
const PARENT_POLL_MS = 1_000

export function listenForStop(): Stopping {
  const soon = new AbortController()
  const now = new AbortController()
  let firstMs = 0
  const request = () => {
    if (!soon.signal.aborted) {
      firstMs = Date.now()
      soon.abort()
    } else if (Date.now() - firstMs > ECHO_MS) now.abort()
  }
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, request)
  if (process.env['npm_lifecycle_event'] !== undefined) watchParent(() => soon.abort())
  const requested = new Promise<void>((resolve) => soon.signal.addEventListener('abort', () => resolve()))
  return { soon: soon.signal, now: now.signal, requested }
}

// The shell between npm and us passes no signals on, and outlives npm: `kill` of npm would leave us behind.
function watchParent(onEnd: () => void): void {
  const parent = process.ppid
  const npm = / -c /.test(commandLine(parent)) ? parentOf(parent) : parent
  setInterval(() => {
    if (process.ppid !== parent || !isAlive(npm)) onEnd()
  }, PARENT_POLL_MS).unref()
}
