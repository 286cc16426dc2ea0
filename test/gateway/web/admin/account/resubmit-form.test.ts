// Tests sessions that end while a form is open: the input is not lost, and the server does not store it.
import { expect } from 'chai'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { createUser } from '../../../../support/factories.ts'
import { useWorld } from '../../../../support/world.ts'

const EMAIL = 'admin@example.com'

describe('a dashboard form whose session has ended', () => {
  const world = useWorld({ each: true })
  const browser = useSignedIn(world)

  const endSessions = () => world.database('sessions').delete()
  const typedInto = (button: string, name: string) =>
    browser.form(button).controls.find((control) => control.name === name)?.value

  /** Signs in with another tab, so that the tab with the form stays unchanged. */
  async function signInElsewhere(email = EMAIL) {
    const { page } = browser
    await browser.signIn(email)
    browser.page = page
  }

  it('keeps its input on a page that leads to sign-in, and fills it in after sign-in', async () => {
    const id = await createUser(world.database, { name: 'Ada' })
    await browser.open(`/dashboard/people/${id}/edit?back=%2Fpeople`)
    const typed = { name: 'Ada “Countess” Lovelace & Sons', email: 'ada@lovelace.example' }
    await endSessions()
    expect((await browser.submit('Save changes', typed)).status).to.equal(401)
    expect(browser.words).to.include('what you entered is kept on this page')
    expect((await browser.submit('Continue')).status, 'not signed in yet').to.equal(401)
    await signInElsewhere()
    expect((await browser.submit('Continue')).status, 'before it is looked at').to.equal(403)
    expect(browser.words).to.include('Nothing was changed.')
    expect(browser.page.path).to.equal(`/dashboard/people/${id}/edit?back=%2Fpeople`)
    expect([typedInto('Save changes', 'name'), typedInto('Save changes', 'email')]).to.deep.equal([
      typed.name,
      typed.email,
    ])
    expect((await world.database('users').where({ id }).first()).name).to.equal('Ada')
    expect((await browser.submit('Save changes')).status).to.equal(200)
    expect(await world.database('users').where({ id }).first()).to.include(typed)
  })

  it('keeps no password and no token of its input', async () => {
    await browser.open('/dashboard/settings')
    await endSessions()
    const secrets = { current: 'my present password', password: 'my next password', repeated: 'my next one' }
    expect((await browser.submit('Change password', secrets)).status).to.equal(401)
    for (const secret of [...Object.values(secrets), '_csrf'])
      expect(browser.page.text, secret).to.not.include(secret)
  })

  it('shows its input only to administrators who may use the form', async () => {
    const id = await createUser(world.database, { name: 'Ada' })
    await browser.open(`/dashboard/people/${id}/edit`)
    await endSessions()
    await browser.submit('Save changes', { name: 'Other' })
    await world.database('admins').where({ email: EMAIL }).update({ role: 'reader' })
    await signInElsewhere()
    expect((await browser.submit('Continue')).status).to.equal(403)
    expect(browser.page.text).to.not.include('Other')
  })

  it('leads back only to its own page of the dashboard', async () => {
    await endSessions()
    const fields = new URLSearchParams({ _action: 'save', name: 'x' })
    const asked = await browser.post('/dashboard//evil.example/people/1/edit', fields)
    expect(asked.status).to.equal(404)
    const sent = { headers: { 'Sec-Fetch-Site': 'cross-site' } }
    const id = await createUser(world.database)
    const foreign = await browser.post(`/dashboard/people/${id}/edit`, fields, sent)
    expect(foreign.status).to.equal(403)
    expect(foreign.text).to.not.include('name="name"')
  })
})
