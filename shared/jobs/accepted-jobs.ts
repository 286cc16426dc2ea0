// Accepted jobs (answered with 202, and finished later) as the API shows them.
import * as yup from 'yup'
import type { AnswerContract } from '../schemas/answers.ts'
import * as answer from '../schemas/answers.ts'
import { dataBodyText, json, rowJson } from '../schemas/json.ts'
import { importResultSchema } from '../users/users.ts'

const jobSchema = yup
  .object({
    id: answer.uuid(),
    state: answer.oneOf(['queued', 'running', 'done', 'failed']),
    progress: answer.integer('Percent.'),
    result: importResultSchema.nullable().meta({
      description:
        'The answer without “Prefer: respond-async”. null until the job is done, and if the result is a file.',
    }),
    file: answer.url('The URL of the file, available for 24 hours.').nullable(),
    error: yup
      .mixed<object>()
      .nullable()
      .defined()
      .meta({
        openapi: { oneOf: [{ $ref: '#/components/schemas/Problem' }, { type: 'null' }] },
        description: 'The error, in the same format as all errors of the API; null if there is none.',
      }),
    created_at: answer.timestamp(),
    finished_at: answer.timestamp().nullable(),
  })
  .meta({ component: 'Job' })

export const acceptedJobSchema = answer.data(jobSchema).meta({ component: 'JobAnswer' })
export type AcceptedJobReply = yup.InferType<typeof acceptedJobSchema>

export const acceptedJobAnswer: AnswerContract = { status: 200, schema: acceptedJobSchema }

const BODY_SQL = `(jobs.outcome ->> 'body')::json`

/** `fileUrl` is SQL for the URL of the job's file, if the job has written one. */
export const jobJson = (fileUrl: string) =>
  rowJson(jobSchema, 'jobs', {
    result: json(`CASE WHEN jobs.state = 'done' AND jobs.file_id IS NULL THEN ${BODY_SQL} END`),
    file: `CASE WHEN jobs.state = 'done' THEN ${fileUrl} END`,
    error: json(`CASE WHEN jobs.state = 'failed' THEN ${BODY_SQL} END`),
  })

const nullJson = json<null>('NULL')

/**
 * An accepted job as shown to the caller who submits it or repeats the request. The SQL reads rows with an id and a
 * creation time.
 */
export const acceptedJobText = dataBodyText(
  rowJson(jobSchema, 'jobs', {
    state: "'queued'::text",
    progress: '0',
    result: nullJson,
    file: nullJson,
    error: nullJson,
    finished_at: nullJson,
  }),
)
