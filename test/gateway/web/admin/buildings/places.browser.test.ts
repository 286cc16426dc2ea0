// Places and the map as an administrator works with them: from an empty service to a desk on its plan that shows who
// sits there.

import { expect } from 'chai'
import type { Locator, Page, Route } from 'playwright-core'
import {
  expectAccessible,
  expectNoSidewaysScroll,
  openWindow,
  useChromium,
} from '../../../../support/dashboard/browser.ts'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { cellOf as cell, middleOf, pointOf } from '../../../../support/dashboard/floor-plan.ts'
import { drawnPng, floorPlanColumns, turnedJpeg } from '../../../../support/dashboard/pictures.ts'
import {
  createBookable,
  createBooking,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../../support/factories.ts'
import { eventually } from '../../../../support/time.ts'
import { useWorld } from '../../../../support/world.ts'

const PLAN = floorPlanColumns(drawnPng(300, 200))
const PHONE = { width: 390, height: 844 }

const stateOf = (page: Page, name: string) => cell(page, name).getAttribute('data-state')

/** The displayed size, and the colours near the corners: top left, top right, bottom left, bottom right. */
async function coloursOf(page: Page, shown: Locator) {
  await shown.scrollIntoViewIfNeeded()
  const size = (await shown.boundingBox()) ?? expect.fail('It is not shown')
  const picture = await shown.screenshot()
  const reader = await page.context().newPage()
  const address = `data:image/png;base64,${picture.toString('base64')}`
  const colours = await reader.evaluate<string[]>(`(async () => {
    const image = new Image()
    image.src = '${address}'
    await image.decode()
    const { width, height } = image
    const drawn = new OffscreenCanvas(width, height).getContext('2d')
    drawn.drawImage(image, 0, 0)
    const corners = [0.1, 0.9].flatMap((y) => [0.1, 0.9].map((x) => [x * width, y * height]))
    return corners.map(([x, y]) => {
      const [red, , blue] = drawn.getImageData(x, y, 1, 1).data
      return red > blue ? 'red' : 'blue'
    })
  })()`)
  await reader.close()
  return { size, colours }
}

describe('places, in a browser', () => {
  useChromium()
  const world = useWorld({ workers: ['writes'] })
  const signedIn = useSignedIn(world)

  const placeOf = async (id: number) => {
    const { position_x, position_y } = await world
      .database('bookables')
      .where({ id })
      .first('position_x', 'position_y')
    return [position_x, position_y] as [number | null, number | null]
  }

  it('can be created in an empty service, down to a desk on its floor plan that shows its bookings', async () => {
    const { context, page, complaints } = await openWindow(signedIn, {
      viewport: { width: 1440, height: 1400 },
    })
    await page.goto('/dashboard/places')
    await page.getByRole('link', { name: 'New building' }).click()
    await page.getByLabel('Name').fill('Harbour House')
    await page.getByLabel('Time zone').selectOption('Europe/Berlin')
    await page.getByRole('button', { name: 'Create building' }).click()
    await page.getByRole('link', { name: 'New floor' }).click()
    await page.getByLabel('Name').fill('3rd floor')
    await page.getByRole('button', { name: 'Create floor' }).click()
    await page.getByRole('link', { name: 'Add desks, rooms or parking' }).click()
    await page.getByLabel('Names').fill('Desk 1…40')
    await page.getByRole('button', { name: 'Preview names' }).click()
    await page.getByText('Preview: 40 names').waitFor()
    expect(await world.database('bookables').where({ name: 'Desk 40' })).to.have.length(0)
    await page.getByRole('button', { name: 'Add desks, rooms or parking' }).click()
    await page.getByText('40 desks added: Desk 1 to Desk 40.').waitFor()
    await page
      .getByLabel('File')
      .setInputFiles({ name: 'plan.png', mimeType: 'image/png', buffer: drawnPng(300, 200) })
    await page.getByRole('button', { name: 'Upload floor plan' }).click()
    await page.waitForURL('**/arrange')
    await page.getByText('40 of 40 desks and rooms:').waitFor()

    const [from, to] = [await middleOf(page, 'Desk 7'), await pointOf(page, 0.25, 0.5)]
    await page.mouse.move(from.x, from.y)
    await page.mouse.down()
    await page.mouse.move(to.x, to.y, { steps: 4 })
    await page.mouse.up()
    await page.getByText('Desk 7 saved.').waitFor()
    expect(await page.locator('.chosen').count(), 'a drag is no touch').to.equal(0)
    const desk = await world.database('bookables').where({ name: 'Desk 7' }).first()
    expect(desk.position_x).to.be.closeTo(0.25, 0.01)
    expect(desk.position_y).to.be.closeTo(0.5, 0.01)
    await page.reload()
    expect((await middleOf(page, 'Desk 7')).x).to.be.closeTo(to.x, 6)
    await page.getByText('39 of 40 desks and rooms:').waitFor()

    await page.getByRole('link', { name: 'Done' }).click()
    expect(await stateOf(page, 'Desk 7')).to.equal('free')
    await cell(page, 'Desk 9').focus()
    const user_id = await createUser(world.database, { name: 'Ada Lovelace' })
    const client = await world.client('booking-write')
    const booking = { bookable_id: desk.id, location_id: desk.location_id, user_id }
    const answer = await client.post('bookings', {
      ...booking,
      from_time: new Date().toISOString(),
      to_time: hoursFromNow(1),
    })
    expect(answer.status, answer.text).to.be.within(200, 201)
    await eventually(async () => expect(await stateOf(page, 'Desk 7')).to.equal('occupied'))
    expect(await page.evaluate("document.activeElement.querySelector('title').textContent")).to.match(
      /^Desk 9:/,
    )
    await page.locator('.map-list').getByText('Ada Lovelace until').waitFor()

    await cell(page, 'Desk 7').click()
    await page.getByRole('dialog', { name: 'Desk 7' }).getByText('Ada Lovelace until').waitFor()
    await page.keyboard.press('Escape')
    expect(await page.getByRole('dialog').count()).to.equal(0)
    expect(await page.evaluate("document.activeElement.querySelector('title').textContent")).to.match(
      /^Desk 7:/,
    )
    expect(complaints).to.deep.equal([])
    await context.close()
  })

  it('show the time chosen with the slider, and the address contains that time', async () => {
    const location_id = await createLocation(world.database, { name: 'Slider floor' })
    const bookable_id = await createBookable(world.database, { location_id, name: 'Desk S' })
    const span = { from: '2031-03-03T14:00:00Z', to: '2031-03-03T15:00:00Z' }
    await createBooking(world.database, { bookable_id, ...span })
    const { context, page } = await openWindow(signedIn)
    await page.goto(`/dashboard/map?location=${location_id}&date=2031-03-03&time=12:00`)
    expect(await stateOf(page, 'Desk S')).to.equal('free')
    await page.locator('.map-list').getByText('Free until 14:00.').waitFor()
    const slider = page.getByLabel('Time of day')
    await slider.fill(String(14 * 60 + 30))
    await eventually(async () => expect(await stateOf(page, 'Desk S')).to.equal('occupied'))
    expect(await slider.getAttribute('aria-valuetext')).to.equal('14:30')
    expect(page.url()).to.include('time=14%3A30')
    // The answer for 14:45 comes after that for 15:00.
    const held: Route[] = []
    const isLate = /time=14%3A45.*_part=map/
    await page.route(isLate, (route) => void held.push(route))
    await slider.press('ArrowRight')
    await slider.press('ArrowRight')
    await eventually(async () => expect(await stateOf(page, 'Desk S')).to.equal('free'))
    const late = page.waitForResponse(isLate)
    for (const route of held) await route.continue()
    await (await late).finished()
    // Uses the page's own clock, so that the page has read the time.
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 100))')
    expect(await stateOf(page, 'Desk S'), 'what comes late is not shown').to.equal('free')
    await page.reload()
    expect(await page.locator('input[name=time]').inputValue()).to.equal('15:00')
    await context.close()
  })

  it('can be arranged by the keyboard, and undo refused moves', async () => {
    const location_id = await createLocation(world.database, { name: 'Key floor', ...PLAN })
    const id = await createBookable(world.database, { location_id, name: 'Desk K' })
    const gone = await createBookable(world.database, {
      location_id,
      name: 'Desk G',
      position_x: 0.5,
      position_y: 0.5,
    })
    const { context, page } = await openWindow(signedIn)
    await page.goto(`/dashboard/places/locations/${location_id}/arrange`)
    await cell(page, 'Desk K').focus()
    await page.keyboard.press('Enter')
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowDown', 'Shift+ArrowLeft'])
      await page.keyboard.press(key)
    // Keys that come slowly are saved one by one.
    await eventually(async () => expect(await placeOf(id)).to.deep.equal([0.518, 0.51]))
    await page.getByText('Desk K saved.').waitFor()
    await page.keyboard.press('Delete')
    await eventually(async () => expect(await placeOf(id)).to.deep.equal([null, null]))

    await world.database('bookables').where({ id: gone }).update({ deleted_at: new Date() })
    await cell(page, 'Desk G').focus()
    await page.keyboard.press('ArrowLeft')
    await page.getByText('Desk G was not moved. Desk G is no longer here.').waitFor()
    expect(await cell(page, 'Desk G').locator('title').textContent()).to.include('50 % from the left, 50 %')
    await context.close()
  })

  it('show a photo upright that was taken with a turned camera', async () => {
    const location_id = await createLocation(world.database)
    const bookable_id = await createBookable(world.database, { location_id })
    const booking = await createBooking(world.database, {
      bookable_id,
      from: hoursFromNow(1),
      to: hoursFromNow(2),
    })
    await signedIn.open(`/dashboard/places/locations/${location_id}/plan`)
    const file = new File([new Uint8Array(turnedJpeg(6))], 'photo.jpg')
    expect((await signedIn.submit('Upload floor plan', { file })).status).to.equal(200)
    const { context, page } = await openWindow(signedIn, { viewport: { width: 1000, height: 2600 } })
    for (const [path, selector] of [
      [`/dashboard/places/locations/${location_id}/plan`, '.floor-plan-card image'],
      [`/dashboard/places/locations/${location_id}/arrange`, '.map-floor-plan image'],
      [`/dashboard/map?location=${location_id}`, '.map-floor-plan image'],
    ] as const) {
      await page.goto(path)
      await page.waitForLoadState('networkidle')
      const { size, colours } = await coloursOf(page, page.locator(selector))
      expect(size.height / size.width, path).to.be.closeTo(2, 0.05)
      expect(colours, path).to.deep.equal(['red', 'red', 'blue', 'blue'])
    }
    // The API's picture, as a file of its own.
    const client = await world.client('read')
    const { text } = await client.get(`bookings/${booking}/livemap`)
    await page.goto('about:blank')
    await page.setContent(text)
    const { colours } = await coloursOf(page, page.locator('image'))
    expect(colours).to.deep.equal(['red', 'red', 'blue', 'blue'])
    await context.close()
  })

  it('show where somebody else has moved a desk meanwhile, instead of moving it back', async () => {
    const location_id = await createLocation(world.database, { name: 'Busy floor', ...PLAN })
    const position = { position_x: 0.5, position_y: 0.5 }
    const id = await createBookable(world.database, { location_id, name: 'Desk B', ...position })
    const { context, page } = await openWindow(signedIn)
    await page.goto(`/dashboard/places/locations/${location_id}/arrange`)
    await world.database('bookables').where({ id }).update({ position_x: 0.33333, position_y: 0.00001 })
    await cell(page, 'Desk B').focus()
    await page.keyboard.press('ArrowLeft')
    await page.getByText('Desk B was not moved. Somebody else has moved it.').waitFor()
    expect(await placeOf(id)).to.deep.equal([0.33333, 0.00001])
    expect(await cell(page, 'Desk B').locator('title').textContent()).to.include('33 % from the left, 0 %')
    await page.keyboard.press('ArrowRight')
    await page.getByText('Desk B saved.').waitFor()
    expect((await placeOf(id))[0]).to.equal(0.34)
    await context.close()
  })

  it('can be arranged on a phone by touching a bookable, and then its position', async () => {
    const location_id = await createLocation(world.database, { name: 'Touch floor', ...PLAN })
    const id = await createBookable(world.database, { location_id, name: 'Desk T' })
    const { context, page } = await openWindow(signedIn, { viewport: PHONE, hasTouch: true, isMobile: true })
    await page.goto(`/dashboard/places/locations/${location_id}/arrange`)
    await page.locator('.waiting').getByText('Desk T').tap()
    await page.getByText('Desk T: now tap its position on the floor plan.').waitFor()
    await page.locator('.map-scroll').scrollIntoViewIfNeeded()
    const to = await pointOf(page, 0.3, 0.4)
    await page.touchscreen.tap(to.x, to.y)
    await page.getByText('Desk T saved.').waitFor()
    const [x, y] = await placeOf(id)
    expect(x).to.be.closeTo(0.3, 0.02)
    expect(y).to.be.closeTo(0.4, 0.02)

    // The finger drags the cell, not the page.
    const finger = await context.newCDPSession(page)
    const touch = (
      type: 'touchStart' | 'touchMove' | 'touchEnd',
      touchPoints: Array<{ x: number; y: number }>,
    ) => finger.send('Input.dispatchTouchEvent', { type, touchPoints })
    const [from, there] = [await middleOf(page, 'Desk T'), await pointOf(page, 0.2, 0.7)]
    const half = { x: (from.x + there.x) / 2, y: (from.y + there.y) / 2 }
    await touch('touchStart', [from])
    await touch('touchMove', [half])
    await touch('touchMove', [there])
    await touch('touchEnd', [])
    await eventually(async () => expect((await placeOf(id))[1]).to.be.closeTo(0.7, 0.02))
    expect((await placeOf(id))[0]).to.be.closeTo(0.2, 0.02)
    await context.close()
  })

  it('work without scripts: the map, its time, and a position in numbers', async () => {
    const location_id = await createLocation(world.database, { name: 'Plain floor', ...PLAN })
    const id = await createBookable(world.database, { location_id, name: 'Desk P' })
    const { context, page } = await openWindow(signedIn, { javaScriptEnabled: false })
    await page.goto(`/dashboard/places/locations/${location_id}/arrange`)
    await page.locator('.waiting').getByText('Desk P').click()
    await page.getByLabel('From left').fill('12.5')
    await page.getByLabel('From top').fill('50')
    await page.getByRole('button', { name: 'Save position' }).click()
    await page.getByText('Position saved.').waitFor()
    expect(await placeOf(id)).to.deep.equal([0.125, 0.5])
    await page.getByRole('link', { name: 'Show on map' }).click()
    await cell(page, 'Desk P').click()
    expect(page.url()).to.match(new RegExp(`bookable=${id}#chosen$`))
    await page.locator('input[name=time]').fill('08:15')
    await page.getByRole('button', { name: 'Show' }).click()
    expect(page.url()).to.include('time=08%3A15')
    await context.close()
  })

  it('are accessible: a full floor, an open panel, a preview, and a refusal', async () => {
    const location_id = await createLocation(world.database, { name: 'Full floor', ...PLAN })
    for (let number = 1; number <= 12; number++) {
      const place = number > 6 ? {} : { position_x: number / 7, position_y: 0.5 }
      await createBookable(world.database, {
        location_id,
        name: `A rather long name of a desk ${number}`,
        ...place,
      })
    }
    for (const viewport of [PHONE, { width: 1280, height: 900 }]) {
      const { context, page } = await openWindow(signedIn, { viewport })
      await page.goto(`/dashboard/map?location=${location_id}`)
      await page.locator('.map-cells .cell').nth(2).click()
      await page.getByRole('dialog').waitFor()
      await expectAccessible(page)
      await expectNoSidewaysScroll(page)
      await page.goto(`/dashboard/places/locations/${location_id}/add`)
      await page.getByLabel('Names').fill('P-001…P-120')
      await page.getByRole('button', { name: 'Preview names' }).click()
      await page.getByText('Preview: 120 names').waitFor()
      await expectAccessible(page)
      await expectNoSidewaysScroll(page)
      await context.close()
    }
  })
})
