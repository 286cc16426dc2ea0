// Users: what the API says of them.
import * as yup from 'yup'
import { dataAnswer, idAnswer, textAnswer } from './answers.ts'

export const userSchema = yup
  .object({
    id: idAnswer(),
    name: textAnswer(),
    email: textAnswer(),
    extensionAttributes: yup
      .mixed()
      .defined()
      .meta({
        openapi: {
          type: 'object',
          description: 'Only the attributes that the user has.',
          patternProperties: { '^extensionAttribute[1-9][0-9]?$': { type: 'string' } },
          additionalProperties: false,
          examples: [{ extensionAttribute1: 'Sales' }],
        },
      }),
  })
  .meta({ component: 'User' })

export const userAnswer = dataAnswer(userSchema)
