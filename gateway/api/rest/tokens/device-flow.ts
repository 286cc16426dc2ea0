// The device flow over HTTP (RFC 8628): programs without a browser ask for a token here, in OAuth's form and with its
// errors. Approving is a page of the dashboard (gateway/web/admin/tokens/device.ts).
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import {
  createDeviceCode,
  createUserCode,
  DEVICE_CODE_SECONDS,
  DEVICE_GRANT,
  DEVICE_NAME_MAX,
  hashUserCode,
  POLL_SECONDS,
} from '../../../../shared/tokens/devices.ts'
import {
  generateToken,
  hashToken,
  PERSONAL_ABILITIES,
  PERSONAL_DAYS,
} from '../../../../shared/tokens/token-store.ts'
import { instantOf } from '../../../../shared/utilities/date-times.ts'
import { networkOf } from '../../../auth/networks.ts'
import { rateLimited, refuseWrongGuess } from '../../../overload/refusals.ts'
import { textBody } from '../../../server/http/middleware/body.ts'
import type { PlainRoute } from '../../../server/http/router.ts'
import type { Context } from '../../../server/services/context.ts'
import type { Services } from '../../../server/services/services.ts'

export const DEVICE_PAGE = '/dashboard/device'

const BODY_BYTES_MAX = 8 * 1024
const STARTED_PER_MINUTE = 30
// Tolerates more than the interval, because network delays vary.
const POLLS_PER_MINUTE = (60 / POLL_SECONDS) * 1.5

const readText = textBody(['application/x-www-form-urlencoded'], BODY_BYTES_MAX)

type ErrorCode =
  | 'invalid_request'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'unsupported_grant_type'
  | 'authorization_pending'
  | 'slow_down'
  | 'expired_token'
  | 'access_denied'

/** An expected failure, in OAuth's error format. */
class OAuthFailure extends Error {
  readonly code: ErrorCode

  constructor(code: ErrorCode, description: string) {
    super(description)
    this.code = code
  }
}

type Answers = (ctx: Context, services: Services, fields: URLSearchParams) => Promise<object>

const posted = (path: string, answer: Answers): PlainRoute => ({
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
  posted('/oauth/device_authorization', startAuthorization),
  posted('/oauth/token', answerToken),
  { path: '/.well-known/oauth-authorization-server', handle: describeServer },
]

// RFC 8414.
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
  const allowance = await rateLimiter.take(`device:${networkOf(ctx.ip)}`, STARTED_PER_MINUTE)
  if (!allowance.allowed) {
    const detail = message`Too many programs have asked for a token from this address.`
    throw rateLimited(detail, allowance.resetSeconds)
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
  const page = `${ctx.state.baseUrl}${DEVICE_PAGE}`
  return {
    device_code: deviceCode,
    user_code: userCode,
    verification_uri: page,
    verification_uri_complete: `${page}?user_code=${userCode}`,
    expires_in: DEVICE_CODE_SECONDS,
    interval: POLL_SECONDS,
  }
}

/** Undefined if it is not given. People read it before they approve, so it is short and has no control characters. */
function readName(fields: URLSearchParams, field: string): string | undefined {
  const name = (fields.get(field) ?? '').replace(/\p{C}/gu, '').trim()
  return name === '' ? undefined : [...name].slice(0, DEVICE_NAME_MAX).join('')
}

function readScope(fields: URLSearchParams): string[] {
  const asked = (fields.get('scope') ?? '').split(' ').filter(Boolean)
  if (asked.some((each) => !PERSONAL_ABILITIES.some((ability) => ability === each)))
    throw new OAuthFailure('invalid_scope', `scope takes ${PERSONAL_ABILITIES.join(' and ')}.`)
  return PERSONAL_ABILITIES.filter((ability) => asked.length === 0 || asked.includes(ability))
}

type Found = {
  clientId: string
  abilities: string[]
  isExpired: boolean
  isDecided: boolean
  isApproved: boolean
  adminId: number
  adminEmail: string
}

// An administrator who has been disabled since has not approved anything.
const FIND = `
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
  const find = { name: 'find-device-authorization', text: FIND, values: [hash] }
  const [found] = (await services.primary.query<Found>(find)).rows
  if (!found || found.clientId !== readName(fields, 'client_id')) throw await refuseCode(ctx, services)
  const key = `device-poll:${hash.toString('base64')}`
  if (!(await services.rateLimiter.take(key, POLLS_PER_MINUTE)).allowed)
    throw new OAuthFailure('slow_down', `Ask every ${POLL_SECONDS} seconds at most.`)
  if (found.isExpired) throw new OAuthFailure('expired_token', 'The code has expired.')
  if (!found.isDecided) throw new OAuthFailure('authorization_pending', 'Nobody has decided yet.')
  if (!found.isApproved) throw new OAuthFailure('access_denied', 'The program was denied.')
  return redeem(ctx, services, hash, found)
}

async function refuseCode({ ip }: Context, services: Services): Promise<Error> {
  const unknown = new Refusal('not_found', message`This code is unknown, has expired, or was used already.`)
  const tooMany = message`Too many requests with unknown codes from this address.`
  const refusal = await refuseWrongGuess(services, ip, unknown, tooMany)
  return refusal === unknown
    ? new OAuthFailure('invalid_grant', 'The code is unknown, or was used already.')
    : refusal
}

async function redeem({ state }: Context, { dispatcher }: Services, codeHash: Buffer, found: Found) {
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
      receivedAt: instantOf(receivedMs),
      idempotency: null,
    },
  )
  // Another request redeemed it in the meantime, or the person was deactivated or erased.
  if (outcome.refused) throw new OAuthFailure('invalid_grant', 'The code is unknown, or was used already.')
  const scope = abilities.join(' ')
  return { access_token: token, token_type: 'Bearer', expires_in: PERSONAL_DAYS * 86_400, scope }
}
