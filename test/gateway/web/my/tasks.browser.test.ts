// What people do on their own pages, on a small phone with scripts, and what it costs them in touches and fields.
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { encode } from 'uqr'
import { openWindow, useChromium, type Watched } from '../../../support/dashboard/browser.ts'
import { Browser, createSignedIn } from '../../../support/dashboard/dashboard.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../support/factories.ts'
import { useTasks } from '../../../support/tasks.ts'
import { eventually } from '../../../support/time.ts'
import { useWorld } from '../../../support/world.ts'
import { useSmtp } from '../../../workers/pollers/mail/smtp-server.ts'

const PHONE = { viewport: { width: 360, height: 640 }, isMobile: true, hasTouch: true }
const SITE = 'http://desks.example.com'
const EMAIL = 'joan@example.com'
const DESKS = 9

/** Returns a time zone in which it is now between nine and ten in the morning. */
function zoneInTheMorning(): string {
  const ahead = ((9 - new Date().getUTCHours() + 36) % 24) - 12
  return `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`
}

describe('a person, on a phone', function suite() {
  this.timeout(120_000)
  useChromium()
  const smtp = useSmtp()
  const world = useWorld(() => ({
    workers: ['writes', 'upkeep'],
    environment: {
      PUBLIC_URL: SITE,
      SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
      MAIL_FROM: 'Berth <berth@example.com>',
    },
  }))
  let joan: number
  let anna: number
  let location_id: number
  let full: number
  let desks: number[]
  let watched: Watched
  let page: Page
  before(async () => {
    const { database } = world
    const days = [1, 2, 3, 4, 5, 6, 7].map((day) => ({ day, from: '08:00', to: '18:00' }))
    const building_id = await createBuilding(database, {
      name: 'Harbour House',
      timezone: zoneInTheMorning(),
      rules: JSON.stringify({ opening_hours: days }),
    })
    location_id = await createLocation(database, { building_id, name: '1st floor' })
    full = await createLocation(database, { building_id, name: '2nd floor' })
    desks = []
    for (let number = 1; number <= DESKS; number++) {
      const place = { position_x: number / 10, position_y: 0.5 }
      desks.push(await createBookable(database, { location_id, name: `Desk 1.${number}`, ...place }))
    }
    for (const [name, capacity] of Object.entries({ Isar: 2, Spree: 4, Elbe: 8 }))
      await createBookable(database, { location_id, name, capacity, type: 2 })
    joan = await createUser(database, { name: 'Joan Clarke', email: EMAIL })
    anna = await createUser(database, { name: 'Anna Bauer', email: 'anna@example.com' })
    await database('favourite_colleagues').insert({ user_id: joan, colleague_id: anna })
    const today = { from: hoursFromNow(-1), to: hoursFromNow(6) }
    await createBooking(database, { bookable_id: desks[4], user_id: anna, ...today })
    watched = await openWindow(new Browser(world.url), PHONE)
    page = watched.page
  })
  after(() => watched?.context.close())

  const perform = useTasks(() => page)
  const link = (name: string | RegExp) => page.getByRole('link', { name })
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })
  const notice = (text: string | RegExp) => page.locator('.notice').getByText(text).waitFor()
  const ownBookings = () => world.database('bookings').where({ user_id: joan }).orderBy('id')
  const nameOf = async (id: number) => (await world.database('bookables').where({ id }).first()).name
  const linkInMail = (path: RegExp) =>
    eventually(() => {
      const [found] = smtp.sentTo(EMAIL).flatMap(({ text }) => text.match(path) ?? [])
      return found ?? expect.fail('No mail yet')
    })

  it('signs in for the first time', () =>
    perform('Sign in for the first time', { clicks: 3, fields: 1, from: '/my' }, async (person) => {
      await person.fill(page.getByLabel('E-mail'), EMAIL)
      await person.click(button('Send me a link'))
      await person.follow(await linkInMail(/http:\S+\/my\/sign-in\/link\S+/))
      await person.click(button('Sign in'))
      await link('My day').waitFor()
    }))

  it('books a desk for today near a colleague', async () => {
    await perform(
      'Book a desk for today near a colleague',
      { clicks: 3, fields: 0, from: '/my' },
      async (person) => {
        await person.click(link('Book nearby: Anna Bauer'))
        await person.click(page.locator('.my-seats a').first())
        await person.click(button('Book'))
        await notice(/is booked/)
      },
    )
    const [booking] = await ownBookings()
    expect(await nameOf(booking.bookable_id)).to.be.oneOf(['Desk 1.4', 'Desk 1.6'])
  })

  // Chooses the next of the five days that the page offers, so that the test works on every day of the week.
  it('books a desk every week for a month', async () => {
    await perform(
      'Book a desk every Tuesday for a month',
      { clicks: 5, fields: 2, from: '/my' },
      async (person) => {
        await person.click(link('Book').first())
        await person.click(link('Tomorrow'))
        await person.click(page.locator('.my-seats a').first())
        await person.click(page.locator('summary', { hasText: 'Several days' }))
        await person.select(page.getByRole('combobox', { name: /^Repeat/ }), 'Every week')
        await person.fill(page.getByLabel('Last day'), hoursFromNow(24 * 25).slice(0, 10))
        await person.click(button('Book'))
        await notice(/is booked on 4 days\./)
      },
    )
    expect(await ownBookings()).to.have.length(5)
  })

  it('checks in with the code on the desk', async () => {
    const bookable_id = desks[8]
    const id = await createBooking(world.database, {
      bookable_id,
      user_id: joan,
      from: hoursFromNow(-1),
      to: hoursFromNow(5),
      check_in_from: hoursFromNow(-2),
      check_in_until: hoursFromNow(1),
    })
    await world.database('bookable_codes').insert({ bookable_id, code: 'abcdefgh2' })
    await expectPrinted('Desk 1.9', `${SITE}/my/at/abcdefgh2`)
    await perform('Check in with the QR code of the desk', { clicks: 2, fields: 0 }, async (person) => {
      await person.follow(`${SITE}/my/at/abcdefgh2`)
      await person.click(button('Check in'))
      await notice('You are checked in.')
    })
    expect((await world.database('bookings').where({ id }).first()).checked_in_at).to.be.a('string')
  })

  /** Expects the sheet to show this address as a QR code, module by module. */
  async function expectPrinted(desk: string, address: string) {
    const office = await openWindow(await createSignedIn(world))
    await office.page.goto(`/dashboard/places/locations/${location_id}/codes`)
    const path = office.page.getByRole('img', { name: `QR code of ${desk}` }).locator('path')
    const { data, size } = encode(address, { ecc: 'M', border: 0 })
    const drawn = await path.evaluate(
      (element, size) =>
        Array.from({ length: size }, (_row, y) =>
          Array.from({ length: size }, (_module, x) =>
            (element as unknown as { isPointInStroke(point: object): boolean }).isPointInStroke({
              x: x + 0.5,
              y,
            }),
          ),
        ),
      size,
    )
    expect(drawn).to.deep.equal(data)
    await office.context.close()
  }

  it('leaves early', () =>
    perform('Leave early', { clicks: 1, fields: 0, from: '/my' }, async (person) => {
      await person.click(button('Leave now: Desk 1.9'))
      await notice(/^Your booking of Desk 1\.9 \(.+\) ends now\./)
    }))

  it('finds a room for six now', async () => {
    await perform('Find a room for six now', { clicks: 6, fields: 0, from: '/my' }, async (person) => {
      await person.click(link('Book').first())
      await person.click(link('Rooms'))
      await person.click(link('for 6'))
      await person.click(link('Now'))
      await person.click(page.locator('.my-seats a').first())
      await person.click(button('Book'))
      await notice(/^Elbe \(.+\) is booked/)
    })
    const booking = (await ownBookings()).at(-1)
    expect(await nameOf(booking.bookable_id)).to.equal('Elbe')
  })

  it('invites a guest to it', async () => {
    await perform('Invite a guest to it', { clicks: 2, fields: 1 }, async (person) => {
      await person.click(link('Invite: Elbe'))
      await person.fill(page.getByLabel('Name, or guest’s e-mail'), 'grace@navy.example.org')
      await person.click(button('Invite'))
      await page.getByText('grace@navy.example.org').first().waitFor()
    })
    const [guest] = await world.database('event_attendees').where({ email: 'grace@navy.example.org' })
    expect(guest).to.be.an('object')
  })

  it('hides where they sit', async () => {
    await perform('Hide where I sit', { clicks: 2, fields: 1, from: '/my' }, async (person) => {
      await person.click(page.getByRole('link', { name: 'Me', exact: true }))
      await person.select(page.getByLabel('Visible to'), 'Nobody: others see “Someone”')
      await person.click(page.locator('form', { has: page.getByLabel('Visible to') }).getByRole('button'))
      await notice('Saved.')
    })
    const [chosen] = await world.database('person_settings').where({ user_id: joan })
    expect(chosen.visibility).to.equal('nobody')
  })

  it('waits for a desk and gets it', async () => {
    const bookable_id = await createBookable(world.database, { location_id: full, name: 'Desk 2.1' })
    const taken = { from: hoursFromNow(-1), to: hoursFromNow(60) }
    const id = await createBooking(world.database, { bookable_id, user_id: anna, ...taken })
    await perform(
      'Wait for a desk and get it',
      { clicks: 4, fields: 0, from: `/my/book?location=${full}` },
      async (person) => {
        await person.click(link('Wait for a place'))
        await person.click(button('Wait'))
        await notice('You are on the waitlist.')
        await (await world.client()).delete(`bookings/${id}`)
        await person.follow(await linkInMail(/http:\S+\/my\/waits\S*/))
        await person.click(button(/^Take it: Desk 2\.1 \(/))
        await notice(/^Desk 2\.1 \(.+\) is yours: /)
      },
    )
    expect((await ownBookings()).at(-1).bookable_id).to.equal(bookable_id)
  })

  it('approves a request from the mail', async () => {
    const rules = JSON.stringify({ approvers: { user_ids: [joan] } })
    const bookable_id = await createBookable(world.database, {
      location_id,
      name: 'Board room',
      type: 2,
      rules,
    })
    const times = { from_time: hoursFromNow(24), to_time: hoursFromNow(26) }
    const wanted = { bookable_id, location_id, user_id: anna, ...times }
    const { json } = await (await world.client()).post('booking-requests', wanted)
    const address = await linkInMail(/http:\S+\/my\/requests\/decide\S+/)
    await perform('Approve a request from the mail', { clicks: 2, fields: 0 }, async (person) => {
      await person.follow(address)
      await person.click(button(/^Approve: Anna Bauer/))
      await page.getByText('Approved').first().waitFor()
    })
    const { state } = await world.database('holds').where({ id: json.data.id }).first()
    expect(state).to.equal('approved')
  })
})
