// Tests screens in the dashboard: how they are set up with an address that is shown once, changed, given a
// new address, and switched off.
import { expect } from 'chai'
import { createSignedIn } from '../../../support/dashboard/dashboard.ts'
import { createBookable, createBuilding, createLocation, createUser } from '../../../support/factories.ts'
import { createScreen } from '../../../support/screens/screens.ts'
import { useWorld } from '../../../support/world.ts'

const LIST_PATH = '/dashboard/places/screens'

describe('the screens page of the dashboard', () => {
  const world = useWorld()
  const statusOf = async (address: string) => (await fetch(address)).status
  const addressOn = (text: string) => /https?:\/\/[^<"]*\/screens\/screen_\w+/.exec(text)?.[0] ?? ''
  const asks = (fields: object = {}) => ({
    names: 'initials',
    appearance: 'e-ink',
    language: 'de',
    ...fields,
  })

  async function createRoom() {
    const building_id = await createBuilding(world.database, { name: 'Harbour House' })
    const location_id = await createLocation(world.database, { building_id, name: '3rd floor' })
    return createBookable(world.database, { name: 'Aspen', type: 2, location_id })
  }

  it('sets up a screen for a room found by name, and shows its URL and code once', async () => {
    const room = await createRoom()
    const front = await createUser(world.database, { name: 'Front desk', email: 'front@example.com' })
    const browser = await createSignedIn(world)
    await browser.open(`${LIST_PATH}/new?search=Aspen`)
    await browser.follow('Aspen')
    await browser.submit('Set up screen', asks({ name: 'Door of Aspen', person: 'front@example.com' }))
    const address = addressOn(browser.page.text)
    expect(browser.page.text).to.include('QR code of the address')
    expect(await statusOf(address)).to.equal(200)
    const screen = await world.database('screens').where({ bookable_id: room }).first()
    expect(screen).to.include({ kind: 'door', names: 'initials', appearance: 'e-ink', language: 'de' })
    expect(Number(screen.booking_user_id)).to.equal(front)
    for (const path of [LIST_PATH, `${LIST_PATH}/${screen.id}`, '/dashboard/audit-log']) {
      await browser.open(path)
      expect(browser.words, path).to.include('Door of Aspen')
      expect(browser.page.text, path).to.not.include(address.split('/').at(-1))
    }
    const entries = JSON.stringify(await world.database('audit_log').where({ resource: 'screens' }))
    expect(entries).to.include('Door of Aspen').and.not.include('hash')
  })

  it('shows which screens are on, not seen for a while, or switched off', async () => {
    const bookable_id = await createRoom()
    const seen = (minutes: number) => new Date(Date.now() - minutes * 60_000)
    for (const [name, row] of Object.entries({
      'Is on': { last_seen_at: seen(5) },
      'Is away': { last_seen_at: seen(300) },
      'Is new': {},
      'Is off': { revoked_at: seen(1), last_seen_at: seen(2) },
    })) {
      const { id } = await createScreen(world.database, { bookable_id, name })
      await world
        .database('screens')
        .where({ id })
        .update({ name, ...row })
    }
    const browser = await createSignedIn(world)
    await browser.open(LIST_PATH)
    expect(browser.words).to.match(
      /Is away.*not seen since 5 hours ago.*Is new.*never seen.*Is on.* on .*Is off.*switched off/s,
    )
  })

  it('changes a screen, switches it off, and gives it a new URL that replaces the old one', async () => {
    const bookable_id = await createRoom()
    const { id, path } = await createScreen(world.database, { bookable_id, name: 'Door' })
    const browser = await createSignedIn(world)
    await browser.open(`${LIST_PATH}/${id}`)
    await browser.submit('New address')
    const address = addressOn(browser.page.text)
    expect([await statusOf(world.url + path), await statusOf(address)]).to.deep.equal([404, 200])

    await browser.open(`${LIST_PATH}/${id}`)
    await browser.submit('Save changes', asks({ name: 'Small door', person: '' }))
    expect(await (await fetch(address)).text())
      .to.include('lang="de"')
      .and.include('e-ink')
    await browser.submit('Save changes', asks({ name: 'Small door', person: 'nobody@example.com' }))
    expect(browser.words).to.include('There is no active person with the e-mail “nobody@example.com”.')

    await browser.open(`${LIST_PATH}/${id}/revoke`)
    await browser.submit('Switch off')
    expect(browser.words).to.include('Screen switched off.').and.include('switched off')
    expect(await statusOf(address)).to.equal(404)
    await browser.open('/dashboard/audit-log')
    for (const each of [
      'gave the screen Small door a new address',
      'changed the screen Small door',
      'switched off the screen Small door',
    ])
      expect(browser.words).to.include(each)
  })

  it('shows no person for a screen’s bookings once that person is erased', async () => {
    const booking_user_id = await createUser(world.database)
    const { id } = await createScreen(world.database, { bookable_id: await createRoom(), booking_user_id })
    await world.database('users').where({ id: booking_user_id }).delete()
    expect((await world.database('screens').where({ id }).first()).booking_user_id).to.equal(null)
  })
})
