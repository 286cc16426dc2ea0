// Bookings on a busy machine: another program uses one core, and callers send requests continuously. No
// request may be refused while the others are answered in time.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Lengths, Runner } from '../runner.ts'
import type { Target } from '../stage/targets.ts'
import { compare } from './comparison.ts'
import { booking } from './scenarios.ts'

const CALLERS = [1, 32, 128, 256]
const SORTING = 'for (;;) Array.from({ length: 100_000 }, Math.random).sort()'

export async function compareBusy(
  runner: Runner,
  berth: Target,
  others: readonly Target[],
  lengths: Lengths,
): Promise<void> {
  const sorting = spawn(process.execPath, ['-e', SORTING], { stdio: 'ignore' })
  const ended = once(sorting, 'exit')
  try {
    console.log('\nBeside a program that uses one core:')
    await compare(runner, CALLERS.map(besideSorting), berth, others, lengths)
  } finally {
    sorting.kill('SIGKILL')
    await ended
  }
}

const besideSorting = (callers: number) => ({ ...booking(callers, {}, 2), rivals: [] })
