// Faults of processes: they are killed at a random moment or the worst one, stopped, or frozen for a while.
import { setTimeout as wait } from 'node:timers/promises'
import type { Fate } from '../../support/faults/proxy.ts'
import type { Child } from '../../support/processes.ts'
import { type Arena, type Fault, onNext, pastDeadlines, shortly } from './arena.ts'

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

  // Another one takes its work over; then it goes on with it.
  'a worker hangs, and goes on': async (arena) => {
    const { child } = arena.random.pick(arena.stage.workers)
    await hang(child, arena.random.between(2_500, 5_000))
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

  'a gateway hangs, and goes on': async (arena) => {
    const { child } = arena.random.pick(arena.stage.gateways)
    await hang(child, arena.random.chance(0.3) ? pastDeadlines(arena) : shortly(arena))
  },
} satisfies Record<string, Fault>

async function hang(child: Child, ms: number): Promise<void> {
  child.kill('SIGSTOP')
  await wait(ms)
  child.kill('SIGCONT')
}

/** When it sends this text there. */
async function killAt(
  { stage, random }: Arena,
  where: 'postgres' | 'redis',
  text: string,
  fate: Fate,
): Promise<void> {
  const worker = random.pick(stage.workers)
  const { child } = worker
  await onNext(worker[where], ['server', text], () => {
    child.kill('SIGKILL')
    return fate
  })
  child.kill('SIGKILL')
  await stage.restartWorker(worker)
}
