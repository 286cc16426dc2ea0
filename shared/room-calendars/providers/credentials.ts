// Access tokens of Microsoft 365 and Google Workspace, from the credentials of an application. Nothing of them is stored
// or logged.
import { constants, createHash, randomUUID, sign, X509Certificate } from 'node:crypto'
import { ProviderFault } from './provider.ts'
import {
  createFault,
  type FaultBody,
  type HttpAnswer,
  type HttpRequest,
  parseJson,
  readJson,
  type Send,
} from './requests.ts'

// A token that ends within this time counts as ended, so that it still holds when the request arrives.
const RENEW_BEFORE_MS = 120_000
const ASSERTION_SECONDS = 300
const GOOGLE_ASSERTION_SECONDS = 3_600

type AccessToken = { token: string; expiresAtMs: number }

export type MicrosoftCredentials = {
  tenant: string
  clientId: string
} & ({ clientSecret: string } | { certificate: string; privateKey: string })

/** The parts of a Google key file that Berth uses. */
export type GoogleCredentials = {
  clientEmail: string
  privateKey: string
  privateKeyId?: string
  /** The person or account in whose name the service account acts. */
  subject: string
}

/** Sends requests with an access token. */
export class AuthorizedClient {
  readonly #send: Send
  readonly #fetchToken: () => Promise<AccessToken>
  #current: AccessToken | undefined
  #fetching: Promise<AccessToken> | undefined

  constructor(send: Send, fetchToken: () => Promise<AccessToken>) {
    this.#send = send
    this.#fetchToken = fetchToken
  }

  /** Repeats a request once with a new token if the provider no longer accepts the current one. */
  async send(request: HttpRequest): Promise<HttpAnswer> {
    const used = await this.#getToken()
    const answer = await this.#sendWith(used, request)
    if (answer.status !== 401) return answer
    // Keeps the token if another request has renewed it in the meantime.
    if (this.#current === used) this.#current = undefined
    return this.#sendWith(await this.#getToken(), request)
  }

  /** Asks for a new token, and throws the fault if the provider gives none. */
  async renewToken(): Promise<void> {
    this.#current = undefined
    await this.#getToken()
  }

  #sendWith({ token }: AccessToken, request: HttpRequest): Promise<HttpAnswer> {
    return this.#send({ ...request, headers: { ...request.headers, Authorization: `Bearer ${token}` } })
  }

  /** Requests that need a token at the same time wait for the same one. */
  async #getToken(): Promise<AccessToken> {
    if (this.#current && this.#current.expiresAtMs - RENEW_BEFORE_MS > Date.now()) return this.#current
    this.#fetching ??= this.#fetchToken().finally(() => {
      this.#fetching = undefined
    })
    this.#current = await this.#fetching
    return this.#current
  }
}

const LOGIN_URL = 'https://login.microsoftonline.com'
const GOOGLE_TOKEN_URL = 'https://oauth2.googleapis.com/token'

/** Fetches a token with the client credentials grant. */
export function createMicrosoftTokens(
  send: Send,
  credentials: MicrosoftCredentials,
  { loginUrl = LOGIN_URL, graphUrl = 'https://graph.microsoft.com' } = {},
): () => Promise<AccessToken> {
  const url = `${loginUrl}/${encodeURIComponent(credentials.tenant)}/oauth2/v2.0/token`
  return () =>
    requestToken(send, url, {
      client_id: credentials.clientId,
      scope: `${graphUrl}/.default`,
      grant_type: 'client_credentials',
      ...('clientSecret' in credentials
        ? { client_secret: credentials.clientSecret }
        : {
            client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
            client_assertion: createCertificateAssertion(credentials, url),
          }),
    })
}

/** Fetches a token with a JWT of the service account, for the person in whose name it acts. */
export function createGoogleTokens(
  send: Send,
  { clientEmail, privateKey, privateKeyId, subject }: GoogleCredentials,
  scopes: string[],
  { tokenUrl = GOOGLE_TOKEN_URL } = {},
): () => Promise<AccessToken> {
  return () => {
    const seconds = Math.floor(Date.now() / 1_000)
    const assertion = createJwt(
      { alg: 'RS256', typ: 'JWT', ...(privateKeyId && { kid: privateKeyId }) },
      {
        iss: clientEmail,
        sub: subject,
        scope: scopes.join(' '),
        aud: tokenUrl,
        iat: seconds,
        exp: seconds + GOOGLE_ASSERTION_SECONDS,
      },
      privateKey,
    )
    return requestToken(send, tokenUrl, {
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion,
    })
  }
}

// Microsoft finds the certificate by its SHA-256 thumbprint and asks for PS256.
function createCertificateAssertion(
  { clientId, certificate, privateKey }: MicrosoftCredentials & { certificate: string; privateKey: string },
  audience: string,
): string {
  const seconds = Math.floor(Date.now() / 1_000)
  const thumbprint = createHash('sha256').update(new X509Certificate(certificate).raw).digest('base64url')
  return createJwt(
    { alg: 'PS256', typ: 'JWT', 'x5t#S256': thumbprint },
    {
      aud: audience,
      iss: clientId,
      sub: clientId,
      jti: randomUUID(),
      nbf: seconds,
      iat: seconds,
      exp: seconds + ASSERTION_SECONDS,
    },
    privateKey,
  )
}

function createJwt(
  header: { alg: 'RS256' | 'PS256' } & Record<string, string>,
  claims: Record<string, string | number>,
  privateKey: string,
): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const signed = `${encode(header)}.${encode(claims)}`
  const signature = sign('sha256', Buffer.from(signed), {
    key: privateKey,
    ...(header.alg === 'PS256' && {
      padding: constants.RSA_PKCS1_PSS_PADDING,
      saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
    }),
  })
  return `${signed}.${signature.toString('base64url')}`
}

async function requestToken(send: Send, url: string, form: Record<string, string>): Promise<AccessToken> {
  const request: HttpRequest = {
    method: 'POST',
    url,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/json' },
    body: new URLSearchParams(form).toString(),
  }
  const answer = await send(request)
  if (answer.status !== 200) throw createFault(request, answer, readTokenFault)
  const { access_token: token, expires_in: seconds } = readJson<{
    access_token?: string
    expires_in?: number
  }>(answer)
  if (!token) throw new ProviderFault('unavailable', 'The provider answered without an access token.')
  return { token, expiresAtMs: Date.now() + Number(seconds ?? 0) * 1_000 }
}

// RFC 6749: a client that is not accepted is answered with 400 or 401. `error_description` may repeat the client's id,
// and never its secret.
function readTokenFault({ status, text }: HttpAnswer): FaultBody {
  const body = (parseJson(text) ?? {}) as { error?: unknown; error_description?: unknown }
  const code = typeof body.error === 'string' ? body.error : undefined
  const isTemporary = code === 'temporarily_unavailable' || status === 429 || status >= 500
  return {
    isOfProvider: true,
    ...(code && { code }),
    ...(typeof body.error_description === 'string' && { text: body.error_description }),
    ...(!isTemporary && { kind: 'credentials_refused' }),
  }
}
