// Tests the roles of administrators: opens every page and tries every action with each role, including future
// pages.
import { expect } from 'chai'
import { pages } from '../../../../gateway/web/admin/pages.ts'
import type { Role } from '../../../../shared/administrators/roles.ts'
import {
  Browser,
  createSignedIn,
  extractWords,
  parseAttributes,
  type Visit,
} from '../../../support/dashboard/dashboard.ts'
import { type Example, listEveryPage } from '../../../support/dashboard/every-page.ts'
import { createBuilding } from '../../../support/factories.ts'
import { useWorld } from '../../../support/world.ts'

// Repeats the permissions of each role on purpose, to find mistakes in the declarations of pages.
const READER_PAGES = [
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
  '/people/groups/{id}',
  '/settings',
  '/sign-out',
]
const FRONT_DESK_PAGES = [
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
  '/reports/came',
  '/visitors',
  '/reports/month',
]
const READER_FORMS = ['/settings', '/sign-out']
const FRONT_DESK_FORMS = [
  ...READER_FORMS,
  ...FRONT_DESK_PAGES,
  '/map',
  '/day',
  '/bookings',
  '/bookings/{id}',
  '/events',
  '/events/{id}',
]

const OWNER_PAGES = [
  '/settings/calendars',
  '/settings/calendars/conflicts',
  '/settings/calendars/link',
  '/settings/calendars/create',
  '/settings/calendars/{id}',
  '/settings/calendars/{id}/unlink',
  '/settings/administrators',
  '/settings/administrators/new',
  '/settings/administrators/{id}',
]

const PAGES_WITHOUT_RESULTS = [
  '/dashboard/bookings?person=nobody-has-this',
  '/dashboard/events?place=nobody-has-this',
  '/dashboard/people?q=nobody-has-this',
  '/dashboard/people?q=nobody-has-this&state=all',
  '/dashboard/places?search=nobody-has-this',
  '/dashboard/find?q=nobody-has-this',
]
// Matches a sentence whose last words are missing: “see all of today’s bookings, or .”
const INCOMPLETE_SENTENCE_PATTERN = /.{0,40}([\s,][,.;:!?](\s|$)|\(\s*\)|\s(or|and|oder|und)\s*[,.!])/g
const INLINE_TAG_PATTERN = /<\/?(a|abbr|b|code|del|em|ins|small|span|strong|time)\b[^>]*>/g

const normalizeAddress = (address: string) => address.replace(/\?.*/, '').replace(/\d+/g, '1')

/**
 * Opens pages in each language, unless they are forbidden. Checks that sentences are complete, and that the accessible
 * name of a link or button contains its visible text, for voice control.
 */
class PageWalk {
  readonly #browser: Browser
  readonly #opened = new Set<string>()
  readonly #links = new Map<string, string>()
  /** Counts the links and buttons that have an accessible name besides their text. */
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
    this.#opened.add(normalizeAddress(path))
    expect(
      extractWords(visit.text.replace(INLINE_TAG_PATTERN, '')).match(INCOMPLETE_SENTENCE_PATTERN) ?? [],
      path,
    ).to.deep.equal([])
    this.#expectVisibleNames(visit.text)
    for (const [, address = ''] of visit.text.matchAll(/<a\b[^>]*\shref="(\/dashboard[^"#]*)/g)) {
      const target = address.replaceAll('&amp;', '&')
      // Links that choose a language would change the language of all later pages.
      if (!/_download|\/language\//.test(target)) this.#links.set(normalizeAddress(target), target)
    }
    return visit
  }

  #expectVisibleNames(text: string): void {
    for (const [, , own = '', content = ''] of text.matchAll(/<(a|button)\b([^>]*)>([\s\S]*?)<\/\1>/g)) {
      const { 'aria-label': name } = parseAttributes(own)
      const seen = extractWords(content).toLowerCase()
      if (name === undefined || !/\p{L}/u.test(seen)) continue
      this.named++
      expect(name.toLowerCase(), `the name of “${seen}”`).to.include(seen)
    }
  }

  /** Follows one link of each kind to a page that was not opened yet, and returns the number of kinds. */
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
    examples = (await listEveryPage(world)).filter(({ page }) => page.access === 'signed-in')
    for (const role of ['reader', 'front-desk', 'administrator', 'owner'] as const) {
      browsers.set(role, await createSignedIn(world, `${role}@example.com`, role))
    }
  })

  const as = (role: Role) => browsers.get(role) ?? expect.fail(role)
  const isListed = (list: string[], { page }: Example) => list.includes(page.path)
  const maySee = (role: Role, example: Example) =>
    role === 'owner' ||
    (role === 'administrator' && !isListed(OWNER_PAGES, example)) ||
    isListed(READER_PAGES, example) ||
    (role === 'front-desk' && isListed(FRONT_DESK_PAGES, example))
  const mayAct = (role: Role, example: Example) =>
    role === 'owner' ||
    (role === 'administrator' && !isListed(OWNER_PAGES, example)) ||
    isListed(role === 'reader' ? READER_FORMS : FRONT_DESK_FORMS, example)
  async function tokenOf(browser: Browser): Promise<string> {
    await browser.open('/dashboard/sign-out')
    return browser.form('Sign out').controls.find(({ name }) => name === '_csrf')?.value ?? ''
  }
  const contents = async () => {
    const tables = ['admins', 'tokens', 'audit_log', 'users', 'bookings', 'bookables', 'buildings', 'events']
    return JSON.stringify(await Promise.all(tables.map((table) => world.database(table).select())))
  }

  for (const role of ['reader', 'front-desk', 'administrator', 'owner'] as const) {
    it(`open only their own pages, with complete sentences and no links to forbidden pages: ${role}`, async () => {
      const walk = new PageWalk(as(role))
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
      for (const path of PAGES_WITHOUT_RESULTS) await walk.open(path)
      expect(await walk.expectNoForbiddenLink()).to.be.greaterThan(8)
      if (role === 'owner') expect(walk.named).to.be.greaterThan(50)
    })

    it(`can submit only the forms of their own pages: ${role}`, async () => {
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

  it('are not needed for public pages, which also have complete sentences', async () => {
    const walk = new PageWalk(new Browser(world.url))
    for (const { path, access } of pages)
      if (access === 'everybody')
        expect((await walk.open(`/dashboard${path}`)).status, path).to.not.equal(403)
  })

  it('decide which actions an empty list offers', async () => {
    await as('reader').open('/dashboard/bookings?person=nobody-has-this')
    expect(as('reader').words).to.include('Try other days or fewer words, or see all of today’s bookings')
    await as('front-desk').open('/dashboard/bookings?person=nobody-has-this')
    expect(as('front-desk').words).to.include('or create a booking')
  })

  it('hide cards whose actions the role does not permit', async () => {
    const offers = {
      '/bookings/{id}': ['End this booking now', 'Change times'],
      '/places/buildings/{id}/details': ['You can delete a building once it has no floors.'],
      '/places/bookables/{id}': ['Close for a time…'],
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

  it('let the front desk make bookings in a building, but not delete the building', async () => {
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

  it('take effect immediately when an owner changes them', async () => {
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
    it(`show complete sentences, and no links to forbidden pages: ${role}`, async () => {
      const browser = await createSignedIn(world, `${role}@example.com`, role)
      const walk = new PageWalk(browser)
      for (const { path, access } of pages)
        if (access === 'signed-in' && !path.includes('{'))
          await walk.open(`/dashboard${path === '/' ? '' : path}`)
      expect(await walk.expectNoForbiddenLink()).to.be.greaterThan(5)
    })
  }
})
