// A person who wants a desk on a floor with too few desks: they wait, accept an offer, decline it or let it lapse, and
// give up their booking. The history does not contain these writes, because no form is repeated automatically. Instead,
// check/waits.ts checks the results.
import { setTimeout as wait } from 'node:timers/promises'
import type { Random } from '../../harness/random.ts'
import { Browser } from '../../support/dashboard/dashboard.ts'
import { createSignInLink } from '../../support/people/person.ts'
import type { Stage } from '../stage/stage.ts'
import { getSlot, type Office } from './office.ts'

export type WaiterOptions = { stage: Stage; office: Office; random: Random; person: number }

const PAUSE_MS = 300
// Long enough for an offer to lapse.
const LAPSED_MS = 5_000
// Longer than a gateway takes before it cancels a write.
const PATIENCE_MS = 8_000

export class Waiter {
  readonly #parts: WaiterOptions
  readonly #slot: { from_time: string; to_time: string }
  #browser: Browser | undefined

  constructor(parts: WaiterOptions) {
    this.#parts = parts
    this.#slot = getSlot(parts.office, 0)
  }

  async act(): Promise<void> {
    const { random, stage } = this.#parts
    const patience = wait(stage.waitMs + PATIENCE_MS, 'too late', { ref: false })
    const outcome = await Promise.race([this.#step().catch(() => 'failed'), patience])
    // Uses a separate browser, so that a late response to this form does not change the page of the next
    // step.
    if (outcome === 'too late') this.#browser = this.#browser && withCookiesOf(this.#browser)
    await wait(random.between(0, 2 * PAUSE_MS))
  }

  async #cancel(browser: Browser, booking: string) {
    await browser.open(booking)
    if (browser.words.includes('Cancel it')) await browser.submit('Cancel it')
  }

  async #step(): Promise<unknown> {
    const { random } = this.#parts
    this.#browser ??= await this.#signIn()
    const browser = this.#browser
    await browser.open('/my/waits')
    if (browser.page.path.startsWith('/my/sign-in')) this.#browser = undefined
    if (browser.words.includes('A place is available for you')) {
      if (random.chance(0.4)) return wait(LAPSED_MS)
      return browser.submit(random.pick(['Take it', 'Take it', 'No, thanks']))
    }
    if (!browser.words.includes('You are not on any waitlist.')) return undefined
    await browser.open('/my')
    const [booking] = /\/my\/bookings\/\d+/.exec(browser.page.text) ?? []
    if (booking) return random.chance(0.3) ? this.#cancel(browser, booking) : undefined
    const { office } = this.#parts
    const { from_time: from, to_time: to } = this.#slot
    const wanted = { location: String(office.floor), type: '0', from, to }
    await browser.open(`/my/waits/new?${new URLSearchParams(wanted)}`)
    await browser.submit('Wait')
    return browser.words.includes('Book it.') ? this.#book(browser.url) : undefined
  }

  async #signIn(): Promise<Browser> {
    const { stage, random, person } = this.#parts
    const browser = new Browser(random.pick(stage.gateways).front.url.replace(/\/$/, ''))
    await browser.open(await createSignInLink(stage.database, person))
    await browser.submit('Sign in')
    return browser
  }

  /** Books a free desk, which is possible only if nobody is waiting. */
  #book(url: string): Promise<unknown> {
    const { office, random, person } = this.#parts
    const place = { bookable_id: random.pick(office.scarce), location_id: office.floor, user_id: person }
    return fetch(`${url}/api/v1/bookings`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${office.tokens[0]}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ ...place, ...this.#slot }),
    })
  }
}

function withCookiesOf({ url, cookies }: Browser): Browser {
  const browser = new Browser(url)
  for (const [name, value] of cookies) browser.cookies.set(name, value)
  return browser
}
