// Defines the API schemas of users, and the jobs that write users.
import * as yup from 'yup'
import { LANGUAGE_NAMES } from '../messages/languages.ts'
import { message } from '../messages/message.ts'
import * as answer from '../schemas/answers.ts'
import { choice, flag, id, object, queryFlag, queryId, required, text, uuid } from '../schemas/fields.ts'
import { formVersion, idList, ifMatch } from '../schemas/inputs.ts'
import { job, writeJob } from '../schemas/job.ts'
import { json, rowJson, selectDataBodySql } from '../schemas/json.ts'
import { layoutInput } from './import-layout.ts'
import {
  newUserInput,
  newVehicleSchema,
  pickAttributes,
  userChangesInput,
  vehicleChangesSchema,
} from './user-fields.ts'

export const userSchema = yup
  .object({
    id: answer.id(),
    name: answer.text(),
    email: answer.text(),
    extensionAttributes: answer.record<string>({
      description: 'The attributes that are set for the user.',
      ...pickAttributes({ type: 'string' }),
    }),
  })
  .meta({ component: 'User' })

export const createUserJson = (row: string) =>
  rowJson(userSchema, row, { extensionAttributes: json(`${row}.extension_attributes`) })
export const userJson = createUserJson('users')

/** SQL that selects the API's response for one user. */
export const selectUserSql = (condition: string) =>
  selectDataBodySql(userJson, `users WHERE users.deactivated_at IS NULL AND ${condition}`)

export const vehicleSchema = yup
  .object({ id: answer.id(), license_plate: answer.text() })
  .meta({ component: 'Vehicle' })
export const vehicleJson = rowJson(vehicleSchema, 'vehicles')

export const groupSchema = yup.object({ id: answer.id(), name: answer.text() }).meta({ component: 'Group' })
export const groupJson = rowJson(groupSchema, 'groups')

export const usersQuery = object({
  search: text({ max: 255 }).meta({
    description: 'Only users whose name and e-mail address contain all of these words, ignoring letter case.',
  }),
  group_id: queryId().meta({ description: 'Only members of this group.' }),
})

