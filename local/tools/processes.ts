// Reads what the operating system knows about a process (state, start time, command line), and ends processes.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** Signals to send one after the other, each with the time to wait for the process to end. */
export type EndingSteps = ReadonlyArray<readonly [signal: NodeJS.Signals, waitMs: number]>

const POLL_MS = 20

export function isAlive(pid: number): boolean {
  if (!sendSignal(pid, 0)) return false
  // Treats a zombie as ended, although it still answers signal 0. In a container without an init process, an orphan
  // stays a zombie forever.
  return !/^[ZX]/.test(describeProcess(pid).state)
}

/**
 * Describes a process. `startedAt` distinguishes it from a later process with the same pid, as in a restarted
 * container.
 */
export function describeProcess(pid: number): { state: string; parent: string; startedAt: string } {
  if (process.platform !== 'linux') {
    const facts = runPs('-o', 'stat=,ppid=,lstart=', '-p', String(pid))
    const [state = '', parent = '', ...rest] = facts.split(/\s+/)
    return { state, parent, startedAt: rest.join(' ') }
  }
  // The second field of the file is the program's name in parentheses, and may itself contain spaces and parentheses.
  const stat = readProc(`/proc/${pid}/stat`)
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return { state: fields[0] ?? '', parent: fields[1] ?? '', startedAt: fields[19] ?? '' }
}

export function readCommandLine(pid: number): string {
  if (process.platform === 'linux') return readProc(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim()
  return runPs('-ww', '-o', 'command=', '-p', String(pid))
}

/** Sends a signal. Returns false if this user may not signal the process. */
export function sendSignal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, name)
    return true
  } catch (error) {
    return name === 0 && (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

export async function waitForEnd(pid: number, waitMs: number): Promise<boolean> {
  const deadline = Date.now() + waitMs
  while (isAlive(pid)) {
    if (Date.now() > deadline) return false
    await sleep(POLL_MS)
  }
  return true
}

export async function endProcess(pid: number, steps: EndingSteps): Promise<boolean> {
  for (const [name, waitMs] of steps) {
    sendSignal(pid, name)
    // Continues the process first: a stopped process (Ctrl-Z, a debugger) would never handle the signal.
    sendSignal(pid, 'SIGCONT')
    if (await waitForEnd(pid, waitMs)) return true
  }
  return false
}

function readProc(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function runPs(...parameters: string[]): string {
  const options = { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } } as const
  return spawnSync('ps', parameters, options).stdout?.trim() ?? ''
}
