// Tests signing in and out, and how long a session lasts.
import { createHook } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import {
  createAdmin,
  createDummyHash,
  disableAdmin,
  hashPassword,
  setAdminPassword,
} from '../../../../../shared/administrators/admin-store.ts'
import { createAdminWithFastHash } from '../../../../support/dashboard/administrators.ts'
import { Browser, createSignedIn, PASSWORD } from '../../../../support/dashboard/dashboard.ts'
import { useWorld } from '../../../../support/world.ts'

const EMAIL = 'ada@example.com'
// The password hash of this account is as slow as in production.
const SLOW_EMAIL = 'slow@example.com'
const MINUTE_MS = 60_000

describe('signing in to the dashboard', () => {
  const world = useWorld({ workers: [], now: () => nowMs })
  let nowMs = Date.now()
  before(async () => {
    await createAdminWithFastHash(world.database, { email: EMAIL, password: PASSWORD })
    await createAdmin(world.database, { email: SLOW_EMAIL, password: PASSWORD })
  })
  // Failures count for a quarter of an hour, so each test starts after that time.
  beforeEach(() => {
    nowMs += 20 * MINUTE_MS
  })

  const stranger = () => new Browser(world.url)
  const sessions = () => world.database('sessions')

  it('leads to the requested page of the dashboard, and never to another site', async () => {
    const browser = stranger()
    await browser.open('/dashboard/integrations/tokens/new')
    expect(browser.page.path).to.equal('/dashboard/sign-in?next=%2Fdashboard%2Fintegrations%2Ftokens%2Fnew')
    await browser.submit('Sign in', { email: EMAIL.toUpperCase(), password: PASSWORD })
    expect(browser.page).to.include({ status: 200, path: '/dashboard/integrations/tokens/new' })
    for (const next of [
      'https://evil.example/dashboard',
      '//evil.example/dashboard',
      '/\\evil.example/dashboard',
      '/dashboard/../api/docs',
      '/dashboardx',
      'javascript:alert(1)',
      '/\t/evil.example/dashboard',
    ]) {
      const other = stranger()
      await other.open(`/dashboard/sign-in?next=${encodeURIComponent(next)}`)
      const { status, headers } =
        other.page.status === 200
          ? await other.submit('Sign in', { email: EMAIL, password: PASSWORD }, { follow: false })
          : other.page
      if (status !== 303) expect(status, next).to.equal(422)
      else expect(headers.get('Location'), next).to.equal('/dashboard')
    }
  })

  it('fails with the old password while a password change is in progress', async () => {
    const email = 'changing@example.com'
    await createAdminWithFastHash(world.database, { email, password: PASSWORD })
    const browser = stranger()
    await browser.open('/dashboard/sign-in')
    let signedIn: Promise<unknown> = Promise.resolve()
    await world.database.transaction(async (trx) => {
      const [admin] = await trx('admins')
        .where({ email })
        .update({ password_hash: await hashPassword('another simple sentence') })
        .returning('id')
      await trx('sessions').where({ admin_id: admin.id }).delete()
      signedIn = browser.submit('Sign in', { email, password: PASSWORD })
      // Longer than any sign-in takes.
      await Promise.race([signedIn, sleep(500)])
    })
    await signedIn
    expect(browser.cookies.has('berth_session')).to.equal(false)
    expect(browser.words).to.include('Wrong e-mail or password.')
  })

  it('shows the same error for an unknown e-mail and a wrong password, and keeps the e-mail', async () => {
    const answers: string[] = []
    for (const email of [EMAIL, 'nobody@example.com']) {
      const browser = stranger()
      await browser.open('/dashboard/sign-in')
      const { status } = await browser.submit('Sign in', { email, password: 'a wrong password' })
      expect(status).to.equal(422)
      expect(browser.form('Sign in').controls.find(({ name }) => name === 'email')?.value).to.equal(email)
      expect(browser.page.text).to.not.include('a wrong password')
      expect(browser.cookies.has('berth_session')).to.equal(false)
      answers.push(browser.words)
    }
    expect(answers[0]).to.equal(answers[1])
    expect(answers[0]).to.include('Wrong e-mail or password.')
  })

  it('does the same amount of work for an unknown e-mail as for a wrong password', async () => {
    let hashes = 0
    const hook = createHook({ init: (_id, type) => void (type === 'SCRYPTREQUEST' && hashes++) }).enable()
    const countHashes = async (email: string) => {
      const browser = stranger()
      await browser.open('/dashboard/sign-in')
      hashes = 0
      await browser.submit('Sign in', { email, password: 'a wrong password' })
      return hashes
    }
    expect(await countHashes(EMAIL)).to.equal(1)
    expect(await countHashes('nobody@example.com')).to.equal(1)
    hook.disable()
    const costOf = (hash: string) => hash.split('$').slice(0, 4)
    expect(costOf(createDummyHash())).to.deep.equal(costOf(await hashPassword(PASSWORD)))
  })

  it('creates a new session each time, stores only its hash, and reveals nothing in its cookie', async () => {
    const browser = stranger()
    await browser.open('/dashboard/sign-in')
    await browser.submit('Sign in', { email: EMAIL, password: PASSWORD }, { follow: false })
    const cookie = browser.page.headers.getSetCookie().find((each) => each.startsWith('berth_session='))
    expect(cookie).to.match(
      /^berth_session=[\w-]{43}; Path=\/dashboard; HttpOnly; SameSite=Lax; Max-Age=604800$/,
    )
    const first = browser.cookies.get('berth_session') ?? ''
    await browser.signIn(EMAIL)
    expect(browser.cookies.get('berth_session')).to.not.equal(first)
    const stored = JSON.stringify(
      await sessions().select(world.database.raw("encode(hash, 'escape') AS hash")),
    )
    expect(stored).to.not.include(first)
    const old = stranger()
    old.cookies.set('berth_session', first)
    expect((await old.open('/dashboard/settings')).path).to.match(/sign-in/)
  })

  it('marks the session cookie as secure if the service is reached by TLS', async () => {
    const gateway = await world.startGateway({ PUBLIC_URL: 'https://desk.example.com/berth' })
    const browser = new Browser(gateway.url)
    await browser.open('/dashboard/sign-in')
    const form = browser.form('Sign in')
    expect(form.address).to.equal('/berth/dashboard/sign-in')
    const { headers } = await browser.send(
      { ...form, address: '/dashboard/sign-in' },
      { email: EMAIL, password: PASSWORD },
      { headers: { Origin: 'https://desk.example.com', 'Sec-Fetch-Site': 'same-origin' }, follow: false },
    )
    expect(headers.get('Location')).to.equal('/berth/dashboard')
    const cookie = headers.getSetCookie().find((each) => each.includes('berth_session='))
    expect(cookie).to.match(
      /^__Secure-berth_session=.*; Path=\/berth\/dashboard; HttpOnly; SameSite=Lax; Secure; /,
    )
  })

  it('signing out ends the session immediately, on the server too', async () => {
    const browser = await createSignedIn(world, EMAIL)
    const secret = browser.cookies.get('berth_session') ?? ''
    await browser.open('/dashboard/sign-out')
    await browser.submit('Sign out')
    expect(browser.words).to.include('You are signed out.')
    const thief = stranger()
    thief.cookies.set('berth_session', secret)
    expect((await thief.open('/dashboard/settings')).path).to.match(/sign-in/)
  })

  it('signing out can end the sessions in all browsers', async () => {
    const [one, two] = [await createSignedIn(world, EMAIL), await createSignedIn(world, EMAIL)]
    await one.open('/dashboard/settings')
    await one.submit('Sign out everywhere')
    for (const browser of [one, two]) {
      expect((await browser.open('/dashboard/settings')).path).to.match(/sign-in/)
    }
  })

  it('sessions end when the administrator is disabled or their password is replaced', async () => {
    const email = 'grace@example.com'
    const browser = await createSignedIn(world, email)
    await disableAdmin(world.database, email)
    expect((await browser.open('/dashboard/settings')).path).to.match(/sign-in/)
    const refused = await stranger().signIn(email)
    expect(refused.status).to.equal(422)
    await setAdminPassword(world.database, { email, password: PASSWORD })
    expect((await browser.open('/dashboard/settings')).path).to.match(/sign-in/)
  })

  it('sessions last 12 hours without use, and 7 days at most', async () => {
    const browser = await createSignedIn(world, 'idle@example.com')
    const age = (column: string, interval: string) =>
      sessions().update({ [column]: world.database.raw('now() + ?::interval', [interval]) })
    await age('last_used_at', '-11 hours')
    expect((await browser.open('/dashboard/settings')).path).to.equal('/dashboard/settings')
    const { rows } = await world.database.raw(
      "SELECT FROM sessions WHERE last_used_at > now() - interval '1 minute'",
    )
    expect(rows, 'its use is noted').to.have.length(1)
    await age('last_used_at', '-12 hours')
    expect((await browser.open('/dashboard/settings')).path).to.match(/sign-in/)
    const other = await createSignedIn(world, 'idle@example.com')
    await age('expires_at', '-1 second')
    expect((await other.open('/dashboard/settings')).path).to.match(/sign-in/)
  })

  it('is slowed down for a quarter of an hour after many guesses from one address', async () => {
    const browser = stranger()
    await browser.open('/dashboard/sign-in')
    await createAdminWithFastHash(world.database, { email: 'guess@example.com', password: PASSWORD })
    const guess = () => browser.submit('Sign in', { email: 'guess@example.com', password: 'wrong' })
    const statuses: number[] = []
    for (let number = 0; number < 21; number++) statuses.push((await guess()).status)
    expect(statuses.slice(0, 20)).to.deep.equal(Array(20).fill(422))
    expect(statuses[20]).to.equal(429)
    expect(browser.page.headers.get('Retry-After')).to.match(/^\d+$/)
    expect(browser.words).to.include('Too many failed sign-in attempts.')
    expect((await stranger().signIn(EMAIL)).status, 'the right password too').to.equal(429)
    nowMs += 16 * MINUTE_MS
    expect((await stranger().signIn(EMAIL)).status).to.equal(200)
  })

  it('works in a browser that signed in before, even if others at its address keep failing', async () => {
    const email = 'known@example.com'
    const browser = await createSignedIn(world, email)
    expect(browser.cookies.get('berth_known_browser')).to.match(/^[\w-]{22}\.\d+\.[\w-]{43}$/)
    await browser.open('/dashboard/sign-out')
    await browser.submit('Sign out')
    const other = stranger()
    for (let number = 0; number < 21; number++) await other.signIn(email, 'wrong')
    expect((await stranger().signIn(email)).status).to.equal(429)
    expect((await browser.signIn(email)).status).to.equal(200)
    expect(browser.cookies.has('berth_session')).to.equal(true)
  })

  it('is refused while the server already computes as many password hashes as its limit allows', async () => {
    // So many requests that some arrive during the first hash computations, even on a slow machine.
    const browsers: Browser[] = []
    for (let number = 0; number < 40; number++) {
      const browser = stranger()
      await browser.open('/dashboard/sign-in')
      browsers.push(browser)
    }
    const fields = { email: SLOW_EMAIL, password: PASSWORD }
    const answers = await Promise.all(
      browsers.map((browser) => browser.submit('Sign in', fields, { follow: false })),
    )
    const passed = answers.filter(({ status }) => status === 303)
    const refused = answers.filter(({ status }) => status === 503)
    expect(passed).to.have.length.within(16, 39)
    expect(refused).to.have.length(40 - passed.length)
  })

  it('works while Redis is down, and shows that Redis is down', async () => {
    const alone = await world.startGateway({ REDIS_URL: 'redis://127.0.0.1:1' })
    const browser = await createSignedIn({ url: alone.url, database: world.database }, EMAIL)
    expect(browser.page.status).to.equal(200)
    expect(browser.words).to.include('Redis is not responding')
  })
})
