// Tests which users a reviewed import deactivates: no user whose row was refused, and nobody at all if a
// refused row cannot be matched to a user.

import { expect } from 'chai'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { apply, download, reviewImport } from '../../../../support/dashboard/import-wizard.ts'
import { createUser } from '../../../../support/factories.ts'
import { removeUsers } from '../../../../support/user-lists.ts'
import { useWorld } from '../../../../support/world.ts'

const DEACTIVATE_OPTIONS = { update: 'true', deactivate: 'true' }
const TOO_LONG_TEXT = 'x'.repeat(1025)

describe('deactivating people with a reviewed import', () => {
  const world = useWorld({ workers: ['writes', 'imports', 'exports'] })
  const browser = useSignedIn(world)
  beforeEach(async () => {
    await removeUsers(world.database)
    for (const name of ['Ann', 'Bob', 'Jane', 'Left'])
      await createUser(world.database, {
        name,
        email: `${name.toLowerCase()}@example.com`,
        upn: `${name}@upn`,
      })
  })

  const activePeople = async () =>
    (await world.database('users').whereNull('deactivated_at').orderBy('name')).map(({ name }) => name)

  it('keeps users whom a refused row names, and reports this', async () => {
    await reviewImport(
      browser,
      `email,name,extensionAttribute1\nann@example.com,Ann,\nbob@example.com,Bob,\nJANE@example.com,Jane,${TOO_LONG_TEXT}\n`,
      DEACTIVATE_OPTIONS,
    )
    expect(browser.words)
      .to.include('1 person appears only in a row with errors and is not deactivated.')
      .and.include('1 row with errors')
      .and.include('Belongs to a known person, so that person stays active')
    await apply(browser)
    expect(browser.words).to.include('1 person was deactivated.')
    expect(await activePeople()).to.deep.equal(['Ann', 'Bob', 'Jane'])
  })

  it('is refused while a refused row matches no user, and works once that row is corrected', async () => {
    const list = (jane: string) => `email,name\nann@example.com,Ann B.\n${jane},Jane\nbob@example.com,Bob\n`
    await reviewImport(browser, list('jane@'), DEACTIVATE_OPTIONS)
    expect(browser.words)
      .to.include('Nobody will be deactivated. 1 row with errors matches no known person')
      .and.include('Fix this row first, then import the whole list again.')
      .and.include('No known person')
      .and.include('To deactivate 0')
    await apply(browser)
    expect(browser.words).to.include('1 person was changed.')
    expect(await activePeople()).to.deep.equal(['Ann B.', 'Bob', 'Jane', 'Left'])
    await reviewImport(browser, list('jane@example.com'), DEACTIVATE_OPTIONS)
    expect(browser.words).to.not.include('Nobody will be deactivated')
    await apply(browser)
    expect(await activePeople()).to.deep.equal(['Ann B.', 'Bob', 'Jane'])
  })

  it('is refused if a row matches no user', async () => {
    const cases: Array<[row: string, isRefused: boolean, key_column?: string]> = [
      // Rows without an e-mail, or with an e-mail that no user has.
      ['nobody@example.com,,,', true],
      [',Jane,,', true],
      // Bob's e-mail with a different name: probably a different user whose e-mail was entered incorrectly.
      ['bob@example.com,Jane,,', true],
      ['bob@example.com,BOB,,', false],
      ['bob@example.com,,,', false],
      // The key identifies the user, although the e-mail is wrong.
      ['jane@,Jane,Jane@upn,', false, 'upn'],
      ['jane@,Jane,nobody@upn,', true, 'upn'],
      // The e-mail belongs to a second user. Both users are kept.
      ['left@example.com,Jane,Jane@upn,', false, 'upn'],
      // A wrong key together with the e-mail of an earlier row.
      ['ann@example.com,Jane,nobody@upn,', true, 'upn'],
    ]
    for (const [row, isRefused, key_column = 'email'] of cases) {
      const list = `email,name,upn,extensionAttribute1\nann@example.com,Ann,Ann@upn,\nbob@example.com,Bob,Bob@upn,\n${row}\n`
      await reviewImport(browser, list, { ...DEACTIVATE_OPTIONS, key_column })
      expect(browser.words.includes('Nobody will be deactivated'), row).to.equal(isRefused)
      const kept = /(\d) (person appears|people appear) only in/.exec(browser.words)?.[1]
      if (row.startsWith('left@')) expect(kept, row).to.equal('2')
    }
  })

  it('shows the rows that need correction first', async () => {
    const rows = ['ann@example.com,Ann,', `bob@example.com,Bob,${TOO_LONG_TEXT}`, 'jane@,Jane,']
    await reviewImport(browser, `email,name,extensionAttribute1\n${rows.join('\n')}\n`, DEACTIVATE_OPTIONS)
    expect(browser.words).to.match(/4 Jane .* 3 Bob /)
  })

  it('ignores refused rows of other imports', async () => {
    await reviewImport(browser, 'email,name\nann@example.com,Ann\njane@,Jane\n')
    const mended = String((await download(browser, 'csv')).bytes).replace('jane@,', 'new@example.com,')
    await reviewImport(browser, mended, DEACTIVATE_OPTIONS)
    expect(browser.words)
      .to.include('Nobody will be deactivated. The file has the column “What is wrong”')
      .and.include('1 person will be added.')
    await apply(browser)
    expect(await activePeople()).to.deep.equal(['Ann', 'Bob', 'Jane', 'Left', 'Jane'].sort())
  })

  it('applies nothing if a row has stopped matching its user since the review', async () => {
    const list = `email,name,extensionAttribute1\nann@example.com,Anna,\njane@example.com,Jane,${TOO_LONG_TEXT}\n`
    await reviewImport(browser, list, DEACTIVATE_OPTIONS)
    expect(browser.words).to.include('2 deactivated')
    await world.database('users').where({ name: 'Jane' }).update({ email: 'jane.new@example.com' })
    await apply(browser)
    expect(browser.words).to.include('Nothing was changed.').and.include('Nobody will be deactivated.')
    expect(await activePeople()).to.deep.equal(['Ann', 'Bob', 'Jane', 'Left'])
  })

  it('is possible through the API even if a row matches no user', async () => {
    const client = await world.client('user-write')
    const list = `email,name\nann@example.com,Ann\njane@,Jane\n`
    expect((await client.import(list, { deactivate: 'true' })).json).to.include({ deleted: 3 })
    expect(await activePeople()).to.deep.equal(['Ann'])
  })
})
