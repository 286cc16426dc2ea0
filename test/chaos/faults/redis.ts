// Faults of Redis: it dies with or without its data, and its connections break in various ways.
import { setTimeout as wait } from 'node:timers/promises'
import {
  type Arena,
  cut,
  type Fault,
  freeze,
  listRedisProxies,
  pickOutageMs,
  silenceConnections,
} from './arena.ts'

const createPause =
  ({ random }: Arena) =>
  () =>
    wait(random.between(0, 800))

export const REDIS_FAULTS = {
  'Redis is killed and keeps its data': (arena) =>
    arena.stage.restartRedis({ keepsData: true }, createPause(arena)),
  'Redis is killed and loses its data': (arena) =>
    arena.stage.restartRedis({ keepsData: false }, createPause(arena)),
  'Redis is cut off': (arena) => cut(listRedisProxies(arena), pickOutageMs(arena)),
  'Redis freezes': (arena) => freeze(listRedisProxies(arena), pickOutageMs(arena)),
  'one process loses Redis': (arena) =>
    cut([arena.random.pick(listRedisProxies(arena))], pickOutageMs(arena)),
  'one process’s Redis freezes': (arena) =>
    freeze([arena.random.pick(listRedisProxies(arena))], pickOutageMs(arena)),
  // Nothing resets these connections, so the processes must abandon them by themselves.
  'connections to Redis fall into a black hole': async (arena) => {
    await silenceConnections(listRedisProxies(arena), pickOutageMs(arena))
  },
} satisfies Record<string, Fault>
