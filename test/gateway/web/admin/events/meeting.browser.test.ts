// Tests planning a meeting on one page in a browser: finding people by typing, rooms that follow the time, a
// room that somebody else takes, and the keyboard.
import { expect } from 'chai'
import type { Locator, Page, Route } from 'playwright-core'
import {
  type BrowserWindow,
  expectAccessible,
  expectNoSidewaysScroll,
  openWindow,
  useChromium,
} from '../../../../support/dashboard/browser.ts'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createLocation,
  createUser,
  findNextSummerMonth,
} from '../../../../support/factories.ts'
import { eventually } from '../../../../support/time.ts'
import { useClient, useWorld } from '../../../../support/world.ts'

const ROOM_TYPE = 2
const DAY = `${findNextSummerMonth()}-02`
const MORNING = { from: `${DAY}T08:00:00Z`, to: `${DAY}T10:00:00Z` }
const RANGE_QUERY = `from=${DAY}T00:00:00Z&to=${DAY}T23:00:00Z`

describe('the page of a meeting, in a browser', () => {
  useChromium()
  const world = useWorld()
  const client = useClient(world, 'read')
  const signedIn = useSignedIn(world)
  let deck: number
  let rooms: Record<'bridge' | 'galley' | 'nook', number>
  let bob: number
  let watched: BrowserWindow
  let page: Page
  before(async () => {
    const { database } = world
    const building_id = await createBuilding(database, { name: 'Harbour', timezone: 'Europe/Berlin' })
    deck = await createLocation(database, { building_id, name: 'Deck' })
    const room = (name: string, capacity: number) =>
      createBookable(database, { location_id: deck, name, type: ROOM_TYPE, capacity })
    rooms = { bridge: await room('Bridge', 4), galley: await room('Galley', 8), nook: await room('Nook', 2) }
    for (const name of ['Ada Lovelace', 'Adam Riese', 'Grace Hopper'])
      await createUser(database, { name, email: `${name.split(' ')[0]}@example.com` })
    bob = await createUser(database, { name: 'Bob' })
  })
  beforeEach(async () => {
    await world.database('bookings').delete()
    watched = await openWindow(signedIn, { viewport: { width: 1440, height: 1000 } })
    page = watched.page
    await page.goto('/dashboard/events/new')
    await field().waitFor()
  })
  afterEach(() => watched?.context.close())

  const field = () => page.getByRole('combobox', { name: 'Find people' })
  const options = () => page.getByRole('listbox', { name: 'People' }).getByRole('option')
  const chips = () => page.getByRole('list', { name: 'People' }).getByRole('listitem')
  const rowOf = (name: string) => page.getByRole('row', { name: new RegExp(`^${name} `) })
  const stateOf = async (name: string) => (await rowOf(name).locator('td').nth(2).innerText()).trim()
  const setTime = async (from: string, to: string) => {
    await page.getByLabel('From').fill(`${DAY}T${from}`)
    await page.getByLabel('Until').fill(`${DAY}T${to}`)
  }
  async function add(words: string, name: string) {
    await field().fill(words)
    await options().filter({ hasText: name }).click()
    await chips().filter({ hasText: name }).waitFor()
  }
  /**
   * Returns a link after the page has reloaded, because a browser does not follow a link that is replaced while it is
   * pressed.
   */
  const roomFor = (id: number, chosen: string) => page.locator(`#room-${id}[href*="${chosen}"]`)
  const take = (bookable_id: number) =>
    createBooking(world.database, { bookable_id, user_id: bob, ...MORNING })
  const events = async () => (await client.get(`events?${RANGE_QUERY}`)).json.data
  const expectFocused = async (element: Locator) =>
    expect(await page.evaluate('document.activeElement.id')).to.equal(await element.getAttribute('id'))
  /** Sets a mark that disappears if the page is reloaded. */
  const mark = () => page.evaluate('globalThis.stays = true')
  const expectMarked = async () => expect(await page.evaluate('globalThis.stays'), 'no reload').to.equal(true)

  it('needs no reload while the administrator plans and creates the meeting', async () => {
    await take(rooms.galley)
    await mark()
    await page.getByLabel('Name', { exact: true }).fill('Launch')
    await setTime('10:00', '11:00')
    await eventually(async () => expect(await stateOf('Galley')).to.equal('taken'))
    expect(await rowOf('Galley').getByRole('link').count(), 'what is taken is not offered').to.equal(0)
    await add('love', 'Ada Lovelace')
    await add('grace', 'Grace Hopper')
    await add('mary@example.org', 'mary@example.org')
    await rowOf('Nook').getByText('too small').waitFor()
    await page.getByRole('link', { name: 'Add Bridge' }).click()
    await page.getByRole('link', { name: 'Remove Bridge' }).waitFor()
    await setTime('14:00', '15:00')
    await eventually(async () => expect(await stateOf('Galley')).to.equal('free'))
    await page.getByRole('link', { name: 'Add Galley' }).click()
    await page.getByRole('link', { name: 'Remove Galley' }).waitFor()
    await page.getByRole('link', { name: 'Remove Grace Hopper' }).click()
    await eventually(async () => expect(await chips().count()).to.equal(2))
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).to.equal('Launch')
    await expectMarked()
    await page.getByRole('button', { name: 'Create meeting' }).click()
    await page.getByText('Meeting created.').waitFor()
    const [event] = await events()
    expect(event).to.include({
      name: 'Launch',
      from: `${DAY}T12:00:00.000000Z`,
      to: `${DAY}T13:00:00.000000Z`,
    })
    expect(event.organizer.name).to.equal('Ada Lovelace')
    expect(event.bookables.map(({ name }: { name: string }) => name)).to.have.members(['Bridge', 'Galley'])
    expect(await world.database('event_attendees').count('id').first()).to.deep.equal({ count: 2 })
    expect(watched.complaints).to.deep.equal([])
  })

  it('lets the administrator find people with the keyboard alone', async () => {
    await mark()
    await field().focus()
    await page.keyboard.type('ad')
    await eventually(async () => expect(await options().count()).to.equal(2))
    const marked = async () => {
      const id = await field().getAttribute('aria-activedescendant')
      const selected = page.locator('[role=option][aria-selected=true]')
      expect(await selected.getAttribute('id')).to.equal(id)
      return selected.getAttribute('data-name')
    }
    expect(await field().getAttribute('aria-expanded')).to.equal('true')
    expect(await marked(), 'the first one').to.equal('Ada Lovelace')
    await page.keyboard.press('ArrowDown')
    expect(await marked()).to.equal('Adam Riese')
    await page.keyboard.press('ArrowDown')
    expect(await marked(), 'round').to.equal('Ada Lovelace')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await chips().filter({ hasText: 'Adam Riese' }).waitFor()
    expect(await field().inputValue()).to.equal('')
    await expectFocused(field())
    await page.keyboard.type('ada')
    await eventually(async () => expect(await options().count(), 'who is there is not found').to.equal(1))
    await page.keyboard.press('Escape')
    expect(await options().count()).to.equal(0)
    expect(await field().getAttribute('aria-expanded')).to.equal('false')
    expect(await field().inputValue()).to.equal('ada')
    await page.keyboard.press('Escape')
    expect(await field().inputValue()).to.equal('')
    await page.keyboard.type('nobody')
    await options().filter({ hasText: 'No other active people found.' }).waitFor()
    await page.keyboard.press('Enter')
    expect(await chips().count()).to.equal(1)
    // If the user presses Enter before the suggestions arrive, the first suggestion is chosen.
    await field().fill('')
    await page.keyboard.type('grace')
    await page.keyboard.press('Enter')
    await chips().filter({ hasText: 'Grace Hopper' }).waitFor()
    await page.getByRole('link', { name: 'Remove Grace Hopper' }).press('Enter')
    await eventually(async () => expect(await chips().count()).to.equal(1))
    await expectFocused(field())
    await expectMarked()
  })

  it('never replaces a newer response of the server with an older one', async () => {
    let held: Route | undefined
    await page.route(/person=ad&/, (route) => {
      held = route
    })
    await field().fill('ad')
    await eventually(() => expect(held, 'the first search is on its way').to.not.equal(undefined))
    await field().fill('grace')
    await options().filter({ hasText: 'Grace Hopper' }).waitFor()
    const late = page.waitForResponse(/person=ad&/)
    await held?.continue()
    await (await late).finished()
    // Waits for a later response, after which the old response would be visible.
    await page.evaluate('fetch(location.href).then((answer) => answer.text())')
    expect(await options().allInnerTexts()).to.have.length(1)
    expect(await options().first().innerText()).to.include('Grace Hopper')
  })

  it('never shows rooms for a time that was entered before', async () => {
    await take(rooms.bridge)
    let held: Route | undefined
    await page.route(/from=[^&]*T10%3A00.*_part=meeting/, (route) => {
      held = route
    })
    await setTime('10:00', '11:00')
    await eventually(() => expect(held).to.not.equal(undefined))
    await setTime('15:00', '16:00')
    await page.getByText('15:00 to 16:00').waitFor()
    const late = page.waitForResponse(/T10%3A00.*_part=meeting/)
    await held?.continue()
    await (await late).finished()
    await page.evaluate('fetch(location.href).then((answer) => answer.text())')
    expect(await stateOf('Bridge')).to.equal('free')
    await page.getByText('15:00 to 16:00').waitFor()
  })

  it('moves the end with the start, and shows no rooms if the end is before the start', async () => {
    await setTime('10:00', '11:30')
    await page.getByLabel('From').fill(`${DAY}T13:00`)
    expect(await page.getByLabel('Until').inputValue()).to.equal(`${DAY}T14:30`)
    await page.getByText('13:00 to 14:30').waitFor()
    await page.getByLabel('Until').fill(`${DAY}T12:00`)
    await page.getByText('The end must be after the start.').waitFor()
    await page.getByLabel('Until').fill(`${DAY}T16:00`)
    await page.getByText('13:00 to 16:00').waitFor()
  })

  it('shows other rooms if the chosen room is taken in the meantime, and keeps all input', async () => {
    await setTime('10:00', '11:00')
    await add('love', 'Ada Lovelace')
    await add('grace', 'Grace Hopper')
    await add('riese', 'Adam Riese')
    await page.getByLabel('Organizer').selectOption({ label: 'Grace Hopper (Grace@example.com)' })
    const organizer = await page.getByLabel('Organizer').inputValue()
    await roomFor(rooms.bridge, `organizer=${organizer}&`).click()
    await page.getByRole('link', { name: 'Remove Bridge' }).waitFor()
    await page.getByLabel('Name', { exact: true }).fill('Launch')
    await page.getByLabel('Description').fill('Bring ideas')
    await page.getByLabel('Classification').selectOption('Private')
    await take(rooms.bridge)
    await page.getByRole('button', { name: 'Create meeting' }).click()
    await page.getByText(/Bridge is taken by Bob/).waitFor()
    // Waits for the scripts, without which the next press would leave the page.
    await page.waitForLoadState()
    await mark()
    const swaps = page.getByRole('button', { name: /^Use / })
    expect(await swaps.allInnerTexts(), 'large enough, and free').to.deep.equal(['Use Galley instead'])
    await swaps.first().click()
    await page.getByRole('link', { name: 'Remove Galley' }).waitFor()
    await eventually(async () => expect(await swaps.count()).to.equal(0))
    await expectMarked()
    expect(await page.getByLabel('From').inputValue()).to.equal(`${DAY}T10:00`)
    // Enter presses the Save button, because it has the focus.
    await page.keyboard.press('Enter')
    await page.getByText('Meeting created.').waitFor()
    const [event] = await events()
    expect(event.organizer.name).to.equal('Grace Hopper')
    expect(event.bookables.map(({ name }: { name: string }) => name)).to.deep.equal(['Galley'])
    const row = await world.database('events').orderBy('id', 'desc').first()
    expect(row).to.include({ name: 'Launch', description: 'Bring ideas', classification: 1 })
    expect(await world.database('event_attendees').where({ event_id: row.id })).to.have.length(3)
  })

  it('shows before saving that the chosen room was taken while the page was open', async () => {
    await setTime('10:00', '11:00')
    await roomFor(rooms.bridge, `from=${DAY}T10%3A00`).click()
    await page.getByRole('link', { name: 'Remove Bridge' }).waitFor()
    await take(rooms.bridge)
    await page.evaluate(`document.querySelector('[data-meeting]').dispatchEvent(new Event('refresh'))`)
    await page.getByText('Bridge is taken at that time.').waitFor()
    expect(await stateOf('Bridge')).to.equal('taken')
  })

  it('saves no unchosen room when the user presses Enter', async () => {
    await take(rooms.bridge)
    await setTime('10:00', '11:00')
    await add('love', 'Ada Lovelace')
    const address = new URL(page.url())
    address.searchParams.set('add', `${address.searchParams.get('add')},r${rooms.bridge}`)
    await page.goto(address.href)
    await page.getByRole('button', { name: 'Use Galley instead' }).waitFor()
    await page.getByLabel('Name', { exact: true }).fill('By Enter')
    await page.keyboard.press('Enter')
    await page.getByText(/Bridge is taken by Bob/).waitFor()
    expect(await world.database('events').where({ name: 'By Enter' })).to.have.length(0)
  })

  it('offers overriding once a room has rules, and offers attendees as organizers', async () => {
    await world
      .database('bookables')
      .where({ id: rooms.nook })
      .update({ rules: JSON.stringify({ minutes_max: 600 }) })
    const overriding = page.getByLabel('Override the rules of this place')
    expect(await overriding.isVisible()).to.equal(false)
    await page.getByRole('link', { name: 'Add Nook' }).click()
    await overriding.waitFor()
    await add('grace', 'Grace Hopper')
    await add('love', 'Ada Lovelace')
    const organizer = page.getByLabel('Organizer')
    await eventually(async () => {
      expect(await organizer.locator('option').allInnerTexts()).to.deep.equal([
        'Ada Lovelace (Ada@example.com)',
        'Grace Hopper (Grace@example.com)',
      ])
    })
    expect(await organizer.locator('option:checked').innerText(), 'who came first').to.include('Grace')
    await page.getByRole('link', { name: 'Remove Grace Hopper' }).click()
    await eventually(async () => expect(await organizer.locator('option').count()).to.equal(1))
    await page.getByRole('link', { name: 'Remove Nook' }).click()
    await overriding.waitFor({ state: 'hidden' })
    await world.database('bookables').where({ id: rooms.nook }).update({ rules: null })
  })

  it('finds rooms while the user types', async () => {
    await page.getByLabel('Find rooms').fill('gal')
    await eventually(async () =>
      expect(await page.getByRole('table', { name: 'Rooms' }).getByRole('row').count()).to.equal(2),
    )
    await rowOf('Galley').waitFor()
    await expectFocused(page.getByLabel('Find rooms'))
  })

  it('keeps its input when the user reloads it', async () => {
    await setTime('10:00', '11:00')
    await add('love', 'Ada Lovelace')
    await page.getByLabel('Name', { exact: true }).fill('Launch')
    await page.reload()
    await chips().filter({ hasText: 'Ada Lovelace' }).waitFor()
    expect(await page.getByLabel('From').inputValue()).to.equal(`${DAY}T10:00`)
    await eventually(async () =>
      expect(await page.getByLabel('Name', { exact: true }).inputValue()).to.equal('Launch'),
    )
  })

  it('is accessible in light and dark colours, and on a phone', async () => {
    await setTime('10:00', '11:00')
    await add('love', 'Ada Lovelace')
    await add('grace', 'Grace Hopper')
    await page.getByRole('link', { name: 'Add Bridge' }).click()
    await page.getByRole('link', { name: 'Remove Bridge' }).waitFor()
    await take(rooms.bridge)
    await page.evaluate(`document.querySelector('[data-meeting]').dispatchEvent(new Event('refresh'))`)
    await page.getByText('Bridge is taken at that time.').waitFor()
    await field().fill('adam')
    await options().first().waitFor()
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await expectAccessible(page)
      }
      await expectNoSidewaysScroll(page)
    }
    expect(await options().count(), 'the list is still open').to.equal(1)
  })
})
