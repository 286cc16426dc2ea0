// The roles of administrators: every page and every action with each role, including future ones.
import { expect } from 'chai'
import { pages } from '../../../../gateway/web/admin/pages.ts'
import type { Role } from '../../../../shared/administrators/roles.ts'
import {
  attributesOf,
  Browser,
  createSignedIn,
  type Visit,
  wordsOf,
} from '../../../support/dashboard/dashboard.ts'
import { type Example, everyPage } from '../../../support/dashboard/every-page.ts'
import { createBuilding } from '../../../support/factories.ts'
import { useWorld } from '../../../support/world.ts'

// Repeated here on purpose, to find mistakes in what a page declares.
const SEEN_BY_READERS = [
  '/',
  '/find',
  '/places',
  '/places/buildings/{id}',
  '/places/locations/{id}',
  '/places/bookables/{id}',
  '/places/buildings/{id}/rules',
  '/places/buildings/{id}/details',
  '/places/locations/{id}/plan',
  '/places/locations/{id}/rules',
  '/places/locations/{id}/details',
  '/places/bookables/{id}/rules',
  '/map',
  '/day',
  '/bookings',
  '/bookings/{id}',
  '/events',
  '/events/{id}',
  '/people',
  '/people/{id}',
  '/people/groups',
  '/settings',
  '/sign-out',
]
const OF_THE_FRONT_DESK = [
  '/bookings/new',
  '/bookings/test',
  '/bookings/{id}/move',
  '/bookings/{id}/cancel',
  '/bookings/selected',
  '/bookings/swap',
  '/bookings/requests',
  '/bookings/requests/{id}',
  '/bookings/waitlist',
  '/undo/{id}',
  '/bookings/affected/{id}',
  '/people/{id}/cancel-bookings',
  '/events/new',
  '/events/{id}/change',
  '/events/{id}/cancel',
  '/reports',
  '/visitors',
  '/reports/month',
]
const CHANGED_BY_READERS = ['/settings', '/sign-out']
const CHANGED_BY_THE_FRONT_DESK = [
  ...CHANGED_BY_READERS,
  ...OF_THE_FRONT_DESK,
  '/map',
  '/day',
  '/bookings',
  '/bookings/{id}',
  '/events',
  '/events/{id}',
]

const OF_OWNERS = [
  '/settings/administrators',
  '/settings/administrators/new',
  '/settings/administrators/{id}',
]

const NOTHING_FOUND = [
  '/dashboard/bookings?person=nobody-has-this',
  '/dashboard/events?place=nobody-has-this',
  '/dashboard/people?q=nobody-has-this',
  '/dashboard/people?q=nobody-has-this&state=all',
  '/dashboard/places?search=nobody-has-this',
  '/dashboard/find?q=nobody-has-this',
]
// As where the last words of a sentence are missing: “see all of today, or .”
const BROKEN = /.{0,40}([\s,][,.;:!?](\s|$)|\(\s*\)|\s(or|and|oder|und)\s*[,.!])/g
const INLINE = /<\/?(a|abbr|b|code|del|em|ins|small|span|strong|time)\b[^>]*>/g

const kindOf = (address: string) => address.replace(/\?.*/, '').replace(/\d+/g, '1')

/**
 * Opens pages in each language, unless they are forbidden. Their sentences are whole, and the accessible name of a link or
 * button contains its visible words, so that a voice can choose it.
 */
class Walk {
  readonly #browser: Browser
  readonly #opened = new Set<string>()
  readonly #links = new Map<string, string>()
  /** The number of links and buttons that have an accessible name besides their text. */
  named = 0

  constructor(browser: Browser) {
    this.#browser = browser
  }

  /** Returns the page in English. */
  async open(path: string): Promise<Visit> {
    const english = await this.#read(path, 'en')
    if (english.status !== 403) await this.#read(path, 'de')
    return english
  }

