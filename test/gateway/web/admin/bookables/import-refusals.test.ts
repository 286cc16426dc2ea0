// Tests what the import of desks, rooms and parking spots refuses, and what other administrators see of it.
import { expect } from 'chai'
import { createSignedIn, useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { awaitImport, importFile, sendImportFile } from '../../../../support/dashboard/import-wizard.ts'
import { createLocation } from '../../../../support/factories.ts'
import { eventually } from '../../../../support/time.ts'
import { countFiles } from '../../../../support/user-lists.ts'
import { useWorld } from '../../../../support/world.ts'

const DESK_LIST_CSV = 'name\nDesk 1\n'

describe('the import of desks, rooms and parking spots', () => {
  const world = useWorld({
    workers: ['writes', 'imports', 'exports'],
    environment: { FILE_BYTES_MAX: '1048576' },
  })
  const browser = useSignedIn(world)
  let location_id: number
  beforeEach(async () => {
    location_id = await createLocation(world.database, { name: '3rd floor' })
    await world.database('files').delete()
  })

  const start = () => `/dashboard/places/locations/${location_id}/import`
  const review = async (file: File) => {
    const path = await sendImportFile(browser, file, {}, start())
    await awaitImport(browser, path)
    return path
  }

  it('refuses a missing file and a file that is too large, and shows its limits in advance', async () => {
    await browser.open(start())
    expect(browser.words).to.include('of up to 1,000 rows and 1 MiB.')
    expect((await browser.submit('Review')).status).to.equal(422)
    expect(browser.words).to.include('Choose a file.')
    expect((await browser.submit('Review', { file: importFile('x'.repeat(1_200_000)) })).status).to.equal(413)
    expect(browser.words).to.include('The file is larger than 1 MiB.')
  })

  it('refuses files that are not lists or that have too many rows', async () => {
    const files: Array<[File, string]> = [
      [importFile('%PDF-1.7', 'list.pdf'), 'The file is a PDF. Send csv, txt, ods, xls or xlsx.'],
      [importFile('type,tags\ndesk,window\n'), 'The file has no column “name”.'],
      [importFile('name,Name\na,b\n'), 'The file has the column “name” twice.'],
      [importFile(''), 'The file is empty.'],
      [
        importFile(`name\n${Array.from({ length: 1_001 }, (_, index) => `D ${index}`).join('\n')}`),
        'The file has more than 1,000 rows, the maximum allowed.',
      ],
    ]
    for (const [file, sentence] of files) {
      await review(file)
      expect(browser.words).to.include(sentence).and.include('Nothing was changed.')
      expect(browser.page.text).to.not.include('Apply:')
    }
    await review(importFile('name\n'))
    expect(browser.words).to.include('Nothing to apply.')
    expect(await world.database('bookables').where({ location_id })).to.deep.equal([])
  })

  it('shows the upload of another administrator, but refuses to apply it', async () => {
    const path = await review(importFile(DESK_LIST_CSV))
    const other = await createSignedIn(world, 'other@example.com')
    await other.open(path)
    expect(other.words)
      .to.include('Desk 1')
      .and.include('Only admin@example.com, who uploaded the file, can apply this import.')
    expect(other.page.text).to.not.include('Apply:')
    await other.open(start())
    const [, _csrf = ''] = /name="_csrf" value="([^"]+)"/.exec(other.page.text) ?? []
    for (const _action of ['apply', 'review-again'])
      expect((await other.post(path, new URLSearchParams({ _csrf, _action }))).status, _action).to.equal(403)
  })

  it('refuses expired imports, imports already applied, and imports of people', async () => {
    const path = await review(importFile(DESK_LIST_CSV))
    const form = browser.form('Apply: add 1')
    await world.database('files').update({ expires_at: new Date(0) })
    await browser.open(path)
    expect(browser.words).to.include('This import has expired. Upload the file again')
    expect((await browser.send(form)).status).to.equal(409)
    const people = await sendImportFile(browser, importFile('email,name\na@example.com,A\n'))
    await awaitImport(browser, people)
    for (const id of [people.split('/').at(-1), '00000000-0000-4000-8000-000000000000', 'x'])
      expect((await browser.open(`/dashboard/places/imports/${id}`)).status, id).to.equal(404)
    expect((await browser.open(`/dashboard/people/imports/${path.split('/').at(-1)}`)).status).to.equal(404)
  })

  it('refuses to apply to a deleted location, and keeps no file for an unknown location', async () => {
    await review(importFile(DESK_LIST_CSV))
    const form = browser.form('Apply: add 1')
    await world.database('locations').where({ id: location_id }).delete()
    const { path } = await browser.send(form)
    await awaitImport(browser, path)
    expect(browser.words).to.include('The floor of this import has been deleted.')
    await world.database('files').delete()
    location_id = await createLocation(world.database)
    await browser.open(start())
    const late = browser.form('Review')
    await world.database('locations').where({ id: location_id }).delete()
    const { status } = await browser.send(late, { file: importFile(DESK_LIST_CSV) })
    expect(status).to.equal(404)
    await eventually(async () =>
      expect(await countFiles(world.database)).to.deep.equal({ files: 0, chunks: 0 }),
    )
  })
})
