// What a job is: the queue that delivers it, the input that it takes and the answer that it gives.
import type * as yup from 'yup'

/** Queues are delivery policies, jobs are operations; see docs/architecture.md. */
export const QUEUES = ['writes', 'imports', 'exports', 'upkeep'] as const
export type QueueName = (typeof QUEUES)[number]

export type AnswerContract = {
  status: number
  /** Undefined where the answer has no body. */
  schema?: yup.AnySchema
  /** JSON where none is named. */
  contentType?: string
}

export type JobContract<Input extends yup.AnySchema = yup.AnySchema> = {
  queue: QueueName
  input: Input
  answer: AnswerContract
}

export function job<Input extends yup.AnySchema>(contract: JobContract<Input>): JobContract<Input> {
  return contract
}
