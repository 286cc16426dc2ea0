// Booking with a thumb: on a small phone it takes three touches, and scripts are not needed.
import { expect } from 'chai'
import { seedDemo } from '../../../../commands/seed/demo.ts'
import {
  expectAccessible,
  expectNoSidewaysScroll,
  openWindow,
  useChromium,
} from '../../../support/dashboard/browser.ts'
import { signInAs } from '../../../support/people/person.ts'
import { useWorld } from '../../../support/world.ts'

const PHONE = { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true }

describe('booking on a phone', () => {
  useChromium()
  const world = useWorld({ workers: ['writes'] })
  before(() => seedDemo(world.database))

  for (const javaScriptEnabled of [true, false])
    it(`takes three touches ${javaScriptEnabled ? 'with' : 'without'} scripts`, async () => {
      const { id } = await world.database('users').orderBy('id').first('id')
      const { context, page } = await openWindow(await signInAs(world, id), { ...PHONE, javaScriptEnabled })
      let touches = 0
      const touch = async (what: string) => {
        touches++
        const target = page.locator(what).first()
        const box = await target.boundingBox()
        if (!box) expect.fail(`There is no ${what}`)
        expect(box.y + box.height, `${what} is on the first screen`).to.be.at.most(640)
        expect(box.height, what).to.be.at.least(44)
        await Promise.all([page.waitForEvent('load'), target.tap()])
      }
      await page.goto('/my')
      await touch('.my-sections a[href$="/book"]')
      await expectNoSidewaysScroll(page)
      await touch('.my-seats a')
      await touch('main form button')
      expect(await page.locator('.notice').first().innerText()).to.include(' is booked: ')
      expect(touches).to.equal(3)
      await context.close()
    })

  it('has no findings of axe, in light and dark and in German', async () => {
    const { id } = await world.database('users').orderBy('id').first('id')
    const browser = await signInAs(world, id)
    for (const [colorScheme, locale] of [
      ['light', 'en-GB'],
      ['dark', 'de-DE'],
    ] as const) {
      const { context, page } = await openWindow(browser, { ...PHONE, colorScheme, locale })
      await page.goto('/my/book')
      const seat = await page.locator('.my-seats a').first().getAttribute('href')
      if (locale === 'de-DE') expect(await page.locator('h1').innerText()).to.equal('Buchen')
      for (const path of ['/my/book', '/my/book?map=true', seat ?? '']) {
        await page.goto(path)
        if (process.env['SHOTS'])
          await page.screenshot({
            path: `${process.env['SHOTS']}/${colorScheme}-${path === seat ? 'seat' : path.includes('map') ? 'map' : 'book'}.png`,
            fullPage: true,
          })
        await expectAccessible(page)
        await expectNoSidewaysScroll(page)
      }
      await context.close()
    }
  })
})
