// Tests sign-in through an identity provider with wrong responses, with an unreachable provider, and with
// disabled passwords.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { projectDirectory } from '../../../../../local/tools/folders.ts'
import { setAdminPassword } from '../../../../../shared/administrators/admin-store.ts'
import { createAdminWithFastHash } from '../../../../support/dashboard/administrators.ts'
import { Browser, createSignedIn, PASSWORD } from '../../../../support/dashboard/dashboard.ts'
import {
  beginSignIn,
  CLIENT_CREDENTIALS,
  createProviderEnvironment,
  returnFromProvider,
  signInWithProvider,
  useProvider,
} from '../../../../support/dashboard/provider.ts'
import { useWorld } from '../../../../support/world.ts'

describe('signing in through an identity provider, under attack', () => {
  const lines: string[] = []
  const provider = useProvider()
  const world = useWorld(() => ({
    environment: createProviderEnvironment(provider),
    onLog: (line) => void lines.push(line),
  }))
  before(() => provider.serve(world.url))
  beforeEach(() => {
    provider.person = {
      sub: 'ada',
      email: 'ada@example.com',
      email_verified: true,
      groups: ['berth-owners'],
    }
  })
  afterEach(() => {
    provider.broken = undefined
  })

  const stranger = () => new Browser(world.url)
  const changed = (address: string, parameters: Record<string, string | undefined>) => {
    const url = new URL(address)
    for (const [name, value] of Object.entries(parameters)) {
      if (value === undefined) url.searchParams.delete(name)
      else url.searchParams.set(name, value)
    }
    return url.href
  }
  function expectExpired(browser: Browser) {
    expect(browser.page.status, browser.words).to.equal(400)
    expect(browser.words).to.include('This sign-in has expired')
    expect(browser.cookies.has('berth_session')).to.equal(false)
  }

  it('sends a request with fresh PKCE, state and nonce, none equal to the cookie’s secret', async () => {
    const browser = stranger()
    const [one, two] = [await beginSignIn(browser), await beginSignIn(browser)].map((each) => new URL(each))
    expect(one?.searchParams.get('code_challenge_method')).to.equal('S256')
    expect(one?.searchParams.get('scope')).to.equal('openid email')
    for (const name of ['code_challenge', 'state', 'nonce']) {
      expect(one?.searchParams.get(name)).to.match(/^[\w-]{43}$/)
      expect(one?.searchParams.get(name), name).to.not.equal(two?.searchParams.get(name))
      expect(browser.cookies.get('berth_sign_in')).to.not.include(two?.searchParams.get(name))
    }
    await browser.open('/dashboard/sign-in')
    await browser.submit('Sign in with Example ID')
    const cookie = browser.page.headers.getSetCookie().find((each) => each.startsWith('berth_sign_in='))
    expect(cookie).to.match(
      /^berth_sign_in=[\w-]{43}\.[\w-]*; Path=\/dashboard; HttpOnly; SameSite=Lax; Max-Age=600$/,
    )
  })

  it('fails with a wrong or missing state', async () => {
    for (const state of ['A'.repeat(43), '', undefined]) {
      const browser = stranger()
      const answer = await provider.follow(await beginSignIn(browser))
      const { asked } = provider
      await returnFromProvider(browser, changed(answer, { state }))
      expectExpired(browser)
      expect(provider.asked, 'nothing is asked for it').to.equal(asked)
      await returnFromProvider(browser, answer)
      expectExpired(browser)
    }
  })

  it('fails in a browser that has not started this sign-in', async () => {
    const [victim, thief] = [stranger(), stranger()]
    const answer = await provider.follow(await beginSignIn(thief))
    await returnFromProvider(victim, answer)
    expectExpired(victim)
    await beginSignIn(victim)
    await returnFromProvider(victim, answer)
    expectExpired(victim)
    await returnFromProvider(thief, answer)
    expect(thief.cookies.has('berth_session'), 'where it began').to.equal(true)
  })

  it('accepts a code once: both Berth and the provider refuse a repeated code', async () => {
    const browser = stranger()
    const address = await beginSignIn(browser)
    const cookie = browser.cookies.get('berth_sign_in') ?? ''
    const answer = await provider.follow(address)
    await returnFromProvider(browser, answer)
    expect(browser.cookies.has('berth_session'), browser.words).to.equal(true)
    const again = stranger()
    await returnFromProvider(again, answer)
    expectExpired(again)
    again.cookies.set('berth_sign_in', cookie)
    await returnFromProvider(again, answer)
    expectExpired(again)
  })

  it('fails if the nonce or challenge belongs to another attempt', async () => {
    const browser = stranger()
    const nonce = changed(await beginSignIn(browser), { nonce: 'of another attempt' })
    await returnFromProvider(browser, await provider.follow(nonce))
    expect(browser.page.status, browser.words).to.equal(502)
    expect(browser.words).to.include('Berth could not verify the answer from Example ID.')
    expect(browser.cookies.has('berth_session')).to.equal(false)
    const other = stranger()
    const challenge = changed(await beginSignIn(other), { code_challenge: 'A'.repeat(43) })
    await returnFromProvider(other, await provider.follow(challenge))
    expectExpired(other)
  })

  it('fails if the response names another issuer', async () => {
    const browser = stranger()
    const answer = await provider.follow(await beginSignIn(browser))
    await returnFromProvider(browser, changed(answer, { iss: 'https://evil.example' }))
    expect(browser.page.status, browser.words).to.equal(502)
    expect(browser.cookies.has('berth_session')).to.equal(false)
  })

  it('shows Berth’s own message for an error, not the text in the URL', async () => {
    const browser = stranger()
    provider.person = { sub: 'ada', cancels: true }
    await returnFromProvider(browser, await provider.follow(await beginSignIn(browser)))
    expect(browser.page.status).to.equal(403)
    expect(browser.words).to.include('Signing in with Example ID was cancelled or refused there.')
    expect(browser.words).to.not.include('They pressed Cancel')
  })

  it('stops waiting after a time limit, and the page says that the provider is not responding', async () => {
    for (const broken of [0, 503, 404]) {
      const browser = stranger()
      const gateway = await world.startGateway()
      const fresh = new Browser(gateway.url)
      const answer = await provider.follow(await beginSignIn(browser))
      provider.broken = broken
      await returnFromProvider(browser, answer)
      expect(browser.page.status, `${broken}: ${browser.words}`).to.equal(503)
      expect(browser.words).to.include('Example ID is not responding right now.')
      await fresh.open('/dashboard/sign-in')
      await fresh.submit('Sign in with Example ID')
      expect(fresh.page.status, String(broken)).to.equal(503)
      expect(fresh.words).to.include('Example ID is not responding right now.').and.include('Password')
      await fresh.signIn((await createSignedIn(world, 'grace@example.com')) && 'grace@example.com')
      expect(fresh.cookies.has('berth_session'), 'the other way in').to.equal(true)
      provider.broken = undefined
      const later = new Browser(gateway.url)
      await later.open('/dashboard/sign-in')
      await later.submit('Sign in with Example ID')
      expect(later.page.headers.get('Refresh'), 'a failed look is not kept').to.be.a('string')
    }
  })

  it('leaves no secret in the log, at any level', async () => {
    lines.length = 0
    const browser = stranger()
    const address = await beginSignIn(browser)
    const cookie = browser.cookies.get('berth_sign_in') ?? ''
    const answer = await provider.follow(address)
    await returnFromProvider(browser, changed(answer, { state: 'x' }))
    const again = stranger()
    again.cookies.set('berth_sign_in', cookie)
    await returnFromProvider(again, answer)
    await returnFromProvider(again, answer)
    expect(again.cookies.has('berth_session')).to.equal(true)
    const text = lines.join('')
    expect(text)
      .to.include('signed in')
      .and.include('sign-in failed')
      .and.include('not begun in this browser')
    const { searchParams } = new URL(answer)
    const secrets = [
      CLIENT_CREDENTIALS.secret,
      cookie.split('.')[0],
      searchParams.get('code'),
      searchParams.get('state'),
      new URL(address).searchParams.get('nonce'),
      'ada@example.com',
    ]
    for (const secret of secrets) {
      expect(secret).to.have.length.greaterThan(10)
      expect(text).to.not.include(secret)
    }
  })

  it('keeps a password that the operator sets for a linked administrator', async () => {
    await signInWithProvider(provider, stranger(), {
      ...provider.person,
      sub: 'eve',
      email: 'eve@example.com',
    })
    await setAdminPassword(world.database, { email: 'eve@example.com', password: PASSWORD })
    const browser = stranger()
    await browser.signIn('eve@example.com')
    expect(browser.cookies.has('berth_session')).to.equal(true)
  })
})

