// Tests every page of the dashboard, including future ones: who may open it, and which forms it accepts.

import { expect } from 'chai'
import { Browser, createSignedIn } from '../../../support/dashboard/dashboard.ts'
import { type Example, listEveryPage } from '../../../support/dashboard/every-page.ts'
import { useWorld } from '../../../support/world.ts'

describe('every page of the dashboard', () => {
  const world = useWorld({
    workers: [],
    environment: { CORS_ORIGINS: '*', PAGE_LIMIT_PER_MINUTE: '1000000' },
  })
  let examples: Example[]
  before(async () => {
    examples = await listEveryPage(world)
  })

  const ofAdmins = () => examples.filter(({ page }) => page.access === 'signed-in')
  const withForms = () => examples.filter(({ page }) => Object.keys(page.actions).length > 0)
  /** Returns a request for each action of the page. */
  const formsFor = (page: Example['page'], more: Record<string, string> = {}) =>
    Object.keys(page.actions).map((_action) => new URLSearchParams({ _action, ...more }))

  /** Returns all data that a form could change, to check that it is unchanged. */
  async function contents(): Promise<string> {
    const tables = [
      'admins',
      'tokens',
      'audit_log',
      'files',
      'users',
      'bookings',
      'bookables',
      'buildings',
      'locations',
      'events',
      'webhooks',
      'calendars',
      'screens',
      'admin_links',
      'setup_links',
    ]
    const rows = await Promise.all(tables.map((table) => world.database(table).select()))
    const sessions = await world.database('sessions').select('hash').orderBy('hash')
    return JSON.stringify([rows, sessions])
  }

  it('is accessible only to administrators, except for sign-in and setup', () => {
    const open = examples.filter(({ page }) => page.access === 'everybody').map(({ page }) => page.path)
    expect(open).to.have.members(['/sign-in', '/setup', '/password'])
  })

  it('sends visitors to sign-in, and then back to the requested page', async () => {
    for (const { path } of ofAdmins()) {
      const { status, headers, text } = await new Browser(world.url).open(path, { follow: false })
      expect(status, path).to.equal(302)
      const next = path === '/dashboard' ? '' : `?${new URLSearchParams({ next: path })}`
      expect(headers.get('Location'), path).to.equal(`/dashboard/sign-in${next}`)
      expect(text, path).to.not.include('<form')
    }
  })

  it('refuses forms without a session, and forms of an ended or forged session', async () => {
    const ended = await createSignedIn(world, 'ended@example.com')
    const disabled = await createSignedIn(world, 'disabled@example.com')
    await world
      .database('admins')
      .where({ email: 'disabled@example.com' })
      .update({ disabled_at: new Date() })
    await ended.open('/dashboard/sign-out')
    const secret = ended.cookies.get('berth_session') ?? ''
    await ended.submit('Sign out')
    ended.cookies.set('berth_session', secret)
    const forged = new Browser(world.url)
    forged.cookies.set('berth_session', 'A'.repeat(43))
    const before = await contents()
    for (const { page, path } of withForms().filter(({ page }) => page.access === 'signed-in')) {
      for (const browser of [new Browser(world.url), ended, disabled, forged]) {
        for (const fields of formsFor(page)) {
          const { status, headers, text } = await browser.post(path, fields, { follow: false })
          expect(status, `${path} ${fields}`).to.equal(401)
          expect(headers.get('Content-Type')).to.match(/^text\/html/)
          expect(text).to.include('You are signed out')
        }
        expect((await browser.open(path, { follow: false })).status, path).to.equal(302)
      }
    }
    expect(await contents()).to.equal(before)
  })

  it('refuses forms without the token of their session', async () => {
    const [browser, other] = [
      await createSignedIn(world, 'a@example.com'),
      await createSignedIn(world, 'b@example.com'),
    ]
    await other.open('/dashboard/sign-out')
    const foreign = other.form('Sign out').controls.find(({ name }) => name === '_csrf')?.value ?? ''
    const before = await contents()
    for (const { page, path } of withForms()) {
      for (const _csrf of [undefined, '', 'x', foreign, foreign.slice(1)]) {
        for (const fields of formsFor(page, _csrf === undefined ? {} : { _csrf })) {
          const { status, text } = await browser.post(path, fields, { follow: false })
          expect(status, `${path} ${fields}`).to.equal(403)
          expect(text).to.include('This form belongs to another session')
        }
      }
    }
    expect(await contents()).to.equal(before)
  })

  it('has its own form token, which works', async () => {
    const browser = await createSignedIn(world, 'a@example.com')
    const tokenOf = async (path: string) => {
      await browser.open(path)
      const tokens = [...browser.page.text.matchAll(/name="_csrf" value="([^"]+)"/g)].map(
        ([, token = '']) => token,
      )
      expect(new Set(tokens).size, path).to.be.at.most(1)
      return tokens.slice(0, 1)
    }
    const forms = withForms().filter(({ page }) => page.access === 'signed-in')
    const tokens: string[] = []
    for (const { path } of [...forms, ...forms]) tokens.push(...(await tokenOf(path)))
    expect(tokens).to.have.length.greaterThan(30)
    expect(new Set(tokens)).to.have.property('size', tokens.length)
    for (let at = 0; at < (tokens[0]?.length ?? 0); at++) {
      const letters = new Set(tokens.map((token) => token[at]))
      expect(letters.size, `letters at ${at}`).to.be.greaterThan(3)
    }
    for (const _csrf of [tokens[0] ?? '', tokens.at(-1) ?? '']) {
      const fields = new URLSearchParams({ _action: 'nothing', _csrf })
      const { status } = await browser.post('/dashboard/sign-out', fields, { follow: false })
      expect(status, 'taken, and then there is no such action').to.equal(400)
      for (const at of [0, 40, 50, 84]) {
        const changed = _csrf.slice(0, at) + (_csrf[at] === 'A' ? 'B' : 'A') + _csrf.slice(at + 1)
        fields.set('_csrf', changed)
        const refused = await browser.post('/dashboard/sign-out', fields, { follow: false })
        expect(refused.status, `with another letter ${at}`).to.equal(403)
      }
    }
  })

  it('refuses forms that another site sends, even with the right token', async () => {
    const browser = await createSignedIn(world, 'a@example.com')
    await browser.open('/dashboard/sign-out')
    const _csrf = browser.form('Sign out').controls.find(({ name }) => name === '_csrf')?.value ?? ''
    const before = await contents()
    const origins: Array<Record<string, string>> = [
      { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' },
      { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'same-site' },
      { Origin: 'https://evil.example', 'Sec-Fetch-Site': '' },
      { Origin: 'null', 'Sec-Fetch-Site': '' },
      { Origin: '', 'Sec-Fetch-Site': '' },
      { Origin: browser.url, 'Sec-Fetch-Site': 'none' },
    ]
    for (const { page, path } of withForms()) {
      for (const headers of origins) {
        for (const fields of formsFor(page, { _csrf })) {
          const { status } = await browser.post(path, fields, { headers, follow: false })
          expect(status, `${path} ${fields} ${JSON.stringify(headers)}`).to.equal(403)
        }
      }
    }
    expect(await contents()).to.equal(before)
    await browser.open('/dashboard/sign-out')
    const plain = { headers: { 'Sec-Fetch-Site': '' }, follow: false }
    expect((await browser.submit('Sign out', {}, plain)).status, 'an older browser').to.equal(303)
  })

  it('has a title, one main heading, and headers that forbid caching, frames and other origins', async () => {
    const browser = await createSignedIn(world, 'a@example.com')
    const stranger = new Browser(world.url)
    const headers = { Origin: 'https://evil.example' }
    for (const { page, path } of [...examples, { page: undefined, path: '/dashboard/nothing' }]) {
      const visit = await (page?.access === 'everybody' ? stranger : browser).open(path, { headers })
      expect(visit.headers.get('Content-Security-Policy'), path).to.equal(
        "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; connect-src 'self'; manifest-src 'self'; " +
          "form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      )
      expect(visit.headers.get('X-Content-Type-Options')).to.equal('nosniff')
      expect(visit.headers.get('Referrer-Policy')).to.equal('same-origin')
      expect(visit.headers.get('Cache-Control')).to.equal('no-store')
      expect(visit.headers.get('Access-Control-Allow-Origin'), path).to.equal(null)
      expect(visit.headers.get('Content-Type')).to.equal('text/html; charset=utf-8')
      const isMissing = ['/setup', '/password', undefined].includes(page?.path)
      expect(visit.status, path).to.equal(isMissing ? 404 : 200)
      expect(visit.text, path).to.match(/<title>[^<]*\S · Berth<\/title>/)
      expect(visit.text.match(/<h1\b/g), path).to.have.length(1)
      expect(visit.text, path).to.not.match(/<[^>]+\s(style|on\w+)=/i)
      expect(visit.text, path).to.not.match(
        /<script(?![^>]*\ssrc=)|<style|(src|href)="(https?:)?\/\/(?!127\.0\.0\.1)/i,
      )
    }
  })

  it('shows errors as pages, which contain the request id if the server is at fault', async () => {
    const browser = await createSignedIn(world, 'a@example.com')
    const expectErrorPage = async (status: number, path: string, request: RequestInit = {}) => {
      const cookies = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const answer = await fetch(world.url + path, { ...request, headers: { Cookie: cookies } })
      expect(answer.status, path).to.equal(status)
      expect(answer.headers.get('Content-Type')).to.equal('text/html; charset=utf-8')
      const id = answer.headers.get('X-Request-Id') ?? expect.fail(path)
      expect((await answer.text()).includes(id), path).to.equal(status >= 500)
    }
    await expectErrorPage(404, '/dashboard/nothing')
    await expectErrorPage(404, '/dashboard/integrations/tokens/x/revoke')
    await expectErrorPage(404, '/dashboard/integrations/tokens/999/revoke')
    await expectErrorPage(422, '/dashboard/integrations/tokens?page=none')
    await expectErrorPage(405, '/dashboard/settings', { method: 'PUT' })
    await expectErrorPage(404, '/dashboard/assets/x/nothing.js')
    await world.database.raw('ALTER TABLE webhooks RENAME TO moved_webhooks')
    await expectErrorPage(500, '/dashboard/integrations/webhooks')
    await world.database.raw('ALTER TABLE moved_webhooks RENAME TO webhooks')
  })

  it('answers 404 for parts, files and actions named like inherited object properties', async () => {
    const browser = await createSignedIn(world, 'a@example.com')
    for (const { path, page } of ofAdmins()) {
      for (const name of ['constructor', '__proto__', 'toString']) {
        for (const parameter of ['_part', '_download']) {
          const address = `${path}${path.includes('?') ? '&' : '?'}${parameter}=${name}`
          expect((await browser.open(address, { follow: false })).status, address).to.equal(404)
        }
      }
      if (Object.keys(page.actions).length === 0) continue
      await browser.open('/dashboard/sign-out')
      const _csrf = browser.form('Sign out').controls.find(({ name }) => name === '_csrf')?.value ?? ''
      const fields = new URLSearchParams({ _action: 'constructor', _csrf })
      expect((await browser.post(path, fields, { follow: false })).status, path).to.equal(400)
    }
  })

  it('accepts the first and last possible days, or shows an error', async () => {
    const browser = await createSignedIn(world, 'a@example.com')
    const building = await world.database('buildings').insert({ name: 'East', timezone: 'Asia/Tokyo' }, 'id')
    for (const { page, path } of ofAdmins()) {
      const { fields } = page.query as unknown as { fields: object }
      for (const name of ['from', 'to', 'date'].filter((each) => each in fields)) {
        for (const day of ['0001-01-01', '1000-01-01', '9999-12-31']) {
          const query = new URLSearchParams({ [name]: day })
          if ('building' in fields) query.set('building', building[0].id)
          const { status } = await browser.open(`${path}${path.includes('?') ? '&' : '?'}${query}`)
          expect([200, 422], `${path} ${query}`).to.include(status)
        }
      }
    }
  })

  it('refuses sign-in forms with very many fields before parsing, because anybody may send them', async () => {
    const fields = new URLSearchParams('a&'.repeat(40_000))
    const { status } = await new Browser(world.url).post('/dashboard/sign-in', fields)
    expect(status).to.equal(413)
  })

  it('does not handle API URLs that only begin like URLs of the dashboard', async () => {
    const answer = await fetch(`${world.url}/dashboards`)
    expect(answer.headers.get('Content-Type')).to.match(/json/)
  })

  it('loads assets from content-hashed URLs that never expire', async () => {
    const { text } = await new Browser(world.url).open('/dashboard/sign-in')
    const [, address = ''] = /<link rel="stylesheet" href="([^"]+)"/.exec(text) ?? []
    const sheet = await fetch(world.url + address)
    expect(sheet.headers.get('Cache-Control')).to.equal('public, max-age=31536000, immutable')
    expect(sheet.headers.get('Content-Type')).to.equal('text/css; charset=utf-8')
    const other = await fetch(world.url + address.replace(/[\da-f]{12}/, '0123456789ab'))
    expect([other.status, other.headers.get('Cache-Control')]).to.deep.equal([200, 'no-cache'])
  })
})
