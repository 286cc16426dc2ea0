// The faults of a trial, each at a random moment and for a random time; afterwards all works again.
import { setTimeout as wait } from 'node:timers/promises'
import type { TcpProxy } from '../support/faults/proxy.ts'
import { type Stage, type Worker, WRITE_WAIT_MS } from './stage.ts'

const LATE_CLAIMS = 6

type Fault = (stage: Stage) => Promise<void>

export const FAULTS: Record<string, Fault> = {
  'a worker is killed': async (stage) => {
    const worker = anyOf(stage.workers)
    worker.child.kill('SIGKILL')
    await stage.restartWorker(worker)
  },

  'a worker is killed in its commit': (stage) =>
    killWhen(stage, (worker, kill) =>
      worker.postgres.catch('server', 'COMMIT', () => {
        kill()
        return 'forward'
      }),
    ),

  'a worker is killed after its commit, before its reply': (stage) =>
    killWhen(stage, (worker, kill) =>
      worker.redis.catch('server', 'spublish', () => {
        kill()
        return 'hold'
      }),
    ),

  'the workers’ Postgres is cut off': (stage) => cut(postgresOf(stage), between(100, 1_500)),

  // What they have sent arrives after their callers have been told that it never will.
  'the workers’ Postgres falls silent past every deadline': async (stage) => {
    const proxies = postgresOf(stage)
    for (const proxy of proxies) proxy.freeze()
    await wait(WRITE_WAIT_MS + between(200, 1_500))
    await Promise.all(proxies.map((proxy) => proxy.restore()))
  },

  // Of writes that workers have begun: their receipts arrive when they have been abandoned.
  'claims of attempts are late past their deadline': async (stage) => {
    const proxies = postgresOf(stage)
    await new Promise<void>((resolve) => {
      let left = LATE_CLAIMS
      const traps = proxies.map((proxy) =>
        proxy.trap('server', 'INTO receipts', () => {
          left--
          if (left === 0) resolve()
          if (left <= 0) for (const remove of traps) remove()
          return 'hold'
        }),
      )
    })
    await wait(WRITE_WAIT_MS + between(100, 400))
    await Promise.all(proxies.map((proxy) => proxy.restore()))
  },

  'the gateway’s Postgres is cut off': (stage) => cut([stage.gatewayPostgres], between(100, 1_500)),

  'everybody’s Postgres is cut off past every deadline': (stage) =>
    cut([stage.gatewayPostgres, ...postgresOf(stage)], WRITE_WAIT_MS + between(200, 1_000)),

  'Redis is restarted with its data': (stage) => stage.restartRedis({ keepsData: true }, pause),

  'Redis is restarted without its data': (stage) => stage.restartRedis({ keepsData: false }, pause),
}

async function killWhen(stage: Stage, moment: (worker: Worker, kill: () => void) => Promise<void>) {
  const worker = anyOf(stage.workers)
  await moment(worker, () => worker.child.kill('SIGKILL'))
  await stage.restartWorker(worker)
}

async function cut(proxies: TcpProxy[], ms: number) {
  await Promise.all(proxies.map((proxy) => proxy.cut()))
  await wait(ms)
  await Promise.all(proxies.map((proxy) => proxy.restore()))
}

const postgresOf = ({ workers }: Stage) => workers.map(({ postgres }) => postgres)
const pause = () => wait(between(0, 800))

function between(from: number, to: number): number {
  return from + Math.random() * (to - from)
}

function anyOf<T>(items: T[]): T {
  return items[Math.floor(Math.random() * items.length)] as T
}

/** The name of each, in any order. */
export function allFaults(): string[] {
  return Object.keys(FAULTS)
    .map((fault) => ({ fault, key: Math.random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ fault }) => fault)
}
