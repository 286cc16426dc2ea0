// The targets of faults. Each fault begins, lasts a random time and is over when it returns: then its target works again.
import { setTimeout as wait } from 'node:timers/promises'
import type { Random } from '../../harness/random.ts'
import type { Fate, Link, TcpProxy, Toward } from '../../support/faults/proxy.ts'
import type { Stage } from '../stage/stage.ts'

export type Arena = { stage: Stage; random: Random }
export type Fault = (arena: Arena) => Promise<void>

// Where nothing is written at the moment a trap is not sprung.
const TRAP_MS_MAX = 5_000

export const postgresOfWorkers = ({ stage }: Arena) => stage.workers.map(({ postgres }) => postgres)
export const postgresOfGateways = ({ stage }: Arena) => stage.gateways.map(({ postgres }) => postgres)
export const allRedis = ({ stage }: Arena) => [...stage.gateways, ...stage.workers].map(({ redis }) => redis)
export const allPostgres = (arena: Arena) => [...postgresOfGateways(arena), ...postgresOfWorkers(arena)]

export const shortly = ({ random }: Arena) => random.between(100, 1_500)
/** So long that everybody who waits has been told something. */
export const pastDeadlines = ({ random, stage }: Arena) => stage.waitMs + random.between(200, 1_000)
/** Mostly short, sometimes past every deadline. */
export const aWhile = (arena: Arena) => (arena.random.chance(0.2) ? pastDeadlines(arena) : shortly(arena))

export async function cut(proxies: TcpProxy[], ms: number): Promise<void> {
  await Promise.all(proxies.map((proxy) => proxy.cut()))
  await wait(ms)
  await Promise.all(proxies.map((proxy) => proxy.restore()))
}

/** What was sent meanwhile arrives afterwards. */
export async function freeze(proxies: TcpProxy[], ms: number): Promise<void> {
  for (const proxy of proxies) proxy.freeze()
  await wait(ms)
  await Promise.all(proxies.map((proxy) => proxy.restore()))
}

/** As when a machine dies: the connections of before stay silent for good, new ones work. Returns the silent ones. */
export async function blackHole(proxies: TcpProxy[], ms: number): Promise<Link[]> {
  const lost = proxies.flatMap((proxy) => proxy.links)
  for (const proxy of proxies) proxy.freeze()
  await Promise.all(proxies.map((proxy) => proxy.restore({ lost: true })))
  await wait(ms)
  return lost
}

/** Decides what becomes of the next bytes with this text; waits for them, but not for ever. */
export async function onNext(
  proxy: TcpProxy,
  [toward, text]: [Toward, string],
  fate: (link: Link) => Fate,
): Promise<void> {
  let remove: () => void = () => undefined
  await within(
    new Promise<void>((resolve) => {
      remove = proxy.trap(toward, text, (link) => {
        remove()
        resolve()
        return fate(link)
      })
    }),
  )
  remove()
}

/** Until then, or until nothing of it can be expected any more. */
export async function within(sprung: Promise<void>, ms = TRAP_MS_MAX): Promise<void> {
  await Promise.race([sprung, wait(ms, undefined, { ref: false })])
}
