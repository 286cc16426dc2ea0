// What the operating system knows of a process (state, start time, command line), and how to end one.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** Signals to send one after the other, each with the time that it may take. */
export type EndingSteps = ReadonlyArray<readonly [signal: NodeJS.Signals, waitMs: number]>

const POLL_MS = 20

export function isAlive(pid: number): boolean {
  if (!signal(pid, 0)) return false
  // A zombie still answers signal 0. In a container without an init process an orphan stays a zombie forever.
  return !/^[ZX]/.test(describe(pid).state)
}

/** `startedAt` distinguishes a process from a later one with the same pid, as in a restarted container. */
export function describe(pid: number): { state: string; parent: string; startedAt: string } {
  if (process.platform !== 'linux') {
    const facts = runPs('-o', 'stat=,ppid=,lstart=', '-p', String(pid))
    const [state = '', parent = '', ...rest] = facts.split(/\s+/)
    return { state, parent, startedAt: rest.join(' ') }
  }
  // The second field is the program's name in parentheses, and may itself contain spaces and parentheses.
  const stat = readProc(`/proc/${pid}/stat`)
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return { state: fields[0] ?? '', parent: fields[1] ?? '', startedAt: fields[19] ?? '' }
}

export function commandLine(pid: number): string {
  if (process.platform === 'linux') return readProc(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim()
  return runPs('-ww', '-o', 'command=', '-p', String(pid))
}

/** False if the process is not ours to end. */
export function signal(pid: number, name: NodeJS.Signals | 0): boolean {
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
    signal(pid, name)
    // A stopped process (Ctrl-Z, a debugger) would never handle the signal.
    signal(pid, 'SIGCONT')
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
