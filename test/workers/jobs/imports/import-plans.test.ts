// Tests the stored plans of imports: which requests they accept, how long they are kept, and that only the dashboard
// creates them.
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { createLog } from '../../../../shared/utilities/log.ts'
import { deleteExpiredRows } from '../../../../workers/pollers/upkeep.ts'
import { createSignedIn } from '../../../support/dashboard/dashboard.ts'
import {
  awaitImport,
  fetchFile,
  importFile,
  reviewImport,
  sendImportFile,
} from '../../../support/dashboard/import-wizard.ts'
import { countLockWaits } from '../../../support/faults/pipeline.ts'
import { eventually } from '../../../support/time.ts'
import { useWorld } from '../../../support/world.ts'

const USER_LIST_CSV = 'email,name\nada@example.com,Ada\nbad,Bad\n'

describe('plans of imports', () => {
  const world = useWorld({ workers: ['writes', 'imports', 'exports'] })

  const plans = () => world.database('import_plans')

  it('are stored only for the dashboard, and never for an import through the API', async () => {
    const client = await world.client('user-write')
    const { json } = await client.import(USER_LIST_CSV, {
      dry_run: 'true',
      details: 'true',
      plan_id: randomUUID(),
    })
    expect(Object.keys(json)).to.deep.equal([
      'dryRun',
      'created',
      'updated',
      'deleted',
      'skipped',
      'errors',
      'errorMessages',
      'rows',
      'filename',
    ])
    expect(await plans()).to.have.length(0)
  })

  it('are deleted with their rows when they expire, and not earlier', async () => {
    const browser = await createSignedIn(world)
    await reviewImport(browser, USER_LIST_CSV)
    await deleteExpiredRows(world.database, createLog('test', 'silent'), world.config)
    expect(await world.database('import_plan_rows')).to.have.length(2)
    await plans().update({ expires_at: new Date(0) })
    await deleteExpiredRows(world.database, createLog('test', 'silent'), world.config)
    expect(await plans()).to.have.length(0)
    expect(await world.database('import_plan_rows')).to.have.length(0)
  })

  it('are not applied if their digest belongs to another list', async () => {
    const browser = await createSignedIn(world)
    const first =
      (await reviewImport(browser, 'email,name\nsomebody@example.com,S\n')).split('/').at(-1) ?? ''
    await reviewImport(browser, USER_LIST_CSV)
    const { digest } = await plans().where({ id: first }).first()
    await plans().update({ digest })
    await browser.submit('Apply: add 1')
    await awaitImport(browser, browser.page.path)
    expect(browser.words).to.include('Nothing was changed.')
    expect(await world.database('users')).to.have.length(0)
  })

  it('keep the file for a retry after a fault, but not a file that is not a valid list', async () => {
    const browser = await createSignedIn(world)
    await world.database('files').delete()
    await awaitImport(browser, await sendImportFile(browser, importFile('%PDF-1.7')))
    expect(await world.database('files')).to.have.length(0)
    expect(browser.page.text).to.not.include('Try again')
    const path = await reviewImport(browser, USER_LIST_CSV)
    const outcome = {
      status: 500,
      body: '{"detail":"The log has the details under this request_id.","request_id":"seven"}',
      refused: 'internal_error',
    }
    await world
      .database('jobs')
      .where({ id: path.split('/').at(-1) })
      .update({ state: 'failed', outcome: JSON.stringify(outcome) })
    await browser.open(path)
    expect(browser.words, 'as an older release has stored it').to.include(
      'The log has the details under this request_id.',
    )
    await browser.submit('Try again')
    await awaitImport(browser, browser.page.path)
    expect(browser.page.text).to.include('Apply: add 1')
    expect((await fetchFile(browser, `${path}?_download=xlsx`)).status).to.equal(200)
  })

  it('are not applied if another import applies and deletes the same file first', async () => {
    const browser = await createSignedIn(world)
    await reviewImport(browser, USER_LIST_CSV)
    const trx = await world.database.transaction()
    await trx('files').delete()
    await browser.submit('Apply: add 1')
    await eventually(async () => expect(await countLockWaits(world)).to.equal(1))
    await trx.commit()
    await awaitImport(browser, browser.page.path)
    expect(browser.words).to.include('The file is no longer stored: it has been applied')
    expect(await world.database('users')).to.have.length(0)
  })
})
