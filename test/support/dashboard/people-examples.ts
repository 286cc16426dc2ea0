// Creates examples for pages about people, for tests that visit every page: a person with a booking, and an
// import with a plan.
import { randomUUID } from 'node:crypto'
import type { Knex } from 'knex'
import type { FilePreview } from '../../../shared/imports/layouts.ts'
import { message } from '../../../shared/messages/message.ts'
import {
  createBooking,
  createFile,
  createGroup,
  createUser,
  createVehicle,
  hoursFromNow,
} from '../factories.ts'

export const PEOPLE_EXAMPLES: Record<string, (database: Knex) => Promise<string | string[]>> = {
  '/people/{id}': async (database) => `/people/${await createHolder(database, null)}`,
  '/people/{id}/edit': async (database) => `/people/${await createHolder(database, null)}/edit`,
  '/people/{id}/deactivate': async (database) => `/people/${await createHolder(database, null)}/deactivate`,
  '/people/{id}/hand-over': async (database) =>
    `/people/${await createHolder(database, null)}/hand-over?search=a`,
  '/people/{id}/cancel-bookings': async (database) =>
    `/people/${await createHolder(database, null)}/cancel-bookings`,
  '/people/{id}/sign-in-link': async (database) =>
    `/people/${await createHolder(database, null)}/sign-in-link`,
  '/people/{id}/erase': async (database) => `/people/${await createHolder(database, null)}/erase`,
  '/people/{id}/release': async (database) => `/people/${await createHolder(database, new Date())}/release`,
  '/people/groups/{id}': async (database) => {
    const user_id = await createHolder(database, null)
    const group_id = await createGroup(database)
    await database('group_members').insert({ group_id, user_id })
    await database('group_leads').insert({ group_id, user_id })
    await database('team_days').insert({ group_id, weekday: 2, note: 'Planning' })
    return `/people/groups/${group_id}`
  },
  '/people/releases/{id}': async (database) => {
    const id = randomUUID()
    const envelope = JSON.stringify({ input: { expected: 2_000 } })
    const own = { ability: 'user-write', actor_name: 'admin@example.com', envelope }
    await database('jobs').insert({
      id,
      name: 'bookings.release-all',
      ...own,
      state: 'done',
      rows_read: 2_000,
      finished_at: new Date(),
    })
    return `/people/releases/${id}`
  },
  '/people/imports/{id}': async (database) =>
    [await createPlan(database), await createQuestion(database)].map((id) => `/people/imports/${id}`),
}

async function createHolder(database: Knex, deactivated_at: Date | null): Promise<number> {
  const user_id = await createUser(database, {
    name: 'Ada Lovelace',
    upn: randomUUID(),
    deactivated_at,
    extension_attributes: JSON.stringify({ extensionAttribute1: 'Analysis' }),
  })
  await createVehicle(database, { user_id })
  await createBooking(database, { user_id, from: hoursFromNow(1), to: hoursFromNow(2) })
  return user_id
}

/** Creates an import plan that its administrator has not applied yet. */
const createPlan = (database: Knex): Promise<string> =>
  createReviewedImport(database, {
    name: 'users.plan-import',
    input: { filename: 'people.csv', update: true, restore: false, deactivate: false, key_column: 'email' },
    file: 'email,name\njane@,Jane\n',
    header: ['email', 'name'],
    counts: { create: 0, change: 1, skip: 0, error: 1, deactivate: 0 },
    rows: [
      {
        section: 'error',
        ordinal: 1,
        row_number: 2,
        name: 'Jane',
        email: 'jane@',
        errors: JSON.stringify({
          email: [message`${message`the email must be a valid e-mail address`} (it is “${'jane@'}”)`],
        }),
        cells: ['jane@', 'Jane'],
      },
      {
        section: 'change',
        ordinal: 1,
        row_number: 3,
        name: 'Ada',
        email: 'ada@example.com',
        changes: JSON.stringify({ name: ['Ada', 'Ada Lovelace'] }),
      },
    ],
  })

/** Creates an import that asks for the columns of its file. */
async function createQuestion(database: Knex): Promise<string> {
  const file = 'Vorname;Nachname;E-Mail;Abteilung\nAda;Lovelace;ada@example.com;Forschung\n'
  const rows = file.trim().split('\n')
  return createReviewedImport(database, {
    name: 'users.plan-import',
    input: {
      filename: 'Mitarbeiter.csv',
      update: true,
      restore: false,
      deactivate: false,
      key_column: 'email',
    },
    file,
    header: [],
    counts: { create: 0, change: 0, skip: 0, error: 0, deactivate: 0 },
    rows: [],
    preview: [{ name: '', rows: rows.map((row, index) => ({ number: index + 1, cells: row.split(';') })) }],
  })
}

type Plan = {
  /** The job that creates the plan. */
  name: string
  input: object
  file: string
  header: string[]
  counts: object
  rows: object[]
  /** The first rows of a file with unknown headings. */
  preview?: FilePreview
}

/** Returns the id of the import. */
export async function createReviewedImport(
  database: Knex,
  { name, input, file, header, counts, rows, preview }: Plan,
): Promise<string> {
  const id = randomUUID()
  const file_id = await createFile(database, Buffer.from(file))
  // Before anyone has signed in, the import belongs to nobody, and every administrator may see it.
  const admin = (await database('admins').first('id', 'email')) ?? { id: null, email: 'admin@example.com' }
  await database('jobs').insert({
    id,
    name,
    ability: 'user-write',
    envelope: JSON.stringify({ input: { file_id, ...input } }),
    admin_id: admin.id,
    actor_name: admin.email,
    import_file_id: file_id,
    state: 'done',
    progress: 100,
    outcome: JSON.stringify({ status: 200, body: JSON.stringify({ counts, asks: preview !== undefined }) }),
    finished_at: new Date(),
  })
  const expires_at = new Date(Date.now() + 3_600_000)
  await database('import_plans').insert({
    id,
    digest: 'x',
    header,
    counts: JSON.stringify(counts),
    expires_at,
    ...(preview && { preview: JSON.stringify(preview) }),
  })
  if (rows.length > 0) await database('import_plan_rows').insert(rows.map((row) => ({ plan_id: id, ...row })))
  return id
}
