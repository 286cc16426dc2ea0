// Tests the timeline of a day in a browser: the mouse and keys create, move, extend and shorten bookings. A
// refused change has no effect, and fast input is not lost.
import { expect } from 'chai'
import type { Page, Route } from 'playwright-core'
import {
  type BrowserWindow,
  expectAccessible,
  openWindow,
  useChromium,
} from '../../../../support/dashboard/browser.ts'
import { createSignedIn, useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createEvent,
  createLocation,
  createUser,
} from '../../../../support/factories.ts'
import { eventually } from '../../../../support/time.ts'
import { useWorld } from '../../../../support/world.ts'

// A day far in the future, when local time is two hours ahead of UTC.
const DAY = `${new Date().getFullYear() + 1}-06-02`
const at = (time: string) => `${DAY}T${time}:00Z`
const minutes = (time: string) => {
  const [hours = 0, rest = 0] = time.split(':').map(Number)
  return hours * 60 + rest
}

describe('the timeline of a day in the dashboard, in a browser', () => {
  useChromium()
  const world = useWorld()
  const signedIn = useSignedIn(world)
  let floor: number
  let desks: number[]
  let room: number
  let users: { anna: number; bob: number }
  let anna: number
  let watched: BrowserWindow
  let page: Page
  before(async () => {
    const { database } = world
    const building_id = await createBuilding(database, { name: 'Harbour', timezone: 'Europe/Berlin' })
    floor = await createLocation(database, { building_id, name: 'Deck' })
    desks = []
    for (const name of ['Desk 1', 'Desk 2', 'Desk 3'])
      desks.push(await createBookable(database, { location_id: floor, name }))
    room = await createBookable(database, { location_id: floor, name: 'Room 1', type: 2 })
    users = {
      anna: await createUser(database, { name: 'Anna Bauer' }),
      bob: await createUser(database, { name: 'Bob', email: 'bob@example.com' }),
    }
  })
  beforeEach(async () => {
    await world.database('bookings').delete()
    // In local time, Anna has Desk 1 from 10:00 to 12:00, and Bob has Desk 2 from 14:00 to 16:00.
    const hers = {
      bookable_id: desks[0],
      user_id: users.anna,
      from: `${DAY}T08:00:12.123456Z`,
      to: at('10:00'),
    }
    anna = await createBooking(world.database, hers)
    await createBooking(world.database, {
      bookable_id: desks[1],
      user_id: users.bob,
      from: at('12:00'),
      to: at('14:00'),
    })
    await open()
  })
  afterEach(() => watched?.context.close())

  async function open(from = signedIn) {
    watched = await openWindow(from, { viewport: { width: 1440, height: 900 } })
    page = watched.page
    await page.goto(`/dashboard/day?location=${floor}&date=${DAY}`)
    // The script creates this element when it begins to listen to events.
    await page.locator('.timeline-ghost').waitFor({ state: 'attached' })
  }

  /** Returns the screen position of a time in a row: the middle of the quarter of an hour that begins then. */
  async function pointAt(name: string, time: string) {
    const [x = 0, y = 0] = await page.evaluate<number[]>(`(() => {
      const row = document.querySelector('tr[data-name="${name}"]')
      const { from, to } = row.closest('table').dataset
      const [left, right] = [row.cells[1], row.cells[row.cells.length - 1]].map((cell) => cell.getBoundingClientRect())
      const share = (${minutes(time)} + 7 - from) / (to - from)
      return [left.left + (right.right - left.left) * share, left.top + left.height / 2]
    })()`)
    return { x, y }
  }
  type Point = { x: number; y: number }
  async function drag(from: Point, to: Point) {
    await page.mouse.move(from.x, from.y)
    await page.mouse.down()
    await page.mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2)
    await page.mouse.move(to.x, to.y)
    await page.mouse.up()
  }
  const booking = (name = 'Anna Bauer') => page.locator('td.taken a', { hasText: name })
  const edge = async (side: 'left' | 'right') => {
    const { x, y, width, height } = (await booking().boundingBox()) ?? expect.fail('It is not shown')
    return { x: side === 'left' ? x + 3 : x + width - 3, y: y + height / 2 }
  }
  /** Books as another user, and makes the page reload its rows immediately. */
  const bookBob = async (bookable_id: number | undefined, from: string, to: string) => {
    await createBooking(world.database, { bookable_id, user_id: users.bob, from: at(from), to: at(to) })
    await page.evaluate(`document.querySelector('[data-refresh]').dispatchEvent(new Event('refresh'))`)
  }
  const saved = (words: string) => page.getByText(`Saved: ${words}.`).waitFor()
  /** Waits until the page shows the desk and times. */
  const shown = async (words: string) => page.getByRole('link', { name: `${words}: Anna Bauer` }).waitFor()
  const stored = async () => {
    const { rows } = await world.database.raw(
      `SELECT bookable_id AS desk, to_char(lower(during) AT TIME ZONE 'Europe/Berlin', 'HH24:MI') AS from,
         to_char(upper(during) AT TIME ZONE 'Europe/Berlin', 'HH24:MI') AS to FROM bookings WHERE id = ?`,
      [anna],
    )
    const { desk, from, to } = rows[0]
    return [desks.indexOf(desk) + 1, from, to]
  }
  const focused = () => page.evaluate<string>('document.activeElement.getAttribute("aria-label") ?? ""')

  it('opens the booking form when the user drags over free time, in either direction, or clicks', async () => {
    await drag(await pointAt('Desk 2', '09:00'), await pointAt('Desk 2', '10:45'))
    await page.waitForURL('**/bookings/new?**')
    const wanted = () => new URL(page.url()).searchParams
    expect(wanted().get('bookable')).to.equal(String(desks[1]))
    expect([wanted().get('from'), wanted().get('to')]).to.deep.equal([`${DAY}T09:00`, `${DAY}T11:00`])
    await page.goBack()
    await drag(await pointAt('Desk 2', '11:45'), await pointAt('Desk 2', '11:00'))
    await page.waitForURL('**/bookings/new?**')
    expect([wanted().get('from'), wanted().get('to')]).to.deep.equal([`${DAY}T11:00`, `${DAY}T12:00`])
    await page.goBack()
    const { x, y } = await pointAt('Desk 3', '13:30')
    await page.mouse.click(x, y)
    await page.waitForURL('**/bookings/new?**')
    expect([wanted().get('from'), wanted().get('to')]).to.deep.equal([`${DAY}T13:30`, `${DAY}T17:00`])
    await page.goBack()
    // A drag over a taken time ends where that time begins.
    await drag(await pointAt('Desk 2', '13:00'), await pointAt('Desk 2', '15:00'))
    await page.waitForURL('**/bookings/new?**')
    expect([wanted().get('from'), wanted().get('to')]).to.deep.equal([`${DAY}T13:00`, `${DAY}T14:00`])
  })

  it('moves a booking dragged by its middle to another time or desk', async () => {
    await drag(await pointAt('Desk 1', '11:00'), await pointAt('Desk 1', '14:00'))
    await saved('Desk 1, 13:00 to 15:00')
    await shown('Desk 1, 13:00 to 15:00')
    expect(await stored()).to.deep.equal([1, '13:00', '15:00'])
    await drag(await pointAt('Desk 1', '14:00'), await pointAt('Desk 3', '14:30'))
    await saved('Desk 3, 13:30 to 15:30')
    await shown('Desk 3, 13:30 to 15:30')
    expect(await stored()).to.deep.equal([3, '13:30', '15:30'])
    expect(page.url(), 'a drag is no click').to.include('/dashboard/day')
    expect(watched.complaints).to.deep.equal([])
  })

  it('lengthens and shortens a booking dragged by its edge, and keeps the other end exactly', async () => {
    await drag(await edge('right'), await pointAt('Desk 1', '12:45'))
    await saved('Desk 1, 10:00 to 13:00')
    await shown('Desk 1, 10:00 to 13:00')
    const { during } = await world.database('bookings').where({ id: anna }).first()
    expect(during, 'the start was not touched').to.include('08:00:12.123456').and.include('11:00:00')
    await drag(await edge('left'), await pointAt('Desk 1', '11:30'))
    await saved('Desk 1, 11:30 to 13:00')
    await shown('Desk 1, 11:30 to 13:00')
    await drag(await edge('right'), await pointAt('Desk 1', '09:00'))
    await saved('Desk 1, 11:30 to 11:45')
    expect(await stored(), 'a quarter is left').to.deep.equal([1, '11:30', '11:45'])
  })

  const undo = () => page.getByRole('button', { name: 'Undo' })

  it('undoes the last drag with a button in its notice', async () => {
    await drag(await pointAt('Desk 1', '11:00'), await pointAt('Desk 1', '14:00'))
    await shown('Desk 1, 13:00 to 15:00')
    await drag(await pointAt('Desk 1', '14:00'), await pointAt('Desk 3', '17:30'))
    await shown('Desk 3, 16:30 to 18:30')
    await undo().click()
    await page.getByText('Undone.').waitFor()
    await shown('Desk 1, 13:00 to 15:00')
    expect(page.url()).to.include(`/dashboard/day?location=${floor}&date=${DAY}`)
    expect(await stored()).to.deep.equal([1, '13:00', '15:00'])
    expect(watched.complaints).to.deep.equal([])
  })

  it('shows the Undo button of the last drag for half a minute', async () => {
    await page.clock.install()
    await page.reload()
    await page.locator('.timeline-ghost').waitFor({ state: 'attached' })
    await drag(await pointAt('Desk 1', '11:00'), await pointAt('Desk 1', '14:00'))
    await undo().waitFor()
    await expectAccessible(page)
    await page.clock.fastForward(25_000)
    expect(await undo().count()).to.equal(1)
    await page.clock.fastForward(6_000)
    await undo().waitFor({ state: 'detached' })
    expect(await page.getByText('Saved: Desk 1').count()).to.equal(1)
  })

  it('changes nothing if the server refuses the drag, and shows the reason', async () => {
    await drag(await pointAt('Desk 1', '11:00'), await pointAt('Desk 2', '14:30'))
    await page.getByText(/Not saved\. Desk 2 is taken by Bob \(bob@example\.com\)/).waitFor()
    expect(await stored()).to.deep.equal([1, '10:00', '12:00'])
    await shown('Desk 1, 10:00 to 12:00')
    // The next change starts from the booking's actual position, not from the refused one.
    await booking().focus()
    await page.keyboard.press('Control+ArrowRight')
    await saved('Desk 1, 10:15 to 12:15')
    for (let quarters = 0; quarters < 4; quarters++) await page.keyboard.press('Control+ArrowRight')
    await saved('Desk 1, 11:15 to 13:15')
    await page.keyboard.press('Shift+ArrowRight')
    await saved('Desk 1, 11:15 to 13:30')
    await bookBob(desks[0], '11:30', '12:30')
    await page.getByRole('link', { name: 'Desk 1, 13:30 to 14:30: Bob' }).waitFor()
    await booking().focus()
    await page.keyboard.press('Control+ArrowRight')
    await page.getByText(/Not saved\. Desk 1 is taken by Bob/).waitFor()
    await page.keyboard.press('Control+ArrowLeft')
    await saved('Desk 1, 11:00 to 13:15')
    expect(await stored()).to.deep.equal([1, '11:00', '13:15'])
  })

  it('keeps a dragged booking within the displayed day', async () => {
    const late = { from: `${DAY}T20:00:00Z`, to: `${DAY}T21:30:00Z` }
    await createBooking(world.database, { bookable_id: desks[2], user_id: users.bob, ...late })
    await page.reload()
    await page.locator('.timeline-ghost').waitFor({ state: 'attached' })
    await drag(await pointAt('Desk 3', '22:30'), await pointAt('Desk 3', '23:45'))
    await saved('Desk 3, 22:30 to 24:00')
  })

  it('changes nothing after Escape, or if the mouse has hardly moved', async () => {
    const [from, to] = [await pointAt('Desk 1', '11:00'), await pointAt('Desk 3', '14:00')]
    await page.mouse.move(from.x, from.y)
    await page.mouse.down()
    await page.mouse.move(to.x, to.y)
    expect(await page.locator('.timeline-ghost').isVisible(), 'shown while it is dragged').to.equal(true)
    await page.keyboard.press('Escape')
    expect(await page.locator('.timeline-ghost').isVisible()).to.equal(false)
    await page.mouse.up()
    await page.mouse.move(from.x, from.y)
    await page.mouse.down()
    await page.mouse.move(from.x + 2, from.y)
    await page.mouse.up()
    await page.waitForURL(`**/bookings/${anna}?**`)
    expect(await stored()).to.deep.equal([1, '10:00', '12:00'])
    expect(
      await world.database('audit_log').where({ action: 'bookings.move', resource_id: anna }),
    ).to.have.length(0)
  })

  it('continues a drag while the rows reload', async () => {
    const [from, to] = [await pointAt('Desk 1', '11:00'), await pointAt('Desk 1', '13:00')]
    await page.mouse.move(from.x, from.y)
    await page.mouse.down()
    await page.mouse.move(from.x + 20, from.y)
    await bookBob(desks[2], '06:00', '07:00')
    await page.getByRole('link', { name: 'Desk 3, 08:00 to 09:00: Bob' }).waitFor()
    await page.mouse.move(to.x, to.y)
    await page.mouse.up()
    await saved('Desk 1, 12:00 to 14:00')
    expect(await stored()).to.deep.equal([1, '12:00', '14:00'])
    expect(watched.complaints).to.deep.equal([])
  })

  it('never moves event rooms, and moves nothing for administrators with the role reader', async () => {
    const span = { from: at('08:00'), to: at('09:00') }
    const event_id = await createEvent(world.database, { name: 'Launch', ...span })
    const claim = await createBooking(world.database, { bookable_id: room, event_id, ...span })
    const before = await world.database('bookings').orderBy('id')
    await page.reload()
    await page.locator('.timeline-ghost').waitFor({ state: 'attached' })
    await drag(await pointAt('Room 1', '10:30'), await pointAt('Room 1', '13:00'))
    await page.getByRole('link', { name: /: Launch$/ }).focus()
    await page.keyboard.press('Control+ArrowRight')
    await watched.context.close()
    await open(await createSignedIn(world, 'reader@example.com', 'reader'))
    await drag(await pointAt('Desk 1', '11:00'), await pointAt('Desk 1', '14:00'))
    await page.goto(`/dashboard/day?location=${floor}&date=${DAY}`)
    await booking().focus()
    await page.keyboard.press('Control+ArrowRight')
    await page.keyboard.press('ArrowUp')
    expect(await focused(), 'arrows lead on all the same').to.include('Launch')
    expect(await world.database('bookings').orderBy('id')).to.deep.equal(before)
    expect(claim).to.be.greaterThan(0)
  })

  it('is a single Tab stop, with arrow keys to move between cells', async () => {
    await page.locator('tr[data-name="Desk 1"] th a').focus()
    const stops = () =>
      page.evaluate(
        `[...document.querySelectorAll('table.timeline td a')].filter((each) => each.tabIndex === 0).length`,
      )
    expect(await stops()).to.equal(1)
    await booking().focus()
    await page.keyboard.press('ArrowRight')
    expect(await focused()).to.match(/^Book Desk 1, 12:00/)
    await page.keyboard.press('ArrowDown')
    expect(await focused()).to.match(/^Book Desk 2, /)
    await page.keyboard.press('ArrowRight')
    expect(await focused()).to.equal('Desk 2, 14:00 to 16:00: Bob')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowLeft')
    expect(await focused()).to.equal('Desk 1, 10:00 to 12:00: Anna Bauer')
    expect(await stops()).to.equal(1)
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/bookings/${anna}?**`)
  })

  it('edits bookings with the keyboard, loses no key press, and keeps the focus', async () => {
    await booking().focus()
    // Key presses are faster than the server, so each continues from the result of the previous key press.
    const held: Route[] = []
    await page.route('**/dashboard/day?**', async (route) => {
      if (route.request().method() === 'POST' && held.push(route) === 1) return
      await route.continue()
    })
    await page.keyboard.press('Control+ArrowRight')
    await eventually(() => expect(held).to.have.length(1))
    await page.keyboard.press('Control+ArrowRight')
    // The rows reload with the changes saved so far.
    await bookBob(desks[2], '06:00', '07:00')
    await page.getByRole('link', { name: 'Desk 3, 08:00 to 09:00: Bob' }).waitFor()
    await page.keyboard.press('Control+ArrowDown')
    await page.keyboard.press('Control+ArrowDown')
    await held[0]?.continue()
    await saved('Desk 3, 10:30 to 12:30')
    await shown('Desk 3, 10:30 to 12:30')
    expect(await stored()).to.deep.equal([3, '10:30', '12:30'])
    expect(held, 'each was saved').to.have.length(4)
    expect(await focused()).to.equal('Desk 3, 10:30 to 12:30: Anna Bauer')
    await page.keyboard.press('Shift+ArrowLeft')
    await saved('Desk 3, 10:30 to 12:15')
    await page.keyboard.press('Shift+ArrowRight')
    await page.keyboard.press('Shift+ArrowRight')
    await saved('Desk 3, 10:30 to 12:45')
    expect(await stored()).to.deep.equal([3, '10:30', '12:45'])
    const before = held.length
    await page.keyboard.press('Shift+ArrowUp')
    await page.keyboard.press('Control+ArrowUp')
    await saved('Desk 2, 10:30 to 12:45')
    expect(held, 'what changes nothing is not saved').to.have.length(before + 1)
  })

  it('keeps hours and names in view on a phone, even while the rows reload', async () => {
    await page.setViewportSize({ width: 360, height: 780 })
    const [left, top] = await page.evaluate<number[]>(`(() => {
      document.querySelector('.timeline-scroll').scrollTo(300, 0)
      const [name, box] = ['tbody th', '.timeline-scroll'].map((each) => document.querySelector(each).getBoundingClientRect())
      return [name.left - box.left, document.querySelector('thead th').getBoundingClientRect().top - box.top]
    })()`)
    expect(left).to.be.closeTo(0, 2)
    expect(top).to.be.closeTo(0, 2)
    await bookBob(desks[2], '06:00', '07:00')
    await page.getByRole('link', { name: 'Desk 3, 08:00 to 09:00: Bob' }).waitFor()
    expect(await page.evaluate(`document.querySelector('.timeline-scroll').scrollLeft`)).to.equal(300)
  })

  it('is accessible after a saved change and after a refused one', async () => {
    await drag(await pointAt('Desk 1', '11:00'), await pointAt('Desk 2', '14:30'))
    await page.getByText(/Not saved/).waitFor()
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await expectAccessible(page)
    }
  })
})
