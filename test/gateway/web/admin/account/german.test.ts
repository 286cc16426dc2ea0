// Signing in and passwords in German: errors are in the visitor's language and use the field's label.
import { expect } from 'chai'
import { Browser, createSignedIn, PASSWORD } from '../../../../support/dashboard/dashboard.ts'
import { useWorld } from '../../../../support/world.ts'

describe('the account pages in German', () => {
  const world = useWorld()

  it('shows “wrong password” in the language that the browser asks for', async () => {
    const browser = new Browser(world.url)
    const headers = { 'Accept-Language': 'de-AT,en;q=0.5' }
    await browser.open('/dashboard/sign-in', { headers })
    const fields = { email: 'nobody@example.com', password: 'wrong' }
    await browser.submit('Anmelden', fields, { headers })
    expect(browser.words).to.include('E-Mail oder Passwort ist falsch.').and.not.include('Wrong')
  })

  it('shows how many sessions a new password has ended', async () => {
    const browser = await createSignedIn(world, 'anna@example.com')
    await createSignedIn(world, 'anna@example.com')
    await browser.open('/dashboard/language/de')
    await browser.open('/dashboard/settings')
    expect(browser.words).to.include('Sie sind als anna@example.com angemeldet, mit der Rolle Inhaber.')
    await browser.submit('Passwort ändern', { current: PASSWORD, password: 'kurz', repeated: 'kurz' })
    expect(browser.words).to.include('Neues Passwort muss mindestens 12 Zeichen lang sein.')
    const fields = { current: PASSWORD, password: `${PASSWORD} 2`, repeated: `${PASSWORD} 2` }
    await browser.submit('Passwort ändern', { ...fields, repeated: PASSWORD })
    expect(browser.words).to.include('Die Passwörter stimmen nicht überein.')
    await browser.submit('Passwort ändern', fields)
    expect(browser.words).to.include('Passwort geändert. 1 andere Sitzung wurde abgemeldet.')
  })
})
