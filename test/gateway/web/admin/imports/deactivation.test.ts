// The users that a reviewed import deactivates: none whose row was refused, and none at all if a refused row cannot be
// matched to a user.

import { expect } from 'chai'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { apply, download, reviewImport } from '../../../../support/dashboard/import-wizard.ts'
import { createUser } from '../../../../support/factories.ts'
import { removeUsers } from '../../../../support/user-lists.ts'
import { useWorld } from '../../../../support/world.ts'

const DEACTIVATE = { update: 'true', deactivate: 'true' }
const TOO_LONG = 'x'.repeat(1025)

describe('deactivating by a reviewed import', () => {
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

  it('keeps users that a refused row names, and says so', async () => {
    await reviewImport(
      browser,
      `email,name,extensionAttribute1\nann@example.com,Ann,\nbob@example.com,Bob,\nJANE@example.com,Jane,${TOO_LONG}\n`,
      DEACTIVATE,
    )
    expect(browser.words)
      .to.include('1 person is only in a row with errors, and is not deactivated.')
      .and.include('1 row with errors')
      .and.include('A known person, who is not deactivated')
    await apply(browser)
    expect(browser.words).to.include('1 person was deactivated.')
    expect(await activePeople()).to.deep.equal(['Ann', 'Bob', 'Jane'])
  })

  it('is refused while a refused row matches no user, and works once the row is corrected', async () => {
    const list = (jane: string) => `email,name\nann@example.com,Ann B.\n${jane},Jane\nbob@example.com,Bob\n`
    await reviewImport(browser, list('jane@'), DEACTIVATE)
    expect(browser.words)
      .to.include('Nobody will be deactivated. 1 row with errors matches no known person')
      .and.include('Fix this row first, and import the whole list again.')
      .and.include('No known person')
      .and.include('To deactivate 0')
    await apply(browser)
    expect(browser.words).to.include('1 person was changed.')
    expect(await activePeople()).to.deep.equal(['Ann B.', 'Bob', 'Jane', 'Left'])
    await reviewImport(browser, list('jane@example.com'), DEACTIVATE)
    expect(browser.words).to.not.include('Nobody will be deactivated')
    await apply(browser)
    expect(await activePeople()).to.deep.equal(['Ann B.', 'Bob', 'Jane'])
  })

  it('is refused if a row cannot be matched to a user', async () => {
    const cases: Array<[row: string, isRefused: boolean, key_column?: string]> = [
      // No user has this e-mail, or the row has none.
      ['nobody@example.com,,,', true],
      [',Jane,,', true],
      // Bob again: with another name it is another user with a wrong e-mail.
      ['bob@example.com,Jane,,', true],
      ['bob@example.com,BOB,,', false],
      ['bob@example.com,,,', false],
      // The key identifies the user, although the e-mail is wrong.
      ['jane@,Jane,Jane@upn,', false, 'upn'],
      ['jane@,Jane,nobody@upn,', true, 'upn'],
      // The e-mail is another user's: both are kept.
      ['left@example.com,Jane,Jane@upn,', false, 'upn'],
      // A wrong key, and the e-mail of an earlier row.
      ['ann@example.com,Jane,nobody@upn,', true, 'upn'],
    ]
    for (const [row, isRefused, key_column = 'email'] of cases) {
      const list = `email,name,upn,extensionAttribute1\nann@example.com,Ann,Ann@upn,\nbob@example.com,Bob,Bob@upn,\n${row}\n`
      await reviewImport(browser, list, { ...DEACTIVATE, key_column })
      expect(browser.words.includes('Nobody will be deactivated'), row).to.equal(isRefused)
      const kept = /(\d) (person is|people are) only in/.exec(browser.words)?.[1]
      if (row.startsWith('left@')) expect(kept, row).to.equal('2')
    }
  })

  it('first shows which rows need correction', async () => {
    const rows = ['ann@example.com,Ann,', `bob@example.com,Bob,${TOO_LONG}`, 'jane@,Jane,']
    await reviewImport(browser, `email,name,extensionAttribute1\n${rows.join('\n')}\n`, DEACTIVATE)
    expect(browser.words).to.match(/4 Jane .* 3 Bob /)
  })

  it('ignores the refused rows of another import', async () => {
    await reviewImport(browser, 'email,name\nann@example.com,Ann\njane@,Jane\n')
    const mended = String((await download(browser, 'csv')).bytes).replace('jane@,', 'new@example.com,')
    await reviewImport(browser, mended, DEACTIVATE)
    expect(browser.words)
      .to.include('Nobody will be deactivated. The file has the column “What is wrong”')
      .and.include('1 person will be added.')
    await apply(browser)
    expect(await activePeople()).to.deep.equal(['Ann', 'Bob', 'Jane', 'Left', 'Jane'].sort())
  })

  it('is part of the review: nothing is applied if a row no longer matches its user', async () => {
    const list = `email,name,extensionAttribute1\nann@example.com,Anna,\njane@example.com,Jane,${TOO_LONG}\n`
    await reviewImport(browser, list, DEACTIVATE)
    expect(browser.words).to.include('2 deactivated')
    await world.database('users').where({ name: 'Jane' }).update({ email: 'jane.new@example.com' })
    await apply(browser)
    expect(browser.words).to.include('Nothing was changed.').and.include('Nobody will be deactivated.')
    expect(await activePeople()).to.deep.equal(['Ann', 'Bob', 'Jane', 'Left'])
  })

  it('follows the rule of the interface in the API', async () => {
    const client = await world.client('user-write')
    const list = `email,name\nann@example.com,Ann\njane@,Jane\n`
    expect((await client.import(list, { deactivate: 'true' })).json).to.include({ deleted: 3 })
    expect(await activePeople()).to.deep.equal(['Ann'])
  })
})
