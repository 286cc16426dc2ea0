// Users: what the API says of them.
import * as yup from 'yup'
import { dataAnswer, flagAnswer, idAnswer, integerAnswer, listAnswer, textAnswer } from './answers.ts'
import { choice, flag, object, queryFlag, required, text } from './fields.ts'
import { job } from './job.ts'

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

export const KEY_COLUMNS = ['email', 'id', 'upn'] as const
export const EXPORT_FORMATS = ['csv', 'xlsx'] as const

const keyColumn = choice(KEY_COLUMNS, (name) => `${name} must be email, id or upn.`)
const formFlag = (description: string) =>
  queryFlag().default(false).meta({ description }) as unknown as yup.BooleanSchema<boolean>

/** The fields of the form beside the file. */
export const importFormSchema = object({
  update: formFlag('Existing users are updated.'),
  restore: formFlag('Deactivated users present in the list are re-activated.'),
  deactivate: formFlag('Users not present in the list are deactivated.'),
  key_column: keyColumn.default('email').meta({ description: 'The column used to identify existing users.' }),
  dry_run: formFlag('The actions are only simulated and nothing is modified.'),
})

const rowNumbers = (description: string) => listAnswer(integerAnswer()).meta({ description })

export const importResultSchema = yup
  .object({
    dryRun: flagAnswer(),
    created: rowNumbers('Rows of created users.'),
    updated: rowNumbers('Rows of updated users.'),
    deleted: integerAnswer().meta({ description: 'Number of deactivated users.' }),
    skipped: rowNumbers('Rows of unchanged users.'),
    errors: rowNumbers('Rows with errors.'),
    errorMessages: yup
      .mixed()
      .defined()
      .meta({
        description: 'Row number to column name to sentences.',
        openapi: {
          type: 'object',
          additionalProperties: {
            type: 'object',
            additionalProperties: { type: 'array', items: { type: 'string' } },
          },
        },
      }),
    rows: integerAnswer().meta({ description: 'Number of processed rows.' }),
    filename: textAnswer(),
  })
  .meta({ component: 'UserImportResult' })

export const exportQuerySchema = object({
  format: required(choice(EXPORT_FORMATS, (name) => `${name} must be csv or xlsx.`)),
})

const uuid = () => required(text({ max: 36, min: 36 }))

export const userJobs = {
  'users.import': job({
    queue: 'imports',
    input: object({
      file_id: uuid(),
      filename: required(text({ max: 1000 })),
      update: required(flag()),
      restore: required(flag()),
      deactivate: required(flag()),
      key_column: required(keyColumn),
      dry_run: required(flag()),
    }),
    answer: { status: 200, schema: importResultSchema },
  }),
  'users.export': job({
    queue: 'exports',
    input: exportQuerySchema,
    answer: { status: 200, contentType: 'text/csv', schema: textAnswer() },
  }),
}
