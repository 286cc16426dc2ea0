// Tests sheets in a browser: how a link opens one, and all ways to close it.
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { openWindow, useChromium } from '../../../../support/dashboard/browser.ts'
import { createSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { useStage } from '../../../../support/dashboard/dashboard-stage.ts'
import { kitPage } from '../../../../support/dashboard/kit-page.ts'
import { useWorld } from '../../../../support/world.ts'

const PHONE = { viewport: { width: 360, height: 800 }, hasTouch: true, isMobile: true }
const DESKTOP = { viewport: { width: 1280, height: 900 } }

describe('a sheet, in a browser', () => {
  useChromium()
  const world = useWorld({ workers: [] })
  const stage = useStage(world, [kitPage])
  let page: Page
  let complaints: string[]

  const openKit = async (options: object) => {
    ;({ page, complaints } = await openWindow(await createSignedIn(stage), { locale: 'en-GB', ...options }))
    await page.goto('/dashboard/kit')
  }
  const openSheet = async () => {
    await page.locator('main [data-sheet]').first().click()
    await page.locator('dialog.sheet[open]').waitFor()
  }
  const expectClosed = async () => {
    await page.locator('dialog.sheet').waitFor({ state: 'detached' })
    expect(await page.evaluate('document.activeElement.textContent')).to.equal('Open in a sheet')
    expect(page.url()).to.match(/\/kit$/)
  }
  afterEach(async () => {
    expect(complaints).to.deep.equal([])
    await page.context().close()
  })

  it('shows the page of a link, at the bottom of a phone’s screen', async () => {
    await openKit({ ...PHONE, reducedMotion: 'reduce' })
    await openSheet()
    expect(await page.locator('dialog.sheet h2').first().innerText()).to.equal('Today')
    expect(await page.evaluate('document.activeElement.id')).to.equal('sheet-title')
    expect(await page.locator('dialog.sheet').getByText('What the pages are made of.').count()).to.equal(1)
    const box = await page.locator('dialog.sheet').boundingBox()
    expect(box).to.include({ x: 0, width: 360 })
    expect((box?.y ?? 0) + (box?.height ?? 0)).to.be.closeTo(800, 1)
  })

  it('appears in the middle of a large screen', async () => {
    await openKit({ ...DESKTOP, reducedMotion: 'reduce' })
    await openSheet()
    const box = await page.locator('dialog.sheet').boundingBox()
    expect((box?.x ?? 0) + (box?.width ?? 0) / 2).to.be.closeTo(640, 10)
  })

  it('closes after Esc, its button, a click beside it, or the back button', async () => {
    await openKit(DESKTOP)
    const ways: Record<string, () => Promise<unknown>> = {
      Escape: () => page.keyboard.press('Escape'),
      button: () => page.getByRole('button', { name: 'Close' }).click(),
      beside: () => page.mouse.click(5, 5),
      back: () => page.goBack(),
    }
    for (const close of Object.values(ways)) {
      await openSheet()
      await close()
      await expectClosed()
    }
    await page.waitForTimeout(50)
    await openSheet()
    await page.goBack()
    await expectClosed()
  })

  it('closes when a finger pulls it down, and stays open after a short pull', async () => {
    await openKit(PHONE)
    await openSheet()
    await pullDown(page, 40)
    expect(await page.locator('dialog.sheet.leaving').count()).to.equal(0)
    await pullDown(page, 200)
    await expectClosed()
  })

  it('does not move if the person prefers reduced motion', async () => {
    await openKit({ ...PHONE, reducedMotion: 'reduce' })
    await openSheet()
    expect(await page.evaluate('document.getAnimations().length')).to.equal(0)
  })
})

async function pullDown(page: Page, distance: number) {
  const box = await page.locator('.sheet-head').boundingBox()
  const [x, y] = [40, (box?.y ?? 0) + 10]
  const tools = await page.context().newCDPSession(page)
  const touch = (type: string, points: { x: number; y: number }[]) =>
    tools.send('Input.dispatchTouchEvent', { type, touchPoints: points } as never)
  await touch('touchStart', [{ x, y }])
  for (const step of [0.5, 1]) await touch('touchMove', [{ x, y: y + distance * step }])
  await touch('touchEnd', [])
}
