// Stops a server when Berth itself was killed and could not: a small shell whose standard input we hold open, and which
// ends when we do, however we end. It must run in a process group of its own, out of reach of Ctrl-C.
import { spawn } from 'node:child_process'
import { signal } from './processes/processes.ts'

// `read` returns when its input ends. The number of seconds bounds a wait for a process that nobody reaps.
const SCRIPT = `
while read -r _; do :; done
kill -s CONT "$1"; kill -s "$2" "$1"
seconds=0
while kill -s 0 "$1" && [ "$seconds" -lt 40 ]; do sleep 1; seconds=$((seconds + 1)); done
kill -s "$3" "$1"
`

/** Returns what ends the watchdog, to be called once the server is gone. */
export function startWatchdog(pid: number, first: NodeJS.Signals, last: NodeJS.Signals): () => void {
  const names = [first, last].map((name) => name.slice('SIG'.length))
  const watchdog = spawn('/bin/sh', ['-c', SCRIPT, 'berth-watchdog', String(pid), ...names], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  // Without a watchdog everything works but the case it is for.
  watchdog.on('error', () => undefined)
  watchdog.stdin.on('error', () => undefined)
  watchdog.unref()
  // A pipe to a child can be unreferenced, though the types of a plain Writable do not say so.
  if ('unref' in watchdog.stdin && typeof watchdog.stdin.unref === 'function') watchdog.stdin.unref()
  return () => {
    if (watchdog.pid !== undefined && watchdog.exitCode === null) signal(watchdog.pid, 'SIGKILL')
  }
}
