// Tests the limits on how many pages one person, administrator or screen may load, so that the gateway still
// answers others.
import { expect } from 'chai'
import { type Browser, createSignedIn } from '../../support/dashboard/dashboard.ts'
import { createBookable, createUser } from '../../support/factories.ts'
import { parseMetrics, sumMetrics } from '../../support/figures.ts'
import { holdStatements } from '../../support/gate.ts'
import { signInAs } from '../../support/people/person.ts'
import { createScreen, followScreen } from '../../support/screens/screens.ts'
import { eventually } from '../../support/time.ts'
import { useWorld, type World } from '../../support/world.ts'

async function readMetrics({ url }: World) {
  const figures = parseMetrics(await (await fetch(`${url}/metrics`)).text())
  return {
    underWay: (kind: string) => sumMetrics(figures, 'berth_under_way', { kind }),
    waiting: (kind: string) => sumMetrics(figures, 'berth_waiting', { kind }),
    refused: (reason: string) => sumMetrics(figures, 'berth_refusals_total', { reason }),
    limited: (limit: string) => sumMetrics(figures, 'berth_rate_limit_refusals_total', { limit }),
  }
}

const formatCookies = ({ cookies }: Browser) => [...cookies].map((each) => each.join('=')).join('; ')
const GREEDY_REQUEST_COUNT = 12
const TIMES = { from_time: '2040-01-01T09:00', to_time: '2040-01-01T10:00' }

describe('pages that are loaded many times simultaneously', () => {
  const world = useWorld({ workers: [] })

  async function expectShare(
    { kind, pool, own, done = 200 }: { kind: string; pool: string; own: number; done?: number },
    greedy: () => Promise<Response>,
    other: () => Promise<Response>,
  ) {
    const reason = kind === 'screens' ? 'screens_overload' : 'pages_overload'
    const refusedBefore = (await readMetrics(world)).refused(reason)
    const openGate = holdStatements(pool)
    try {
      const asked = Array.from({ length: GREEDY_REQUEST_COUNT }, greedy)
      await eventually(async () => {
        const { waiting, refused } = await readMetrics(world)
        expect(waiting(kind) + refused(reason) - refusedBefore).to.equal(GREEDY_REQUEST_COUNT - own)
      })
      expect((await readMetrics(world)).underWay(kind)).to.equal(own)
      const beside = other()
      await eventually(async () => expect((await readMetrics(world)).underWay(kind)).to.equal(own + 1))
      openGate()
      expect((await beside).status).to.equal(done)
      const statuses = (await Promise.all(asked)).map(({ status }) => status)
      expect(statuses.filter((status) => status === done).length).to.be.at.least(own)
      expect(statuses.filter((status) => ![done, 503].includes(status))).to.deep.equal([])
    } finally {
      openGate()
    }
  }

  it('load two at a time for one person, while pages of other people still load', async () => {
    const people = [await createUser(world.database), await createUser(world.database)]
    const [one, other] = await Promise.all(people.map((id) => signInAs(world, id)))
    const ask = (browser: Browser | undefined, path: string) => () =>
      fetch(world.url + path, { headers: { Cookie: browser ? formatCookies(browser) : '' } })
    const share = { kind: 'people', pool: 'berth-people', own: 2 }
    await expectShare(share, ask(one, '/my/people'), ask(other, '/my/book'))
  })

  it('perform two actions at a time for one person, while actions of other people still run', async () => {
    const people = [await createUser(world.database), await createUser(world.database)]
    const [one, other] = await Promise.all(people.map((id) => signInAs(world, id)))
    for (const browser of [one, other]) await browser?.open('/my/me')
    // The action reads the booking and is then refused without a write, because there is no such booking.
    const press = (browser: Browser | undefined) => () => {
      const token = /name="_csrf" value="([^"]+)"/.exec(browser?.page.text ?? '')?.[1] ?? ''
      return fetch(`${world.url}/my/bookings/1`, {
        method: 'POST',
        headers: { Cookie: browser ? formatCookies(browser) : '', 'Sec-Fetch-Site': 'same-origin' },
        body: new URLSearchParams({ _csrf: token, _action: 'change-time', ...TIMES }),
      })
    }
    const share = { kind: 'people_actions', pool: 'berth-people', own: 2, done: 404 }
    await expectShare(share, press(one), press(other))
  })

  it('load four at a time for one administrator, while pages of others still load', async () => {
    const one = await createSignedIn(world, 'one@example.com')
    const other = await createSignedIn(world, 'other@example.com')
    const ask = (browser: Browser) => () =>
      fetch(`${world.url}/dashboard/bookings`, { headers: { Cookie: formatCookies(browser) } })
    await expectShare({ kind: 'dashboard', pool: 'berth-gateway', own: 4 }, ask(one), ask(other))
  })

  it('load two at a time for one screen, while pages of other screens still load', async () => {
    const { database, url } = world
    const bookable_id = await createBookable(database, { type: 2 })
    const [one, other] = [
      await createScreen(database, { bookable_id }),
      await createScreen(database, { bookable_id }),
    ]
    const ask =
      ({ path }: { path: string }) =>
      () =>
        fetch(url + path)
    await expectShare({ kind: 'screens', pool: 'berth-screens', own: 2 }, ask(one), ask(other))
  })
})

describe('the limit of page requests per minute', () => {
  const LIMIT = 5
  const world = useWorld({ workers: [], environment: { PAGE_LIMIT_PER_MINUTE: String(LIMIT) } })

  async function expectLimit(browser: Browser, other: Browser, path: string) {
    const statuses: number[] = []
    for (let count = 0; count <= LIMIT; count++) statuses.push((await browser.open(path)).status)
    expect(statuses.at(-1)).to.equal(429)
    expect(browser.page.headers.get('Retry-After')).to.match(/^\d+$/)
    expect(browser.words).to.include('Too many requests for these pages.')
    expect((await other.open(path)).status).to.equal(200)
  }

  it('counts the requests of each person and each administrator separately', async () => {
    const one = await signInAs(world, await createUser(world.database))
    const other = await signInAs(world, await createUser(world.database))
    await expectLimit(one, other, '/my/waits')
    const admins = [
      await createSignedIn(world, 'one@example.com'),
      await createSignedIn(world, 'other@example.com'),
    ] as const
    await expectLimit(...admins, '/dashboard/bookings')
    expect((await readMetrics(world)).limited('pages')).to.be.at.least(2)
  })
})

describe('the limits of a screen', () => {
  const world = useWorld({ workers: [] })

  it('allow four open feeds and 240 requests per minute for each screen', async () => {
    const { database, url } = world
    const bookable_id = await createBookable(database, { type: 2 })
    const [one, other] = [
      await createScreen(database, { bookable_id }),
      await createScreen(database, { bookable_id }),
    ]
    const feeds = []
    for (let count = 0; count < 6; count++) feeds.push(await followScreen(url, one.path))
    feeds.push(await followScreen(url, other.path))
    try {
      expect(feeds.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200, 503, 503, 200])
      const { refused } = await readMetrics(world)
      expect(refused('screens_overload')).to.equal(2)
      const statuses: number[] = []
      for (let count = 0; count < 240; count++)
        statuses.push((await fetch(url + one.path, { method: 'HEAD' })).status)
      expect(statuses.at(-1)).to.equal(429)
      expect((await fetch(url + other.path)).status).to.equal(200)
      expect((await readMetrics(world)).limited('screen')).to.be.at.least(1)
    } finally {
      for (const feed of feeds) feed.close()
    }
  })
})
