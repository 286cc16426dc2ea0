// Defines what a job is: the queue that delivers it, the input that it takes and the reply that its handler
// returns.
import type * as yup from 'yup'
import type { AnswerContract } from './answers.ts'

/** Queues are delivery policies, jobs are operations; see docs/architecture.md. */
export const QUEUES = ['writes', 'imports', 'exports', 'upkeep'] as const
export type QueueName = (typeof QUEUES)[number]

/**
 * Queues whose jobs may be accepted with 202 and run without a waiting caller: imports and exports, never
 * writes.
 */
export const ACCEPTING_QUEUES = ['imports', 'exports'] as const satisfies QueueName[]
export type AcceptingQueue = (typeof ACCEPTING_QUEUES)[number]

/** Always an object, so a reply that is a text must be one that Postgres has finished. */
type ReplySchema = yup.ObjectSchema<yup.AnyObject>

export type JobContract<
  Input extends yup.AnySchema = yup.AnySchema,
  Reply extends ReplySchema | null = ReplySchema | null,
  Queue extends QueueName = QueueName,
> = {
  queue: Queue
  input: Input
  /** Null if there is nothing to report but success. */
  reply: Reply
  /** How many bookings the job contains, if there may be many. */
  weigh?(input: yup.InferType<Input>): number
}

export function job<Input extends yup.AnySchema, Reply extends ReplySchema | null, Queue extends QueueName>(
  contract: JobContract<Input, Reply, Queue>,
): JobContract<Input, Reply, Queue> {
  return contract
}

/** A job of the queue of writes. */
export const write = <Input extends yup.AnySchema, Reply extends ReplySchema | null>(
  input: Input,
  reply: Reply,
) => job({ queue: 'writes', input, reply })

/** For an endpoint that passes on a job's reply unchanged. */
export function answerOf({ reply }: JobContract): AnswerContract {
  return reply ? { status: 200, schema: reply } : { status: 204 }
}
