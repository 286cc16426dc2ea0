// Faults of processes: they are killed at a random or the worst possible moment, stopped, or frozen for a while.
import { setTimeout as wait } from 'node:timers/promises'
import type { TrapAction } from '../../support/faults/proxy.ts'
import type { Child } from '../../support/processes.ts'
import { type Arena, applyToNextMatch, type Fault, pickLongOutageMs, pickShortOutageMs } from './arena.ts'

export const PROCESS_FAULTS = {
  'a worker is killed': async ({ stage, random }) => {
    const worker = random.pick(stage.workers)
    worker.child.kill('SIGKILL')
    await wait(random.between(0, 500))
    await stage.restartWorker(worker)
  },

  'a worker is killed before its commit': (arena) => killAt(arena, 'postgres', 'COMMIT', 'drop'),
  'a worker is killed in its commit': (arena) => killAt(arena, 'postgres', 'COMMIT', 'forward'),
  'a worker is killed after its commit, before its reply': (arena) =>
    killAt(arena, 'redis', 'spublish', 'drop'),

  'all workers are killed': async ({ stage, random }) => {
    for (const { child } of stage.workers) child.kill('SIGKILL')
    await wait(random.between(0, 500))
    await Promise.all(stage.workers.map((worker) => stage.restartWorker(worker)))
  },

  // A second worker takes over the job, and then the first worker continues with the same job.
  'a worker hangs and resumes': async (arena) => {
    const { child } = arena.random.pick(arena.stage.workers)
    await freezeProcess(child, arena.random.between(2_500, 5_000))
  },

  'a worker is told to end': async ({ stage, random }) => {
    const worker = random.pick(stage.workers)
    worker.child.kill('SIGTERM')
    await stage.restartWorker(worker)
  },

  'a gateway is killed': async ({ stage, random }) => {
    const gateway = random.pick(stage.gateways)
    gateway.child.kill('SIGKILL')
    await wait(random.between(0, 500))
    await stage.restartGateway(gateway)
  },

  'a gateway is told to end': async ({ stage, random }) => {
    const gateway = random.pick(stage.gateways)
    gateway.child.kill('SIGTERM')
    await stage.restartGateway(gateway)
  },

  'a gateway hangs and resumes': async (arena) => {
    const { child } = arena.random.pick(arena.stage.gateways)
    await freezeProcess(child, arena.random.chance(0.3) ? pickLongOutageMs(arena) : pickShortOutageMs(arena))
  },
} satisfies Record<string, Fault>

async function freezeProcess(child: Child, ms: number): Promise<void> {
  child.kill('SIGSTOP')
  await wait(ms)
  child.kill('SIGCONT')
}

/** Kills the process when it sends this text to the target. */
async function killAt(
  { stage, random }: Arena,
  where: 'postgres' | 'redis',
  text: string,
  fate: TrapAction,
): Promise<void> {
  const worker = random.pick(stage.workers)
  const { child } = worker
  await applyToNextMatch(worker[where], ['server', text], () => {
    child.kill('SIGKILL')
    return fate
  })
  child.kill('SIGKILL')
  await stage.restartWorker(worker)
}
