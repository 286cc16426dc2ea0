// Stops a server when Berth itself was killed and could not: a small shell whose standard input is held open by us,
// and ends when we do, however we end. It must live in a process group of its own, out of reach of Ctrl-C.
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

/** Returns what dismisses the guard, to be called once the server is gone. */
export function guardProcess(pid: number, first: NodeJS.Signals, last: NodeJS.Signals): () => void {
  const names = [first, last].map((name) => name.slice('SIG'.length))
  const guard = spawn('/bin/sh', ['-c', SCRIPT, 'berth-guard', String(pid), ...names], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  // Without a guard everything works but the case it is for.
  guard.on('error', () => undefined)
  guard.stdin.on('error', () => undefined)
  guard.unref()
  // A pipe to a child can be unreferenced, though the types of a plain Writable do not say so.
  if ('unref' in guard.stdin && typeof guard.stdin.unref === 'function') guard.stdin.unref()
  return () => {
    if (guard.pid !== undefined && guard.exitCode === null) signal(guard.pid, 'SIGKILL')
  }
}
