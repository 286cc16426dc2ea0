// Postgres crashes, hangs, and its connections break in every way, for gateways, for workers and for all.
import { setTimeout as wait } from 'node:timers/promises'
import type { TcpProxy } from '../../support/faults/proxy.ts'
import {
  type Arena,
  allPostgres,
  aWhile,
  blackHole,
  cut,
  type Fault,
  freeze,
  onNext,
  pastDeadlines,
  postgresOfGateways,
  postgresOfWorkers,
  within,
} from './arena.ts'

const LATE_CLAIMS = 6
// So long before their deadline late writes go on.
const LEFT_MS = 1_500

export const POSTGRES_FAULTS = {
  'Postgres crashes': ({ stage, random }) => stage.postgres.crash(() => wait(random.between(0, 500))),

  'Postgres hangs, and goes on': async (arena) => {
    arena.stage.postgres.freeze()
    await wait(aWhile(arena))
    arena.stage.postgres.thaw()
  },

  'the workers’ Postgres is cut off': (arena) => cut(postgresOfWorkers(arena), aWhile(arena)),

  // What they have sent arrives after their callers have been told that it never will.
  'the workers’ Postgres is silent past every deadline': (arena) =>
    freeze(postgresOfWorkers(arena), pastDeadlines(arena)),

  // Of writes that workers have begun: their receipts arrive when they have been abandoned.
  'receipts are inserted past their deadline': (arena) =>
    holdReceipts(arena, arena.stage.waitMs + arena.random.between(100, 400)),

  // They are done at the last moment: what was true when they arrived no longer is.
  'writes are done later than every timer': (arena) => holdReceipts(arena, arena.stage.waitMs - LEFT_MS),

  'the gateways’ Postgres is cut off': (arena) => cut(postgresOfGateways(arena), aWhile(arena)),
  'the gateways’ Postgres freezes': (arena) => freeze(postgresOfGateways(arena), aWhile(arena)),
  'everybody’s Postgres is cut off past every deadline': (arena) =>
    cut(allPostgres(arena), pastDeadlines(arena)),
  // Writes leave them within seconds. An import may wait for a statement as long as that takes, and is helped in the end.
  'connections to Postgres fall into a black hole': async (arena) => {
    const lost = await blackHole(allPostgres(arena), aWhile(arena))
    for (const link of lost) link.drop()
  },

  // In the middle of a batch, and at its end: each of its attempts is then done alone.
  'a connection is lost while bookings are inserted': (arena) =>
    loseConnection(arena, postgresOfWorkers(arena), 'insert-bookings'),
  'a connection is lost before its commit': (arena) =>
    loseConnection(arena, postgresOfWorkers(arena), 'COMMIT'),

  // It has come to pass, and nobody hears so.
  'the answer to a commit is lost': (arena) => loseAnswer(arena, postgresOfWorkers(arena), 'COMMIT'),
  'the answer to an abandoned mark is lost': (arena) =>
    loseAnswer(arena, postgresOfGateways(arena), 'abandon-receipt'),
  'the answer to an accepted job is lost': (arena) =>
    loseAnswer(arena, postgresOfGateways(arena), 'accept-job'),
} satisfies Record<string, Fault>

async function holdReceipts(arena: Arena, ms: number): Promise<void> {
  const proxies = postgresOfWorkers(arena)
  const remove: Array<() => void> = []
  await within(
    new Promise<void>((resolve) => {
      let left = LATE_CLAIMS
      for (const proxy of proxies) {
        const trap = proxy.trap('server', 'claim-attempts', () => {
          if (--left === 0) resolve()
          return left >= 0 ? 'hold' : 'forward'
        })
        remove.push(trap)
      }
    }),
  )
  for (const each of remove) each()
  await wait(ms)
  await Promise.all(proxies.map((proxy) => proxy.restore()))
}

async function loseConnection({ random }: Arena, proxies: TcpProxy[], text: string): Promise<void> {
  await onNext(random.pick(proxies), ['server', text], (link) => {
    link.drop()
    return 'drop'
  })
}

async function loseAnswer({ random }: Arena, proxies: TcpProxy[], text: string): Promise<void> {
  await onNext(random.pick(proxies), ['server', text], (link) => {
    link.loseAnswer()
    return 'forward'
  })
}