const KEY_COLUMNS = ['email', 'id', 'upn'] as const
const EXPORT_FORMATS = ['csv', 'xlsx'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

const keyColumnInput = choice(KEY_COLUMNS, (name) => message`${name} must be “email”, “id” or “upn”.`)
const formFlag = (description: string) => queryFlag().default(false).meta({ description })

/** The fields of the import form besides the file. */
export const importFormSchema = object({
  update: formFlag('Updates existing users.'),
  restore: formFlag('Reactivates deactivated users who are in the file.'),
  deactivate: formFlag('Deactivates users who are not in the file.'),
  key_column: keyColumnInput
    .default('email')
    .meta({ description: 'The column that identifies existing users.' }),
  dry_run: formFlag('Only simulates the import: nothing is changed.'),
})

const rowNumbersAnswer = (description: string) => answer.list(answer.integer()).meta({ description })

export const importResultSchema = yup
  .object({
    dryRun: answer.flag(),
    created: rowNumbersAnswer('Rows of created users.'),
    updated: rowNumbersAnswer('Rows of updated users.'),
    deleted: answer.integer('Number of deactivated users.'),
    skipped: rowNumbersAnswer('Rows of unchanged users.'),
    errors: rowNumbersAnswer('Rows with errors.'),
    errorMessages: answer
      .record<Record<string, string[]>>({
        additionalProperties: {
          type: 'object',
          additionalProperties: { type: 'array', items: { type: 'string' } },
        },
      })
      .meta({ description: 'Messages by row number and column name.' }),
    rows: answer.integer('Number of processed rows.'),
    filename: answer.text(),
  })
  .meta({ component: 'UserImportResult' })
export type ImportResult = yup.InferType<typeof importResultSchema>

/**
 * The number of rows in an import file for each outcome, and the number of users who are deactivated because they are
 * not in the file.
 */
export const importCountsSchema = yup.object({
  create: answer.integer(),
  change: answer.integer(),
  skip: answer.integer(),
  error: answer.integer(),
  deactivate: answer.integer(),
  /** The number of active users who only occur in rows with errors. Such users are not deactivated. */
  kept: answer.integer(),
  /** The number of rows with errors that identify no user. If there are any, no user is deactivated. */
  unmatched: answer.integer(),
})
export type ImportCounts = yup.InferType<typeof importCountsSchema>

export const exportQuerySchema = object({
  format: required(choice(EXPORT_FORMATS, (name) => message`${name} must be “csv” or “xlsx”.`)),
})

/** The import plan, and the reader's language. Older gateways do not send the language. */
export const refusedRowsInput = exportQuerySchema.shape({
  plan_id: required(uuid()),
  language: choice(LANGUAGE_NAMES, (name) => message`${name} must be a language of the dashboard.`),
})

const USERS_PER_WRITE_MAX = 1_000

const userIdsInput = object({ ids: required(idList({ max: USERS_PER_WRITE_MAX })) })

const importInput = object({
  file_id: required(uuid()),
  filename: required(text({ max: 1000 })),
  update: required(flag()),
  restore: required(flag()),
  deactivate: required(flag()),
  key_column: required(keyColumnInput),
})

const importWithLayoutInput = importInput.shape({ layout: layoutInput.optional().default(undefined) })

/** The number of items that change when a user is erased, by kind. */
const erasureSchema = yup.object({
  cancelledBookings: answer.integer(),
  /** The bookings in this count are also included in anonymousBookings. */
  endedBookings: answer.integer(),
  anonymousBookings: answer.integer(),
  /** The events in this count are also included in anonymousEvents. */
  cancelledEvents: answer.integer(),
  anonymousEvents: answer.integer(),
  attendances: answer.integer(),
  assignments: answer.integer(),
  vehicles: answer.integer(),
})
export type Erasure = yup.InferType<typeof erasureSchema>

/** The id of the file that the job has written. */
export const fileReply = yup.object({ file: answer.uuid() })
export type FileReply = yup.InferType<typeof fileReply>

const userFields = { user_id: required(id()) }
const userItemFields = { ...userFields, id: required(id()) }

export const userJobs = {
  'users.create': writeJob(newUserInput, answer.data(userSchema)),
  'users.edit': writeJob(
    userChangesInput.shape({ id: required(id()), version: formVersion() }),
    answer.idReply,
  ),
  /** Updates a user through the API. Attributes that are absent from the input stay unchanged too. */
  'users.update': writeJob(
    userChangesInput.shape({ id: required(id()), if_match: ifMatch() }),
    answer.data(userSchema),
  ),
  /** Deactivates or restores one user through the API. */
  'users.set-active': writeJob(
    object({ id: required(id()), is_active: required(flag()) }),
    answer.data(userSchema),
  ),
  'users.add-vehicle': writeJob(newVehicleSchema.shape(userFields), answer.data(vehicleSchema)),
  'users.change-vehicle': writeJob(vehicleChangesSchema.shape(userItemFields), answer.data(vehicleSchema)),
  'users.delete-vehicle': writeJob(object(userItemFields), null),
  'users.deactivate': writeJob(userIdsInput, answer.data(yup.object({ deactivated: answer.integer() }))),
  'users.restore': writeJob(userIdsInput, answer.data(yup.object({ restored: answer.integer() }))),
  /** Erases a user's personal data (shared/erasures/erase-user.ts). The job contains only the id. */
  'users.erase': writeJob(object({ id: required(id()) }), answer.data(erasureSchema)),
  'users.import': job({
    queue: 'imports',
    input: importInput.shape({ dry_run: required(flag()) }),
    reply: importResultSchema,
  }),
  /** Stores the plan of an import for the dashboard, row by row, under the id of the attempt. */
  'users.plan-import': job({
    queue: 'imports',
    /** `plan_id` is the id of the import that asked an administrator for the layout. */
    input: importWithLayoutInput.shape({ plan_id: uuid() }),
    /** If `asks` is true, the import did not recognize the headings: it planned nothing, and stored the first
     * rows of the file. */
    reply: yup.object({ counts: importCountsSchema, asks: answer.sometimes(answer.flag()) }),
  }),
  /**
   * Applies this import plan if it is still correct. If the same file would now lead to another plan, stores the new
   * plan and applies nothing.
   */
  'users.apply-import-plan': job({
    queue: 'imports',
    input: importWithLayoutInput.shape({ plan_id: required(uuid()) }),
    reply: yup.object({ applied: answer.flag(), counts: importCountsSchema }),
  }),
  /** Exports the rows that an import plan refused, as they were uploaded, each with its errors. */
  'users.export-refused': job({
    queue: 'exports',
    input: refusedRowsInput,
    reply: fileReply,
  }),
  'users.export': job({ queue: 'exports', input: exportQuerySchema, reply: fileReply }),
}
