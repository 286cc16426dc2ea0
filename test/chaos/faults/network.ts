// Network faults: slow connections anywhere, and broken connections between gateways and their clients.
import { setTimeout as wait } from 'node:timers/promises'
import {
  type Arena,
  applyToNextMatch,
  cut,
  type Fault,
  freeze,
  listPostgresProxies,
  listRedisProxies,
  pickShortOutageMs,
} from './arena.ts'

export const NETWORK_FAULTS = {
  'a network is slow': async (arena) => {
    const { random, stage } = arena
    const anywhere = [
      ...listPostgresProxies(arena),
      ...listRedisProxies(arena),
      ...stage.gateways.map(({ front }) => front),
    ]
    const slow = anywhere.filter(() => random.chance(0.4))
    for (const proxy of slow) proxy.delayMs = random.between(2, 60)
    await wait(random.between(500, 3_000))
    for (const proxy of slow) proxy.delayMs = 0
  },

  'clients are cut off': (arena) => cut([pickFrontProxy(arena)], pickShortOutageMs(arena)),
  'a gateway’s clients hear nothing for a while': (arena) =>
    freeze([pickFrontProxy(arena)], pickShortOutageMs(arena)),

  // The write is executed, but its client does not get the response.
  'an answer to a client is lost': (arena) =>
    applyToNextMatch(pickFrontProxy(arena), ['client', 'HTTP/1.1 200'], (link) => {
      link.drop()
      return 'drop'
    }),
} satisfies Record<string, Fault>

const pickFrontProxy = ({ random, stage }: Arena) => random.pick(stage.gateways).front
