// Tests how owners manage administrators: invitations by link, roles, new passwords and disabling. One owner
// always remains.
import { expect } from 'chai'
import { Browser, createSignedIn, PASSWORD } from '../../../../support/dashboard/dashboard.ts'
import { expectHarmless } from '../../../../support/dashboard/hostile-texts.ts'
import { useWorld } from '../../../../support/world.ts'

const OTHER_PASSWORD = 'another long password'

describe('the administrators of a Berth installation', () => {
  const world = useWorld({ each: true, workers: ['writes'] })
  let owner: Browser
  beforeEach(async () => {
    owner = await createSignedIn(world, 'owner@example.com')
  })

  const linkOf = ({ page }: Browser) =>
    /<code id="link">([^<]+)</.exec(page.text)?.[1]?.replaceAll('&amp;', '&') ??
    expect.fail('No link is shown')
  async function invite(email: string, role = 'front-desk'): Promise<string> {
    await owner.open('/dashboard/settings/administrators/new')
    await owner.submit('Create link', { email, role })
    return linkOf(owner)
  }
  async function follow(link: string): Promise<Browser> {
    const browser = new Browser(world.url)
    const { pathname, search } = new URL(link)
    await browser.open(pathname + search)
    return browser
  }
  async function choose(link: string, password = PASSWORD): Promise<Browser> {
    const browser = await follow(link)
    await browser.submit('Save password', { password, repeated: password })
    return browser
  }
  async function open(email: string): Promise<number> {
    const { id } = await world.database('admins').where({ email }).first('id')
    await owner.open(`/dashboard/settings/administrators/${id}`)
    return Number(id)
  }

  it('choose a password with their invitation link, once, and are then signed in', async () => {
    const link = await invite('desk@example.com')
    expect(link).to.match(new RegExp(`^${world.url}/dashboard/password\\?token=[\\w-]{43}$`))
    expect(JSON.stringify(await world.database('admin_links'))).to.not.include(link.slice(-43))
    const signIn = await new Browser(world.url).signIn('desk@example.com', '')
    expect(signIn.status, 'no password yet').to.not.equal(200)
    const colleague = await choose(link)
    expect(colleague.words).to.include('Your password is saved.').and.include('desk@example.com')
    expect((await colleague.open('/dashboard/audit-log')).status).to.equal(403)
    expect((await colleague.open('/dashboard/bookings')).status).to.equal(200)
    expect((await follow(link)).page.status, 'a second time').to.equal(404)
    const again = new Browser(world.url)
    await again.signIn('desk@example.com')
    expect(again.cookies.has('berth_session')).to.equal(true)
    const entries = await world.database('audit_log').where({ action: 'admins.invite' })
    expect(entries).to.have.length(1)
    expect(JSON.stringify(entries)).to.include('front-desk').and.not.include('scrypt')
  })

  it('are invited once; a second invitation shows an error', async () => {
    await invite('desk@example.com')
    await owner.open('/dashboard/settings/administrators/new')
    await owner.submit('Create link', { email: 'DESK@example.com', role: 'reader' })
    expect(owner.page.status).to.equal(422)
    expect(owner.words).to.include('An administrator with this e-mail already exists.')
    await owner.open('/dashboard/settings/administrators')
    expect(owner.words).to.include('desk@example.com link sent Front desk').and.include('you')
  })

  it('cannot use a link that is too old, wrong, or for a disabled administrator', async () => {
    const link = await invite('desk@example.com')
    await world.database('admin_links').update({ expires_at: new Date(Date.now() - 1000) })
    expect((await follow(link)).page.status).to.equal(404)
    for (const token of ['', 'x', 'A'.repeat(43)])
      expect((await follow(`${world.url}/dashboard/password?token=${token}`)).page.status, token).to.equal(
        404,
      )
    await open('desk@example.com')
    await owner.submit('Create link')
    const other = linkOf(owner)
    await world.database('admins').where({ email: 'desk@example.com' }).update({ disabled_at: new Date() })
    expect((await follow(other)).page.status).to.equal(404)
  })

  it('choose a new password with a link, which ends their sessions and older links', async () => {
    const first = await choose(await invite('desk@example.com'))
    await open('desk@example.com')
    await owner.submit('Create link')
    const older = linkOf(owner)
    await open('desk@example.com')
    await owner.submit('Create link')
    const link = linkOf(owner)
    expect((await follow(older)).page.status).to.equal(404)
    expect((await first.open('/dashboard')).path, 'until it is used').to.equal('/dashboard')
    await choose(link, OTHER_PASSWORD)
    expect((await first.open('/dashboard')).path).to.include('/sign-in')
    const old = new Browser(world.url)
    await old.signIn('desk@example.com', PASSWORD)
    expect(old.cookies.has('berth_session')).to.equal(false)
    await old.signIn('desk@example.com', OTHER_PASSWORD)
    expect(old.cookies.has('berth_session')).to.equal(true)
  })

  it('are signed out immediately when they are disabled, and all of their links stop working', async () => {
    const colleague = await choose(await invite('desk@example.com'))
    await open('desk@example.com')
    await owner.submit('Create link')
    const link = linkOf(owner)
    await open('desk@example.com')
    await owner.submit('Disable')
    expect(owner.words).to.include('Disabled and signed out.')
    expect((await colleague.open('/dashboard')).path).to.include('/sign-in')
    expect((await follow(link)).page.status).to.equal(404)
    await owner.submit('Enable')
    expect((await follow(link)).page.status, 'it is gone').to.equal(404)
    const again = new Browser(world.url)
    await again.signIn('desk@example.com')
    expect(again.cookies.has('berth_session')).to.equal(true)
  })

  it('always include an owner who is able to sign in', async () => {
    await open('owner@example.com')
    await owner.submit('Save role', { role: 'reader' })
    expect(owner.page.status).to.equal(409)
    expect(owner.words).to.include('This is the only owner. Make somebody else an owner first.')
    await owner.submit('Disable')
    expect(owner.page.status).to.equal(409)
    const second = await choose(await invite('second@example.com', 'owner'))
    const [first, other] = [await open('owner@example.com'), await open('second@example.com')]
    // Two owners make each other a reader at the same moment.
    await second.open(`/dashboard/settings/administrators/${first}`)
    await Promise.all([
      owner.submit('Save role', { role: 'reader' }, { follow: false }),
      second.submit('Save role', { role: 'reader' }, { follow: false }),
    ])
    const owners = await world.database('admins').where({ role: 'owner' }).select('id')
    expect(owners, `of ${first} and ${other}`).to.have.length(1)
  })

  it('are shown only to owners', async () => {
    const colleague = await choose(await invite('admin@example.com', 'administrator'))
    const id = await open('admin@example.com')
    for (const path of ['', '/new', `/${id}`])
      expect((await colleague.open(`/dashboard/settings/administrators${path}`)).status, path).to.equal(403)
    expect((await colleague.open('/dashboard/settings')).text).to.not.include('/settings/administrators')
    expectHarmless(owner.page.text, 'admin@example.com')
  })
})
