// Tests redirects of browsers to pages: from the root URL, and from the picture of a booking's place.
import { expect } from 'chai'
import { Browser, createSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { createBooking, createUser, hoursFromNow } from '../../../../support/factories.ts'
import { signInAs } from '../../../../support/people/person.ts'
import { useWorld } from '../../../../support/world.ts'

const BROWSER = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

describe('a browser that opens API URLs', () => {
  const world = useWorld({ workers: [] })

  const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(world.url + path, { method, headers, redirect: 'manual' })

  it('is redirected from / to people’s own pages, unlike a program', async () => {
    const { status, headers } = await ask('/', BROWSER)
    expect([status, headers.get('Location')]).to.deep.equal([302, '/my/start'])
    expect(headers.get('Vary')).to.include('Accept')
  })

  it('is redirected to the pages to which the user is signed in, or to people’s sign-in', async () => {
    const admin = await createSignedIn(world)
    const person = await signInAs(world, await createUser(world.database))
    for (const [browser, path] of [
      [admin, '/dashboard'],
      [person, '/my'],
      [new Browser(world.url), '/my/sign-in'],
    ] as const) {
      await browser.open('/')
      expect(browser.page.path).to.equal(path)
    }
  })

  it('is redirected from the root of the API to the documentation, like programs', async () => {
    const program = { Accept: '*/*' }
    for (const [path, sent] of [
      ['/api', BROWSER],
      ['/api/', program],
      ['/', program],
      ['/', { Accept: 'application/json' }],
    ] as const)
      for (const method of ['GET', 'HEAD']) {
        const { status, headers } = await ask(path, sent, method)
        expect([status, headers.get('Location')], `${method} ${path}`).to.deep.equal([302, '/api/docs'])
      }
    const { headers } = await ask('/', program)
    expect(headers.get('Vary')).to.include('Accept')
    for (const path of ['/', '/api']) {
      const posted = await ask(path, program, 'POST')
      expect([posted.status, posted.headers.get('Allow')]).to.deep.equal([405, 'HEAD, GET, OPTIONS'])
    }
    expect((await ask('/api/docs')).status).to.equal(200)
  })

  it('is redirected from a live map to the dashboard’s map, whether the booking exists or not', async () => {
    const booking = await createBooking(world.database, { from: hoursFromNow(1), to: hoursFromNow(2) })
    for (const id of [booking, 999_999]) {
      const { status, headers } = await ask(`/api/v1/bookings/${id}/livemap`, BROWSER)
      expect([status, headers.get('Location')]).to.deep.equal([302, `/dashboard/map?booking=${id}`])
      expect(headers.get('Vary')).to.include('Accept')
    }
  })

  it('is redirected from the URLs that pages had in earlier releases', async () => {
    for (const [old, present] of [
      ['/settings/tokens/new', '/integrations/tokens/new'],
      ['/settings/webhooks/7?page=2', '/integrations/webhooks/7?page=2'],
      ['/api?endpoint=listBookings', '/integrations?endpoint=listBookings'],
    ]) {
      const { status, headers } = await ask(`/dashboard${old}`, BROWSER)
      expect([status, headers.get('Location')]).to.deep.equal([302, `/dashboard${present}`])
    }
    expect((await ask('/dashboard/api-of-old', BROWSER)).headers.get('Location')).to.equal(null)
  })

  it('gets the same response as a program if it sends a token or accepts other types', async () => {
    const { token } = await world.client()
    const livemap = '/api/v1/bookings/999999/livemap'
    expect((await ask(livemap, { ...BROWSER, Authorization: `Bearer ${token}` })).status).to.equal(404)
    expect((await ask(livemap, { ...BROWSER, Authorization: 'Bearer x' })).status).to.equal(401)
    expect((await ask(livemap, { Accept: 'image/svg+xml,*/*' })).status).to.equal(401)
    expect((await ask(livemap)).status).to.equal(401)
    expect((await ask(livemap, BROWSER, 'POST')).status).to.equal(405)
    expect((await ask('/api/v1/bookings/x/livemap', BROWSER)).status).to.equal(401)
  })
})
