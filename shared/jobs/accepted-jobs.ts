// Accepted jobs: what the API shows of them.
import * as yup from 'yup'
import {
  type AnswerContract,
  dataSchema,
  integerAnswer,
  textAnswer,
  timestampAnswer,
} from '../schemas/answers.ts'
import { importResultSchema } from '../users/users.ts'

export const acceptedJobSchema = dataSchema(
  yup
    .object({
      id: textAnswer({ format: 'uuid' }),
      state: textAnswer({ enum: ['queued', 'running', 'done', 'failed'] }),
      progress: integerAnswer().meta({ description: 'Percent.' }),
      result: importResultSchema.nullable().meta({
        description:
          'What the answer would have been without “Prefer: respond-async”; null until the job is done, and where the result is a file.',
      }),
      file: textAnswer({ format: 'uri' })
        .nullable()
        .meta({ description: 'URL of the file, available for 24 hours.' }),
      error: yup
        .mixed()
        .nullable()
        .defined()
        .meta({
          openapi: { oneOf: [{ $ref: '#/components/schemas/Problem' }, { type: 'null' }] },
          description: 'The failure, in the same shape as every failure; null if there is none.',
        }),
      created_at: timestampAnswer(),
      finished_at: timestampAnswer().nullable(),
    })
    .meta({ component: 'Job' }),
)

export const acceptedJobAnswer: AnswerContract = { status: 200, schema: acceptedJobSchema }
