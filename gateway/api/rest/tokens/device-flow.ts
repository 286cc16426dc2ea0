// The endpoints of OAuth's device flow (RFC 8628): programs without a browser ask for a token here, in OAuth's format
// and with its errors. People approve on a page of the dashboard (gateway/web/admin/tokens/device.ts).
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import {
  createDeviceCode,
  createUserCode,
  DEVICE_CODE_SECONDS,
  DEVICE_GRANT,
  DEVICE_NAME_LENGTH_MAX,
  hashUserCode,
  POLL_SECONDS,
} from '../../../../shared/tokens/devices.ts'
import {
  generateToken,
  hashToken,
  PERSONAL_ABILITIES,
  PERSONAL_DAYS_DEFAULT,
} from '../../../../shared/tokens/token-store.ts'
import { formatInstant } from '../../../../shared/utilities/date-times.ts'
import { findNetwork } from '../../../auth/networks.ts'
import { createRateLimitRefusal, limitWrongGuesses } from '../../../overload/refusals.ts'
import { createTextBodyReader } from '../../../server/http/middleware/body.ts'
import type { PlainRoute } from '../../../server/http/router.ts'
import type { Context } from '../../../server/services/context.ts'
import type { Services } from '../../../server/services/services.ts'

export const DEVICE_PAGE_PATH = '/dashboard/device'

const BODY_BYTES_MAX = 8 * 1024
const STARTS_PER_MINUTE_MAX = 30
// Allows more polls than the interval requires, because network delays vary.
const POLLS_PER_MINUTE_MAX = (60 / POLL_SECONDS) * 1.5

const readText = createTextBodyReader(['application/x-www-form-urlencoded'], BODY_BYTES_MAX)

type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'unsupported_grant_type'
  | 'authorization_pending'
  | 'slow_down'
  | 'expired_token'
  | 'access_denied'

/** An expected failure of the device flow, in OAuth's error format. */
class OAuthFailure extends Error {
  readonly code: OAuthErrorCode

  constructor(code: OAuthErrorCode, description: string) {
    super(description)
    this.code = code
  }
}

type AnswerForm = (ctx: Context, services: Services, fields: URLSearchParams) => Promise<object>

const createFormRoute = (path: string, answer: AnswerForm): PlainRoute => ({
  method: 'POST',
  path,
  async handle(ctx, services) {
    ctx.set('Cache-Control', 'no-store')
    try {
      ctx.body = await answer(ctx, services, new URLSearchParams(await readText(ctx)))
    } catch (error) {
      if (!(error instanceof OAuthFailure)) throw error
      ctx.status = 400
      ctx.body = { error: error.code, error_description: error.message }
    }
  },
})

export const deviceRoutes: PlainRoute[] = [
  createFormRoute('/oauth/device_authorization', startAuthorization),
  createFormRoute('/oauth/token', answerToken),
  { path: '/.well-known/oauth-authorization-server', handle: describeServer },
]

// Returns the metadata of the authorization server (RFC 8414).
function describeServer(ctx: Context) {
  const { baseUrl } = ctx.state
  ctx.body = {
    issuer: baseUrl,
    device_authorization_endpoint: `${baseUrl}/oauth/device_authorization`,
    token_endpoint: `${baseUrl}/oauth/token`,
    token_endpoint_auth_methods_supported: ['none'],
    grant_types_supported: [DEVICE_GRANT],
    response_types_supported: [],
    scopes_supported: PERSONAL_ABILITIES,
    service_documentation: `${baseUrl}/api/docs`,
  }
}

async function startAuthorization(ctx: Context, { primary, rateLimiter }: Services, fields: URLSearchParams) {
  const allowance = await rateLimiter.take(`device:${findNetwork(ctx.ip)}`, STARTS_PER_MINUTE_MAX)
  if (!allowance.allowed) {
    const detail = message`Too many programs have requested a token from this address.`
    throw createRateLimitRefusal(detail, allowance.resetSeconds)
  }
  const clientId = readName(fields, 'client_id')
  if (clientId === undefined) throw new OAuthFailure('invalid_request', 'client_id is required.')
  const [deviceCode, userCode] = [createDeviceCode(), createUserCode()]
  const name = readName(fields, 'name') ?? null
  const values = [hashToken(deviceCode), hashUserCode(userCode), clientId, name, readScope(fields)]
  await primary.query({
    name: 'start-device-authorization',
    text: `
      INSERT INTO device_authorizations (device_code_hash, user_code_hash, client_id, device_name, abilities, expires_at)
      VALUES ($1, $2, $3, $4, $5, now() + make_interval(secs => ${DEVICE_CODE_SECONDS}))`,
    values,
  })
  const page = `${ctx.state.baseUrl}${DEVICE_PAGE_PATH}`
  return {
    device_code: deviceCode,
    user_code: userCode,
    verification_uri: page,
    verification_uri_complete: `${page}?user_code=${userCode}`,
    expires_in: DEVICE_CODE_SECONDS,
    interval: POLL_SECONDS,
  }
}

