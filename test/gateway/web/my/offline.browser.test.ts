// Tests a phone without a connection in a real browser: the last My day stays readable, but only for the signed-in
// person.
import { expect } from 'chai'
import { imageSize } from 'image-size'
import type { Page } from 'playwright-core'
import {
  expectAccessible,
  expectNoSidewaysScroll,
  openWindow,
  useChromium,
} from '../../../support/dashboard/browser.ts'
import { createBooking, createDesk, hoursFromNow } from '../../../support/factories.ts'
import { createSignInLink, signInAs } from '../../../support/people/person.ts'
import { eventually } from '../../../support/time.ts'
import { useWorld } from '../../../support/world.ts'

type ManifestPicture = { src: string; sizes: string; type: string; purpose?: string }
type Manifest = {
  icons: ManifestPicture[]
  screenshots: ManifestPicture[]
  shortcuts: Array<{ name: string; url: string }>
}

const PHONE = { viewport: { width: 360, height: 640 } }

describe('people’s own pages while the device is offline', function suite() {
  this.timeout(60_000)
  useChromium()
  const world = useWorld()

  async function createPerson(desk: string): Promise<number> {
    const { user_id, bookable_id } = await createDesk(world.database, { name: desk })
    const span = { from: hoursFromNow(-1), to: hoursFromNow(5) }
    await createBooking(world.database, { user_id, bookable_id, ...span })
    return user_id
  }
  const keptWords = (page: Page) =>
    page.evaluate<string>(`(async () => {
      const caches = await Promise.all((await self.caches.keys()).map((name) => self.caches.open(name)))
      const answers = await Promise.all(caches.map((cache) => cache.matchAll()))
      return (await Promise.all(answers.flat().map((answer) => answer.text()))).join()
    })()`)
  const words = (page: Page) => page.locator('main').innerText()

  /** Signs in a person who then opens My day on this phone. */
  async function openMyDay(desk: string) {
    const window = await openWindow(await signInAs(world, await createPerson(desk)), PHONE)
    const { page, context } = window
    await page.goto('/my')
    await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)')
    await page.reload()
    await eventually(async () => expect(await keptWords(page)).to.include(desk))
    const openOffline = async (path: string) => {
      await context.setOffline(true)
      await page.goto(path)
    }
    return { ...window, openOffline }
  }

  it('can be installed on a phone, with an icon for iOS', async () => {
    const { page, context } = await openMyDay('Ash')
    const hrefOf = (rel: string) => page.locator(`link[rel=${rel}]`).getAttribute('href')
    const link = new URL((await hrefOf('manifest')) ?? '', world.url)
    const answer = await fetch(link)
    expect(answer.headers.get('Content-Type')).to.include('application/manifest+json')
    const manifest = (await answer.json()) as Manifest
    expect(manifest).to.include({ id: '/my/start', start_url: '/my/start', scope: '/my', lang: 'en' })
    const { icons, shortcuts, screenshots } = manifest
    expect(icons.map(({ sizes, purpose }) => `${sizes} ${purpose}`)).to.include.members([
      '192x192 any',
      '512x512 any',
      '512x512 maskable',
    ])
    for (const { src, sizes, type } of [...icons, ...screenshots].filter(
      ({ type }) => type === 'image/png',
    )) {
      const picture = await fetch(world.url + src)
      expect(picture.headers.get('Content-Type')).to.equal(type)
      const { width, height } = imageSize(Buffer.from(await picture.arrayBuffer()))
      expect(`${width}x${height}`, src).to.equal(sizes)
    }
    for (const { url } of shortcuts) {
      await page.goto(url)
      expect(await page.locator('h1').count()).to.equal(1)
    }
    link.searchParams.set('language', 'de')
    const german = (await (await fetch(link)).json()) as Manifest
    expect(german.shortcuts.map(({ name }) => name)).to.include('Buchen')
    expect(await page.locator('meta[name=theme-color]').count()).to.equal(2)
    const icon = await fetch(world.url + (await hrefOf('apple-touch-icon')))
    expect(icon.headers.get('Content-Type')).to.equal('image/png')
    await context.close()
  })

  it('show the last My day with its time and without buttons, until the device is online', async () => {
    const { page, context, openOffline } = await openMyDay('Birch')
    for (const path of ['/my', '/my/start']) {
      await openOffline(path)
      expect(await words(page))
        .to.include('Birch')
        .and.match(/As of \d{1,2}:\d\d\. No connection\./)
      expect(await page.locator('button, a, form, input').count()).to.equal(0)
      await expectAccessible(page)
      await expectNoSidewaysScroll(page)
    }
    await openOffline('/my/people')
    expect(await words(page))
      .to.include('You are offline')
      .and.not.include('Birch')
    await openOffline('/my')
    await context.setOffline(false)
    await page.getByRole('button', { name: 'Leave now: Birch' }).waitFor()
    await context.close()
  })

  it('do not show the day of one person to the next person who signs in', async () => {
    const { page, context, openOffline } = await openMyDay('Cedar')
    await page.goto(await createSignInLink(world.database, await createPerson('Dogwood')))
    await eventually(async () => expect(await keptWords(page)).to.equal(''))
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Dogwood').waitFor()
    await eventually(async () => expect(await keptWords(page)).to.include('Dogwood'))
    await openOffline('/my')
    expect(await words(page))
      .to.include('Dogwood')
      .and.not.include('Cedar')
    await context.close()
  })

  it('show no day after the person signs out or the session has ended', async () => {
    const { page, context, openOffline } = await openMyDay('Elm')
    await page.goto('/my/sign-out')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL('**/sign-in')
    await openOffline('/my')
    expect(await words(page))
      .to.include('You are offline')
      .and.not.include('Elm')
    expect(await keptWords(page)).to.equal('')
    await context.close()

    const ended = await openMyDay('Fir')
    await world.database('person_sessions').delete()
    await ended.page.goto('/my/me')
    await ended.openOffline('/my')
    expect(await words(ended.page)).to.not.include('Fir')
    await ended.context.close()
  })
})
