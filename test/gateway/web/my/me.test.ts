// Tests the page Me: a person's language, mails, vehicles and calendar URL, and the link to the dashboard.
import { expect } from 'chai'
import { createSignedIn, parseForms } from '../../../support/dashboard/dashboard.ts'
import { createUser, createVehicle } from '../../../support/factories.ts'
import { signInAs } from '../../../support/people/person.ts'
import { useWorld } from '../../../support/world.ts'

describe('the page Me of a person', () => {
  const world = useWorld()

  async function createPerson(email?: string) {
    const user_id = await createUser(world.database, email ? { email } : {})
    const browser = await signInAs(world, user_id)
    await browser.open('/my/me')
    return { user_id, browser, settings: () => world.database('person_settings').where({ user_id }).first() }
  }
  const formWith = (browser: Awaited<ReturnType<typeof signInAs>>, field: string) =>
    parseForms(browser.page.text).find(({ controls }) => controls.some(({ name }) => name === field)) ??
    expect.fail(field)

  it('uses the language that the person chooses for mails and pages', async () => {
    const { browser, settings } = await createPerson()
    await browser.send(formWith(browser, 'language'), { language: 'de' })
    expect(browser.page.path).to.equal('/my/me')
    expect(browser.words).to.include('Sprache')
    expect((await settings()).language).to.equal('de')
  })

  it('stores which mails the person refuses, and who may see the person', async () => {
    const { browser, settings } = await createPerson()
    await browser.send(formWith(browser, 'mails'), { mails: ['confirmation', 'offer'] })
    await browser.send(formWith(browser, 'visibility'), { visibility: 'groups' })
    expect(await settings()).to.deep.include({
      muted_mails: ['reminder', 'changed', 'approval', 'meeting', 'answer'],
      visibility: 'groups',
    })
    await browser.send(formWith(browser, 'mails'), { mails: [] })
    expect((await settings()).muted_mails).to.have.length(7)
  })

  it('adds and deletes only the vehicles of the person', async () => {
    const { user_id, browser } = await createPerson()
    await browser.submit('Add', { license_plate: 'HH-AB 1' })
    const { id } = await world.database('vehicles').where({ user_id }).first()
    expect(browser.words).to.include('HH-AB 1')
    const theirs = await createVehicle(world.database)
    await browser.submit('Delete', { id: String(theirs) })
    expect(await world.database('vehicles').where({ id: theirs })).to.have.length(1)
    await browser.open('/my/me')
    await browser.submit('Delete', { id: String(id) })
    expect(await world.database('vehicles').where({ user_id })).to.have.length(0)
  })

  it('creates and revokes a calendar address', async () => {
    const { user_id, browser } = await createPerson()
    await browser.submit('Create calendar address')
    const [url = ''] = /http:[^<]+\.ics/.exec(browser.page.text) ?? []
    expect((await fetch(url)).status).to.equal(200)
    await browser.open('/my/me')
    await browser.submit('Revoke')
    expect(browser.words).to.include('Calendar address revoked.')
    expect(await world.database('calendars').where({ user_id })).to.have.length(0)
  })

  it('links administrators to the dashboard, which links back to the page', async () => {
    const admin = await createSignedIn(world, 'both@example.com')
    expect(admin.page.text).to.include('href="/my"')
    const { browser } = await createPerson('Both@example.com')
    expect(browser.page.text).to.include('href="/dashboard"')
    const other = await createPerson()
    expect(other.browser.page.text).to.not.include('href="/dashboard"')
  })
})
