// Tests that days follow the local time of each building if a company has buildings in several time zones.
import { expect } from 'chai'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createLocation,
  createUser,
} from '../../../../support/factories.ts'
import { createClock } from '../../../../support/time.ts'
import { useWorld } from '../../../../support/world.ts'

// It is already Thursday in Tokyo, but still Wednesday in New York.
const NOW = Date.parse('2026-11-25T22:00:00Z')
const at = (time: string) => `2026-11-${time}:00:00Z`

describe('today’s bookings in several time zones', () => {
  const world = useWorld({ workers: ['exports'], now: createClock(NOW) })
  const browser = useSignedIn(world)
  let tokyo = 0

  before(async () => {
    tokyo = await add('Asia/Tokyo', [
      ['Asa', at('25T01'), at('25T09')],
      ['Bunko', at('26T00'), at('26T09')],
      ['Chie', at('26T16'), at('26T20')],
    ])
    await add('America/New_York', [
      ['Dora', at('25T02'), at('25T04')],
      ['Eli', at('25T14'), at('25T20')],
      ['Finn', at('26T14'), at('26T20')],
    ])
  })

  async function add(timezone: string, people: Array<[name: string, from: string, to: string]>) {
    const building_id = await createBuilding(world.database, { timezone })
    const location_id = await createLocation(world.database, { building_id })
    for (const [name, from, to] of people)
      await createBooking(world.database, {
        bookable_id: await createBookable(world.database, { location_id }),
        user_id: await createUser(world.database, { name }),
        from,
        to,
      })
    return building_id
  }
  const NAMES = ['Asa', 'Bunko', 'Chie', 'Dora', 'Eli', 'Finn']
  const shown = () => NAMES.filter((name) => browser.words.includes(`${name} `))

  it('are listed by the local date of each building', async () => {
    await browser.open('/dashboard/bookings')
    expect(shown()).to.deep.equal(['Bunko', 'Eli'])
    expect(browser.words).to.include('(the day of each building)')
    const links = /<nav class="tabs day-links".*?<\/nav>/s.exec(browser.page.text)?.[0] ?? ''
    expect(links).to.match(/href="\/dashboard\/bookings"[^>]* aria-current="true"[^>]*>Today/)
    const file = /href="([^"]*csv[^"]*)"/.exec(browser.page.text)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const { text } = await browser.open(file)
    expect(NAMES.filter((name) => text.includes(name))).to.deep.equal(['Bunko', 'Eli'])
  })

  it('can be listed for a chosen date, in all buildings or in one', async () => {
    await browser.open('/dashboard/bookings?from=2026-11-26&to=2026-11-26')
    expect(shown()).to.deep.equal(['Bunko', 'Finn'])
    await browser.open(`/dashboard/bookings?building=${tokyo}&from=2026-11-25`)
    expect(shown()).to.deep.equal(['Asa'])
    expect(browser.words).to.include('(Asia/Tokyo)')
  })
})
