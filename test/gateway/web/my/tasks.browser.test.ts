// Counts the touches and fields that common tasks on people's own pages need, on a small phone with scripts.
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { encode } from 'uqr'
import { useAdmin } from '../../../support/dashboard/admin.ts'
import { type BrowserWindow, openWindow, useChromium } from '../../../support/dashboard/browser.ts'
import { Browser, createSignedIn } from '../../../support/dashboard/dashboard.ts'
import { createFloorPlanColumns, drawPng } from '../../../support/dashboard/pictures.ts'
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
const SITE_URL = 'http://desks.example.com'
const EMAIL = 'joan@example.com'
const DESK_COUNT = 9

/** Returns a time zone in which it is now between 9:00 and 10:00. */
function findZoneInTheMorning(): string {
  const ahead = ((9 - new Date().getUTCHours() + 36) % 24) - 12
  return `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`
}

describe('tasks of a person, on a phone', function suite() {
  this.timeout(120_000)
  useChromium()
  const smtp = useSmtp()
  const world = useWorld(() => ({
    workers: ['writes', 'upkeep'],
    environment: {
      PUBLIC_URL: SITE_URL,
      SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
      MAIL_FROM: 'Berth <berth@example.com>',
    },
  }))
  const admin = useAdmin(world)
  let joan: number
  let anna: number
  let location_id: number
  let full: number
  let desks: number[]
  let watched: BrowserWindow
  let page: Page
  before(async () => {
    const { database } = world
    const days = [1, 2, 3, 4, 5, 6, 7].map((day) => ({ day, from: '08:00', to: '18:00' }))
    const building_id = await createBuilding(database, {
      name: 'Harbour House',
      timezone: findZoneInTheMorning(),
      rules: JSON.stringify({ opening_hours: days }),
    })
    location_id = await createLocation(database, { building_id, name: '1st floor' })
    full = await createLocation(database, { building_id, name: '2nd floor' })
    desks = []
    for (let number = 1; number <= DESK_COUNT; number++) {
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
  // The button also names the time. A sheet is the last element of the page.
  const book = () => page.getByRole('button', { name: /^Book \d/ }).last()
  const notice = (text: string | RegExp) => page.locator('.notice').getByText(text).waitFor()
  const ownBookings = () => world.database('bookings').where({ user_id: joan }).orderBy('id')
  const nameOf = async (id: number) => (await world.database('bookables').where({ id }).first()).name
  const linkInMail = (path: RegExp) =>
    eventually(() => {
      const [found] = smtp.sentTo(EMAIL).flatMap(({ text }) => text.match(path) ?? [])
      return found ?? expect.fail('No mail yet')
    })

  it('include signing in for the first time', () =>
    perform('Sign in for the first time', { clicks: 3, fields: 1, from: '/my' }, async (person) => {
      await person.fill(page.getByLabel('E-mail'), EMAIL)
      await person.click(button('Send me a link'))
      await person.follow(await linkInMail(/http:\S+\/my\/sign-in\/link\S+/))
      await person.click(button('Sign in'))
      await link('My day').waitFor()
    }))

  it('include booking a desk for today near a colleague', async () => {
    await perform(
      'Book a desk for today near a colleague',
      { clicks: 2, fields: 0, from: '/my' },
      async (person) => {
        await person.click(link('Book nearby: Anna Bauer'))
        await person.click(book())
        await notice(/is booked/)
      },
    )
    const [booking] = await ownBookings()
    expect(await nameOf(booking.bookable_id)).to.be.oneOf(['Desk 1.4', 'Desk 1.6'])
  })

  it('include booking a desk for tomorrow near a colleague, on the map', async () => {
    const { database } = world
    const plan = createFloorPlanColumns(drawPng(600, 400))
    await database('locations').where({ id: location_id }).update(plan)
    const tomorrow = { from: hoursFromNow(23), to: hoursFromNow(30) }
    const there = await createBooking(database, { bookable_id: desks[7], user_id: anna, ...tomorrow })
    await perform(
      'Book a desk for tomorrow near a colleague',
      { clicks: 3, fields: 0, from: '/my' },
      async (person) => {
        await person.click(link('Book nearby: Anna Bauer'))
        await person.click(link(/^Next day/))
        await page.getByText('Nearest to Anna Bauer (Desk 1.8)').waitFor()
        await person.click(book())
        await notice(/is booked/)
      },
    )
    const [, booking] = await ownBookings()
    expect(await nameOf(booking.bookable_id)).to.be.oneOf(['Desk 1.7', 'Desk 1.9'])
    await database('bookings').whereIn('id', [there, booking.id]).delete()
    const none = Object.fromEntries(Object.keys(plan).map((name) => [name, null]))
    await database('locations').where({ id: location_id }).update(none)
  })

  it('include booking a desk every Tuesday and Thursday for some weeks', async () => {
    await perform(
      'Book a desk every Tuesday and Thursday until Christmas',
      { clicks: 6, fields: 1, from: '/my' },
      async (person) => {
        await person.click(link('Book').first())
        await person.click(page.locator('.my-seats a').first())
        await person.click(page.locator('summary', { hasText: 'Repeat' }))
        for (const weekday of ['Tue', 'Thu'])
          await person.click(page.getByRole('checkbox', { name: weekday, exact: true }))
        await person.fill(page.getByRole('dialog').getByLabel('Until'), hoursFromNow(24 * 25).slice(0, 10))
        await person.click(book())
        await notice(/is booked on \d days\./)
      },
    )
    const days = (await ownBookings()).filter(({ series_id }) => series_id !== null)
    const weekday = new Intl.DateTimeFormat('en', { weekday: 'short', timeZone: findZoneInTheMorning() })
    const weekdays = days.map(({ during }) => weekday.format(new Date(`${during.slice(2, 21)}Z`)))
    expect(new Set(weekdays)).to.deep.equal(new Set(['Tue', 'Thu']))
  })

  it('include cancelling the rest of a series, and undoing that', async () => {
    const before = await ownBookings()
    const series = before.filter(({ series_id }) => series_id !== null)
    // On a Tuesday or Thursday, the first booking has begun, so it ends early instead of being cancelled.
    const hasBegun = ({ during }: { during: string }) => Date.parse(`${during.slice(2, 21)}Z`) <= Date.now()
    await page.goto('/my?all=true')
    const next = page.locator(`a[href$="/bookings/${series[0].id}"]`)
    await perform('Cancel the rest of a series', { clicks: 3, fields: 0 }, async (person) => {
      await person.click(next)
      await person.click(page.locator('.sheet .actions summary'))
      await person.click(button('Cancel this and following'))
      await notice('bookings cancelled.')
    })
    const left = (await ownBookings()).filter(({ series_id }) => series_id !== null)
    expect(left.map(({ id }) => id)).to.deep.equal(series.filter(hasBegun).map(({ id }) => id))
    await perform('Undo it', { clicks: 1, fields: 0 }, async (person) => {
      await person.click(button('Undo'))
      await notice('Undone.')
    })
    expect((await ownBookings()).map(({ id }) => id)).to.deep.equal(before.map(({ id }) => id))
  })

  it('include checking in with the QR code on the desk', async () => {
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
    await expectPrinted('Desk 1.9', `${SITE_URL}/my/at/abcdefgh2`)
    await perform('Check in with the QR code of the desk', { clicks: 2, fields: 0 }, async (person) => {
      await person.follow(`${SITE_URL}/my/at/abcdefgh2`)
      await person.click(button('Check in'))
      await notice('You are checked in.')
    })
    expect((await world.database('bookings').where({ id }).first()).checked_in_at).to.be.a('string')
  })

  /** Expects the sheet to show the given URL as a QR code, module by module. */
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

  it('include leaving a desk early', () =>
    perform('Leave early', { clicks: 1, fields: 0, from: '/my' }, async (person) => {
      await person.click(button('Leave now: Desk 1.9'))
      await notice(/^Your booking of Desk 1\.9 \(.+\) has ended\./)
    }))

  it('include finding a room for six people now', async () => {
    await perform('Find a room for six now', { clicks: 4, fields: 0, from: '/my' }, async (person) => {
      await person.click(link('Book a room now'))
      await person.click(link('for 6'))
      await person.click(page.locator('.my-seats a').first())
      await person.click(book())
      await notice(/^Elbe \(.+\) is booked/)
    })
    const booking = (await ownBookings()).at(-1)
    expect(await nameOf(booking.bookable_id)).to.equal('Elbe')
  })

  it('include inviting a guest to a booked room', async () => {
    await perform('Invite a guest to it', { clicks: 2, fields: 1 }, async (person) => {
      await person.click(link('Invite: Elbe'))
      await person.fill(page.getByLabel('Invite people'), 'grace@navy.example.org')
      await person.click(button('Invite'))
      await page.getByText('grace@navy.example.org').first().waitFor()
    })
    const [guest] = await world.database('event_attendees').where({ email: 'grace@navy.example.org' })
    expect(guest).to.be.an('object')
  })

  it('books a room for six now with two colleagues and a guest', async () => {
    await createBookable(world.database, { location_id, name: 'Oder', capacity: 9, type: 2 })
    await createUser(world.database, { name: 'Ben Fischer', email: 'ben@example.com' })
    const people = 'Anna Bauer, Ben Fischer, Grace Hopper <grace@navy.example.org>'
    await perform(
      'A room for six now, with two colleagues and a guest',
      { clicks: 3, fields: 2, loads: 3, from: '/my' },
      async (person) => {
        await person.click(link('Book a room now'))
        await person.click(page.locator('.my-seats a', { hasText: '9 seats' }))
        await person.fill(page.getByLabel('Invite people'), people)
        await person.fill(page.getByLabel('Title'), 'Harbour plans')
        await person.click(book())
        await notice(/^Oder \(.+\) is booked/)
      },
    )
    expect(await findMeeting()).to.deep.include({ name: 'Harbour plans', rooms: ['Oder'], people: 4 })
  })

  const findMeeting = async () => {
    const { id, name, during } = await world.database('events').where({ name: 'Harbour plans' }).first()
    const rooms = await world.database('bookings').where({ event_id: id }).pluck('bookable_id')
    const people = await world.database('event_attendees').where({ event_id: id })
    return { name, during, rooms: await Promise.all(rooms.map(nameOf)), people: people.length }
  }

  it('changes the time of a meeting to one that suits everybody', async () => {
    const { during } = await findMeeting()
    const limits = { clicks: 2, fields: 0, loads: 2, from: '/my' }
    await perform('Change the time of a meeting', limits, async (person) => {
      await person.click(link('Harbour plans'))
      await person.click(page.locator('section', { hasText: 'Free times' }).getByRole('button').first())
      await notice('Saved.')
    })
    expect((await findMeeting()).during).to.not.equal(during)
  })

  it('takes another room when the room of a meeting is closed', async () => {
    const { id } = await world.database('bookables').where({ name: 'Oder' }).first('id')
    const closed = [
      { from: hoursFromNow(-48).slice(0, 16), to: hoursFromNow(480).slice(0, 16), reason: 'Water damage' },
    ]
    const done = await admin.ask('bookables.close', { ids: [id], closed, in_the_way: 'release' })
    expect(done.status).to.equal(200)
    await perform(
      'Take another room when ours is closed',
      { clicks: 1, fields: 0, loads: 1, from: '/my' },
      async (person) => {
        await person.click(button(/^Take /).first())
        await notice('The meeting has a room again.')
      },
    )
    expect((await findMeeting()).rooms)
      .to.have.length(1)
      .and.not.include('Oder')
  })

  it('answers an invitation from the mail', async () => {
    const made = await (await world.client()).post('events?invite=true', {
      name: 'Quay plans',
      organizer_user_id: anna,
      from_time: hoursFromNow(20),
      to_time: hoursFromNow(21),
      attendees: [{ type: 'user', id: joan }],
    })
    expect(made.status, made.text).to.equal(200)
    const address = await linkInMail(/http:\S+\/my\/answer\?\S+answer=yes\S*/)
    await perform(
      'Answer an invitation from the mail',
      { clicks: 2, fields: 0, loads: 2 },
      async (person) => {
        await person.follow(address)
        await person.click(button('Yes, I will come'))
        await page.getByText('You have accepted').waitFor()
      },
    )
    const { id } = made.json.data
    const [answered] = await world.database('event_attendees').where({ event_id: id, user_id: joan })
    expect(answered.status).to.equal(1)
  })

  it('include hiding from colleagues', async () => {
    await perform('Hide where I sit', { clicks: 2, fields: 1, from: '/my' }, async (person) => {
      await person.click(page.getByRole('link', { name: 'Me', exact: true }))
      await person.select(page.getByLabel('Visible to'), 'Nobody: others see “Someone”')
      await person.click(page.locator('form', { has: page.getByLabel('Visible to') }).getByRole('button'))
      await notice('Saved.')
    })
    const [chosen] = await world.database('person_settings').where({ user_id: joan })
    expect(chosen.visibility).to.equal('nobody')
  })

  it('include waiting for a desk and getting it', async () => {
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

  it('include approving a request from a mail', async () => {
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

  it('include planning the next week, with two days at home', async () => {
    await createBookable(world.database, { location_id, name: 'Home', type: 3 })
    await world.database('bookings').where({ user_id: joan }).delete()
    await perform('Plan my week, two days at home', { clicks: 6, fields: 0, from: '/my' }, async (person) => {
      await person.click(link('My week'))
      for (const [index, kind] of ['Office', 'Office', 'Home', 'Office', 'Home'].entries()) {
        const day = page.locator('.week section').last().locator('.week-day').nth(index)
        await person.click(day.getByRole('button', { name: new RegExp(`^${kind}`) }))
        await page.locator('.week section').last().locator('[aria-pressed=true]').nth(index).waitFor()
      }
    })
    const kinds = (await world.database('bookings').where({ user_id: joan }).orderBy('during')).map(
      ({ bookable_id }) => (desks.includes(bookable_id) ? 'office' : 'home'),
    )
    expect(kinds).to.deep.equal(['office', 'office', 'home', 'office', 'home'])
  })

  it('include seeing where a colleague sits on Wednesday', async () => {
    const days = [1, 2, 3, 4, 5, 6, 7].map((count) => hoursFromNow(24 * count).slice(0, 10))
    const wednesday = days.find((date) => new Date(date).getUTCDay() === 3)
    const span = { from: `${wednesday}T12:10:00Z`, to: `${wednesday}T12:50:00Z` }
    await createBooking(world.database, { bookable_id: desks[8], user_id: anna, ...span })
    const limits = { clicks: 3, fields: 0, from: '/my' }
    await perform('See where a colleague sits on Wednesday', limits, async (person) => {
      await person.click(link('My week'))
      await person.click(link('Anna Bauer').first())
      await page.locator('li', { hasText: 'Wed' }).getByText('Desk 1.9').waitFor()
    })
  })
})
