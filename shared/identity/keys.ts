// Names the keys and channels in Redis. The hash tag of each name has REDIS_PREFIX and the id of the database, so that
// two installations on one Redis never touch each other's keys. The names of the list of processes and of the reply
// channels do not contain the id.
import { QUEUES, type QueueName } from '../schemas/job.ts'

export type RedisKeys = {
  prefix: string
  /** The id of the database that the keys belong to. */
  database: string
}

/**
 * The groups of keys, each of which shares one master of a Redis Cluster: one for each queue, and one for all other
 * keys.
 */
export type RedisPart = QueueName | 'shared'
export const REDIS_PARTS: readonly RedisPart[] = [...QUEUES, 'shared']

/**
 * Returns the hash tag of a group of keys. The tag does not contain the id of the database, so that a process knows
 * where to connect before Postgres has reported the id.
 */
export function getHashTag(prefix: string, part: RedisPart): string {
  return `{${prefix}:${part}}`
}

export function getQueuePrefix({ prefix, database }: RedisKeys, queue: QueueName): string {
  return `${getHashTag(prefix, queue)}:${database}`
}

export function getRedisKey({ prefix, database }: RedisKeys, name: string): string {
  return `${getHashTag(prefix, 'shared')}:${database}:${name}`
}

/** The reply channels have the same hash tag as the queue of writes, so that a write needs only one master. */
export const REPLIES_PART: RedisPart = 'writes'

export function getReplyChannel(prefix: string, id: string): string {
  return `${getHashTag(prefix, REPLIES_PART)}:replies:${id}`
}
