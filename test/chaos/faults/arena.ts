// The targets of faults. A fault begins, lasts a random time, and restores its target before it returns.
import { setTimeout as wait } from 'node:timers/promises'
import type { Random } from '../../harness/random.ts'
import type { Direction, Link, TcpProxy, TrapAction } from '../../support/faults/proxy.ts'
import type { Stage } from '../stage/stage.ts'

export type Arena = { stage: Stage; random: Random }
export type Fault = (arena: Arena) => Promise<void>

// A trap that no write triggers within this time is removed.
const TRAP_MS_MAX = 5_000

export const listWorkerPostgresProxies = ({ stage }: Arena) => stage.workers.map(({ postgres }) => postgres)
export const listGatewayPostgresProxies = ({ stage }: Arena) => stage.gateways.map(({ postgres }) => postgres)
export const listRedisProxies = ({ stage }: Arena) => stage.processes.map(({ redis }) => redis)
export const listPostgresProxies = ({ stage }: Arena) => stage.processes.map(({ postgres }) => postgres)

export const pickShortOutageMs = ({ random }: Arena) => random.between(100, 1_500)
/** Longer than any caller waits for an answer. */
export const pickLongOutageMs = ({ random, stage }: Arena) => stage.waitMs + random.between(200, 1_000)
/** Returns a mostly short duration, which sometimes exceeds every deadline. */
export const pickOutageMs = (arena: Arena) =>
  arena.random.chance(0.2) ? pickLongOutageMs(arena) : pickShortOutageMs(arena)

export async function cut(proxies: TcpProxy[], ms: number): Promise<void> {
  await Promise.all(proxies.map((proxy) => proxy.cut()))
  await wait(ms)
  await Promise.all(proxies.map((proxy) => proxy.restore()))
}

/** Freezes the proxies for some time. Data sent in the meantime arrives afterwards. */
export async function freeze(proxies: TcpProxy[], ms: number): Promise<void> {
  for (const proxy of proxies) proxy.freeze()
  await wait(ms)
  await Promise.all(proxies.map((proxy) => proxy.restore()))
}

/** Simulates a machine that dies: existing connections stay silent forever, new ones work. Returns the silent ones. */
export async function silenceConnections(proxies: TcpProxy[], ms: number): Promise<Link[]> {
  const lost = proxies.flatMap((proxy) => proxy.links)
  for (const proxy of proxies) proxy.freeze()
  await Promise.all(proxies.map((proxy) => proxy.restore({ lost: true })))
  await wait(ms)
  return lost
}

/** Applies a fault to the next bytes that contain this text. Waits for these bytes for a limited time. */
export async function applyToNextMatch(
  proxy: TcpProxy,
  [toward, text]: [Direction, string],
  fate: (link: Link) => TrapAction,
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

/** Waits for the trap to be triggered, for a limited time. Returns undefined if it was not. */
export async function within<Result>(sprung: Promise<Result>, ms = TRAP_MS_MAX): Promise<Result | undefined> {
  return Promise.race([sprung, wait(ms, undefined, { ref: false })])
}
