// Exports and imports user lists, with and without waiting.
import { eventually } from '../../../support/time.ts'
import type { Ask } from '../recorder.ts'

const USER_LIST_CSV =
  'email,name,extensionAttribute1\nada@example.com,Ada Byron,x\nnew@example.com,New,\nbad,,\n'

type Fields = Record<string, string>

// Each import starts a process that reads its file.
const JOB_WAIT_MS = 300_000

function createImportForm(list: string | undefined, fields: Fields = {}, filename = 'users.csv'): FormData {
  const form = new FormData()
  if (list !== undefined) form.set('file', new Blob([list]), filename)
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  return form
}

export async function askUserLists(ask: Ask): Promise<void> {
  const send = (note: string, form: FormData, headers: Fields = {}) =>
    ask('POST users/import', { form, note, headers })
  await ask('GET users/export?format=csv')
  await ask('GET users/export?format=xlsx')
  await send('a dry run', createImportForm(USER_LIST_CSV, { update: 'true', dry_run: 'YES' }))
  await send('changed ones too', createImportForm(USER_LIST_CSV, { update: '1', key_column: 'upn' }))
  await send('restored', createImportForm('E-MAIL\n', { update: '1' }))
  await send(
    'deactivated',
    createImportForm('email;name\nada@example.com;Ada\n', { deactivate: 'on', dry_run: '1' }),
  )
  await send('no file', createImportForm(undefined, { update: 'true' }))
  await send('wrong options', createImportForm(USER_LIST_CSV, { update: 'maybe', key_column: 'name' }))
  await send('nothing in it', createImportForm(''))
  await send('a column twice', createImportForm('email,Email\nx@example.com,y@example.com\n'))
  await ask('POST users/import?dry_run=1', {
    form: createImportForm(USER_LIST_CSV),
    note: 'an option in the query',
  })
  await send('with a key', createImportForm(USER_LIST_CSV), { 'Idempotency-Key': 'imports-1' })
  await send('with a key, again', createImportForm(USER_LIST_CSV), { 'Idempotency-Key': 'imports-1' })
  await send('another with the key', createImportForm(`${USER_LIST_CSV}x`), {
    'Idempotency-Key': 'imports-1',
  })
  await askJobs(ask, send)
}

async function askJobs(
  ask: Ask,
  send: (note: string, form: FormData, headers?: Fields) => Promise<{ headers: Headers }>,
): Promise<void> {
  const respondAsync = { Prefer: 'respond-async' }
  const done = await send('a job', createImportForm(USER_LIST_CSV, { dry_run: '1' }), respondAsync)
  await askJob(ask, done.headers, 'done')
  const failed = await send('a job of no list', createImportForm('x'), respondAsync)
  await askJob(ask, failed.headers, 'failed')
  const exported = await ask('GET users/export?format=csv', { headers: respondAsync, note: 'a job' })
  const job = await askJob(ask, exported.headers, 'exported')
  await ask(`GET ${job}/file`, { note: 'exported' })
}

async function askJob(ask: Ask, headers: Headers, note: string): Promise<string> {
  const [, job = ''] = /api\/v1\/(.*)$/.exec(headers.get('Location') ?? '') ?? []
  await eventually(async () => {
    const id = job.replace('jobs/', '')
    const row = await ask.database('jobs').where({ id }).first('finished_at')
    if (!row?.finished_at) throw new Error('The job is not done yet')
  }, JOB_WAIT_MS)
  await ask(`GET ${job}`, { note })
  return job
}
