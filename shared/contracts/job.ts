// What a job is: the queue that delivers it, the input that it takes and the reply that its handler returns.
import type * as yup from 'yup'
import type { AnswerContract } from './answers.ts'

/** Queues are delivery policies, jobs are operations; see docs/architecture.md. */
export const QUEUES = ['writes', 'imports', 'exports', 'upkeep'] as const
export type QueueName = (typeof QUEUES)[number]

/** What may be accepted with 202, to be done without anybody who waits: imports and exports, and never a write. */
export const ACCEPTING_QUEUES = ['imports', 'exports'] as const satisfies QueueName[]
export type AcceptingQueue = (typeof ACCEPTING_QUEUES)[number]

/** An object: so a reply that is a text is one that Postgres has finished. */
type ReplySchema = yup.ObjectSchema<yup.AnyObject>

export type JobContract<
  Input extends yup.AnySchema = yup.AnySchema,
  Reply extends ReplySchema | null = ReplySchema | null,
  Queue extends QueueName = QueueName,
> = {
  queue: Queue
  input: Input
  /** Null where there is nothing to say but that it is done. */
  reply: Reply
  /** How many bookings are in it, where there may be many. */
  weigh?(input: yup.InferType<Input>): number
}

export function job<Input extends yup.AnySchema, Reply extends ReplySchema | null, Queue extends QueueName>(
  contract: JobContract<Input, Reply, Queue>,
): JobContract<Input, Reply, Queue> {
  return contract
}

/** Where an endpoint hands a job's reply on as it is. */
export function answerOf({ reply }: JobContract): AnswerContract {
  return reply ? { status: 200, schema: reply } : { status: 204 }
}
