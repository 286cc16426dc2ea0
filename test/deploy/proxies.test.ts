// Tests the proxies of deploy/ in front of gateways: which paths nginx and the Ingress forward, what nginx logs, and
// that slow pages do not delay other requests.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request } from 'node:http'
import { get } from 'node:https'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { findFreePort } from '../../local/tools/ports.ts'
import { BOOKABLE_TYPES } from '../../shared/bookables/bookables.ts'
import { createBookable, createUser } from '../support/factories.ts'
import { createSlot } from '../support/faults/pipeline.ts'
import { signInAs } from '../support/people/person.ts'
import { createScreen } from '../support/screens/screens.ts'
import { eventually } from '../support/time.ts'
import { use } from '../support/use.ts'
import { useWorld, type World } from '../support/world.ts'
import { fillParameters, hiddenPaths, recordPublicPaths } from './declared-paths.ts'
import { manifests } from './files.ts'
import { type ApiAnswer, askNginx, useNginx } from './nginx.ts'

const getPort = (url: string) => Number(new URL(url).port)
const SECRET = 'secret-of-an-address'
// Every response of a gateway has this header, and no response of nginx does.
const GATEWAY_HEADER_PATTERN = /^x-request-id:/im

const PUBLIC_PATH_EXAMPLES = [
  '/',
  '/.well-known/oauth-authorization-server',
  '/api/docs',
  '/api/v1/bookings',
  '/dashboard/sign-in',
  '/mcp',
  '/my',
  '/my/sign-in',
  '/scim/v2/Users',
  '/screens/{secret}',
]

/** A world that records the paths that its gateway registers. */
function useRecordedWorld() {
  let find: ReturnType<typeof recordPublicPaths>
  const world = useWorld(() => {
    find = recordPublicPaths()
    return { workers: [] }
  })
  return { world, findPublicPaths: (of: World) => find(of) }
}

describe('the Ingress', () => {
  const { world, findPublicPaths } = useRecordedWorld()
  const rules = manifests
    .filter(({ kind }) => kind === 'Ingress')
    .flatMap(({ spec }) => spec.rules.flatMap(({ http }) => http.paths))

  // Kubernetes compares a prefix by whole path segments.
  const isLetThrough = (path: string) =>
    rules.some((rule) =>
      rule.pathType === 'Exact' ? rule.path === path : `${path}/`.startsWith(`${rule.path}/`),
    )

  it('forwards every public path of the gateway, and hides the paths for operators', async () => {
    const paths = await findPublicPaths(world)
    expect(paths).to.include.members(PUBLIC_PATH_EXAMPLES)
    expect(paths.filter((path) => !isLetThrough(path))).to.deep.equal([])
    expect(hiddenPaths.filter(isLetThrough)).to.deep.equal([])
  })

  it('has no rule for a path that the gateway does not serve', async () => {
    const paths = await findPublicPaths(world)
    const unused = rules.filter(
      ({ path: rule }) => !paths.some((path) => path === rule || path.startsWith(`${rule}/`)),
    )
    expect(unused).to.deep.equal([])
  })
})

describe('nginx before a gateway', function () {
  this.timeout(120_000)
  const { world, findPublicPaths } = useRecordedWorld()
  const nginx = useNginx(() => [getPort(world.url), getPort(world.url)])

  it('forwards every public path of the gateway', async () => {
    const paths = await findPublicPaths(world)
    expect(paths).to.include.members(PUBLIC_PATH_EXAMPLES)
    const stopped: string[] = []
    for (const path of paths) {
      const { head } = await askNginx(nginx, 'GET', fillParameters(path, '1'))
      if (!GATEWAY_HEADER_PATTERN.test(head)) stopped.push(path)
    }
    expect(stopped).to.deep.equal([])
  })

  it('hides the paths for operators in any spelling', async () => {
    expect(hiddenPaths).to.have.members(['/healthz', '/readyz', '/metrics'])
    for (const hidden of hiddenPaths) {
      const name = hidden.slice(1)
      const encoded = `%${name.charCodeAt(0).toString(16)}${name.slice(1)}`
      for (const path of [
        hidden,
        `${hidden}/`,
        `${hidden}?x`,
        `${hidden}%2f`,
        `/${hidden}`,
        hidden.toUpperCase(),
        `/${encoded}`,
        `/api/..${hidden}`,
        `/api/%2e%2e${hidden}/`,
        `/my/..${hidden}`,
        `/.${hidden}`,
        `http://127.0.0.1${hidden}`,
      ]) {
        const { status, head } = await askNginx(nginx, 'GET', path)
        expect([status, GATEWAY_HEADER_PATTERN.test(head)], path).to.deep.equal([404, false])
      }
      // Both nginx and the gateway treat these as different paths from `hidden`.
      for (const path of [`/%25${encoded.slice(1)}`, `/api${hidden}`, `/my${hidden}`]) {
        const { status, text } = await askNginx(nginx, 'GET', path)
        expect(status, path).to.be.oneOf([302, 401, 404])
        expect(text, path).to.not.include('berth_')
      }
    }
  })

  it('forwards the live updates of a screen without delay', async () => {
    const bookable_id = await createBookable(world.database, { type: BOOKABLE_TYPES.meetingRoom })
    const { path } = await createScreen(world.database, { bookable_id })
    const ca = readFileSync(nginx.authority)
    const asked = get(`${nginx.url}${path}/feed`, { ca, agent: false })
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    // The answer of this stream stays open for hours.
    const [part] = await once(answer, 'data')
    asked.destroy()
    expect(answer.statusCode).to.equal(200)
    expect(String(part)).to.match(/^event: beat\n/)
  })

  it('logs no secret URLs and no e-mail addresses', async () => {
    const secret = (await findPublicPaths(world)).filter((path) => /\{(secret|token|\w*email)\}/.test(path))
    expect(secret).to.include('/screens/{secret}/feed').and.include('/api/v1/calendars/{secret}.ics')
    const asked = [...secret.map((path) => fillParameters(path, SECRET)), `/my/sign-in/link?token=${SECRET}`]
    for (const path of asked) await askNginx(nginx, 'GET', path)
    await eventually(() => expect(nginx.readAccessLog()).to.include('/my/sign-in/link '))
    expect(nginx.readAccessLog()).to.include('/screens/').and.not.include(SECRET)
  })
})

