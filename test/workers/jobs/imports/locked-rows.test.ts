// Tests that an import limits its waits for locked rows, and gives up after a few tries.
import { expect } from 'chai'
import { createSignedIn } from '../../../support/dashboard/dashboard.ts'
import { apply, awaitImport, importFile, sendImportFile } from '../../../support/dashboard/import-wizard.ts'
import { createLocation } from '../../../support/factories.ts'
import { eventually } from '../../../support/time.ts'
import { useWorld } from '../../../support/world.ts'

const GAVE_UP = 'Others kept changing the same data, so nothing was imported. Try again later.'

describe('an import that meets locked rows', () => {
  const world = useWorld({ workers: ['writes', 'imports'] })

  /**
   * Makes each insert into the table fail with a lock timeout, as if another transaction kept its rows locked. The insert
   * fails with another error if the import has not limited its waits for locks.
   */
  const failWithLockTimeouts = (table: string) =>
    world.database.raw(`
      CREATE OR REPLACE FUNCTION wait_for_lock() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF current_setting('lock_timeout') <> '30s' THEN RAISE 'This statement waits without a limit'; END IF;
        RAISE 'canceling statement due to lock timeout' USING ERRCODE = 'lock_not_available';
      END $$;
      CREATE TRIGGER locked BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION wait_for_lock()`)
  const stopFailing = (table: string) => world.database.raw(`DROP TRIGGER locked ON ${table}`)

  it('of people gives up after a few tries, and says why', async () => {
    const client = await world.client('user-write')
    const list = 'email,name\nada@example.com,Ada\n'
    await failWithLockTimeouts('users')
    const accepted = await client.import(list, {}, { Prefer: 'respond-async' })
    expect(accepted.status).to.equal(202)
    const { pathname } = new URL(accepted.headers.get('Location') ?? '')
    const error = await eventually(async () => {
      const { data } = (await client.get(pathname)).json
      expect(data.state).to.equal('failed')
      return data.error
    })
    expect([error.code, error.detail]).to.deep.equal(['not_executed', GAVE_UP])
    await stopFailing('users')
    expect((await client.import(list)).status).to.equal(200)
  })

  it('of places gives up too, and offers another try', async () => {
    const browser = await createSignedIn(world)
    const location = await createLocation(world.database)
    const start = `/dashboard/places/locations/${location}/import`
    await awaitImport(browser, await sendImportFile(browser, importFile('name\nDesk 1\n'), {}, start))
    await failWithLockTimeouts('bookables')
    await apply(browser)
    expect(browser.words).to.include(GAVE_UP)
    await stopFailing('bookables')
    await browser.submit('Try again')
    await awaitImport(browser, browser.page.path)
    await apply(browser)
    expect(await world.database('bookables').pluck('name')).to.deep.equal(['Desk 1'])
  })
})
