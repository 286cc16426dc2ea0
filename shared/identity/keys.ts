// What Redis's keys and channels are called. Each has REDIS_PREFIX in its hash tag and, but for the list of processes and the
// reply channels, the id of the database behind it: two Berths on one Redis never touch each other's.
import { QUEUES, type QueueName } from '../contracts/job.ts'

export type Keys = {
  prefix: string
  /** The id of the database. */
  database: string
}

/** What lies together on one master of a Redis Cluster: each queue, and all that is no queue. */
export type RedisPart = QueueName | 'shared'
export const REDIS_PARTS: readonly RedisPart[] = [...QUEUES, 'shared']

/** Without the id of the database, so that it is known where to connect to before Postgres has said which one it is. */
export function hashTag(prefix: string, part: RedisPart): string {
  return `{${prefix}:${part}}`
}

export function queuePrefix({ prefix, database }: Keys, queue: QueueName): string {
  return `${hashTag(prefix, queue)}:${database}`
}

export function keyOf({ prefix, database }: Keys, name: string): string {
  return `${hashTag(prefix, 'shared')}:${database}:${name}`
}

/** Where the reply channels lie: with the writes, so that a write needs one master only. */
export const REPLIES: RedisPart = 'writes'

export function replyChannel(prefix: string, id: string): string {
  return `${hashTag(prefix, REPLIES)}:replies:${id}`
}
