// Tests calendar addresses in the dashboard: they are created on the page of a person, bookable or location,
// shown once, and revoked.
import { expect } from 'chai'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { createDesk } from '../../../../support/factories.ts'
import { useWorld } from '../../../../support/world.ts'

describe('calendar addresses in the dashboard', () => {
  const world = useWorld({ workers: ['writes'] })
  const browser = useSignedIn(world)

  const pages = {
    person: ({ user_id }: { user_id: number }) => `/dashboard/people/${user_id}`,
    bookable: ({ bookable_id }: { bookable_id: number }) => `/dashboard/places/bookables/${bookable_id}`,
    location: ({ location_id }: { location_id: number }) =>
      `/dashboard/places/locations/${location_id}/details`,
  }
  for (const [name, pageOf] of Object.entries(pages)) {
    it(`are created for a ${name}, shown once, and revoked on the same page`, async () => {
      const page = pageOf(await createDesk(world.database))
      await browser.open(page)
      await browser.submit('Create calendar address')
      expect(browser.words).to.include('Calendar address created')
      const [address = ''] = /http\S+\/api\/v1\/calendars\/calendar_\w{36}\.ics/.exec(browser.words) ?? []
      const subscribed = await fetch(address)
      expect(subscribed.status).to.equal(200)
      expect(await subscribed.text()).to.match(/^BEGIN:VCALENDAR\r\n/)
      await browser.open(page)
      expect(browser.words)
        .to.match(/Address \d+, created/)
        .and.not.include('calendar_')
      await browser.follow('Revoke')
      await browser.submit('Revoke')
      expect(browser.words)
        .to.include('Calendar address revoked.')
        .and.not.match(/Address \d+, created/)
      expect((await fetch(address)).status).to.equal(404)
    })
  }

  it('can be created for a place with a choice of how they show people', async () => {
    const desk = await createDesk(world.database)
    await browser.open(pages.bookable(desk))
    await browser.submit('Create calendar address', { names: 'initials' })
    await browser.open(pages.bookable(desk))
    expect(browser.words).to.match(/Only initials · Address \d+, created .* Revoke/)
    await browser.open(pages.person(desk))
    expect(browser.words).to.not.include('What it shows about people')
  })

  it('are created once if the form is sent twice, with and without a slash at the end of the URL', async () => {
    const { user_id } = await createDesk(world.database)
    await browser.open(`/dashboard/people/${user_id}`)
    const form = browser.form('Create calendar address')
    const addresses = []
    for (const slash of ['', '/']) {
      await browser.send({ ...form, address: `${form.address}${slash}` })
      addresses.push(/calendar_\w{36}/.exec(browser.words)?.[0])
    }
    expect(addresses[0]).to.be.a('string').and.equal(addresses[1])
    expect(await world.database('calendars').where({ user_id })).to.have.length(1)
  })
})
