// Tests signing in through a real OpenID Connect provider: who can sign in, and with which role.
import { expect } from 'chai'
import { openAdmin } from '../../../../support/dashboard/admin.ts'
import { createAdminWithFastHash } from '../../../../support/dashboard/administrators.ts'
import { Browser, createSignedIn, PASSWORD } from '../../../../support/dashboard/dashboard.ts'
import {
  beginSignIn,
  createProviderEnvironment,
  type Person,
  returnFromProvider,
  signInWithProvider,
  useProvider,
} from '../../../../support/dashboard/provider.ts'
import { useWorld } from '../../../../support/world.ts'

describe('signing in through an identity provider', () => {
  const provider = useProvider()
  const world = useWorld(() => ({ environment: createProviderEnvironment(provider) }))
  before(() => provider.serve(world.url))
  afterEach(() => {
    provider.broken = undefined
    provider.tokenClaims = {}
  })

  let number = 0
  const someone = (groups: unknown, more: Record<string, unknown> = {}): Person => {
    number++
    return { sub: `person-${number}`, email: `p${number}@example.com`, email_verified: true, groups, ...more }
  }
  const stranger = () => new Browser(world.url)
  const isIn = (browser: Browser) => browser.cookies.has('berth_session')
  const adminOf = (email: unknown) => world.database('admins').where({ email }).first()
  const actionsOf = async (email: unknown) => {
    const { id } = await adminOf(email)
    const entries = await world
      .database('audit_log')
      .where({ resource: 'admins', resource_id: id })
      .orderBy('id')
    return entries.map(({ action, actor_name }) => `${actor_name}: ${action}`)
  }

  for (const [group, role] of [
    ['berth-owners', 'owner'],
    ['berth-admins', 'administrator'],
    ['desk', 'front-desk'],
    ['staff', 'reader'],
  ]) {
    it(`creates new administrators with the role in the claim: ${role}`, async () => {
      const [browser, person] = [stranger(), someone([group, 'others'])]
      await signInWithProvider(provider, browser, person)
      expect(browser.page).to.include({ status: 200, path: '/dashboard' })
      expect(browser.words).to.include(String(person['email']))
      expect((await adminOf(person['email'])).role).to.equal(role)
      expect(await actionsOf(person['email'])).to.deep.equal(['Example ID: admins.create'])
    })
  }

  it('grants the highest of several roles, and also accepts a role as text or from the ID token', async () => {
    const person = someone(['staff', 'berth-admins', 'desk'])
    await signInWithProvider(provider, stranger(), person)
    expect((await adminOf(person['email'])).role).to.equal('administrator')
    const other = someone('desk')
    provider.tokenClaims = other
    await signInWithProvider(provider, stranger(), { ...other, groups: 'staff' })
    expect((await adminOf(other['email'])).role).to.equal('front-desk')
  })

  it('reads the role at each sign-in, and stores a changed role', async () => {
    const person = someone(['staff'])
    await signInWithProvider(provider, stranger(), person)
    const { updated_at } = await adminOf(person['email'])
    await signInWithProvider(provider, stranger(), person)
    expect((await adminOf(person['email'])).updated_at, 'nothing to write').to.deep.equal(updated_at)
    const browser = stranger()
    await signInWithProvider(provider, browser, { ...person, groups: ['berth-admins'] })
    expect((await browser.open('/dashboard/audit-log')).status).to.equal(200)
    expect(browser.words).to.include('changed the role of').and.include('from reader to administrator')
    expect(await actionsOf(person['email'])).to.deep.equal([
      'Example ID: admins.create',
      'Example ID: admins.set-role',
    ])
  })

  it('refuses administrators who have lost the claim, and ends their sessions', async () => {
    const [first, person] = [stranger(), someone(['staff'])]
    await signInWithProvider(provider, first, person)
    for (const groups of [[], ['others'], undefined, { staff: true }, 'STAFF']) {
      const browser = stranger()
      await signInWithProvider(provider, browser, { ...person, groups })
      expect(browser.page.status, JSON.stringify(groups)).to.equal(403)
      expect(browser.words).to.include('Your account at Example ID has no role here.')
      expect(isIn(browser)).to.equal(false)
    }
    expect((await first.open('/dashboard')).path).to.include('/sign-in')
    const unknown = someone(['others'])
    await signInWithProvider(provider, stranger(), unknown)
    expect(await adminOf(unknown['email'])).to.equal(undefined)
  })

  it('links an existing administrator by a verified e-mail, and disables the old password', async () => {
    const person = someone(['desk'])
    const email = String(person['email'])
    const before = await createSignedIn(world, email, 'owner')
    await world.database('admin_links').insert({
      hash: Buffer.alloc(32),
      admin_id: (await adminOf(email)).id,
      expires_at: new Date(Date.now() + 60_000),
    })
    const browser = stranger()
    await signInWithProvider(provider, browser, { ...person, email: email.toUpperCase() })
    expect(isIn(browser), browser.words).to.equal(true)
    const { id, role } = await adminOf(email)
    expect(role).to.equal('front-desk')
    expect(await world.database('admin_links').where({ admin_id: id })).to.deep.equal([])
    expect(await actionsOf(email)).to.deep.equal(['Example ID: admins.link', 'Example ID: admins.set-role'])
    expect((await before.open('/dashboard')).path, 'signed out').to.include('/sign-in')
    const again = stranger()
    await again.signIn(email, PASSWORD)
    expect(isIn(again)).to.equal(false)
    expect(again.words).to.include('If you have signed in with Example ID before, use that.')
    await browser.open('/dashboard/settings')
    expect(browser.words).to.include('You sign in with Example ID').and.not.include('Change password')
  })

  it('never links an administrator by an unverified e-mail', async () => {
    for (const email_verified of [false, undefined, 'true', 1]) {
      const person = someone(['berth-owners'], { email_verified })
      await createAdminWithFastHash(world.database, { email: String(person['email']), password: PASSWORD })
      const browser = stranger()
      await signInWithProvider(provider, browser, person)
      expect(browser.page.status, String(email_verified)).to.equal(403)
      expect(browser.words).to.include('has not verified that this address is yours')
      expect(isIn(browser)).to.equal(false)
      expect(await world.database('admin_identities').where({ subject: person.sub })).to.deep.equal([])
    }
    const fresh = someone(['staff'], { email_verified: false })
    const browser = stranger()
    await signInWithProvider(provider, browser, fresh)
    expect(isIn(browser), 'who is new has nobody’s place').to.equal(true)
  })

  it('takes the e-mail and its verification from the same source: the ID token or the user info', async () => {
    const groups = ['berth-owners']
    const signIn = async (tokenClaims: Record<string, unknown>, more: Record<string, unknown>) => {
      const person = someone(groups)
      const email = String(person['email'])
      await createAdminWithFastHash(world.database, { email, password: PASSWORD })
      provider.tokenClaims = { ...tokenClaims, ...(tokenClaims['email'] === 'theirs' ? { email } : {}) }
      const browser = stranger()
      await signInWithProvider(provider, browser, { ...person, ...more })
      return browser.page.status
    }
    expect(await signIn({ email_verified: true, groups }, { email_verified: false })).to.equal(403)
    expect(await signIn({ email: 'theirs' }, { email: 'other@example.com', groups })).to.equal(403)
    expect(await signIn({ email: 'theirs', email_verified: false }, { groups })).to.equal(403)
    expect(await signIn({ groups }, {}), 'both are asked for').to.equal(200)
    expect(await signIn({ email: 'theirs', email_verified: true }, { email_verified: false })).to.equal(200)
  })

  it('refuses a second provider account with the e-mail of the first', async () => {
    const person = someone(['staff'])
    await signInWithProvider(provider, stranger(), person)
    const browser = stranger()
    await signInWithProvider(provider, browser, { ...person, sub: 'somebody else', groups: ['berth-owners'] })
    expect(browser.page.status).to.equal(403)
    expect(browser.words).to.include('Another account at the provider already uses your e-mail address here.')
    expect((await adminOf(person['email'])).role).to.equal('reader')
  })

  it('recognizes known administrators by their provider account, even if their e-mail has changed', async () => {
    const person = someone(['staff'])
    await signInWithProvider(provider, stranger(), person)
    for (const email of ['renamed@example.com', undefined, 'no address']) {
      const browser = stranger()
      await signInWithProvider(provider, browser, { ...person, email })
      expect(isIn(browser), String(email)).to.equal(true)
      expect(browser.words).to.include(String(person['email']))
    }
    const nameless = someone(['staff'], { email: undefined })
    const browser = stranger()
    await signInWithProvider(provider, browser, nameless)
    expect(browser.page.status).to.equal(403)
    expect(browser.words).to.include('Example ID did not share your e-mail address with Berth.')
  })

  it('refuses disabled administrators, whether linked or not', async () => {
    const linked = someone(['staff'])
    await signInWithProvider(provider, stranger(), linked)
    const unlinked = someone(['berth-owners'])
    await createAdminWithFastHash(world.database, { email: String(unlinked['email']), password: PASSWORD })
    for (const person of [linked, unlinked]) {
      const { email } = person
      await world.database('admins').where({ email }).update({ disabled_at: new Date() })
      for (const groups of [person['groups'], ['berth-admins']]) {
        const browser = stranger()
        await signInWithProvider(provider, browser, { ...person, groups })
        expect(browser.page.status).to.equal(403)
        expect(browser.words).to.include('Your account is disabled')
        expect(isIn(browser)).to.equal(false)
      }
    }
    expect(await world.database('admin_identities').where({ subject: unlinked.sub })).to.deep.equal([])
  })

  it('creates one administrator for two simultaneous sign-ins', async () => {
    const person = someone(['staff'])
    provider.person = person
    const browsers = [stranger(), stranger(), stranger()]
    const answers: string[] = []
    for (const browser of browsers) answers.push(await provider.follow(await beginSignIn(browser)))
    await Promise.all(browsers.map((browser, index) => returnFromProvider(browser, answers[index] ?? '')))
    expect(browsers.map(isIn)).to.deep.equal([true, true, true])
    expect(await world.database('admins').where({ email: person['email'] })).to.have.length(1)
    expect(await actionsOf(person['email'])).to.deep.equal(['Example ID: admins.create'])
  })

  it('creates one administrator even if the two sign-ins reach different gateways', async () => {
    const gateways = await Promise.all([openAdmin(world), openAdmin(world), openAdmin(world)])
    try {
      for (let round = 0; round < 5; round++) {
        const input = {
          issuer: 'https://id.example',
          subject: `at-once-${round}`,
          email: `at-once-${round}@example.com`,
          isEmailVerified: false,
          role: 'reader',
        }
        const answers = await Promise.all(gateways.map((gateway) => gateway.ask('admins.sign-in', input)))
        expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200])
        expect(new Set(answers.map(({ json }) => json.data.id))).to.have.property('size', 1)
      }
    } finally {
      for (const gateway of gateways) await gateway.close()
    }
  })

  it('leads to the requested page of the dashboard, and never to another site', async () => {
    provider.person = someone(['berth-owners'])
    const browser = stranger()
    await browser.open('/dashboard/integrations/tokens/new')
    expect(browser.page.path).to.include('/sign-in?next=')
    await returnFromProvider(browser, await provider.follow(await beginSignIn(browser, browser.page.path)))
    expect(browser.page).to.include({ status: 200, path: '/dashboard/integrations/tokens/new' })
    const other = stranger()
    const address = await beginSignIn(other, '/dashboard/sign-in?next=https://evil.example/dashboard')
    await returnFromProvider(other, await provider.follow(address), false)
    expect(other.page.headers.get('Location')).to.equal('/dashboard')
  })

  it('sessions last twelve hours at most, because the provider may change the role', async () => {
    const browser = stranger()
    await signInWithProvider(provider, browser, someone(['staff']))
    const [session] = await world.database('sessions').orderBy('created_at', 'desc').limit(1)
    const lasts = Date.parse(session.expires_at) - Date.parse(session.created_at)
    expect(lasts).to.equal(12 * 3_600_000)
  })

  it('signing out also ends the session at the provider, if the provider has a sign-out page', async () => {
    const browser = stranger()
    await signInWithProvider(provider, browser, someone(['staff']))
    const secret = browser.cookies.get('berth_session') ?? ''
    await browser.open('/dashboard/sign-out')
    await browser.submit('Sign out')
    const [, address = ''] = /^0;url=(.+)$/.exec(browser.page.headers.get('Refresh') ?? '') ?? []
    const { origin, pathname, searchParams } = new URL(address)
    expect(origin + pathname).to.equal(`${provider.issuer}/session/end`)
    expect(searchParams.get('post_logout_redirect_uri')).to.equal(`${world.url}/dashboard/sign-in`)
    expect((await fetch(address)).status, 'known there').to.equal(200)
    expect(browser.cookies.has('berth_session')).to.equal(false)
    const thief = stranger()
    thief.cookies.set('berth_session', secret)
    expect((await thief.open('/dashboard')).path).to.include('/sign-in')
    const local = await createSignedIn(world, 'local@example.com')
    await local.open('/dashboard/sign-out')
    await local.submit('Sign out')
    expect(local.page.path, 'with a password it ends here').to.equal('/dashboard/sign-in')
    expect(local.words).to.include('You are signed out.')
  })

  it('lets owners disable a linked administrator, but not set the role', async () => {
    const person = someone(['staff'])
    await signInWithProvider(provider, stranger(), person)
    const { id } = await adminOf(person['email'])
    const owner = await createSignedIn(world, 'owner@example.com')
    await owner.open('/dashboard/settings/administrators')
    expect(owner.words).to.include(`${person['email']} Example ID Reader`)
    const path = `/dashboard/settings/administrators/${id}`
    await owner.open(path)
    expect(owner.words).to.include('They sign in with Example ID, which sets their role at each sign-in.')
    const _csrf = owner.form('Disable').controls.find(({ name }) => name === '_csrf')?.value ?? ''
    for (const _action of ['set-role', 'create-link']) {
      await owner.post(path, new URLSearchParams({ _action, _csrf, role: 'owner' }))
      expect(owner.page.status, _action).to.equal(409)
    }
    expect((await adminOf(person['email'])).role).to.equal('reader')
    await owner.open(path)
    await owner.submit('Disable')
    expect(owner.words).to.include('Disabled and signed out.')
  })
})
