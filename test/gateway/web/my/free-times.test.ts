// Tests the free times of the people in a meeting: a picture of the day, and the first times that suit
// everybody.
import { expect } from 'chai'
import pg from 'pg'
import { limitPool } from '../../../../gateway/reads/limits/person-pool.ts'
import { searchColleagues } from '../../../../gateway/web/pages/search/choices.ts'
import type { Browser } from '../../../support/dashboard/dashboard.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createEvent,
  createLocation,
  createUser,
} from '../../../support/factories.ts'
import { signInAs } from '../../../support/people/person.ts'
import { useWith } from '../../../support/use.ts'
import { useWorld } from '../../../support/world.ts'

// A Tuesday in winter, when local time is an hour ahead of UTC.
const DAY = '2031-02-11'
const at = (hour: number) => `${DAY}T${String(hour).padStart(2, '0')}:00:00Z`
const dayAfter = '2031-02-12'

describe('the free times of people who are invited', () => {
  const world = useWorld()
  const directPool = useWith(
    world,
    () => new pg.Pool({ connectionString: world.databaseUrl, max: 1 }),
    (opened) => opened.end(),
  )
  let people = 0

  async function createScene(room: object = {}) {
    const { database } = world
    const building_id = await createBuilding(database, { timezone: 'Europe/Berlin', name: 'Quay' })
    const location_id = await createLocation(database, { building_id, name: 'Third floor' })
    const bookable_id = await createBookable(database, { location_id, type: 2, name: 'Lagoon', ...room })
    const name = `Anna Frei-${++people}`
    const anna = await createUser(database, { name })
    const ada = await createUser(database, { name: 'Ada Lovelace' })
    const page = `/my/book/${bookable_id}?date=${DAY}&from=10:00&to=11:00`
    return { bookable_id, location_id, name, anna, ada, browser: await signInAs(world, ada), page }
  }
  type Scene = Awaited<ReturnType<typeof createScene>>

  async function meet({ browser, page, bookable_id }: Scene, who: string): Promise<string> {
    await browser.open(page)
    await browser.submit('Book', { people: who })
    expect(browser.words).to.include('is booked')
    const [claim] = await world.database('bookings').where({ bookable_id }).whereNotNull('event_id')
    return `/my/meetings/${claim.event_id}`
  }
  const labelsOf = ({ page }: Browser) =>
    [...page.text.matchAll(/role="img" aria-label="([^"]*)"/g)].map(([, label]) => label)

  it('appear in a picture with a row for the room and for each person, without titles of meetings', async () => {
    const scene = await createScene()
    const { browser, name, anna, ada, bookable_id, location_id } = scene
    const { database } = world
    await createEvent(database, { name: 'Secret talk', organizer_user_id: anna, from: at(8), to: at(9) })
    const declined = await createEvent(database, { from: at(14), to: at(15) })
    await database('event_attendees').insert({ event_id: declined, user_id: anna, status: 3 })
    const desk = await createBookable(database, { location_id })
    await createBooking(database, { bookable_id: desk, user_id: anna, from: at(8), to: at(16) })
    await createBooking(database, { bookable_id, from: at(12), to: at(13) })
    await browser.open(await meet(scene, `${name}, grace@navy.example.org`))
    expect(labelsOf(browser)).to.deep.equal([
      'Lagoon: taken 13:00 – 14:00',
      'Ada Lovelace: free',
      `${name}: taken 09:00 – 10:00`,
    ])
    expect(browser.words).to.include('1 person no information').and.not.include('Secret talk')
    expect(ada).to.be.a('number')
  })

  it('never show when a person who hides from colleagues is busy', async () => {
    const scene = await createScene()
    const { browser, anna, name } = scene
    const path = await meet(scene, name)
    await createEvent(world.database, { organizer_user_id: anna, from: at(8), to: at(9) })
    await world.database('person_settings').insert({ user_id: anna, visibility: 'nobody' })
    await browser.open(path)
    expect(labelsOf(browser)).to.deep.equal(['Lagoon: free', 'Ada Lovelace: free'])
    expect(browser.words)
      .to.include('1 person no information')
      .and.include('Tue 11 Feb, 09:00 – 10:00')
      .and.not.include(name)
  })

  it('include the first three times that suit everybody, and one click moves the meeting to one of them', async () => {
    const scene = await createScene()
    const { browser, anna, name, bookable_id } = scene
    await createEvent(world.database, { organizer_user_id: anna, from: at(8), to: at(9) })
    await createBooking(world.database, { bookable_id, from: at(10), to: at(14) })
    await browser.open(await meet(scene, name))
    expect(browser.words).to.match(
      /Times that suit everybody: Tue 11 Feb, 15:00 – 16:00 Tue 11 Feb, 16:00 – 17:00 Wed 12 Feb, 09:00 – 10:00/,
    )
    await browser.submit('Tue 11 Feb, 16:00 – 17:00')
    expect(browser.words).to.include('Saved.')
    const [claim] = await world.database('bookings').where({ bookable_id }).whereNotNull('event_id')
    expect(claim.during).to.equal('["2031-02-11 15:00:00+00","2031-02-11 16:00:00+00")')
  })

  it('suggest only times that the rules of the room allow', async () => {
    const closed = [{ from: `${DAY}T06:00:00.000000Z`, to: `${DAY}T09:00:00.000000Z`, reason: 'Cleaning' }]
    const rules = { opening_hours: [2, 3].map((day) => ({ day, from: '08:00', to: '12:00' })), closed }
    const scene = await createScene({ rules: JSON.stringify(rules) })
    await scene.browser.open(await meet(scene, scene.name))
    expect(scene.browser.words).to.match(
      /everybody: Tue 11 Feb, 11:00 – 12:00 Wed 12 Feb, 08:00 – 09:00 Wed 12 Feb, 09:00 – 10:00/,
    )
  })

  it('are shown before a room is booked, with buttons for other times that keep what the person entered', async () => {
    const scene = await createScene()
    const { browser, name, anna, bookable_id } = scene
    const [from, to] = [`${dayAfter}T08:00:00Z`, `${dayAfter}T16:00:00Z`]
    await createEvent(world.database, { organizer_user_id: anna, from, to })
    await createEvent(world.database, { organizer_user_id: anna, from: at(8), to: at(15) })
    await browser.open(scene.page)
    await showTimes(browser, { people: `${name}, Grace <grace@navy.example.org>`, title: 'Pier plans' })
    expect(await world.database('bookings').where({ bookable_id })).to.have.length(0)
    expect(labelsOf(browser)).to.include(`${name}: taken 09:00 – 16:00`)
    await showTimes(browser, {}, addressOf(browser, 'Tue 11 Feb, 16:00 – 17:00'))
    expect(labelsOf(browser)).to.include(`${name}: taken 09:00 – 16:00`)
    await browser.submit('Book')
    expect(browser.words).to.include('Pier plans').and.include('16:00 – 17:00').and.include('Grace guest')
  })

  /** Sends the booking form with the button that shows when the people are free. */
  function showTimes(browser: Browser, fields: Record<string, string>, address?: string) {
    const form = browser.form('Show free times')
    const button = { name: 'show_times', value: 'true', type: 'submit', checked: false, options: [] }
    const controls = [...form.controls, button]
    return browser.send({ ...form, controls, address: address ?? form.address }, fields)
  }

  /** Returns the address to which the button of a suggested time sends the form. */
  function addressOf({ page }: Browser, label: string): string {
    const [, address] = new RegExp(`formaction="([^"]*)">${label}<`).exec(page.text) ?? []
    return address?.replaceAll('&amp;', '&') ?? expect.fail(`There is no button ${label}`)
  }

  it('find 50 people in one statement, by words of their names and e-mail addresses', async () => {
    const names = Array.from({ length: 49 }, (_none, index) => `Ottilie Sammel-${index}x`)
    for (const name of names) await createUser(world.database, { name })
    await createUser(world.database, { name: 'Ottilie Sammel', email: 'percent%zz@example.com' })
    const viewer = await createUser(world.database)
    const pool = limitPool(directPool, viewer)
    let statements = 0
    const counting: typeof pool = Object.create(pool, {
      query: {
        value: (...query: Parameters<typeof pool.query>) => {
          statements++
          return pool.query(...query)
        },
      },
    })
    const found = await searchColleagues(counting, [...names, 'percent%zz ottilie', 'percent_zz'])
    expect(statements).to.equal(1)
    expect(found.map((each) => each.map(({ name }) => name))).to.deep.equal([
      ...names.map((name) => [name]),
      ['Ottilie Sammel'],
      [],
    ])
  })

  it('appear for 50 people without listing their names in the URL', async () => {
    const scene = await createScene()
    const { browser, page } = scene
    const names = Array.from({ length: 50 }, (_none, index) => `Quentin Fünfzig-${index} von Langenname`)
    for (const name of names) await createUser(world.database, { name })
    await browser.open(page)
    await showTimes(browser, { people: names.join(', ') })
    expect(browser.page.status).to.equal(200)
    expect(labelsOf(browser)).to.include(`${names[48]}: free`)
    const addresses = [...browser.page.text.matchAll(/(?:href|action|formaction)="([^"]*)"/g)].map(
      ([, address = '']) => address.length,
    )
    expect(Math.max(...addresses, browser.page.path.length)).to.be.below(300)
  })
})
