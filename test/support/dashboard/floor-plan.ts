// What stands on a floor plan in a browser, and where on the screen it is.
import { expect } from 'chai'
import type { Page } from 'playwright-core'

export const cellOf = (page: Page, name: string) =>
  page.locator('.map-cells .cell').filter({ has: page.locator('title', { hasText: `${name}:` }) })

/** Where on the screen a share of the floor plan is. */
export async function pointOf(page: Page, x: number, y: number) {
  const box = (await page.locator('.map-floor-plan').boundingBox()) ?? expect.fail('There is no floor plan')
  return { x: box.x + box.width * x, y: box.y + box.height * y }
}

export async function middleOf(page: Page, name: string) {
  const box = (await cellOf(page, name).boundingBox()) ?? expect.fail(`There is no ${name}`)
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
}