/** Reads a name from the form, or returns undefined if it is not given. The person who approves the program
 * reads the name, so it must be short and have no control characters. */
function readName(fields: URLSearchParams, field: string): string | undefined {
  const name = (fields.get(field) ?? '').replace(/\p{C}/gu, '').trim()
  return name === '' ? undefined : [...name].slice(0, DEVICE_NAME_LENGTH_MAX).join('')
}

function readScope(fields: URLSearchParams): string[] {
  const asked = (fields.get('scope') ?? '').split(' ').filter(Boolean)
  if (asked.some((each) => !PERSONAL_ABILITIES.some((ability) => ability === each)))
    throw new OAuthFailure('invalid_scope', `scope takes ${PERSONAL_ABILITIES.join(' and ')}.`)
  return PERSONAL_ABILITIES.filter((ability) => asked.length === 0 || asked.includes(ability))
}

type DeviceRequest = {
  clientId: string
  abilities: string[]
  isExpired: boolean
  isDecided: boolean
  isApproved: boolean
  adminId: number
  adminEmail: string
}

// Finds the request for a token. If the administrator who approved it has been disabled since, the approval does not
// count.
const FIND_DEVICE_REQUEST = `
  SELECT client_id AS "clientId", abilities, expires_at <= now() AS "isExpired", decided_at IS NOT NULL AS "isDecided",
    user_id IS NOT NULL AND admins.id IS NOT NULL AS "isApproved", admins.id AS "adminId", admins.email AS "adminEmail"
  FROM device_authorizations LEFT JOIN admins ON admins.id = admin_id AND admins.disabled_at IS NULL
  WHERE device_code_hash = $1`

async function answerToken(ctx: Context, services: Services, fields: URLSearchParams) {
  if (fields.get('grant_type') !== DEVICE_GRANT)
    throw new OAuthFailure('unsupported_grant_type', `grant_type must be ${DEVICE_GRANT}.`)
  const code = fields.get('device_code')
  if (!code) throw new OAuthFailure('invalid_request', 'device_code is required.')
  const hash = hashToken(code)
  const find = { name: 'find-device-authorization', text: FIND_DEVICE_REQUEST, values: [hash] }
  const [found] = (await services.primary.query<DeviceRequest>(find)).rows
  if (!found || found.clientId !== readName(fields, 'client_id')) throw await refuseUnknownCode(ctx, services)
  const key = `device-poll:${hash.toString('base64')}`
  if (!(await services.rateLimiter.take(key, POLLS_PER_MINUTE_MAX)).allowed)
    throw new OAuthFailure('slow_down', `Ask every ${POLL_SECONDS} seconds at most.`)
  if (found.isExpired) throw new OAuthFailure('expired_token', 'The code has expired.')
  if (!found.isDecided) throw new OAuthFailure('authorization_pending', 'Nobody has decided yet.')
  if (!found.isApproved) throw new OAuthFailure('access_denied', 'The program was denied access.')
  return redeemCode(ctx, services, hash, found)
}

async function refuseUnknownCode({ ip }: Context, services: Services): Promise<Error> {
  const unknown = new Refusal(
    'not_found',
    message`This code is unknown, has expired, or has already been used.`,
  )
  const tooMany = message`Too many requests with unknown codes from this address.`
  const refusal = await limitWrongGuesses(services, ip, unknown, tooMany)
  return refusal === unknown
    ? new OAuthFailure('invalid_grant', 'The code is unknown or has already been used.')
    : refusal
}

async function redeemCode(
  { state }: Context,
  { dispatcher }: Services,
  codeHash: Buffer,
  found: DeviceRequest,
) {
  const token = generateToken('berth_personal')
  const { adminId, adminEmail, abilities } = found
  const { requestId, baseUrl, receivedMs } = state
  const outcome = await dispatcher.dispatch(
    'devices.redeem',
    { device_code_hash: codeHash.toString('hex'), hash: hashToken(token).toString('hex') },
    {
      actor: { type: 'admin', id: adminId, name: adminEmail },
      requestId,
      baseUrl,
      receivedAt: formatInstant(receivedMs),
      idempotency: null,
    },
  )
  // Another request redeemed the code in the meantime, or the person was deactivated or erased.
  if (outcome.refused)
    throw new OAuthFailure('invalid_grant', 'The code is unknown or has already been used.')
  const scope = abilities.join(' ')
  return { access_token: token, token_type: 'Bearer', expires_in: PERSONAL_DAYS_DEFAULT * 86_400, scope }
}
