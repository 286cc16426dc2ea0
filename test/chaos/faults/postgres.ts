// Faults of Postgres: it crashes or hangs, and its connections break in various ways, for gateways, workers or both.
import { setTimeout as wait } from 'node:timers/promises'
import type { TcpProxy } from '../../support/faults/proxy.ts'
import {
  type Arena,
  applyToNextMatch,
  cut,
  type Fault,
  freeze,
  listGatewayPostgresProxies,
  listPostgresProxies,
  listWorkerPostgresProxies,
  pickLongOutageMs,
  pickOutageMs,
  silenceConnections,
  within,
} from './arena.ts'

const LATE_CLAIM_COUNT = 6
// Late writes continue this long before their deadline.
const MS_BEFORE_DEADLINE = 1_500

export const POSTGRES_FAULTS = {
  'Postgres crashes': ({ stage, random }) => stage.postgres.crash(() => wait(random.between(0, 500))),

  'Postgres hangs and resumes': async (arena) => {
    arena.stage.postgres.freeze()
    await wait(pickOutageMs(arena))
    arena.stage.postgres.thaw()
  },

  'the workers’ Postgres is cut off': (arena) => cut(listWorkerPostgresProxies(arena), pickOutageMs(arena)),

  // The statements of the workers arrive after their callers were told that the writes are not executed.
  'the workers’ Postgres is silent past every deadline': (arena) =>
    freeze(listWorkerPostgresProxies(arena), pickLongOutageMs(arena)),

  // Delays receipts, which workers insert when they begin a write, until callers have abandoned the writes.
  'receipts are inserted past their deadline': (arena) =>
    holdReceipts(arena, arena.stage.waitMs + arena.random.between(100, 400)),

  // Writes run at the last moment, when the data has changed since the requests arrived.
  'writes run after every deadline': (arena) => holdReceipts(arena, arena.stage.waitMs - MS_BEFORE_DEADLINE),

  'the gateways’ Postgres is cut off': (arena) => cut(listGatewayPostgresProxies(arena), pickOutageMs(arena)),
  'the gateways’ Postgres freezes': (arena) => freeze(listGatewayPostgresProxies(arena), pickOutageMs(arena)),
  'Postgres is cut off from all processes past every deadline': (arena) =>
    cut(listPostgresProxies(arena), pickLongOutageMs(arena)),
  // Workers abandon such connections within seconds. An import may wait indefinitely for a statement, until
  // the end of the fault closes its connection.
  'connections to Postgres fall into a black hole': async (arena) => {
    const lost = await silenceConnections(listPostgresProxies(arena), pickOutageMs(arena))
    for (const link of lost) link.drop()
  },

  // Breaks the connection in the middle or at the end of a batch, whose writes then run one by one.
  'a connection is lost while bookings are inserted': (arena) =>
    loseConnection(arena, listWorkerPostgresProxies(arena), 'insert-bookings'),
  'a connection is lost before its commit': (arena) =>
    loseConnection(arena, listWorkerPostgresProxies(arena), 'COMMIT'),

  // Loses the response to a COMMIT: the transaction is committed, but the worker does not know.
  'the answer to a commit is lost': (arena) => loseAnswer(arena, listWorkerPostgresProxies(arena), 'COMMIT'),
  'the answer to an abandoned mark is lost': (arena) =>
    loseAnswer(arena, listGatewayPostgresProxies(arena), 'abandon-receipt'),
  'the answer to an accepted job is lost': (arena) =>
    loseAnswer(arena, listGatewayPostgresProxies(arena), 'accept-job'),
} satisfies Record<string, Fault>

async function holdReceipts(arena: Arena, ms: number): Promise<void> {
  const proxies = listWorkerPostgresProxies(arena)
  const remove: Array<() => void> = []
  await within(
    new Promise<void>((resolve) => {
      let left = LATE_CLAIM_COUNT
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
  await applyToNextMatch(random.pick(proxies), ['server', text], (link) => {
    link.drop()
    return 'drop'
  })
}

async function loseAnswer({ random }: Arena, proxies: TcpProxy[], text: string): Promise<void> {
  await applyToNextMatch(random.pick(proxies), ['server', text], (link) => {
    link.loseAnswer()
    return 'forward'
  })
}
