// Starts a real OpenID Connect provider on this machine, whose users need no password. It starts to listen
// before it knows its client, because provider and client need each other's URL.
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import type { Configuration, KoaContextWithOIDC, Provider } from 'oidc-provider'
import { use } from '../use.ts'
import type { Browser } from './dashboard.ts'

export type Person = { sub: string } & Record<string, unknown>

export const CLIENT_CREDENTIALS = { id: 'berth', secret: 'a-secret-of-the-client-that-is-nowhere-else' }

type TestProvider = {
  issuer: string
  /** The person who signs in next, in a browser without a session at the provider. */
  person: Person
  /** Claims of the ID token besides the subject. All other claims are available only at the userinfo endpoint. */
  tokenClaims: Record<string, unknown>
  /** Starts to serve the client at the given URL. */
  serve(url: string): Promise<void>
  /** Simulates an outage: the status of every response, or 0 to close each connection. */
  broken: number | undefined
  /** The number of requests that the provider has received. */
  asked: number
  /** Follows redirects like a browser until they lead back to the client, and returns the URL there. */
  follow(address: string): Promise<string>
  close(): Promise<void>
}

const privateKey = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey.export({ format: 'jwk' })

/** Returns the settings of a gateway that uses the provider. */
export function createProviderEnvironment({ issuer }: { issuer: string }): Record<string, string> {
  return {
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: CLIENT_CREDENTIALS.id,
    OIDC_CLIENT_SECRET: CLIENT_CREDENTIALS.secret,
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
      const configuration = createConfiguration(started, url)
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

// Adds a function of Node 22 that the provider needs and Node 20 lacks.
async function loadProvider(): Promise<typeof import('oidc-provider')> {
  if (!('parse' in URL))
    Object.defineProperty(URL, 'parse', {
      configurable: true,
      value: (text: string) => (URL.canParse(text) ? new URL(text) : null),
    })
  return withoutWarnings(() => import('oidc-provider'))
}

// The default page would load fonts from other hosts.
async function askToSignOut(ctx: KoaContextWithOIDC, form: string) {
  ctx.body = `<!doctype html><html lang="en"><title>Sign out</title>${form}
<button form="op.logoutForm" name="logout" value="yes">Yes, sign me out</button></html>`
}

/** Hides warnings that do not matter in tests: nothing is stored, and the Node version is not listed as supported. */
async function withoutWarnings<Result>(work: () => Promise<Result> | Result): Promise<Result> {
  const { warn } = console
  console.warn = () => undefined
  try {
    return await work()
  } finally {
    console.warn = warn
  }
}

function createConfiguration(started: TestProvider, url: string): Configuration {
  return {
    clients: [
      {
        client_id: CLIENT_CREDENTIALS.id,
        client_secret: CLIENT_CREDENTIALS.secret,
        redirect_uris: [`${url}/dashboard/sign-in/callback`, `${url}/my/sign-in/callback`],
        post_logout_redirect_uris: [`${url}/dashboard/sign-in`],
        response_types: ['code'],
        grant_types: ['authorization_code'],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified', 'groups', 'nested', 'picture'] },
    // Returns the person's current claims at each request.
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
    // Simulates a person who cancels at the provider.
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

/** Starts to sign in with a browser, and returns the URL at the provider. */
export async function beginSignIn(browser: Browser, path = '/dashboard/sign-in'): Promise<string> {
  await browser.open(path)
  await browser.submit('Sign in with Example ID')
  const [, address] = /^0;url=(.+)$/.exec(browser.page.headers.get('Refresh') ?? '') ?? []
  expect(browser.page.text, browser.words).to.include(`href="${address?.replaceAll('&', '&amp;')}"`)
  return address ?? expect.fail('It leads nowhere')
}

/** Returns the browser from the provider to the gateway, with the provider's response. */
export function returnFromProvider(browser: Browser, address: string, follow = true) {
  const { pathname, search } = new URL(address)
  return browser.open(pathname + search, { follow })
}

/** Signs in through the provider, from beginning to end. */
export async function signInWithProvider(provider: TestProvider, browser: Browser, person: Person) {
  provider.person = person
  return returnFromProvider(browser, await provider.follow(await beginSignIn(browser)))
}
