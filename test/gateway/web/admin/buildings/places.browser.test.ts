// Tests in a browser how an administrator sets up an empty installation, up to a desk on a floor plan that shows who
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
import { findCell as cell, findMiddle, pointOf } from '../../../../support/dashboard/floor-plan.ts'
import { createFloorPlanColumns, createRotatedJpeg, drawPng } from '../../../../support/dashboard/pictures.ts'
import {
  createBookable,
  createBooking,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../../support/factories.ts'
import { eventually } from '../../../../support/time.ts'
import { useWorld } from '../../../../support/world.ts'

const FLOOR_PLAN_COLUMNS = createFloorPlanColumns(drawPng(300, 200))
const PHONE = { width: 390, height: 844 }

const getCellState = (page: Page, name: string) => cell(page, name).getAttribute('data-state')

/** Returns the displayed size, and the colours near the corners: top left, top right, bottom left, bottom right. */
async function readColours(page: Page, shown: Locator) {
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

describe('the dashboard pages of places, in a browser', () => {
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

  it('lead from an empty installation to a desk on a floor plan that shows its bookings', async () => {
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
      .setInputFiles({ name: 'plan.png', mimeType: 'image/png', buffer: drawPng(300, 200) })
    await page.getByRole('button', { name: 'Upload floor plan' }).click()
    await page.waitForURL('**/arrange')
    await page.getByText('40 of 40 desks and rooms:').waitFor()

    const [from, to] = [await findMiddle(page, 'Desk 7'), await pointOf(page, 0.25, 0.5)]
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
    expect((await findMiddle(page, 'Desk 7')).x).to.be.closeTo(to.x, 6)
    await page.getByText('39 of 40 desks and rooms:').waitFor()

    await page.getByRole('link', { name: 'Done' }).click()
    expect(await getCellState(page, 'Desk 7')).to.equal('free')
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
    await eventually(async () => expect(await getCellState(page, 'Desk 7')).to.equal('occupied'))
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

  it('show the time chosen with the slider, and put it into the URL', async () => {
    const location_id = await createLocation(world.database, { name: 'Slider floor' })
    const bookable_id = await createBookable(world.database, { location_id, name: 'Desk S' })
    const span = { from: '2031-03-03T14:00:00Z', to: '2031-03-03T15:00:00Z' }
    await createBooking(world.database, { bookable_id, ...span })
    const { context, page } = await openWindow(signedIn)
    await page.goto(`/dashboard/map?location=${location_id}&date=2031-03-03&time=12:00`)
    expect(await getCellState(page, 'Desk S')).to.equal('free')
    await page.locator('.map-list').getByText('Free until 14:00.').waitFor()
    const slider = page.getByLabel('Time of day')
    await slider.fill(String(14 * 60 + 30))
    await eventually(async () => expect(await getCellState(page, 'Desk S')).to.equal('occupied'))
    expect(await slider.getAttribute('aria-valuetext')).to.equal('14:30')
    expect(page.url()).to.include('time=14%3A30')
    // Delays the response for 14:45 until after the response for 15:00.
    const held: Route[] = []
    const isLate = /time=14%3A45.*_part=map/
    await page.route(isLate, (route) => void held.push(route))
    await slider.press('ArrowRight')
    await slider.press('ArrowRight')
    await eventually(async () => expect(await getCellState(page, 'Desk S')).to.equal('free'))
    const late = page.waitForResponse(isLate)
    for (const route of held) await route.continue()
    await (await late).finished()
    // Waits in the page, so that the page has read the time.
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 100))')
    expect(await getCellState(page, 'Desk S'), 'what comes late is not shown').to.equal('free')
    await page.reload()
    expect(await page.locator('input[name=time]').inputValue()).to.equal('15:00')
    await context.close()
  })

  it('let the keyboard arrange bookables, and revert moves that the server refuses', async () => {
    const location_id = await createLocation(world.database, { name: 'Key floor', ...FLOOR_PLAN_COLUMNS })
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
    // Key presses with pauses in between are saved one by one.
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

  it('show a photo upright even if the camera was turned', async () => {
    const location_id = await createLocation(world.database)
    const bookable_id = await createBookable(world.database, { location_id })
    // The map shows the part of the picture that has desks.
    for (const [position_x, position_y] of [
      [0.5, 0],
      [1, 0.5],
      [0.5, 1],
      [0, 0.5],
    ])
      await createBookable(world.database, { location_id, position_x, position_y })
    const booking = await createBooking(world.database, {
      bookable_id,
      from: hoursFromNow(1),
      to: hoursFromNow(2),
    })
    await signedIn.open(`/dashboard/places/locations/${location_id}/plan`)
    const file = new File([new Uint8Array(createRotatedJpeg(6))], 'photo.jpg')
    expect((await signedIn.submit('Upload floor plan', { file })).status).to.equal(200)
    const { context, page } = await openWindow(signedIn, { viewport: { width: 1000, height: 2600 } })
    for (const [path, selector] of [
      [`/dashboard/places/locations/${location_id}/plan`, '.floor-plan-card image'],
      [`/dashboard/places/locations/${location_id}/arrange`, '.map-floor-plan image'],
      [`/dashboard/map?location=${location_id}`, '.map-floor-plan image'],
    ] as const) {
      await page.goto(path)
      await page.waitForLoadState('networkidle')
      const { size, colours } = await readColours(page, page.locator(selector))
      expect(size.height / size.width, path).to.be.closeTo(2, 0.05)
      expect(colours, path).to.deep.equal(['red', 'red', 'blue', 'blue'])
    }
    // Requests the picture from the API as a separate file.
    const client = await world.client('read')
    const { text } = await client.get(`bookings/${booking}/livemap`)
    await page.goto('about:blank')
    await page.setContent(text)
    const { colours } = await readColours(page, page.locator('image'))
    expect(colours).to.deep.equal(['red', 'red', 'blue', 'blue'])
    await context.close()
  })

  it('show the new position of a desk that somebody else has moved, instead of moving it back', async () => {
    const location_id = await createLocation(world.database, { name: 'Busy floor', ...FLOOR_PLAN_COLUMNS })
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

  it('let a touch select a bookable on a phone, and a second touch place it', async () => {
    const location_id = await createLocation(world.database, { name: 'Touch floor', ...FLOOR_PLAN_COLUMNS })
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
    const [from, there] = [await findMiddle(page, 'Desk T'), await pointOf(page, 0.2, 0.7)]
    const half = { x: (from.x + there.x) / 2, y: (from.y + there.y) / 2 }
    await touch('touchStart', [from])
    await touch('touchMove', [half])
    await touch('touchMove', [there])
    await touch('touchEnd', [])
    await eventually(async () => expect((await placeOf(id))[1]).to.be.closeTo(0.7, 0.02))
    expect((await placeOf(id))[0]).to.be.closeTo(0.2, 0.02)
    await context.close()
  })

  it('work without scripts: the map, its time, and positions entered as numbers', async () => {
    const location_id = await createLocation(world.database, { name: 'Plain floor', ...FLOOR_PLAN_COLUMNS })
    const id = await createBookable(world.database, { location_id, name: 'Desk P' })
    const { context, page } = await openWindow(signedIn, { javaScriptEnabled: false })
    await page.goto(`/dashboard/places/locations/${location_id}/arrange`)
    await page.locator('.waiting').getByText('Desk P').click()
    await page.getByLabel('Distance from the left').fill('12.5')
    await page.getByLabel('Distance from the top').fill('50')
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

  it('are accessible on a full floor, with an open panel, with a preview and after a refusal', async () => {
    const location_id = await createLocation(world.database, { name: 'Full floor', ...FLOOR_PLAN_COLUMNS })
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
