// Redis dies with its data or without, and its connections break in every way.
import { setTimeout as wait } from 'node:timers/promises'
import { type Arena, allRedis, aWhile, blackHole, cut, type Fault, freeze } from './arena.ts'

const pause =
  ({ random }: Arena) =>
  () =>
    wait(random.between(0, 800))

export const REDIS_FAULTS = {
  'Redis is killed and keeps its data': (arena) =>
    arena.stage.restartRedis({ keepsData: true }, pause(arena)),
  'Redis is killed and loses its data': (arena) =>
    arena.stage.restartRedis({ keepsData: false }, pause(arena)),
  'Redis is cut off': (arena) => cut(allRedis(arena), aWhile(arena)),
  'Redis freezes': (arena) => freeze(allRedis(arena), aWhile(arena)),
  'one process loses Redis': (arena) => cut([arena.random.pick(allRedis(arena))], aWhile(arena)),
  'one process’s Redis freezes': (arena) => freeze([arena.random.pick(allRedis(arena))], aWhile(arena)),
  // Nobody resets them: they are left.
  'connections to Redis fall into a black hole': async (arena) => {
    await blackHole(allRedis(arena), aWhile(arena))
  },
} satisfies Record<string, Fault>
