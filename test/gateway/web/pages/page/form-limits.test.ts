// Tests the size limits of forms: a form without a session is limited before it is parsed, and every form on
// our pages stays within its limit.
import { expect } from 'chai'
import { pages } from '../../../../../gateway/web/admin/pages.ts'
import { peopleSite } from '../../../../../gateway/web/my/people-site.ts'
import { findFormLimits } from '../../../../../gateway/web/pages/page/form-limits.ts'
import { Browser, createSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { createBookable } from '../../../../support/factories.ts'
import { createScreen } from '../../../../support/screens/screens.ts'
import { use } from '../../../../support/use.ts'
import { useWorld } from '../../../../support/world.ts'

const MIB = 1024 * 1024
const PAGES_WITH_FORMS = [...pages, ...peopleSite.pages].filter(
  ({ actions }) => Object.keys(actions).length > 0,
)

describe('the size limit of forms', () => {
  const world = useWorld({ workers: ['writes'], environment: { RATE_LIMIT_PER_MINUTE: '100000' } })
  const parsed = use(watchParser, { close: ({ stop }) => stop() })

  const post = (path: string, body: string, cookie = '') => {
    const type = 'application/x-www-form-urlencoded'
    const headers = { 'Content-Type': type, 'Sec-Fetch-Site': 'same-origin', Cookie: cookie }
    return fetch(world.url + path, { method: 'POST', headers, body, redirect: 'manual' })
  }

  const OPEN_PAGES = [
    '/my/sign-in',
    '/my/sign-in/link?token=x',
    '/my/requests/decide?token=x',
    '/my/answer?token=x',
    '/dashboard/sign-in',
    '/dashboard/password?token=x',
  ]

  it('is 4 KB for sign-in forms, and larger forms are not parsed', async () => {
    const large = `mark=${'a&'.repeat(MIB / 2)}`
    for (const path of OPEN_PAGES.filter((each) => !each.includes('decide'))) {
      expect((await post(path, large)).status, path).to.equal(413)
      expect((await post(path, `mark=${'a'.repeat(4 * 1024)}`)).status, path).to.equal(413)
    }
    expect((await post('/my/requests/decide?token=x', large)).status).to.equal(413)
    const { path } = await createScreen(world.database, { bookable_id: await createBookable(world.database) })
    expect((await post(path, large)).status).to.equal(413)
    expect(parsed.texts).to.deep.equal([])
  })

  it('has no effect without a session or valid form token, because the form is not parsed', async () => {
    for (const path of OPEN_PAGES)
      for (const token of ['', '&_csrf=', `&_csrf=${'A'.repeat(86)}`]) {
        const answer = await post(path, `mark=1&_action=send-link&email=a%40example.com${token}`)
        expect(answer.status, path).to.equal(403)
      }
    expect(parsed.texts).to.deep.equal([])
  })

  it('also covers the number of fields, with and without a session', async () => {
    const fields = `mark=${'a&'.repeat(MIB / 4)}`
    for (const path of ['/my/me', '/dashboard/places/buildings/new'])
      expect((await post(path, fields)).status, path).to.be.oneOf([401, 403, 404])
    const admin = await createSignedIn(world)
    await admin.open('/dashboard/settings')
    const cookie = [...admin.cookies].map((each) => each.join('=')).join('; ')
    expect((await post('/dashboard/settings', fields, cookie)).status).to.equal(413)
    expect(parsed.texts.filter((each) => each.startsWith('mark'))).to.deep.equal([])
  })

  it('admits every form on a page', async () => {
    expect(PAGES_WITH_FORMS.length).to.be.greaterThan(60)
    for (const page of PAGES_WITH_FORMS) {
      const { bytesMax, fieldsMax } = findFormLimits(page, MIB)
      expect(Number.isFinite(bytesMax) && Number.isFinite(fieldsMax), page.path).to.equal(true)
      if (page.access === 'everybody') expect(bytesMax, page.path).to.be.at.most(16 * 1024)
      else expect(bytesMax, page.path).to.be.within(64 * 1024, MIB)
      expect(fieldsMax, page.path).to.be.within(50, 20_000)
    }
    const browser = new Browser(world.url)
    await browser.open('/dashboard/sign-in')
    const longest = { email: `somebody@${'a'.repeat(60)}.example.com`, password: 'ä'.repeat(500) }
    await browser.submit('Sign in', longest)
    expect(browser.page.status).to.equal(422)
    expect(browser.words).to.include('Wrong e-mail or password')
  })
})

/** Records the parsed forms that have the field `mark` or are sign-in forms. */
function watchParser() {
  const original = globalThis.URLSearchParams
  const texts: string[] = []
  globalThis.URLSearchParams = class extends original {
    constructor(init?: ConstructorParameters<typeof original>[0]) {
      super(init)
      if (typeof init === 'string' && /^mark=/.test(init)) texts.push(init.slice(0, 40))
    }
  } as typeof original
  const stop = () => {
    globalThis.URLSearchParams = original
  }
  return { texts, stop }
}