describe('a gateway whose identity provider is unreachable', () => {
  const provider = useProvider()
  const world = useWorld(() => {
    provider.broken = 0
    return { environment: createProviderEnvironment(provider) }
  })

  it('starts, shows its pages and accepts passwords without calling the provider', async () => {
    const browser = await createSignedIn(world, 'ada@example.com')
    expect((await browser.open('/dashboard/settings')).status).to.equal(200)
    expect((await new Browser(world.url).open('/dashboard/sign-in')).status).to.equal(200)
    expect((await fetch(`${world.url}/readyz`)).status).to.equal(200)
    expect(provider.asked).to.equal(0)
  })

  it('loads the OpenID library only when somebody signs in through the provider', () => {
    const folders = ['gateway', 'workers', 'shared']
    const files = folders.flatMap((folder) =>
      readdirSync(join(projectDirectory, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .map((name) => join(projectDirectory, folder, name)),
    )
    const loading = files.filter((file) =>
      /^import (?!type )[^\n]*'(openid-client|nodemailer)'/m.test(readFileSync(file, 'utf8')),
    )
    expect(loading).to.deep.equal([])
  })
})

describe('a dashboard with disabled passwords', () => {
  const lines: string[] = []
  const provider = useProvider()
  const world = useWorld(() => ({
    environment: { ...createProviderEnvironment(provider), LOCAL_SIGN_IN: 'false' },
    onLog: (line) => void lines.push(line),
  }))
  before(() => provider.serve(world.url))

  it('shows no setup link for a first administrator and no password field', async () => {
    expect(lines.join('')).to.include('listening').and.not.include('"link"')
    const browser = new Browser(world.url)
    await browser.open('/dashboard/sign-in')
    expect(browser.page.text).to.not.include('type="password"')
    for (const path of [
      '/dashboard/setup',
      '/dashboard/password',
      `/dashboard/password?token=${'A'.repeat(43)}`,
    ]) {
      await browser.open(path)
      expect(browser.page.status, path).to.equal(404)
      expect(browser.words).to.include('Passwords are switched off').and.include('Sign in with Example ID')
    }
  })

  it('refuses passwords in every form that would ask for a password', async () => {
    await createAdminWithFastHash(world.database, { email: 'ada@example.com', password: PASSWORD })
    const stranger = new Browser(world.url)
    await stranger.open('/dashboard/sign-in')
    const tokenOf = (browser: Browser, button: string) =>
      browser.form(button).controls.find(({ name }) => name === '_csrf')?.value ?? ''
    const fields = { password: PASSWORD, repeated: PASSWORD, current: PASSWORD, email: 'ada@example.com' }
    const _csrf = tokenOf(stranger, 'Sign in with Example ID')
    for (const [path, _action] of [
      ['/dashboard/sign-in', 'sign-in'],
      ['/dashboard/setup', 'set-up'],
      ['/dashboard/password', 'choose'],
    ] as const) {
      await stranger.post(path, new URLSearchParams({ ...fields, _action, _csrf }))
      expect(stranger.page.status, path).to.equal(404)
    }
    expect(stranger.cookies.has('berth_session')).to.equal(false)
    const owner = new Browser(world.url)
    const person = { sub: 'o', email: 'o@example.com', email_verified: true, groups: ['berth-owners'] }
    await signInWithProvider(provider, owner, person)
    await owner.open('/dashboard/settings')
    expect(owner.page.text).to.not.include('type="password"')
    const own = tokenOf(owner, 'Sign out everywhere')
    const { id } = await world.database('admins').where({ email: 'ada@example.com' }).first('id')
    for (const [path, _action] of [
      ['/dashboard/settings', 'change-password'],
      ['/dashboard/settings/administrators/new', 'invite'],
      [`/dashboard/settings/administrators/${id}`, 'create-link'],
    ] as const) {
      const form = { ...fields, email: 'new@example.com', role: 'reader', _action, _csrf: own }
      await owner.post(path, new URLSearchParams(form))
      expect(owner.page.status, path).to.equal(404)
      expect(owner.words).to.include('Passwords are switched off')
    }
    expect(await world.database('admin_links')).to.deep.equal([])
    await owner.open('/dashboard/settings/administrators')
    expect(owner.page.text).to.not.include('/settings/administrators/new')
  })
})
