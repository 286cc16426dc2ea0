// Stops a server if Berth itself was killed: a small shell whose standard input we hold open, and which
// therefore notices our end in any case. It needs its own process group, out of reach of Ctrl-C.
import { spawn } from 'node:child_process'
import { signal } from './processes.ts'

// `read` returns when its input ends. `seconds` limits the wait for a process that nobody reaps.
const SCRIPT = `
while read -r _; do :; done
kill -s CONT "$1"; kill -s "$2" "$1"
seconds=0
while kill -s 0 "$1" && [ "$seconds" -lt 40 ]; do sleep 1; seconds=$((seconds + 1)); done
kill -s "$3" "$1"
`

/** Returns the function that ends the watchdog, to be called once the server is gone. */
export function startWatchdog(pid: number, first: NodeJS.Signals, last: NodeJS.Signals): () => void {
  const names = [first, last].map((name) => name.slice('SIG'.length))
  const watchdog = spawn('/bin/sh', ['-c', SCRIPT, 'berth-watchdog', String(pid), ...names], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  // Without a watchdog, only the protection for this case is missing.
  watchdog.on('error', () => undefined)
  watchdog.stdin.on('error', () => undefined)
  watchdog.unref()
  // A pipe to a child can be unreferenced, though the type of a plain Writable does not say so.
  if ('unref' in watchdog.stdin && typeof watchdog.stdin.unref === 'function') watchdog.stdin.unref()
  return () => {
    if (watchdog.pid !== undefined && watchdog.exitCode === null) signal(watchdog.pid, 'SIGKILL')
  }
}
