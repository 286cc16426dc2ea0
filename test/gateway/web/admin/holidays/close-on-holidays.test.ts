// Tests the page that closes buildings on public holidays: what it offers, in the visitor's language, and
// what it changes.
import { expect } from 'chai'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createLocation,
  createUser,
} from '../../../../support/factories.ts'
import { useWorld } from '../../../../support/world.ts'

const year = new Date().getUTCFullYear() + 1
const HOLIDAYS_PATH = `/dashboard/places/holidays?country=DE&region=BY&year=${year}&until=${year}`
const SUBMIT_BUTTON = 'Close on these days'
const isWeekend = (date: string) => [0, 6].includes(new Date(`${year}-${date}T00:00Z`).getUTCDay())

describe('closing on public holidays in the dashboard', () => {
  const world = useWorld()
  const browser = useSignedIn(world)
  let building: number

  beforeEach(async () => {
    await browser.open('/dashboard/language/en')
    building = await createBuilding(world.database, { name: 'Harbour House', timezone: 'Europe/Berlin' })
  })

  const closedOf = async (id: number) =>
    ((await world.database('buildings').where({ id }).first()).rules?.closed ?? []) as Array<{
      reason: string
    }>
  const typedOf = (name: string) => new RegExp(`value="([^"]*${name})"`).exec(browser.page.text)?.[1] ?? ''
  const isChecked = (name: string) => new RegExp(`value="[^"]*${name}" checked`).test(browser.page.text)

  it('offers the public holidays of a region, and selects holidays that take a whole working day', async () => {
    await browser.open('/dashboard/places')
    expect(browser.page.text).to.include('/dashboard/places/holidays')
    await browser.open(HOLIDAYS_PATH)
    expect(browser.words).to.include('Germany').and.include('Epiphany').and.include('from 14:00 to 24:00')
    expect(browser.words, 'a holiday of another region').not.to.include('Reformation Day')
    expect(isChecked('Epiphany[)]')).to.equal(!isWeekend('01-06'))
    expect(isChecked('Christmas Day[)]')).to.equal(!isWeekend('12-25'))
    expect(isChecked('Christmas Eve[)]')).to.equal(false)
  })

  it('stays small with many buildings, and selects the buildings in the country', async () => {
    const halls = { Germany: 79, 'New York': 1 }
    for (const [where, count] of Object.entries(halls))
      for (let number = 1; number <= count; number++)
        await createBuilding(world.database, {
          name: `Hall ${number}, ${where}`,
          timezone: where === 'Germany' ? 'Europe/Berlin' : 'America/New_York',
        })
    const { text } = await browser.open(HOLIDAYS_PATH)
    expect(text.length).to.be.below(30_000)
    const [, list = ''] = /<select multiple[^>]*name="buildings"[^>]*>(.*?)<\/select>/s.exec(text) ?? []
    const chosen = list.match(/<option[^>]* selected[^>]*>[^<]*/g)?.join() ?? ''
    expect(chosen).to.include('Hall 79, Germany').and.include('Harbour House').and.not.include('New York')
    expect(list).to.include('New York')
    await world.database('buildings').whereLike('name', 'Hall %').delete()
  })

  it('names countries and holidays in German, and stores names in both languages', async () => {
    await browser.open('/dashboard/language/de')
    await browser.open(HOLIDAYS_PATH)
    expect(browser.words).to.include('Deutschland').and.include('Heilige Drei Könige')
    const days = [
      typedOf('Neujahr [(]New Year&#39;s Day[)]'),
      typedOf('Heiliger Abend [(]Christmas Eve[)]'),
    ].map((value) => value.replace('&#39;', "'"))
    await browser.submit('An diesen Tagen schließen', { days, buildings: [String(building)] })
    expect(browser.words).to.include('1 Gebäude ist an den gewählten Tagen geschlossen.')
    expect(await closedOf(building)).to.deep.equal([
      {
        from: `${year - 1}-12-31T23:00:00.000000Z`,
        to: `${year}-01-01T23:00:00.000000Z`,
        reason: "Neujahr (New Year's Day)",
      },
      {
        from: `${year}-12-24T13:00:00.000000Z`,
        to: `${year}-12-24T23:00:00.000000Z`,
        reason: 'Heiliger Abend (Christmas Eve)',
      },
    ])
    expect(browser.page.text).to.include(
      `/bookings?from=${year}-01-01&amp;to=${year}-12-24&amp;building=${building}`,
    )
    await browser.submit('Rückgängig')
    expect(await closedOf(building)).to.deep.equal([])
  })

  it('shows affected bookings first, then closes all chosen buildings once, in one write', async () => {
    const other = await createBuilding(world.database, { timezone: 'Europe/Berlin' })
    const location_id = await createLocation(world.database, { building_id: building })
    const bookable_id = await createBookable(world.database, { location_id })
    const user_id = await createUser(world.database, { name: 'Anna Berg' })
    const times = { from: `${year}-01-01T08:00:00Z`, to: `${year}-01-01T10:00:00Z` }
    const booking = await createBooking(world.database, { bookable_id, user_id, ...times })
    await browser.open(HOLIDAYS_PATH)
    const chosen = {
      days: [typedOf('New Year&#39;s Day[)]')].map((value) => value.replace('&#39;', "'")),
      buildings: [building, other].map(String),
    }
    await browser.submit(SUBMIT_BUTTON, chosen)
    expect(browser.words).to.include('1 conflicting booking').and.include('Anna Berg')
    expect(await closedOf(other)).to.deep.equal([])
    await browser.submit(SUBMIT_BUTTON, { in_the_way: 'release' })
    expect(browser.words).to.include(
      'Closed 2 buildings on the chosen days. Conflicting bookings were released.',
    )
    expect(await world.database('bookings').where({ id: booking }).first()).to.equal(undefined)
    for (const id of [building, other]) expect(await closedOf(id)).to.have.length(1)
    await browser.open(HOLIDAYS_PATH)
    await browser.submit(SUBMIT_BUTTON, chosen)
    expect(browser.words).to.include('These buildings are closed on these days already.')
    expect(await closedOf(building)).to.have.length(1)
  })

  it('says which choices are missing or invalid', async () => {
    await browser.open(HOLIDAYS_PATH)
    await browser.submit(SUBMIT_BUTTON, { days: [], buildings: [String(building)] })
    expect(browser.words).to.include('Choose at least one day.')
    await browser.submit(SUBMIT_BUTTON, { days: ['nonsense'], buildings: [String(building)] })
    expect(browser.words).to.include('Choose at least one day.')
    await browser.open('/dashboard/places/holidays?country=XX')
    expect(browser.words).to.include('Choose a country to see its public holidays.')
    expect(await closedOf(building)).to.deep.equal([])
  })
})

describe('the public holidays offered first', () => {
  let clock = 0
  const world = useWorld({ workers: [], now: () => clock || Date.now() })
  const browser = useSignedIn(world)

  for (const [now, offered] of [
    ['2026-11-27T09:00:00Z', '2026-12-24'],
    ['2026-12-31T12:00:00Z', '2027-01-01'],
  ] as const)
    it(`are the holidays of the rest of this year, then the holidays of next year: on ${now.slice(0, 10)}`, async () => {
      clock = Date.parse(now)
      await createBuilding(world.database)
      await browser.open('/dashboard/places/holidays?country=DE')
      const [first = ''] = /(?<=name="days" value=")[^T]*/.exec(browser.page.text) ?? []
      expect(first).to.equal(offered)
      expect(browser.page.text.includes('value="2027-05-01')).to.equal(first.startsWith('2027'))
    })
})
