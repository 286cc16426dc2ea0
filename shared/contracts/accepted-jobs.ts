// Accepted jobs: what the API says of them.
import * as yup from 'yup'
import { dataAnswer, integerAnswer, textAnswer, timestampAnswer } from './answers.ts'

const json = (description: string) => yup.mixed().defined().meta({ openapi: {}, description })

export const acceptedJobAnswer = dataAnswer(
  yup
    .object({
      id: textAnswer({ format: 'uuid' }),
      state: textAnswer({ enum: ['queued', 'running', 'done', 'failed'] }),
      progress: integerAnswer().meta({ description: 'Percent.' }),
      result: json(
        'What the answer would have been without “Prefer: respond-async”; null until the job is done, and where the result is a file.',
      ),
      file: textAnswer({ format: 'uri' })
        .nullable()
        .meta({ description: 'URL of the file, available for 24 hours.' }),
      error: json('The failure, in the same shape as every failure; null if there is none.'),
      created_at: timestampAnswer(),
      finished_at: timestampAnswer().nullable(),
    })
    .meta({ component: 'Job' }),
)
