// Checks users, their import and their export.
import type { Check } from '../data.ts'
import { group, importResult, user as userShape } from '../resources.ts'
import { DeviationError, type Exchange, type Session } from '../session.ts'
import { at, data, isObject, listOf } from '../shapes.ts'

function importUsers(
  session: Session,
  list: string | null,
  fields: Record<string, string>,
): Promise<Exchange> {
  const form = new FormData()
  if (list !== null) form.set('file', new Blob([list]), 'people.csv')
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  return session.ask('POST users/import', undefined, { form })
}

const dry = { dry_run: 'true' }
const createUnknownEmail = () => `conformance-${Math.random().toString(36).slice(2)}@example.com`

export const userChecks: Check[] = [
  {
    name: 'users.get',
    rule: '4 GET api/v1/users/{id}: {data: User}',
    async run(session, { user }) {
      const found = await session.read(`users/${user.id}`, data(userShape))
      session.must(at(found, 'data', 'id') === user.id, `the user ${user.id}`, found)
    },
  },
  {
    name: 'users.get-by-email',
    rule: '4 GET api/v1/users/by-email/{user_email}: {data: User}',
    async run(session, { user }) {
      const found = await session.read(`users/by-email/${encodeURIComponent(user.email)}`, data(userShape))
      session.must(at(found, 'data', 'id') === user.id, `the user ${user.id}`, found)
    },
  },
  {
    name: 'users.unknown',
    rule: '7.4 An unknown id is a failed call',
    async run(session) {
      session.refused(await session.ask('GET users/999999999'), 'there is no such user')
      session.refused(
        await session.ask(`GET users/by-email/${createUnknownEmail()}`),
        'there is no such user',
      )
    },
  },
  {
    name: 'groups.list',
    rule: '4 GET api/v1/groups: {data: [Group...]}',
    async run(session) {
      await session.read('groups', data(listOf(group)))
    },
  },
  {
    name: 'users.export',
    rule: '4 GET api/v1/users/export: a file in the requested format',
    async run(session, { user }) {
      const csv = await session.ask('GET users/export?format=csv')
      session.answered(csv, 200)
      session.must(
        csv.text.includes(user.email),
        `the e-mail ${user.email} in the file`,
        csv.text.slice(0, 200),
      )
      const xlsx = await session.ask('GET users/export?format=xlsx')
      session.answered(xlsx, 200)
      session.must(xlsx.text.startsWith('PK'), 'a file of the format xlsx', xlsx.text.slice(0, 20))
    },
  },
  {
    name: 'users.export-format',
    rule: '4 GET api/v1/users/export: format is required, csv or xlsx',
    async run(session) {
      session.refused(await session.ask('GET users/export'), 'format is required')
      session.refused(await session.ask('GET users/export?format=pdf'), 'format must be csv or xlsx')
    },
  },
  {
    name: 'import.result',
    rule: '2 User import result',
    async run(session) {
      const answer = await importUsers(session, `name,email\nAnna,${createUnknownEmail()}\n`, dry)
      const result = session.answered(answer, 200, importResult)
      session.must(at(result, 'dryRun') === true, 'dryRun true', result)
      session.must(at(result, 'filename') === 'people.csv', 'filename people.csv', result)
      session.must(at(result, 'rows') === 1, 'rows 1', result)
    },
  },
  {
    name: 'import.dry-run',
    rule: '4 POST api/v1/users/import, dry_run: the actions are only simulated and nothing is modified',
    async run(session) {
      const email = createUnknownEmail()
      const result = session.answered(await importUsers(session, `name,email\nAnna,${email}\n`, dry), 200)
      const created = at(result, 'created')
      session.must(Array.isArray(created) && created.length === 1, 'one created row', result)
      session.refused(await session.ask(`GET users/by-email/${email}`), 'nothing was modified')
    },
  },
  {
    name: 'import.update',
    rule: '4 POST api/v1/users/import, update (false): existing users are updated',
    async run(session, { user }) {
      const list = `name,email\n${user.name} II,${user.email}\n`
      const skipped = at(session.answered(await importUsers(session, list, dry), 200), 'skipped')
      session.must(Array.isArray(skipped) && skipped.length === 1, 'one skipped row', skipped)
      const update = { ...dry, update: 'true' }
      const updated = at(session.answered(await importUsers(session, list, update), 200), 'updated')
      session.must(Array.isArray(updated) && updated.length === 1, 'one updated row', updated)
    },
  },
  {
    name: 'import.row-errors',
    rule: '7.2 errors lists row indices, errorMessages maps row index, then column name, to messages',
    async run(session) {
      const list = `name,email\nAnna,${createUnknownEmail()}\nBen,no-email\n`
      const result = session.answered(await importUsers(session, list, dry), 200, importResult)
      const [row] = [at(result, 'errors', 0)]
      const messages = at(result, 'errorMessages', String(row))
      session.must(isObject(messages) && 'email' in messages, 'messages of the column email', result)
    },
  },
  {
    name: 'import.fields',
    rule: '4 POST api/v1/users/import: file is required; key_column is email, id or upn',
    async run(session) {
      session.refused(await importUsers(session, null, dry), 'file is required')
      const list = `name,email\nAnna,${createUnknownEmail()}\n`
      session.refused(await importUsers(session, list, { ...dry, key_column: 'name' }), 'key_column is name')
      for (const key_column of ['email', 'id', 'upn']) {
        const answer = await importUsers(session, list, { ...dry, key_column })
        if (answer.status !== 200)
          throw new DeviationError(`200 for key_column ${key_column}`, String(answer.status))
      }
    },
  },
]
