// Measures tasks that people do in a browser. Each task has limits for clicks (or taps) and fields, and some for pages.
// Prints the results as the table of the docs.
import { expect } from 'chai'
import type { Locator, Page } from 'playwright-core'

type Effort = { task: string; clicks: number; fields: number; loads: number; seconds: number }
type TaskLimits = { clicks: number; fields: number; loads?: number; from?: string }

/** Defines the tasks of a suite. Each begins on the page `from`, or where the previous task ended. */
export function useTasks(openPage: () => Page) {
  const efforts: Effort[] = []
  after(() => {
    if (efforts.length > 0) console.log(`\n${formatEfforts(efforts)}\n`)
  })
  return async (task: string, limits: TaskLimits, act: (person: Person) => Promise<void>) => {
    const page = openPage()
    if (limits.from !== undefined) await page.goto(limits.from)
    const person = new Person(page)
    const startedMs = performance.now()
    await act(person)
    const { clicks, fields, loads } = person
    const ms = performance.now() - startedMs
    page.removeAllListeners('request')
    efforts.push({ task, clicks, fields, loads, seconds: ms / 1000 })
    expect(clicks, `clicks: ${task}`).to.be.at.most(limits.clicks)
    expect(fields, `fields: ${task}`).to.be.at.most(limits.fields)
    if (limits.loads !== undefined) expect(loads, `pages: ${task}`).to.be.at.most(limits.loads)
  }
}

export class Person {
  readonly page: Page
  clicks = 0
  fields = 0
  loads = 0

  /** Counts the pages of a task. A form that redirects to another page counts as one page. */
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

  /** Opens a link from a mail or from a scanned QR code. */
  async follow(address: string): Promise<void> {
    this.clicks++
    const { pathname, search } = new URL(address)
    await this.page.goto(pathname + search)
  }

  async fill(field: Locator, text: string): Promise<void> {
    this.fields++
    await field.fill(text)
  }

  async select(field: Locator, label: string): Promise<void> {
    this.fields++
    await field.selectOption({ label })
  }

  /** Types into the focused field, and submits the form. */
  async enter(text: string): Promise<void> {
    this.fields++
    await this.page.keyboard.type(text)
    await this.page.keyboard.press('Enter')
  }
}

/** Formats a Markdown table. */
function formatEfforts(efforts: Effort[]): string {
  const rows = efforts.map(
    ({ task, clicks, fields, loads, seconds }) =>
      `| ${task} | ${clicks} | ${fields} | ${loads} | ${seconds.toFixed(1)} |`,
  )
  return ['| Task | Clicks | Fields | Pages | Seconds |', '|---|---|---|---|---|', ...rows].join('\n')
}
