// Tests an administrator's day in a browser: booking for a person, meeting a conflict, cancelling, creating
// an event, reading the audit log, and trying the API.

import { expect } from 'chai'
import type { Page } from 'playwright-core'
import {
  type BrowserWindow,
  expectNoSidewaysScroll,
  openWindow,
  useChromium,
} from '../../../../support/dashboard/browser.ts'
import { createSignedIn } from '../../../../support/dashboard/dashboard.ts'
import {
  createBookable,
  createBuilding,
  createLocation,
  createUser,
  findNextSummerMonth,
} from '../../../../support/factories.ts'
import { useClient, useWorld } from '../../../../support/world.ts'

const MONTH = findNextSummerMonth()
const RANGE_QUERY = `from=${MONTH}-01T00:00:00Z&to=${MONTH}-05T00:00:00Z`

describe('administrators at work, in a browser', () => {
  useChromium()
  const world = useWorld()
  const client = useClient(world)
  let watched: BrowserWindow
  let page: Page
  before(async () => {
    const building_id = await createBuilding(world.database, { name: 'Harbour', timezone: 'Europe/Berlin' })
    const location_id = await createLocation(world.database, { building_id, name: 'Deck' })
    await createBookable(world.database, { location_id, name: 'Desk 12' })
    await createBookable(world.database, { location_id, name: 'Bridge', type: 2 })
    await createUser(world.database, { name: 'Ada Lovelace', email: 'ada@example.com' })
    await createUser(world.database, { name: 'Grace Hopper', email: 'grace@example.com' })
    watched = await openWindow(await createSignedIn(world))
    page = watched.page
  })
  after(() => watched?.context.close())

  async function choose(search: string, words: string, link: string) {
    await page.getByLabel(search).fill(words)
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: link }).click()
    // From here on, the page's scripts keep the input.
    await page.waitForLoadState()
  }
  async function bookDesk(person: string, link: string, from: string, to: string) {
    await page.goto('/dashboard/bookings')
    await page.getByRole('link', { name: 'New booking' }).click()
    await choose('Name or e-mail', person, link)
    await choose('Name, floor or building', 'desk 12', 'Choose Desk 12')
    await page.getByLabel('From').fill(from)
    await page.getByLabel('Until required unless open-ended').fill(to)
    await page.getByRole('button', { name: 'Create booking' }).click()
  }
  const listed = async () => (await client.get(`bookings?${RANGE_QUERY}`)).json.data

  it('create a booking that the API lists, get a conflict, and cancel the booking', async () => {
    await bookDesk('lovelace', 'Choose Ada Lovelace', `${MONTH}-02T09:00`, `${MONTH}-02T17:00`)
    await page.getByText('Desk 12 is booked for Ada Lovelace.').waitFor()
    const [booking] = await listed()
    expect(booking).to.include({
      from: `${MONTH}-02T07:00:00.000000Z`,
      to: `${MONTH}-02T15:00:00.000000Z`,
    })
    expect(booking.user.name).to.equal('Ada Lovelace')

    await bookDesk('hopper', 'Choose Grace Hopper', `${MONTH}-02T16:00`, `${MONTH}-02T18:00`)
    await page.getByText(/Desk 12 is taken by Ada Lovelace \(ada@example\.com\) from \d\d:00/).waitFor()
    await page.getByLabel('From').fill(`${MONTH}-02T17:00`)
    await page.getByRole('button', { name: 'Create booking' }).click()
    await page.getByText('Desk 12 is booked for Grace Hopper.').waitFor()
    expect(await listed()).to.have.length(2)

    await page.goto(`/dashboard/bookings?from=${MONTH}-01&to=${MONTH}-03`)
    await page.getByRole('searchbox', { name: 'Person' }).fill('ada@')
    await page.keyboard.press('Enter')
    // Waits for the new page, because the previous page also has this link.
    await page.waitForURL(/person=ada/)
    await page.getByRole('link', { name: 'Open: Ada Lovelace' }).click()
    await page.getByLabel('More actions', { exact: true }).click()
    await page.getByRole('link', { name: 'Cancel booking' }).click()
    await page.getByRole('button', { name: 'Cancel booking' }).click()
    await page.getByText('Booking of Desk 12 for Ada Lovelace cancelled.').waitFor()
    expect((await listed()).map(({ user }: { user: { name: string } }) => user.name)).to.deep.equal([
      'Grace Hopper',
    ])
  })

  it('see a list in a narrow window without scrolling the page sideways', async () => {
    await page.setViewportSize({ width: 740, height: 700 })
    await page.goto(`/dashboard/bookings?from=${MONTH}-01&to=${MONTH}-03`)
    await expectNoSidewaysScroll(page)
    await page.setViewportSize({ width: 1280, height: 720 })
  })

  it('give an event a room, rename it, and find its old name in the audit log', async () => {
    await page.goto('/dashboard/events/new')
    await page.getByLabel('From').fill(`${MONTH}-03T10:00`)
    await page.getByLabel('Until').fill(`${MONTH}-03T12:00`)
    await page.getByRole('combobox', { name: 'Find people' }).fill('ada')
    await page.getByRole('option', { name: /Ada Lovelace/ }).click()
    // Adding the attendee reloads the rooms, and the browser does not follow a link that is replaced while it
    // is pressed.
    await page.getByRole('link', { name: 'Remove Ada Lovelace' }).waitFor()
    await page.getByRole('link', { name: 'Add Bridge' }).click()
    await page.getByRole('link', { name: 'Remove Bridge' }).waitFor()
    await page.getByLabel('Name', { exact: true }).fill('Launch')
    await page.getByRole('button', { name: 'Create meeting' }).click()
    await page.getByText('Meeting created.').waitFor()
    expect(await page.evaluate('sessionStorage.length'), 'what was sent is forgotten').to.equal(0)
    const [event] = (await client.get(`events?${RANGE_QUERY}`)).json.data
    expect(event).to.include({ name: 'Launch', from: `${MONTH}-03T08:00:00.000000Z` })
    expect(event.bookables[0].name).to.equal('Bridge')

    await page.getByRole('link', { name: 'Change' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Grand launch')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('Changes saved.').waitFor()
    await page.getByRole('link', { name: 'View in audit log' }).click()
    const entry = page.locator('tr', { has: page.locator('[title^="events.replace "]') })
    await entry.getByRole('link', { name: /^Show/ }).click()
    const row = page.getByRole('row', { name: /^name changed/ })
    expect(await row.locator('del').textContent()).to.equal('Launch')
    expect(await row.locator('ins').textContent()).to.equal('Grand launch')
    expect(
      await page
        .getByRole('row', { name: /^bookables/ })
        .locator('del')
        .count(),
    ).to.equal(0)
  })

  it('try the API with a valid and an invalid token', async () => {
    await page.goto('/dashboard/integrations?endpoint=listBookings')
    const withToken: string[] = []
    page.on('request', (request) => {
      const { authorization } = request.headers()
      if (authorization?.startsWith('Bearer ')) withToken.push(request.url())
      expect(`${request.url()} ${request.postData()}`).to.not.include('berth_')
    })
    await page.getByLabel('from', { exact: true }).fill(`${MONTH}-01T00:00:00Z`)
    await page.getByLabel('to', { exact: true }).fill(`${MONTH}-05T00:00:00Z`)
    const line = (await page.locator('#try-line').textContent()) ?? ''
    expect(line).to.include(`/api/v1/bookings?from=${MONTH}-01T00%3A00%3A00Z`)
    await page.getByLabel('Token').fill(client.token ?? '')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('200 OK').waitFor()
    const answer = page.locator('[data-answer]')
    expect(await answer.textContent())
      .to.include('"Grace Hopper"')
      .and.match(/in \d+ ms/)
    await answer.getByText('Headers').click()
    expect(await answer.textContent()).to.match(/ratelimit: /)

    await page.getByLabel('Token').fill('berth_wrong')
    await page.keyboard.press('Enter')
    await page.getByText('401 Unauthorized').waitFor()
    expect(await answer.textContent()).to.include('"invalid_token"')
    expect(line).to.not.include(client.token ?? '')
    // The page sends the token only to the API and does not store it.
    expect(withToken).to.have.length(2)
    for (const url of withToken) expect(url).to.match(/\/api\/v1\/bookings\?from=/)
    const kept =
      '[document.cookie, JSON.stringify(localStorage), JSON.stringify(sessionStorage), location.href].join()'
    expect(await page.evaluate(kept)).to.not.include('berth_')
    await page.reload()
    expect(await page.getByLabel('Token').inputValue()).to.equal('')
  })

  it('try an API write that sends exactly the displayed command', async () => {
    await page.goto('/dashboard/integrations')
    await page.getByLabel('Endpoint').selectOption('createBooking')
    await page.getByRole('button', { name: 'Show', exact: true }).click()
    const body = JSON.parse(await page.getByLabel('Body').inputValue())
    await page.getByLabel('Body').fill(JSON.stringify({ ...body, guest_name: "O'Neill" }))
    // Waits for the script, which may load after the field was filled.
    await page.locator('#try-line', { hasText: "O'\\''Neill" }).waitFor()
    await page.getByLabel('Token').fill(client.token ?? '')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('200 OK').waitFor()
    expect((await world.database('bookings').orderBy('id', 'desc').first()).guest_name).to.equal("O'Neill")
    // Chromium reports a refused request as a console error.
    expect(watched.complaints.filter((each) => !/40[19]/.test(each))).to.deep.equal([])
  })

  it('see the command as text to copy if JavaScript is off', async () => {
    const plain = await openWindow(await createSignedIn(world), { javaScriptEnabled: false })
    await plain.page.goto('/dashboard/integrations')
    await plain.page.getByLabel('Endpoint').selectOption('listTodaysEvents')
    await plain.page.getByRole('button', { name: 'Show', exact: true }).click()
    expect(await plain.page.locator('#try-line').textContent()).to.match(
      /\/api\/v1\/events\/today\?building_id=\d+'$/,
    )
    expect(await plain.page.getByLabel('Token').isVisible()).to.equal(false)
    await plain.context.close()
  })
})
