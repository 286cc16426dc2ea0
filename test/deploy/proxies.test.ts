// The proxies of deploy/ before gateways: which paths nginx and the Ingress let through, what nginx logs, and that slow pages
// delay nothing else.
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
import { type Answered, askNginx, useNginx } from './nginx.ts'

const portOf = (url: string) => Number(new URL(url).port)
const SECRET = 'secret-of-an-address'
// Every answer of a gateway has this header.
const OF_GATEWAY = /^x-request-id:/im

const SOME_PUBLIC = [
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

/** A world that records the paths that its gateway declares. */
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

  // Kubernetes compares a prefix with whole segments of the path.
  const isLetThrough = (path: string) =>
    rules.some((rule) =>
      rule.pathType === 'Exact' ? rule.path === path : `${path}/`.startsWith(`${rule.path}/`),
    )

  it('lets through every public path of the gateway, and hides the paths for operators', async () => {
    const paths = await findPublicPaths(world)
    expect(paths).to.include.members(SOME_PUBLIC)
    expect(paths.filter((path) => !isLetThrough(path))).to.deep.equal([])
    expect(hiddenPaths.filter(isLetThrough)).to.deep.equal([])
  })

  it('has no rule for paths that no gateway declares', async () => {
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
  const nginx = useNginx(() => [portOf(world.url), portOf(world.url)])

  it('lets through every public path of the gateway', async () => {
    const paths = await findPublicPaths(world)
    expect(paths).to.include.members(SOME_PUBLIC)
    const stopped: string[] = []
    for (const path of paths) {
      const { head } = await askNginx(nginx, 'GET', fillParameters(path, '1'))
      if (!OF_GATEWAY.test(head)) stopped.push(path)
    }
    expect(stopped).to.deep.equal([])
  })

  it('hides the paths of operators, however they are written', async () => {
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
        expect([status, OF_GATEWAY.test(head)], path).to.deep.equal([404, false])
      }
      // nginx treats it as another path, and so does the gateway.
      for (const path of [`/%25${encoded.slice(1)}`, `/api${hidden}`, `/my${hidden}`]) {
        const { status, text } = await askNginx(nginx, 'GET', path)
        expect(status, path).to.be.oneOf([302, 401, 404])
        expect(text, path).to.not.include('berth_')
      }
    }
  })

  it('passes on the feed of a screen without delay', async () => {
    const bookable_id = await createBookable(world.database, { type: BOOKABLE_TYPES.meetingRoom })
    const { path } = await createScreen(world.database, { bookable_id })
    const ca = readFileSync(nginx.authority)
    const asked = get(`${nginx.url}${path}/feed`, { ca, agent: false })
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    // The answer stays open for hours.
    const [part] = await once(answer, 'data')
    asked.destroy()
    expect(answer.statusCode).to.equal(200)
    expect(String(part)).to.match(/^event: beat\n/)
  })

  it('logs no secret addresses and no e-mails', async () => {
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
  // Longer than every timeout in the file except those for answers.
  const HELD_MS = 7_000
  const world = useWorld({ environment: { RATE_LIMIT_PER_MINUTE: '1000000' } })
  const other = use(() => world.startGateway())
  const hops = use(async () => ({ all: [await startHop(world.url), await startHop(other.url)] }), {
    close: ({ all }) => all.map(({ stop }) => stop()),
  })
  const nginx = useNginx(() => hops.all.map(({ port }) => port) as [number, number])

  it('answers writes and other reads at once, and every slow page in the end', async () => {
    const { token } = await world.client()
    const { cookies } = await signInAs(world, await createUser(world.database))
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const pages = Array.from({ length: PAGES }, () => askNginx(nginx, 'GET', '/my', { cookie }))
    const answers: Answered[] = []
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
  // No gateway listens there any more.
  const down = use(async () => ({ port: await findFreePort() }))
  const nginx = useNginx(() => [down.port, portOf(world.url)])

  it('answers every read and write from the other gateway', async () => {
    const { token } = await world.client()
    const answers: Answered[] = []
    for (let number = 0; number < REQUESTS; number++) {
      const body = JSON.stringify(await createSlot(world))
      answers.push(await askNginx(nginx, 'POST', '/api/v1/bookings', { token, body }))
      answers.push(await askNginx(nginx, 'GET', '/api/v1/groups', { token }))
    }
    expect(answers.filter(({ status }) => status !== 200)).to.deep.equal([])
    expect(await world.database('bookings')).to.have.length(REQUESTS)
  })
})

type Hop = { port: number; held(): number; release(): void; stop(): void }

/** A proxy before a gateway that passes on requests at once, but holds back people's pages until they are released. */
async function startHop(url: string): Promise<Hop> {
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
