// A person at a browser: counts the clicks, fields and pages that a task takes.
import type { Locator, Page } from 'playwright-core'

export type Effort = { task: string; clicks: number; fields: number; loads: number; seconds: number }
export class Person {
  readonly page: Page
  clicks = 0
  fields = 0
  loads = 0

  /** A form that leads to another page by a redirect is one page. */
  constructor(page: Page) {
    this.page = page
    page.on('request', (request) => {
      if (request.isNavigationRequest() && !request.redirectedFrom()) this.loads++
    })
  }

  async click(what: Locator): Promise<void> {
    this.clicks++
    await what.click()
  }

  async fill(field: Locator, text: string): Promise<void> {
    this.fields++
    await field.fill(text)
  }

  /** Types into what has the focus, and sends it. */
  async enter(text: string): Promise<void> {
    this.fields++
    await this.page.keyboard.type(text)
    await this.page.keyboard.press('Enter')
  }
}

/** As a table of Markdown. */
export function formatEfforts(efforts: Effort[]): string {
  const rows = efforts.map(
    ({ task, clicks, fields, loads, seconds }) =>
      `| ${task} | ${clicks} | ${fields} | ${loads} | ${seconds.toFixed(1)} |`,
  )
  return ['| Task | Clicks | Fields | Pages | Seconds |', '|---|---|---|---|---|', ...rows].join('\n')
}
