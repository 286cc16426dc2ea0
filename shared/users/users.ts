// Users: what the API shows of them, and the jobs that write them.
import * as yup from 'yup'
import { LANGUAGE_NAMES } from '../messages/languages.ts'
import { message } from '../messages/message.ts'
import * as answer from '../schemas/answers.ts'
import { choice, flag, id, object, queryFlag, queryId, required, text, uuid } from '../schemas/fields.ts'
import { ids, ifMatch, version } from '../schemas/inputs.ts'
import { job, write } from '../schemas/job.ts'
import { json, rowJson, selectData } from '../schemas/json.ts'
import { layoutInput } from './import-layout.ts'
import {
  attributesOf,
  newUserInput,
  newVehicleSchema,
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
      ...attributesOf({ type: 'string' }),
    }),
  })
  .meta({ component: 'User' })

export const userJsonOf = (row: string) =>
  rowJson(userSchema, row, { extensionAttributes: json(`${row}.extension_attributes`) })
export const userJson = userJsonOf('users')

/** The statement of one user's answer. */
export const selectUser = (condition: string) =>
  selectData(userJson, `users WHERE users.deactivated_at IS NULL AND ${condition}`)

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

const keyColumn = choice(KEY_COLUMNS, (name) => message`${name} must be email, id or upn.`)
const formFlag = (description: string) => queryFlag().default(false).meta({ description })

/** The fields of the form in addition to the file. */
export const importFormSchema = object({
  update: formFlag('Updates existing users.'),
  restore: formFlag('Reactivates deactivated users who are in the file.'),
  deactivate: formFlag('Deactivates users who are not in the file.'),
  key_column: keyColumn.default('email').meta({ description: 'The column that identifies existing users.' }),
  dry_run: formFlag('Only simulates the import: nothing is changed.'),
})

const rowNumbers = (description: string) => answer.list(answer.integer()).meta({ description })

export const importResultSchema = yup
  .object({
    dryRun: answer.flag(),
    created: rowNumbers('Rows of created users.'),
    updated: rowNumbers('Rows of updated users.'),
    deleted: answer.integer('Number of deactivated users.'),
    skipped: rowNumbers('Rows of unchanged users.'),
    errors: rowNumbers('Rows with errors.'),
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
 * The number of rows in the file for each outcome, and of users who are not in the file and are deactivated.
 */
export const importCountsSchema = yup.object({
  create: answer.integer(),
  change: answer.integer(),
  skip: answer.integer(),
  error: answer.integer(),
  deactivate: answer.integer(),
  /** Active users who are only in rows with errors: they are not deactivated. */
  kept: answer.integer(),
  /** Rows with errors that name no user: while there are any, no user is deactivated. */
  unmatched: answer.integer(),
})
export type ImportCounts = yup.InferType<typeof importCountsSchema>

export const exportQuerySchema = object({
  format: required(choice(EXPORT_FORMATS, (name) => message`${name} must be csv or xlsx.`)),
})

/** The import plan, and the reader's language; an older gateway sends none. */
export const refusedRowsInput = exportQuerySchema.shape({
  plan_id: required(uuid()),
  language: choice(LANGUAGE_NAMES, (name) => message`${name} must be a language of the dashboard.`),
})

const MANY_MAX = 1_000

const many = object({ ids: required(ids({ max: MANY_MAX })) })

const importInput = object({
  file_id: required(uuid()),
  filename: required(text({ max: 1000 })),
  update: required(flag()),
  restore: required(flag()),
  deactivate: required(flag()),
  key_column: required(keyColumn),
})

const laidOutInput = importInput.shape({ layout: layoutInput.optional().default(undefined) })

/** The counts of what erasing a user does. */
const erasureSchema = yup.object({
  cancelledBookings: answer.integer(),
  /** Some of the bookings that are made anonymous. */
  endedBookings: answer.integer(),
  anonymousBookings: answer.integer(),
  /** Some of the events that are made anonymous. */
  cancelledEvents: answer.integer(),
  anonymousEvents: answer.integer(),
  attendances: answer.integer(),
  assignments: answer.integer(),
  vehicles: answer.integer(),
})
export type Erasure = yup.InferType<typeof erasureSchema>

/** The id of the written file. */
export const fileReply = yup.object({ file: answer.uuid() })
export type FileReply = yup.InferType<typeof fileReply>

const ofUser = { user_id: required(id()) }
const oneOfUser = { ...ofUser, id: required(id()) }

export const userJobs = {
  'users.create': write(newUserInput, answer.data(userSchema)),
  'users.edit': write(userChangesInput.shape({ id: required(id()), version: version() }), answer.idReply),
  /** By the API: attributes that are not given stay unchanged too. */
  'users.update': write(
    userChangesInput.shape({ id: required(id()), if_match: ifMatch() }),
    answer.data(userSchema),
  ),
  /** By the API: deactivates or restores one user. */
  'users.set-active': write(
    object({ id: required(id()), is_active: required(flag()) }),
    answer.data(userSchema),
  ),
  'users.add-vehicle': write(newVehicleSchema.shape(ofUser), answer.data(vehicleSchema)),
  'users.change-vehicle': write(vehicleChangesSchema.shape(oneOfUser), answer.data(vehicleSchema)),
  'users.delete-vehicle': write(object(oneOfUser), null),
  'users.deactivate': write(many, answer.data(yup.object({ deactivated: answer.integer() }))),
  'users.restore': write(many, answer.data(yup.object({ restored: answer.integer() }))),
  /** Erases who the user was: shared/erasures/erase-user.ts. The job contains only the id. */
  'users.erase': write(object({ id: required(id()) }), answer.data(erasureSchema)),
  'users.import': job({
    queue: 'imports',
    input: importInput.shape({ dry_run: required(flag()) }),
    reply: importResultSchema,
  }),
  /** For the dashboard: stores what an import would do row by row, under the id of the attempt. */
  'users.plan-import': job({
    queue: 'imports',
    /** `plan_id`: the import that asked for the layout. */
    input: laidOutInput.shape({ plan_id: uuid() }),
    /** `asks`: the import does not know the headings. Nothing is planned; the first rows of the file are stored. */
    reply: yup.object({ counts: importCountsSchema, asks: answer.sometimes(answer.flag()) }),
  }),
  /** Applies exactly this import plan; if the plan would differ by now, the new one is stored instead. */
  'users.apply-import-plan': job({
    queue: 'imports',
    input: laidOutInput.shape({ plan_id: required(uuid()) }),
    reply: yup.object({ applied: answer.flag(), counts: importCountsSchema }),
  }),
  /** The refused rows of an import plan as they were uploaded, each with its errors. */
  'users.export-refused': job({
    queue: 'exports',
    input: refusedRowsInput,
    reply: fileReply,
  }),
  'users.export': job({ queue: 'exports', input: exportQuerySchema, reply: fileReply }),
}
