// Tests what the import of people in the dashboard refuses, and what other administrators see of a running
// import.

import { expect } from 'chai'
import { LOCKS } from '../../../../../shared/database/locks.ts'
import { createSignedIn, useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import {
  awaitImport,
  fetchFile,
  importFile,
  reviewImport,
  sendImportFile,
} from '../../../../support/dashboard/import-wizard.ts'
import { createUser } from '../../../../support/factories.ts'
import { eventually } from '../../../../support/time.ts'
import { countFiles, readUserRows } from '../../../../support/user-lists.ts'
import { useWorld } from '../../../../support/world.ts'

const REVIEW_BUTTON = 'Review'
const USER_LIST_CSV = 'email,name\nnew@example.com,New\n'

describe('the import wizard for people', () => {
  const world = useWorld({
    workers: ['writes', 'imports', 'exports'],
    environment: { FILE_BYTES_MAX: '1048576' },
  })
  const browser = useSignedIn(world)
  before(async () => {
    await createUser(world.database, { name: 'Ada', email: 'ada@example.com' })
  })
  beforeEach(() => world.database('files').delete())

  it('refuses a form without a file, and shows the error at the file field', async () => {
    await browser.open('/dashboard/people/import')
    const { status } = await browser.submit(REVIEW_BUTTON, { update: 'true' })
    expect(status).to.equal(422)
    expect(browser.words).to.include('Choose a file.')
    expect(browser.form(REVIEW_BUTTON).controls.find(({ name }) => name === 'update')?.checked).to.equal(true)
    expect(await countFiles(world.database)).to.deep.equal({ files: 0, chunks: 0 })
  })

  it('refuses invalid choices in its forms', async () => {
    for (const [name, value] of Object.entries({ key_column: 'name', update: 'maybe' })) {
      await browser.open('/dashboard/people/import')
      const fields = { file: importFile(USER_LIST_CSV), [name]: value }
      expect((await browser.submit(REVIEW_BUTTON, fields)).status, name).to.equal(422)
      expect(await countFiles(world.database)).to.deep.equal({ files: 0, chunks: 0 })
    }
  })

  it('refuses a file above the size limit, and stores nothing of it', async () => {
    await browser.open('/dashboard/people/import')
    const { status } = await browser.submit(REVIEW_BUTTON, { file: importFile('x'.repeat(1_200_000)) })
    expect(status).to.equal(413)
    expect(browser.words).to.include('The file is larger than 1 MiB.')
    await eventually(async () =>
      expect(await countFiles(world.database)).to.deep.equal({ files: 0, chunks: 0 }),
    )
  })

  it('refuses files that are not lists, with the error message of the import', async () => {
    const before = await readUserRows(world.database)
    const files: Array<[File, string]> = [
      [importFile('%PDF-1.7', 'list.pdf'), 'The file is a PDF. Send csv, txt, ods, xls or xlsx.'],
      [importFile('<html><body>'), 'The file is an HTML page.'],
      [importFile('name,plate\n'), 'The file has no column “email”.'],
      [importFile(''), 'The file is empty.'],
      [importFile('Ada,HH 1'), 'The first row of the file must contain the column names'],
    ]
    for (const [file, sentence] of files) {
      const path = await sendImportFile(browser, file)
      await awaitImport(browser, path)
      expect(browser.words).to.include(sentence).and.include('Nothing was changed.')
      expect(browser.page.text).to.not.include('Apply:')
    }
    await reviewImport(browser, 'email,name\n', { deactivate: 'true' })
    expect(browser.words).to.include('it would deactivate everybody')
    expect(await readUserRows(world.database)).to.deep.equal(before)
  })

  it('shows the upload of another administrator, but refuses to apply it', async () => {
    const path = await reviewImport(browser, USER_LIST_CSV)
    const other = await createSignedIn(world, 'other@example.com')
    await other.open(path)
    expect(other.words)
      .to.include('new@example.com')
      .and.include('Only admin@example.com, who uploaded the file, can apply this import.')
    expect(other.page.text).to.not.include('Apply:')
    const token = /name="_csrf" value="([^"]+)"/
    await other.open('/dashboard/people/import')
    const [, _csrf = ''] = token.exec(other.page.text) ?? []
    for (const _action of ['apply', 'review-again']) {
      const { status } = await other.post(path, new URLSearchParams({ _csrf, _action }))
      expect(status).to.equal(403)
    }
    expect(other.words).to.include('Only admin@example.com, who uploaded the file, can apply this import.')
    await browser.open(path)
    expect(browser.page.text).to.include('Apply: add 1')
  })

  it('refuses to apply expired imports', async () => {
    const path = await reviewImport(browser, USER_LIST_CSV)
    const form = browser.form('Apply: add 1')
    await world.database('files').update({ expires_at: new Date(0) })
    await browser.open(path)
    expect(browser.words).to.include('This import has expired. Upload the file again')
    expect((await browser.send(form)).status).to.equal(409)
    expect(browser.words).to.include('This import has expired')
    await world.database('import_plans').update({ expires_at: new Date(0) })
    await browser.open(path)
    expect(browser.words).to.include('The rows of this import are no longer available.')
    expect((await fetchFile(browser, `${path}?_download=csv`)).status).to.equal(404)
    expect(await world.database('users')).to.have.length(1)
  })

  it('answers 404 for unknown imports and for imports through the API', async () => {
    const client = await world.client('user-write')
    const { headers } = await client.import(USER_LIST_CSV, { dry_run: 'true' }, { Prefer: 'respond-async' })
    const id = (headers.get('Location') ?? '').split('/').at(-1)
    for (const each of [id, '00000000-0000-4000-8000-000000000000', 'x', '1'])
      expect((await browser.open(`/dashboard/people/imports/${each}`)).status, each).to.equal(404)
    await browser.open('/dashboard/people/import')
    expect(browser.words).to.include('users.csv test (API)')
    await eventually(async () =>
      expect(await world.database('jobs').whereNull('finished_at')).to.have.length(0),
    )
  })

  it('refuses to give files to other sites, and to visitors who are not signed in', async () => {
    const csv = '/dashboard/people?_download=csv'
    for (const site of ['cross-site', 'same-site'])
      expect((await fetchFile(browser, csv, { 'Sec-Fetch-Site': site })).status, site).to.equal(403)
    expect((await fetchFile(browser, '/dashboard/people?_download=pdf')).status).to.equal(404)
    const { status } = await fetch(world.url + csv, { redirect: 'manual' })
    expect(status).to.equal(302)
    expect((await fetchFile(browser, csv, { 'Sec-Fetch-Site': 'none' })).status).to.equal(200)
  })

  it('waits while another program imports, and shows that it waits', async () => {
    await world.database.transaction(async (trx) => {
      await trx.raw(`SELECT pg_advisory_xact_lock(${LOCKS.imports})`)
      const path = await sendImportFile(browser, importFile(USER_LIST_CSV))
      await browser.open('/dashboard/people/import')
      expect(browser.words).to.include('people.csv admin@example.com')
      await eventually(async () => {
        await browser.open(path)
        expect(browser.words).to.include('Waiting for other imports').and.include('Rows read: 1.')
      })
      await world.database('jobs').whereNull('finished_at').update({ state: 'queued' })
      await browser.open('/dashboard/people/import')
      expect(browser.words).to.include('Another import is running, started through the API.')
    })
  })
})