describe('nginx before two gateways with slow pages', function () {
  this.timeout(120_000)
  const PAGES = 20
  // Longer than every timeout in the nginx configuration except those for responses.
  const HELD_MS = 7_000
  const world = useWorld({ environment: { RATE_LIMIT_PER_MINUTE: '1000000' } })
  const other = use(() => world.startGateway())
  const hops = use(
    async () => ({ all: [await startHoldingProxy(world.url), await startHoldingProxy(other.url)] }),
    {
      close: ({ all }) => all.map(({ stop }) => stop()),
    },
  )
  const nginx = useNginx(() => hops.all.map(({ port }) => port) as [number, number])

  it('answers other requests immediately, and all slow pages in the end', async () => {
    const { token } = await world.client()
    const { cookies } = await signInAs(world, await createUser(world.database))
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const pages = Array.from({ length: PAGES }, () => askNginx(nginx, 'GET', '/my', { cookie }))
    const answers: ApiAnswer[] = []
    await eventually(() => expect(countHeld()).to.equal(PAGES))
    for (const untilMs = Date.now() + HELD_MS; Date.now() < untilMs || answers.length < 4; ) {
      const body = JSON.stringify(await createSlot(world))
      answers.push(await askNginx(nginx, 'POST', '/api/v1/bookings', { token, body }))
      answers.push(await askNginx(nginx, 'GET', '/api/v1/groups', { token }))
    }
    expect(answers.filter(({ status }) => status !== 200)).to.deep.equal([])
    expect(countHeld(), 'asked of one gateway, and waiting there').to.equal(PAGES)
    for (const { release } of hops.all) release()
    expect((await Promise.all(pages)).filter(({ status }) => status !== 200)).to.deep.equal([])
  })

  const countHeld = () => hops.all.reduce((sum, { held }) => sum + held(), 0)
})

describe('nginx before two gateways, one of which is down', function () {
  this.timeout(120_000)
  const REQUESTS = 20
  const world = useWorld()
  // A port at which no gateway listens.
  const down = use(async () => ({ port: await findFreePort() }))
  const nginx = useNginx(() => [down.port, getPort(world.url)])

  it('answers every read and write with the gateway that is up', async () => {
    const { token } = await world.client()
    const answers: ApiAnswer[] = []
    for (let number = 0; number < REQUESTS; number++) {
      const body = JSON.stringify(await createSlot(world))
      answers.push(await askNginx(nginx, 'POST', '/api/v1/bookings', { token, body }))
      answers.push(await askNginx(nginx, 'GET', '/api/v1/groups', { token }))
    }
    expect(answers.filter(({ status }) => status !== 200)).to.deep.equal([])
    expect(await world.database('bookings')).to.have.length(REQUESTS)
  })
})

type HoldingProxy = { port: number; held(): number; release(): void; stop(): void }

/** Starts a proxy that forwards requests to a gateway immediately, but holds back requests for people's own
 * pages until the test releases them. / */
async function startHoldingProxy(url: string): Promise<HoldingProxy> {
  let held = 0
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const server = createServer(async (asked, answer) => {
    if (asked.url?.startsWith('/my')) {
      held++
      await released
    }
    const { method, headers } = asked
    const passed = request(url + asked.url, { method, headers, agent: false }, (got) => {
      answer.writeHead(got.statusCode ?? 0, got.headers)
      got.pipe(answer)
    })
    passed.on('error', () => answer.destroy())
    asked.pipe(passed)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    held: () => held,
    release,
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}
