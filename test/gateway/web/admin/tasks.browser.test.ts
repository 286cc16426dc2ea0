// Tests the most common tasks in the dashboard, from the first page to the result, and counts the clicks and
// fields of each task.
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { type BrowserWindow, openWindow, useChromium } from '../../../support/dashboard/browser.ts'
import { PASSWORD, Browser as Stranger, useSignedIn } from '../../../support/dashboard/dashboard.ts'
import { drawPng } from '../../../support/dashboard/pictures.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createLocation,
  createUser,
} from '../../../support/factories.ts'
import { useTasks } from '../../../support/tasks.ts'
import { eventually } from '../../../support/time.ts'
import { useWorld } from '../../../support/world.ts'

const DAY_MS = 24 * 3_600_000
const DESK_COUNT = 40
const VIEWPORT = { width: 1440, height: 1800 }

/** Returns the next Monday in UTC that has not begun. */
function findNextMonday(): string {
  const now = new Date()
  const days = (8 - now.getUTCDay()) % 7 || 7
  return new Date(now.getTime() + days * DAY_MS).toISOString().slice(0, 10)
}

describe('tasks of an administrator, in a browser', () => {
  useChromium()
  const world = useWorld()
  const signedIn = useSignedIn(world)
  const monday = findNextMonday()
  let building: number
  let watched: BrowserWindow
  let page: Page
  before(async () => {
    const { database } = world
    building = await createBuilding(database, { name: 'Harbour House', timezone: 'Europe/Lisbon' })
    const ground = await createLocation(database, { building_id: building, name: 'Ground floor' })
    await createLocation(database, { building_id: building, name: '1st floor' })
    const desks = []
    for (let number = 1; number <= 20; number++)
      desks.push(await createBookable(database, { location_id: ground, name: `Desk 0.${number}` }))
    for (const [name, capacity] of [
      ['Elbe', 4],
      ['Spree', 6],
      ['Isar', 2],
    ])
      await createBookable(database, { location_id: ground, name, capacity, type: 2 })
    for (const name of ['Anna Bauer', 'Ben Clark', 'Clara Diaz'])
      await createUser(database, { name, email: `${name.split(' ')[0]?.toLowerCase()}@example.com` })
    const joan = await createUser(database, { name: 'Joan Clarke' })
    const span = { from: `${monday}T08:00:00Z`, to: `${monday}T12:00:00Z` }
    await createBooking(database, { bookable_id: desks[12], user_id: joan, ...span })
    watched = await openWindow(signedIn, { viewport: VIEWPORT })
    page = watched.page
  })
  after(() => watched?.context.close())

  const perform = useTasks(() => page)
  const link = (name: string | RegExp) => page.getByRole('link', { name })
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const cell = (name: string) =>
    page.locator('.map-cells .cell').filter({ has: page.locator('title', { hasText: `${name}:` }) })
  const lastBooking = () => world.database('bookings').whereNotNull('user_id').orderBy('id', 'desc').first()
  const nameOf = async (id: number) => (await world.database('bookables').where({ id }).first()).name

  it('include finding out who sits at a desk at a given time', async () => {
    await perform(
      'Who sits at Desk 0.13 on Monday at 10?',
      { clicks: 1, fields: 3, from: '/dashboard' },
      async (person) => {
        await page.keyboard.press('/')
        await person.enter('Desk 0.13')
        await person.click(link('Show on map'))
        await person.fill(page.getByLabel('Day', { exact: true }), monday)
        await person.fill(page.getByLabel('Time', { exact: true }), '10:00')
        await page.locator('.map-list').getByText('Joan Clarke until').first().waitFor()
        expect(await cell('Desk 0.13').getAttribute('data-state')).to.equal('occupied')
      },
    )
  })

  it('include booking a desk near another desk', async () => {
    await perform('Book Anna a desk near there', { clicks: 2, fields: 1 }, async (person) => {
      await person.click(cell('Desk 0.14'))
      const panel = page.getByRole('dialog')
      const field = panel.getByRole('combobox', { name: 'Person' })
      await field.focus()
      await person.enter('anna')
      await person.click(panel.getByRole('button', { name: 'Book', exact: true }))
      await page.getByText('Desk 0.14 is booked for Anna Bauer.').waitFor()
    })
    const { bookable_id, during } = await lastBooking()
    expect(await nameOf(bookable_id)).to.equal('Desk 0.14')
    expect(during).to.include(monday)
  })

  it('include moving a booking to another desk', async () => {
    const before = await lastBooking()
    await perform('Move it to another desk', { clicks: 4, fields: 0 }, async (person) => {
      await person.click(page.locator('#chosen summary'))
      await person.click(page.locator('#chosen').getByRole('link', { name: 'Move to another place' }))
      await person.click(page.getByRole('radio', { name: /^Desk 0\.12/ }))
      await person.click(button('Move booking'))
      await page.getByText('Moved to Desk 0.12.').waitFor()
    })
    const after = await lastBooking()
    expect(after).to.deep.include({ id: before.id, during: before.during })
    expect(await nameOf(after.bookable_id)).to.equal('Desk 0.12')
  })

  it('include planning a meeting of three people in two rooms', async () => {
    await perform(
      'Plan a meeting of three people in two rooms',
      { clicks: 5, fields: 5, from: '/dashboard' },
      async (person) => {
        await person.click(link('Meetings').first())
        await person.click(link('New meeting'))
        const people = page.getByRole('combobox', { name: 'Find people' })
        // Waits for the list that the page's script creates.
        await people.waitFor()
        await person.fill(page.getByLabel('From'), `${monday}T14:00`)
        await people.focus()
        for (const name of ['Anna', 'Ben', 'Clara']) {
          await person.enter(name)
          await link(new RegExp(`^Remove ${name}`)).waitFor()
        }
        await person.click(link('Add Elbe'))
        await person.click(link('Add Spree'))
        await link('Remove Spree').waitFor()
        await person.fill(page.getByLabel('Name', { exact: true }), 'Launch')
        await person.click(button('Create meeting'))
        await page.getByText('Meeting created.').waitFor()
      },
    )
    const { id, during } = await world.database('events').where({ name: 'Launch' }).first()
    expect(during).to.include(monday)
    expect(await world.database('event_attendees').where({ event_id: id })).to.have.length(3)
    const rooms = await world.database('bookings').where({ event_id: id }).pluck('bookable_id')
    expect(await Promise.all(rooms.map(nameOf))).to.have.members(['Elbe', 'Spree'])
  })

  it('include finding out who moved a booking yesterday', async () => {
    await world.database.raw(`UPDATE audit_log SET at = at - interval '1 day' WHERE resource = 'bookings'`)
    await perform(
      'Who moved Anna’s booking yesterday?',
      { clicks: 0, fields: 1, from: '/dashboard' },
      async (person) => {
        await page.keyboard.press('/')
        await person.enter('Anna Bauer')
        const entry = page
          .getByRole('region', { name: 'History' })
          .getByRole('listitem')
          .filter({ hasText: 'moved' })
        expect(await entry.innerText())
          .to.include('admin@example.com')
          .and.match(/from Desk 0\.14 to Desk 0\.12/)
        const at = Date.parse((await entry.locator('time').last().getAttribute('datetime')) ?? '')
        expect((Date.now() - at) / DAY_MS).to.be.within(1, 1.5)
      },
    )
  })

  it('include putting forty desks on a floor plan', async () => {
    await perform(
      'Add 40 desks and place them on a floor plan',
      { clicks: 7, fields: 1, from: '/dashboard' },
      async (person) => {
        await person.click(link('Places').first())
        await person.click(link('1st floor').first())
        await person.click(link('Add desks, rooms or parking').first())
        await person.fill(page.getByLabel('Names'), 'Desk 1.1…40')
        await person.click(button('Add desks, rooms or parking'))
        await page.getByText('40 desks added').waitFor()
        const picture = { name: 'plan.png', mimeType: 'image/png', buffer: drawPng(300, 200) }
        await page.getByLabel('File').setInputFiles(picture)
        await person.click(button('Upload floor plan'))
        await page.waitForURL('**/arrange')
        await page.getByText('40 of 40 desks and rooms:').waitFor()
        await person.click(page.locator('summary', { hasText: 'Place in rows' }))
        await person.click(button('Place in rows'))
        await page.getByText('Everything is on the floor plan.').waitFor()
        await eventually(async () => expect(await placed()).to.have.length(DESK_COUNT))
      },
    )
    const positions = (await placed()).map(({ position_x, position_y }) => `${position_x}, ${position_y}`)
    expect(new Set(positions).size, 'no two in one place').to.equal(DESK_COUNT)
  })

  const placed = () =>
    world.database('bookables').where('name', 'like', 'Desk 1.%').whereNotNull('position_x')

  it('include inviting a colleague with the role front desk, who cannot delete a building', async () => {
    await perform(
      'Invite a colleague for the front desk',
      { clicks: 4, fields: 1, from: '/dashboard' },
      async (person) => {
        await person.click(link('Settings').first())
        await person.click(link('Administrators and their roles'))
        await person.click(link('Invite'))
        await person.fill(page.getByLabel('E-mail'), 'desk@example.com')
        await person.click(button('Create link'))
        await page.locator('#link').waitFor()
      },
    )
    const { pathname, search } = new URL((await page.locator('#link').innerText()).trim())
    const colleague = await openWindow(new Stranger(world.url), { viewport: VIEWPORT })
    await colleague.page.goto(pathname + search)
    for (const field of await colleague.page.locator('input[type="password"]').all())
      await field.fill(PASSWORD)
    await colleague.page.getByRole('button', { name: 'Save password' }).click()
    await colleague.page.getByText('Your password is saved.').waitFor()
    await colleague.page.goto(`/dashboard/places/buildings/${building}`)
    await colleague.page.getByRole('heading', { name: 'Harbour House' }).waitFor()
    expect(await colleague.page.getByRole('link', { name: /Delete/ }).count()).to.equal(0)
    const answer = await colleague.page.goto(`/dashboard/places/buildings/${building}/delete`)
    expect(answer?.status()).to.equal(403)
    await colleague.page.getByText('This needs the role Administrator; yours is Front desk.').waitFor()
    expect(await world.database('buildings').where({ id: building })).to.have.length(1)
    await colleague.context.close()
  })
})
