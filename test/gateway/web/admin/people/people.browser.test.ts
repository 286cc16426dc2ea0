// Tests how an administrator manages people in a real browser: importing a list with errors, correcting
// refused rows, concurrent changes, the bookings of a deactivated person, and the export.

import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import papaparse from 'papaparse'
import type { Page } from 'playwright-core'
import { openWindow, useChromium } from '../../../../support/dashboard/browser.ts'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { createBooking, createUser, hoursFromNow } from '../../../../support/factories.ts'
import { removeUsers } from '../../../../support/user-lists.ts'
import { useWorld } from '../../../../support/world.ts'

const USER_LIST_CSV = 'email,name\nada@example.com,Ada Lovelace\nnew@example.com,New\njane@,Jane\n'

describe('administrators managing people, in a browser', () => {
  useChromium()
  const world = useWorld()
  const signedIn = useSignedIn(world)
  before(async () => {
    await world.startWorkers(['imports', 'exports'])
  })
  beforeEach(() => removeUsers(world.database))

  async function chooseList(page: Page, text: string) {
    await page.goto('/dashboard/people')
    await page.getByRole('link', { name: 'Import people' }).click()
    await page
      .getByLabel('Import file', { exact: true })
      .setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
    await page.getByLabel('Update existing people').check()
    await page.getByRole('button', { name: 'Review' }).click()
  }

  async function fetchFile(page: Page, name: string): Promise<string> {
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name, exact: true }).click(),
    ])
    return readFile(await file.path(), 'utf8')
  }

  it('import a list with errors, and download the refused rows', async () => {
    await createUser(world.database, { name: 'Ada', email: 'ada@example.com' })
    const { context, page, complaints } = await openWindow(signedIn)
    await chooseList(page, USER_LIST_CSV)
    await page.getByText('The email must be a valid e-mail address (it is “jane@”).').waitFor()
    expect(await page.getByRole('navigation', { name: 'Import plan' }).innerText()).to.match(
      /To add\s+1\s+To change\s+1\s+Errors\s+1/,
    )
    const { data } = papaparse.parse<string[]>((await fetchFile(page, 'csv')).trim())
    expect(data[1]).to.deep.equal([
      'jane@',
      'Jane',
      'The email must be a valid e-mail address (it is “jane@”).',
    ])
    await page.getByRole('link', { name: /^To change/ }).click()
    await page.getByText('Name: Ada → Ada Lovelace').waitFor()
    // Clicks twice, as impatient people do.
    await page.getByRole('button', { name: 'Apply: add 1, change 1' }).dblclick()
    await page.getByText('Import applied. 1 person was added and 1 changed.').waitFor()
    expect(await world.database('users').pluck('name')).to.have.members(['Ada Lovelace', 'New'])
    expect(await world.database('audit_log').where({ action: 'users.import' })).to.have.length(1)
    expect(complaints).to.deep.equal([])
    await context.close()
  })

  it('review an import again if somebody has changed a person since, and apply it', async () => {
    const id = await createUser(world.database, { name: 'Ada', email: 'ada@example.com' })
    const { context, page } = await openWindow(signedIn)
    await chooseList(page, USER_LIST_CSV)
    await page.getByRole('button', { name: 'Apply: add 1, change 1' }).waitFor()
    await world.database('users').where({ id }).update({ name: 'Augusta' })
    await page.getByRole('button', { name: 'Apply: add 1, change 1' }).click()
    await page.getByText('Nothing was changed.').waitFor()
    expect(await world.database('users').pluck('name')).to.deep.equal(['Augusta'])
    await page.getByRole('link', { name: /^To change/ }).click()
    await page.getByText('Name: Augusta → Ada Lovelace').waitFor()
    await page.getByRole('button', { name: 'Apply: add 1, change 1' }).click()
    await page.getByText('Import applied.').waitFor()
    await context.close()
  })

  it('release the bookings of a deactivated person, and export the other people', async () => {
    const user_id = await createUser(world.database, { name: 'Gone', deactivated_at: new Date() })
    await createUser(world.database, { name: 'Ada', email: 'ada@example.com' })
    await createBooking(world.database, { user_id, from: hoursFromNow(1), to: hoursFromNow(2) })
    const { context, page } = await openWindow(signedIn, { viewport: { width: 390, height: 844 } })
    await page.goto('/dashboard/people')
    await page.getByRole('link', { name: 'Review' }).click()
    await page.getByRole('link', { name: 'Release the bookings of Gone' }).click()
    await page.getByRole('button', { name: 'Release' }).click()
    await page.getByText('Bookings released: 1 deleted, 0 ended now.').waitFor()
    expect(await world.database('bookings')).to.have.length(0)
    await page.goto('/dashboard/people')
    await page.getByLabel('More actions').click()
    const { data } = papaparse.parse(await fetchFile(page, 'Export as csv'), {
      header: true,
      skipEmptyLines: true,
    })
    expect(data).to.have.length(1)
    expect(data[0]).to.include({ email: 'ada@example.com', name: 'Ada' })
    await context.close()
  })

  it('find and change a person without scripts', async () => {
    await createUser(world.database, { name: 'Ada', email: 'ada@example.com' })
    const { context, page } = await openWindow(signedIn, { javaScriptEnabled: false })
    await page.goto('/dashboard/people')
    await page.getByRole('searchbox', { name: 'Search' }).fill('ada@')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('link', { name: 'Ada' }).click()
    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByLabel('License plates').fill('HH 1')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('Changes saved.').waitFor()
    expect(await page.getByRole('region', { name: 'Vehicles' }).first().innerText()).to.include('HH 1')
    await context.close()
  })
})
