// What Redis's keys are called. All of them begin with REDIS_PREFIX and the id of the database, so that two Berths on one
// Redis never touch each other's.
import type { QueueName } from '../contracts/job.ts'

export type Keys = {
  prefix: string
  /** The id of the database. */
  database: string
}

/** One hash tag a queue, so that a Redis Cluster shares the work and each queue's keys stay together. */
export function queuePrefix({ prefix, database }: Keys, queue: QueueName): string {
  return `{${prefix}:${database}:${queue}}`
}

export function keyOf({ prefix, database }: Keys, name: string): string {
  return `${prefix}:${database}:${name}`
}
