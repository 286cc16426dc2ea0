// Finds the cells of a floor plan in a browser, and their positions on the screen.
import { expect } from 'chai'
import type { Page } from 'playwright-core'

export const findCell = (page: Page, name: string) =>
  page.locator('.map-cells .cell').filter({ has: page.locator('title', { hasText: `${name}:` }) })

/** Returns the screen position of a relative point of the floor plan. */
export async function pointOf(page: Page, x: number, y: number) {
  const box = (await page.locator('.map-floor-plan').boundingBox()) ?? expect.fail('There is no floor plan')
  return { x: box.x + box.width * x, y: box.y + box.height * y }
}

export async function findMiddle(page: Page, name: string) {
  const box = (await findCell(page, name).boundingBox()) ?? expect.fail(`There is no ${name}`)
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
}
