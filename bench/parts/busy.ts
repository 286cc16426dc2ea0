// Measures bookings on a busy machine: another program uses one core, and callers send requests continuously. Berth
// must not refuse any request while it answers the others in time.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { RunLength, Runner } from '../runner.ts'
import type { Target } from '../stage/targets.ts'
import { compareScenarios } from './comparison.ts'
import { createBookingScenario } from './scenarios.ts'

const CALLER_COUNTS = [1, 32, 128, 256]
const SORTING_SCRIPT = 'for (;;) Array.from({ length: 100_000 }, Math.random).sort()'

export async function compareBusy(
  runner: Runner,
  berth: Target,
  others: readonly Target[],
  lengths: RunLength,
): Promise<void> {
  const sorting = spawn(process.execPath, ['-e', SORTING_SCRIPT], { stdio: 'ignore' })
  const ended = once(sorting, 'exit')
  try {
    console.log('\nBeside a program that uses one core:')
    await compareScenarios(runner, CALLER_COUNTS.map(createBusyScenario), berth, others, lengths)
  } finally {
    sorting.kill('SIGKILL')
    await ended
  }
}

const createBusyScenario = (callers: number) => ({ ...createBookingScenario(callers, {}, 2), rivals: [] })
