// Defines a job: its queue, its input, and the reply that its handler returns.
import type * as yup from 'yup'
import type { AnswerContract } from './answers.ts'

/** The queues. Each queue is a delivery policy, and each job is an operation: see docs/architecture.md. */
export const QUEUES = ['writes', 'imports', 'exports', 'upkeep'] as const
export type QueueName = (typeof QUEUES)[number]

/**
 * The queues whose jobs Berth may accept with 202 and run without a waiting caller: imports and exports, but never
 * writes.
 */
export const ACCEPTING_QUEUES = ['imports', 'exports'] as const satisfies QueueName[]
export type AcceptingQueue = (typeof ACCEPTING_QUEUES)[number]

/** The schema of a reply is always an object, so a reply that is a string must be JSON text that Postgres has built. */
type ReplySchema = yup.ObjectSchema<yup.AnyObject>

export type JobContract<
  Input extends yup.AnySchema = yup.AnySchema,
  Reply extends ReplySchema | null = ReplySchema | null,
  Queue extends QueueName = QueueName,
> = {
  queue: Queue
  input: Input
  /** The schema of the reply, or null if a successful job has nothing to report. */
  reply: Reply
  /** Returns the number of bookings in the job, for jobs that may contain several. */
  weigh?(input: yup.InferType<Input>): number
}

export function job<Input extends yup.AnySchema, Reply extends ReplySchema | null, Queue extends QueueName>(
  contract: JobContract<Input, Reply, Queue>,
): JobContract<Input, Reply, Queue> {
  return contract
}

/** Declares a job in the queue `writes`. */
export const writeJob = <Input extends yup.AnySchema, Reply extends ReplySchema | null>(
  input: Input,
  reply: Reply,
) => job({ queue: 'writes', input, reply })

/** Returns the response contract of an endpoint that passes on a job's reply unchanged. */
export function getReplyContract({ reply }: JobContract): AnswerContract {
  return reply ? { status: 200, schema: reply } : { status: 204 }
}
