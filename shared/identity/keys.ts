// Names the keys and channels in Redis. Each has REDIS_PREFIX in its hash tag, followed by the id of the
// database (except the list of processes and the reply channels): two Berths on one Redis never touch each
// other's keys.
import { QUEUES, type QueueName } from '../schemas/job.ts'

export type Keys = {
  prefix: string
  /** The id of the database. */
  database: string
}

/** The keys that share one master of a Redis Cluster: those of each queue, and all others. */
export type RedisPart = QueueName | 'shared'
export const REDIS_PARTS: readonly RedisPart[] = [...QUEUES, 'shared']

/**
 * Without the id of the database, so that a process knows where to connect before Postgres has reported it.
 */
export function hashTag(prefix: string, part: RedisPart): string {
  return `{${prefix}:${part}}`
}

export function queuePrefix({ prefix, database }: Keys, queue: QueueName): string {
  return `${hashTag(prefix, queue)}:${database}`
}

export function keyOf({ prefix, database }: Keys, name: string): string {
  return `${hashTag(prefix, 'shared')}:${database}:${name}`
}

/** The part with the reply channels: that of the writes, so that a write needs one master only. */
export const REPLIES: RedisPart = 'writes'

export function replyChannel(prefix: string, id: string): string {
  return `${hashTag(prefix, REPLIES)}:replies:${id}`
}
