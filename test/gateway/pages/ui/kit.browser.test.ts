// Every piece of the pages, as it looks: pictures are compared with the stored ones beside this file. After a wanted
// change: STORE_PICTURES=1 npx mocha test/gateway/pages/ui/kit.browser.test.ts, look at them, and commit them.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { projectDirectory } from '../../../../local/tools/folders.ts'
import { openWindow, useChromium } from '../../../support/dashboard/browser.ts'
import { createSignedIn } from '../../../support/dashboard/dashboard.ts'
import { useStage } from '../../../support/dashboard/dashboard-stage.ts'
import { kitPage } from '../../../support/dashboard/kit-page.ts'
import { useWorld } from '../../../support/world.ts'

const LOOKS = {
  light: { colorScheme: 'light', viewport: { width: 1280, height: 900 } },
  dark: { colorScheme: 'dark', viewport: { width: 1280, height: 900 } },
  // High enough for the whole page: Chromium draws a picture of a full page as for a mouse.
  phone: { colorScheme: 'light', viewport: { width: 360, height: 4_000 }, hasTouch: true, isMobile: true },
} as const
// Another version of Chromium smooths edges differently.
const DIFFERENT_PIXELS_MAX = 0.005

describe('the pieces of the pages, in a browser', () => {
  useChromium()
  const world = useWorld({ workers: [] })
  const stage = useStage(world, [kitPage])

  for (const [name, options] of Object.entries(LOOKS)) {
    it(`look as in the stored picture: ${name}`, async () => {
      const { context, page, complaints } = await openWindow(await createSignedIn(stage), {
        ...options,
        reducedMotion: 'reduce',
        locale: 'en-GB',
      })
      await page.goto('/dashboard/kit')
      await page.evaluate('document.fonts.ready')
      expect(await page.evaluate("document.fonts.check('14px Inter')"), 'the font is loaded').to.equal(true)
      const drawn = await page.screenshot({
        fullPage: name !== 'phone',
        animations: 'disabled',
        caret: 'hide',
      })
      const stored = join(projectDirectory, 'test/gateway/pages/ui/pictures', `${name}.png`)
      if (process.env['STORE_PICTURES']) writeFileSync(stored, drawn)
      const share = await compare(page, drawn, readFileSync(stored))
      if (share > DIFFERENT_PIXELS_MAX) writeFileSync(join('/tmp', `berth-${name}.png`), drawn)
      expect(share, `differs: see /tmp/berth-${name}.png`).to.be.at.most(DIFFERENT_PIXELS_MAX)
      expect(complaints).to.deep.equal([])
      await context.close()
    })
  }
})

/** The share of pixels that differ clearly; 1 if the size does. */
function compare(page: Page, one: Buffer, other: Buffer): Promise<number> {
  const sources = [one, other].map((each) => `data:image/png;base64,${each.toString('base64')}`)
  return page.evaluate<number>(`(async () => {
    const [one, other] = await Promise.all(${JSON.stringify(sources)}.map(async (source) => {
      const image = new Image()
      image.src = source
      await image.decode()
      const canvas = new OffscreenCanvas(image.width, image.height)
      const context = canvas.getContext('2d')
      context.drawImage(image, 0, 0)
      return context.getImageData(0, 0, image.width, image.height)
    }))
    if (one.width !== other.width || one.height !== other.height) return 1
    let different = 0
    for (let index = 0; index < one.data.length; index += 4) {
      const distance = [0, 1, 2].reduce((sum, part) => sum + Math.abs(one.data[index + part] - other.data[index + part]), 0)
      if (distance > 60) different++
    }
    return (different * 4) / one.data.length
  })()`)
}
