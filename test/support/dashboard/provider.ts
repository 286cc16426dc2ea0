// A real provider of OpenID Connect on this machine, with people who need no password of it. It begins to listen before it knows
// who asks it, because both name each other's address.
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import type { Configuration, KoaContextWithOIDC, Provider } from 'oidc-provider'
import { use } from '../use.ts'
import type { Browser } from './dashboard.ts'

export type Person = { sub: string } & Record<string, unknown>

export const CLIENT = { id: 'berth', secret: 'a-secret-of-the-client-that-is-nowhere-else' }

type TestProvider = {
  issuer: string
  /** Whoever signs in next, in a browser without a session there. */
  person: Person
  /** What the ID token says beside who it is. All else is said at the userinfo endpoint only. */
  tokenClaims: Record<string, unknown>
  /** The client's addresses. */
  serve(url: string): Promise<void>
  /** Answers as if it was broken: the status of everything; 0 ends each connection. */
  broken: number | undefined
  /** How often anything was asked of it. */
  asked: number
  /** Goes there as a browser does, until it is sent back to the client; returns where to. */
  follow(address: string): Promise<string>
  close(): Promise<void>
}

const privateKey = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey.export({ format: 'jwk' })

/** For the settings of a gateway. */
export function providerEnvironment({ issuer }: { issuer: string }): Record<string, string> {
  return {
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: CLIENT.id,
    OIDC_CLIENT_SECRET: CLIENT.secret,
    OIDC_ROLES: 'berth-owners=owner, berth-admins=administrator, desk=front-desk, staff=reader',
    OIDC_LABEL: 'Example ID',
  }
}

export function useProvider(): TestProvider {
  return use(() => startProvider(), { close: (provider) => provider.close() })
}

async function startProvider(): Promise<TestProvider> {
  let answer: ((request: IncomingMessage, response: ServerResponse) => void) | undefined
  const server = createServer((request, response) => {
    started.asked++
    if (started.broken === 0) return void response.destroy()
    if (started.broken !== undefined) return void response.writeHead(started.broken).end()
    answer?.(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { Provider: Implementation } = await loadProvider()
  const started: TestProvider = {
    issuer,
    person: { sub: 'nobody' },
    tokenClaims: {},
    broken: undefined,
    asked: 0,
    async serve(url) {
      const configuration = configurationOf(started, url)
      const provider = await withoutWarnings(() => new Implementation(issuer, configuration))
      answer = answerOf(provider, started)
    },
    follow: (address) => followThrough(address, issuer),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return started
}

// It asks for a function of Node 22, and for nothing else that Node 20 lacks.
async function loadProvider(): Promise<typeof import('oidc-provider')> {
  if (!('parse' in URL))
    Object.defineProperty(URL, 'parse', {
      configurable: true,
      value: (text: string) => (URL.canParse(text) ? new URL(text) : null),
    })
  return withoutWarnings(() => import('oidc-provider'))
}

// Its own page asks other hosts for its letters.
async function askToSignOut(ctx: KoaContextWithOIDC, form: string) {
  ctx.body = `<!doctype html><html lang="en"><title>Sign out</title>${form}
<button form="op.logoutForm" name="logout" value="yes">Yes, sign me out</button></html>`
}

/** It warns of what is right here: it keeps nothing, and runs on a Node that it does not know. */
async function withoutWarnings<Result>(work: () => Promise<Result> | Result): Promise<Result> {
  const { warn } = console
  console.warn = () => undefined
  try {
    return await work()
  } finally {
    console.warn = warn
  }
}

function configurationOf(started: TestProvider, url: string): Configuration {
  return {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [`${url}/dashboard/sign-in/callback`, `${url}/my/sign-in/callback`],
        post_logout_redirect_uris: [`${url}/dashboard/sign-in`],
        response_types: ['code'],
        grant_types: ['authorization_code'],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified', 'groups', 'nested'] },
    // What it says of somebody is what they are now, whenever it is asked.
    findAccount: (_ctx, sub) => ({
      accountId: sub,
      claims: (use) => ({
        ...(use === 'id_token' ? started.tokenClaims : started.person),
        sub,
      }),
    }),
    conformIdTokenClaims: false,
    cookies: { keys: [randomBytes(16).toString('hex')] },
    jwks: { keys: [{ ...privateKey, kid: 'test', use: 'sig' }] },
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: { logoutSource: askToSignOut },
    },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    async loadExistingGrant({ oidc }) {
      const { provider, client, session } = oidc
      const grant = new provider.Grant({ clientId: client?.clientId, accountId: session?.accountId })
      grant.addOIDCScope('openid email')
      await grant.save()
      return grant
    },
    pkce: { required: () => true },
    ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
  }
}

function answerOf(provider: Provider, started: TestProvider) {
  const usual = provider.callback()
  return async (request: IncomingMessage, response: ServerResponse) => {
    if (!request.url?.startsWith('/interaction/')) return usual(request, response)
    // Somebody who presses Cancel there.
    const result = started.person['cancels']
      ? { error: 'access_denied', error_description: 'They pressed Cancel' }
      : { login: { accountId: started.person.sub } }
    await provider.interactionFinished(request, response, result)
  }
}

async function followThrough(address: string, issuer: string): Promise<string> {
  const cookies = new Map<string, string>()
  let next = address
  for (let step = 0; step < 10; step++) {
    const response = await fetch(next, {
      redirect: 'manual',
      headers: { Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      cookies.set(name, value)
    }
    const to = response.headers.get('Location')
    expect(to, `${response.status} ${await response.text()}`).to.be.a('string')
    next = new URL(to ?? '', next).href
    if (!next.startsWith(issuer)) return next
  }
  throw new Error(`The provider leads nowhere: ${next}`)
}

/** Begins in this browser, as a person does; returns where it is sent. */
export async function beginSignIn(browser: Browser, path = '/dashboard/sign-in'): Promise<string> {
  await browser.open(path)
  await browser.submit('Sign in with Example ID')
  const [, address] = /^0;url=(.+)$/.exec(browser.page.headers.get('Refresh') ?? '') ?? []
  expect(browser.page.text, browser.words).to.include(`href="${address?.replaceAll('&', '&amp;')}"`)
  return address ?? expect.fail('It leads nowhere')
}

/** Comes back with an answer. */
export function comeBack(browser: Browser, address: string, follow = true) {
  const { pathname, search } = new URL(address)
  return browser.open(pathname + search, { follow })
}

/** All of it. */
export async function signInThrough(provider: TestProvider, browser: Browser, person: Person) {
  provider.person = person
  return comeBack(browser, await provider.follow(await beginSignIn(browser)))
}
