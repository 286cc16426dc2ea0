// The addresses at which Microsoft 365 and Google say that the calendar of a room has changed. They are public: a request counts
// only with the secret of a watch, does nothing but make that calendar due for reading, and has small limits of its own.
import { message } from '../../../../shared/messages/message.ts'
import {
  type IncomingRequest,
  NOTIFICATION_BYTES_MAX,
  type ReadNotification,
  readGoogleNotification,
  readMicrosoftNotification,
} from '../../../../shared/room-calendars/notifications.ts'
import { findNetwork } from '../../../auth/networks.ts'
import { createRateLimitRefusal, serviceUnavailable } from '../../../overload/refusals.ts'
import { createTextBodyReader } from '../../../server/http/middleware/body.ts'
import type { PlainRoute } from '../../../server/http/router.ts'
import type { Context } from '../../../server/services/context.ts'
import type { Services } from '../../../server/services/services.ts'

/** All reads for these addresses share the quota of this owner. */
const QUOTA_OWNER = 'calendar notifications'
const REQUESTS_PER_MINUTE = 6_000
// A flood takes no more connections than this. Providers send again what is refused, and Berth looks at each calendar from
// time to time anyway.
const LOOK_UPS_MAX = 4
// Providers send their own tokens, which are far shorter.
const VALIDATION_CHARACTERS_MAX = 2_000

type FindSecrets = (watches: string[]) => Promise<Map<string, string>>
type FindSecret = (watch: string) => string | undefined
type Read = (request: IncomingRequest, findSecret: FindSecret) => ReadNotification

const SECRETS_OF_WATCHES = {
  name: 'find-watch-secrets',
  text: `SELECT watch, watch_secret AS secret FROM room_calendars
    WHERE watch = ANY ($1::text[]) AND watch_secret IS NOT NULL AND NOT is_ending`,
}

const readText = createTextBodyReader(['application/json'], NOTIFICATION_BYTES_MAX)

export function createNotificationRoutes(services: Services): PlainRoute[] {
  const { notices } = services
  const findSecrets = createSecretFinder(services)
  const createRoute = (provider: string, answer: (ctx: Context) => Promise<void>): PlainRoute => ({
    method: 'POST',
    path: `/calendars/notifications/${provider}`,
    async handle(ctx) {
      await refuseTooMany(ctx, services)
      await answer(ctx)
    },
  })
  return [
    createRoute('microsoft', async (ctx) => {
      const token = ctx.URL.searchParams.get('validationToken')
      const body = token === null ? await readText(ctx) : ''
      const read = await readNotification(findSecrets, readMicrosoftNotification, ctx, body)
      if (read.kind === 'validation') return answerValidation(ctx, read.reply)
      if (read.kind === 'notices') notices.add(read.notices)
      // Forged and unknown notices get the same answer, because Microsoft would repeat them after another one.
      ctx.body = null
      ctx.status = read.kind === 'malformed' ? 400 : 202
    }),
    createRoute('google', async (ctx) => {
      const read = await readNotification(findSecrets, readGoogleNotification, ctx, '')
      if (read.kind === 'notices') notices.add(read.notices)
      const isKnown = read.kind === 'notices' && read.forged === 0
      ctx.body = null
      ctx.status = isKnown ? 204 : read.kind === 'malformed' ? 400 : 404
    }),
  ]
}

async function refuseTooMany({ ip }: Context, { rateLimiter }: Services): Promise<void> {
  const allowance = await rateLimiter.take(`calendar-notices:${findNetwork(ip)}`, REQUESTS_PER_MINUTE)
  if (allowance.allowed) return
  const detail = message`Too many notifications have come from this address.`
  throw createRateLimitRefusal(detail, allowance.resetSeconds)
}

/** Microsoft 365 checks the address of a new subscription: it expects its token back as plain text. */
function answerValidation(ctx: Context, token: string) {
  if (token.length > VALIDATION_CHARACTERS_MAX) {
    ctx.body = null
    ctx.status = 400
    return
  }
  ctx.set('Content-Type', 'text/plain; charset=utf-8')
  ctx.set('X-Content-Type-Options', 'nosniff')
  ctx.body = token
}

/** Reads the request twice: first to learn which watches it names, and then with the secrets of those that exist. */
async function readNotification(
  findSecrets: FindSecrets,
  read: Read,
  ctx: Context,
  body: string,
): Promise<ReadNotification> {
  const request = { query: ctx.URL.searchParams, headers: ctx.headers, body }
  const named = new Set<string>()
  const first = read(request, (watch) => {
    named.add(watch)
    return undefined
  })
  if (named.size === 0) return first
  const secrets = await findSecrets([...named])
  return read(request, (watch) => secrets.get(watch))
}

function createSecretFinder({ reads }: Services): FindSecrets {
  let underWay = 0
  return async (watches) => {
    if (underWay >= LOOK_UPS_MAX)
      throw serviceUnavailable('reads_overload', message`Too many notifications arrive at once.`)
    underWay++
    try {
      const { rows } = await reads.read(QUOTA_OWNER, undefined, ({ pool }) =>
        pool.query<{ watch: string; secret: string }>({ ...SECRETS_OF_WATCHES, values: [watches] }),
      )
      return new Map(rows.map(({ watch, secret }) => [watch, secret]))
    } finally {
      underWay--
    }
  }
}
