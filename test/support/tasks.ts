// Tasks that people do in a browser, as they do them: the clicks (or touches) and fields of each have limits. The pages and the
// seconds are printed too, in the table of the docs.
import { expect } from 'chai'
import type { Locator, Page } from 'playwright-core'

type Effort = { task: string; clicks: number; fields: number; loads: number; seconds: number }
type Limits = { clicks: number; fields: number; from?: string }

/** The tasks of a suite. Each begins on the page `from`, or where the one before has ended. */
export function useTasks(openPage: () => Page) {
  const efforts: Effort[] = []
  after(() => {
    if (efforts.length > 0) console.log(`\n${formatEfforts(efforts)}\n`)
  })
  return async (task: string, limits: Limits, act: (person: Person) => Promise<void>) => {
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
  }
}

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

  /** Opens a link that is elsewhere: in a mail, or in a code that the camera sees. */
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

  /** Types into what has the focus, and sends it. */
  async enter(text: string): Promise<void> {
    this.fields++
    await this.page.keyboard.type(text)
    await this.page.keyboard.press('Enter')
  }
}

/** As a table of Markdown. */
function formatEfforts(efforts: Effort[]): string {
  const rows = efforts.map(
    ({ task, clicks, fields, loads, seconds }) =>
      `| ${task} | ${clicks} | ${fields} | ${loads} | ${seconds.toFixed(1)} |`,
  )
  return ['| Task | Clicks | Fields | Pages | Seconds |', '|---|---|---|---|---|', ...rows].join('\n')
}
