// Tests the screen at a door in a browser: it keeps running without a network, and updates afterwards.
import { expect } from 'chai'
import type { BrowserContext, Page } from 'playwright-core'
import { serve } from '../../../../gateway/server.ts'
import { createLog } from '../../../../shared/utilities/log.ts'
import { browser, expectAccessible, expectNoSidewaysScroll } from '../../../support/dashboard/browser.ts'
import { createBookable, createBooking, createUser } from '../../../support/factories.ts'
import { createScreen } from '../../../support/screens/screens.ts'
import { HOUR_MS, useTablet } from '../../../support/screens/tablet.ts'
import { eventually } from '../../../support/time.ts'

describe('the screen at the door of a room, in a browser', function () {
  this.timeout(180_000)
  let page: Page
  let context: BrowserContext
  const { at, now, shows, skip, words, world } = useTablet((opened, of) => {
    page = opened
    context = of
  })

  const buttons = () =>
    page.evaluate<boolean[]>("[...document.querySelectorAll('#screen button')].map((each) => each.disabled)")

  /** Expects that the screen has stored its content, and that its buttons work. */
  async function keeps() {
    await eventually(async () => expect(await page.evaluate('localStorage.length')).to.equal(1))
    expect(await buttons()).to.deep.equal([false, false, false])
  }

  async function createRoom(screen: object = {}) {
    const bookable_id = await createBookable(world.database, { name: 'Aspen', type: 2 })
    const booking_user_id = await createUser(world.database, { name: 'Front desk' })
    return {
      bookable_id,
      ...(await createScreen(world.database, { bookable_id, booking_user_id, ...screen })),
    }
  }

  it('books, checks in and ends a booking with one press each', async () => {
    const { bookable_id, path } = await createRoom()
    await page.goto(world.url + path)
    await page.getByRole('button', { name: '30 min' }).click()
    await shows('Front desk')
    await page.getByText('End now').click()
    await page.getByText('Keep it').click()
    await shows('Front desk')
    await page.getByText('End now').click()
    await page.getByRole('button', { name: 'Yes, end it' }).click()
    await shows('Free')
    await page.getByRole('button', { name: 'Undo' }).click()
    await shows('Front desk')
    await page.getByText('End now').click()
    await page.getByRole('button', { name: 'Yes, end it' }).click()
    await shows('Free')
    const user_id = await createUser(world.database, { name: 'Anna Adler' })
    const window = { check_in_from: at(-0.1), check_in_until: at(0.1) }
    await createBooking(world.database, { bookable_id, user_id, from: at(0), to: at(1), ...window })
    await page.getByRole('button', { name: 'Check in' }).click()
    await eventually(async () =>
      expect(await page.getByRole('button', { name: 'Check in' }).count()).to.equal(0),
    )
    await shows('Anna Adler')
  })

  it('continues without a network by its own clock, even after a reload, and updates afterwards', async () => {
    const { bookable_id, path } = await createRoom()
    const anna = await createUser(world.database, { name: 'Anna Adler' })
    const ben = await createUser(world.database, { name: 'Ben Brook' })
    await createBooking(world.database, { bookable_id, user_id: anna, from: at(2), to: at(3) })
    await page.clock.install()
    await page.goto(world.url + path)
    await shows('Free')
    await eventually(async () =>
      expect(await page.evaluate('navigator.serviceWorker.controller !== null')).to.equal(true),
    )
    await page.reload()
    await keeps()

    await context.setOffline(true)
    await shows('No connection.')
    expect(await words()).to.match(/As of \d\d:\d\d\. No connection\./)
    expect(await buttons()).to.not.include(false)
    await page.clock.fastForward(2.5 * HOUR_MS)
    await shows('Anna Adler')
    expect(await words()).to.include('Taken')
    await page.reload()
    await shows('No connection.')
    await shows('Anna Adler')
    await page.clock.fastForward(HOUR_MS)
    await shows('Free')

    skip(3.5 * HOUR_MS)
    await createBooking(world.database, { bookable_id, user_id: ben, from: at(-0.5), to: at(1) })
    await context.setOffline(false)
    await page.clock.fastForward(10_000)
    await shows('Ben Brook')
    expect(await words()).to.not.include('No connection')
  })

  it('shows the next day after midnight, with and without a network', async () => {
    const { bookable_id, path } = await createRoom()
    const user_id = await createUser(world.database, { name: 'Tom Morrow' })
    const hoursToMorning = 24 - new Date(now()).getUTCHours() + 8
    await createBooking(world.database, {
      bookable_id,
      user_id,
      from: at(hoursToMorning),
      to: at(hoursToMorning + 1),
    })
    await page.clock.install()
    await page.goto(world.url + path)
    await shows('for the rest of the day')
    expect(await words()).to.not.include('Tom Morrow')
    await keeps()
    await context.setOffline(true)
    await shows('No connection.')
    await page.clock.fastForward((hoursToMorning - 1) * HOUR_MS)
    await shows('Tom Morrow')
    expect(await words()).to.include('until')
    await page.clock.fastForward(30 * HOUR_MS)
    await shows('has no information about later bookings')
    skip((hoursToMorning + 0.5) * HOUR_MS)
    await context.setOffline(false)
    await page.clock.fastForward(10_000)
    await shows('Taken')
    await shows('Tom Morrow')
  })

  it('updates after the gateway has restarted', async () => {
    const { bookable_id, path } = await createRoom()
    const log = createLog('test', 'silent')
    const first = await serve(world.config, log, now)
    const { port } = first
    await page.goto(`http://127.0.0.1:${port}${path}`)
    await shows('Free')
    await first.stop()
    await shows('No connection.')
    const user_id = await createUser(world.database, { name: 'Anna Adler' })
    await createBooking(world.database, { bookable_id, user_id, from: at(-1), to: at(1) })
    const second = await serve({ ...world.config, port }, log, now)
    await shows('Anna Adler')
    expect(await words()).to.not.include('No connection')
    await second.stop()
  })

  it('shows that it was switched off, even if it was offline at that time', async () => {
    const { id, path } = await createRoom()
    await page.goto(world.url + path)
    await shows('Free')
    await context.setOffline(true)
    await shows('No connection.')
    await world.database('screens').where({ id }).update({ revoked_at: new Date() })
    await context.setOffline(false)
    await shows('This screen has been switched off.')
    expect(await words()).to.not.include('Free')
  })

  it('is legible in every size and colour scheme, without overflow', async () => {
    for (const appearance of ['light', 'dark', 'e-ink']) {
      const { path } = await createRoom({ appearance })
      await page.goto(world.url + path)
      for (const [width, height] of [
        [1280, 800],
        [800, 1280],
        [800, 480],
      ] as const) {
        await page.setViewportSize({ width, height })
        await expectAccessible(page)
        await expectNoSidewaysScroll(page)
        // Measures everything in one step, because the screen may replace its content in between.
        const buttons = await page.evaluate<Array<{ bottom: number; height: number }>>(
          "[...document.querySelectorAll('#screen button')].map((each) => each.getBoundingClientRect().toJSON())",
        )
        expect(buttons).to.not.have.length(0)
        for (const { bottom, height: tall } of buttons) {
          expect(bottom).to.be.at.most(height)
          expect(tall).to.be.at.least(44)
        }
      }
    }
  })

  it('works without scripts', async () => {
    const { path } = await createRoom()
    const plain = await (await browser()).newContext({ javaScriptEnabled: false })
    const still = await plain.newPage()
    await still.goto(world.url + path)
    await still.getByRole('button', { name: '15 min' }).click()
    expect(await still.innerText('body'))
      .to.include('Taken')
      .and.include('Front desk')
    await still.getByText('End now').click()
    await still.getByRole('button', { name: 'Yes, end it' }).click()
    expect(await still.innerText('body')).to.include('Free')
    await still.getByRole('button', { name: 'Undo' }).click()
    expect(await still.innerText('body')).to.include('Taken')
    expect(await still.content()).to.match(/http-equiv="refresh" content="60;url=\/screens\/screen_/)
    await plain.close()
  })
})