  async #read(path: string, language: string): Promise<Visit> {
    const visit = await this.#browser.open(path, { headers: { 'Accept-Language': language } })
    if (visit.status === 403) return visit
    this.#opened.add(kindOf(path))
    expect(wordsOf(visit.text.replace(INLINE, '')).match(BROKEN) ?? [], path).to.deep.equal([])
    this.#expectVisibleNames(visit.text)
    for (const [, address = ''] of visit.text.matchAll(/<a\b[^>]*\shref="(\/dashboard[^"#]*)/g)) {
      const target = address.replaceAll('&amp;', '&')
      // Links that choose a language would change the language of all later pages.
      if (!/_download|\/language\//.test(target)) this.#links.set(kindOf(target), target)
    }
    return visit
  }

  #expectVisibleNames(text: string): void {
    for (const [, , own = '', content = ''] of text.matchAll(/<(a|button)\b([^>]*)>([\s\S]*?)<\/\1>/g)) {
      const { 'aria-label': name } = attributesOf(own)
      const seen = wordsOf(content).toLowerCase()
      if (name === undefined || !/\p{L}/u.test(seen)) continue
      this.named++
      expect(name.toLowerCase(), `the name of “${seen}”`).to.include(seen)
    }
  }

  /** Follows one link of each kind to a page that is not opened yet; returns how many kinds of links there are. */
  async expectNoForbiddenLink(): Promise<number> {
    for (const [kind, target] of this.#links)
      if (!this.#opened.has(kind)) expect((await this.#browser.open(target)).status, target).to.not.equal(403)
    return this.#links.size
  }
}

describe('the roles of administrators', () => {
  const world = useWorld({ workers: ['writes'] })
  const browsers = new Map<Role, Browser>()
  let examples: Example[]
  before(async () => {
    examples = (await everyPage(world)).filter(({ page }) => page.access === 'signed-in')
    for (const role of ['reader', 'front-desk', 'administrator', 'owner'] as const) {
      browsers.set(role, await createSignedIn(world, `${role}@example.com`, role))
    }
  })

  const as = (role: Role) => browsers.get(role) ?? expect.fail(role)
  const isListed = (list: string[], { page }: Example) => list.includes(page.path)
  const maySee = (role: Role, example: Example) =>
    role === 'owner' ||
    (role === 'administrator' && !isListed(OF_OWNERS, example)) ||
    isListed(SEEN_BY_READERS, example) ||
    (role === 'front-desk' && isListed(OF_THE_FRONT_DESK, example))
  const mayAct = (role: Role, example: Example) =>
    role === 'owner' ||
    (role === 'administrator' && !isListed(OF_OWNERS, example)) ||
    isListed(role === 'reader' ? CHANGED_BY_READERS : CHANGED_BY_THE_FRONT_DESK, example)
  async function tokenOf(browser: Browser): Promise<string> {
    await browser.open('/dashboard/sign-out')
    return browser.form('Sign out').controls.find(({ name }) => name === '_csrf')?.value ?? ''
  }
  const contents = async () => {
    const tables = ['admins', 'tokens', 'audit_log', 'users', 'bookings', 'bookables', 'buildings', 'events']
    return JSON.stringify(await Promise.all(tables.map((table) => world.database(table).select())))
  }

  for (const role of ['reader', 'front-desk', 'administrator', 'owner'] as const) {
    it(`open their pages in whole sentences, no others, and see no link to a forbidden page: ${role}`, async () => {
      const walk = new Walk(as(role))
      for (const example of examples) {
        const isForbidden = !maySee(role, example)
        const { status, text } = await walk.open(example.path)
        expect(status === 403, `${example.path}: ${status}`).to.equal(isForbidden)
        if (isForbidden) expect(text).to.include('This needs the role').and.not.include('method="post"')
        for (const part of Object.keys(example.page.live)) {
          const address = `${example.path}${example.path.includes('?') ? '&' : '?'}_part=${part}`
          expect((await as(role).open(address)).status === 403, address).to.equal(isForbidden)
        }
        for (const file of Object.keys(example.page.downloads)) {
          if (mayAct(role, example)) continue
          expect((await as(role).open(`${example.path}?_download=${file}`)).status, file).to.equal(403)
        }
      }
      for (const path of NOTHING_FOUND) await walk.open(path)
      expect(await walk.expectNoForbiddenLink()).to.be.greaterThan(8)
      if (role === 'owner') expect(walk.named).to.be.greaterThan(50)
    })

    it(`submit their forms, and no others: ${role}`, async () => {
      const _csrf = await tokenOf(as(role))
      const before = await contents()
      for (const example of examples.filter(({ page }) => Object.keys(page.actions).length > 0)) {
        const isAllowed = mayAct(role, example)
        for (const _action of isAllowed ? ['nothing'] : Object.keys(example.page.actions)) {
          const fields = new URLSearchParams({ _action, _csrf, name: 'x', ids: '1' })
          const { status } = await as(role).post(example.path, fields, { follow: false })
          expect(status, `${_action} at ${example.path}`).to.equal(isAllowed ? 400 : 403)
        }
      }
      expect(await contents()).to.equal(before)
    })
  }

  it('are not needed for pages that are open to everybody, which have whole sentences too', async () => {
    const walk = new Walk(new Browser(world.url))
    for (const { path, access } of pages)
      if (access === 'everybody')
        expect((await walk.open(`/dashboard${path}`)).status, path).to.not.equal(403)
  })

  it('decide which actions an empty list offers', async () => {
    await as('reader').open('/dashboard/bookings?person=nobody-has-this')
    expect(as('reader').words).to.include('Try other days or fewer words, or see all of today')
    await as('front-desk').open('/dashboard/bookings?person=nobody-has-this')
    expect(as('front-desk').words).to.include('or create a booking')
  })

  it('hide cards for forbidden actions', async () => {
    const offers = {
      '/bookings/{id}': ['End this booking now', 'Change times'],
      '/places/buildings/{id}/details': ['Delete this building'],
      '/places/bookables/{id}': ['Past bookings are kept.'],
    }
    for (const [path, headings] of Object.entries(offers)) {
      const { path: address } = examples.find(({ page }) => page.path === path) ?? expect.fail(path)
      for (const role of ['reader', 'owner'] as const) {
        await as(role).open(address)
        for (const heading of headings)
          expect(as(role).words.includes(heading), `${heading}: ${role}`).to.equal(role === 'owner')
      }
    }
  })

  it('let the front desk book in a building, but not delete it', async () => {
    const id = await createBuilding(world.database, { name: 'Harbour House' })
    const colleague = as('front-desk')
    const page = await colleague.open(`/dashboard/places/buildings/${id}/details`)
    expect(page.status).to.equal(200)
    expect(page.text).to.not.include('/delete').and.to.not.include('Save changes')
    expect(page.text, 'what is known of it').to.match(/<fieldset[^>]* disabled>.*value="Harbour House"/s)
    const _csrf = await tokenOf(colleague)
    const fields = new URLSearchParams({ _action: 'delete', _csrf })
    expect((await colleague.post(`/dashboard/places/buildings/${id}/delete`, fields)).status).to.equal(403)
    expect(await world.database('buildings').where({ id })).to.have.length(1)
    expect(colleague.words).to.include('This needs the role Administrator; yours is Front desk.')
    const { path: address } =
      examples.find(({ page }) => page.path === '/bookings/{id}/cancel') ?? expect.fail()
    await colleague.open(address)
    await colleague.submit('Cancel booking')
    const booking = Number(/bookings\/(\d+)/.exec(address)?.[1])
    expect(await world.database('bookings').where({ id: booking })).to.have.length(0)
  })

  it('take effect at once when changed', async () => {
    const email = 'administrator@example.com'
    expect((await as('administrator').open('/dashboard/audit-log')).status).to.equal(200)
    await world.database('admins').where({ email }).update({ role: 'reader' })
    expect((await as('administrator').open('/dashboard/audit-log')).status).to.equal(403)
    await world.database('admins').where({ email }).update({ role: 'administrator' })
  })
})

describe('the roles of administrators in an empty installation', () => {
  const world = useWorld({ workers: [] })

  for (const role of ['reader', 'front-desk', 'administrator', 'owner'] as const) {
    it(`see whole sentences, and no link to a forbidden page: ${role}`, async () => {
      const browser = await createSignedIn(world, `${role}@example.com`, role)
      const walk = new Walk(browser)
      for (const { path, access } of pages)
        if (access === 'signed-in' && !path.includes('{'))
          await walk.open(`/dashboard${path === '/' ? '' : path}`)
      expect(await walk.expectNoForbiddenLink()).to.be.greaterThan(5)
    })
  }
})
