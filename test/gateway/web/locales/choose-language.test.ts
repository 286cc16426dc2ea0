// Tests which language a visitor gets: the browser's language, until the visitor chooses one.
import { expect } from 'chai'
import { Browser as Stranger, useSignedIn } from '../../../support/dashboard/dashboard.ts'
import { useWorld } from '../../../support/world.ts'

const GERMAN_BROWSER = { headers: { 'Accept-Language': 'de-AT,de;q=0.9,en;q=0.5' } }

describe('the language of the dashboard', () => {
  const world = useWorld()
  const signedIn = useSignedIn(world)

  it('is English unless the browser asks for another language', async () => {
    const { text } = await signedIn.open('/dashboard/people')
    expect(text).to.contain('<html lang="en">').and.contain('>People</h1>')
  })

  it('is the language that the browser asks for', async () => {
    const { text, headers } = await signedIn.open('/dashboard/people', GERMAN_BROWSER)
    expect(text).to.contain('<html lang="de">').and.contain('>Personen</h1>')
    expect(headers.get('vary')).to.contain('Accept-Language')
  })

  it('can be chosen on a page, to which the choice leads back', async () => {
    const { text } = await signedIn.open('/dashboard/people?q=ada&page=2', GERMAN_BROWSER)
    const [, address = ''] = /href="([^"]*)" lang="en"/.exec(text) ?? []
    const chosen = await signedIn.open(address.replaceAll('&amp;', '&'), GERMAN_BROWSER)
    expect(chosen.path).to.equal('/dashboard/people?q=ada&page=2')
    expect(chosen.text).to.contain('<html lang="en">')
    expect((await signedIn.open('/dashboard/bookings', GERMAN_BROWSER)).text).to.contain('<html lang="en">')
    await signedIn.open('/dashboard/language/de')
    expect((await signedIn.open('/dashboard/bookings')).text).to.contain('<html lang="de">')
    await signedIn.open('/dashboard/language/en')
  })

  it('can be chosen before signing in', async () => {
    const stranger = new Stranger(world.url)
    const { text, path } = await stranger.open('/dashboard/language/de?next=/dashboard/sign-in')
    expect(path).to.equal('/dashboard/sign-in')
    expect(text).to.contain('<html lang="de">').and.contain('Anmelden')
  })

  it('never leads to another site when it is chosen', async () => {
    for (const next of ['https://evil.example/', '//evil.example', '/\\evil.example', '/api/v1/users', 'x']) {
      const { path } = await signedIn.open(`/dashboard/language/en?next=${encodeURIComponent(next)}`)
      expect(path, next).to.equal('/dashboard')
    }
  })

  it('is always one of the available languages', async () => {
    for (const language of ['fr', 'constructor', 'de%20'])
      expect((await signedIn.open(`/dashboard/language/${language}`)).status, language).to.equal(404)
  })

  it('is also used for refusals and notices', async () => {
    await signedIn.open('/dashboard/language/de?next=/dashboard/places/buildings/new')
    const refused = await signedIn.submit('Gebäude anlegen', { name: '', timezone: 'UTC' })
    expect(refused.text).to.contain('Name fehlt.')
    const created = await signedIn.submit('Gebäude anlegen', { name: 'Haus am See', timezone: 'UTC' })
    expect(created.text)
      .to.contain('>Haus am See</h1>')
      .and.match(/role="status"><p>[^<]*(angelegt|erstellt)/)
  })
})
