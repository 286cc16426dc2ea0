// The network: slow for a while anywhere, and broken between gateways and their clients.
import { setTimeout as wait } from 'node:timers/promises'
import { type Arena, allPostgres, allRedis, cut, type Fault, freeze, onNext, shortly } from './arena.ts'

export const NETWORK_FAULTS = {
  'a network is slow': async (arena) => {
    const { random, stage } = arena
    const anywhere = [...allPostgres(arena), ...allRedis(arena), ...stage.gateways.map(({ front }) => front)]
    const slow = anywhere.filter(() => random.chance(0.4))
    for (const proxy of slow) proxy.delayMs = random.between(2, 60)
    await wait(random.between(500, 3_000))
    for (const proxy of slow) proxy.delayMs = 0
  },

  'clients are cut off': (arena) => cut([oneFront(arena)], shortly(arena)),
  'a gateway’s clients hear nothing for a while': (arena) => freeze([oneFront(arena)], shortly(arena)),

  // The write was done, and its client does not hear so.
  'an answer to a client is lost': (arena) =>
    onNext(oneFront(arena), ['client', 'HTTP/1.1 200'], (link) => {
      link.drop()
      return 'drop'
    }),
} satisfies Record<string, Fault>

const oneFront = ({ random, stage }: Arena) => random.pick(stage.gateways).front
