// Serves MCP (Model Context Protocol) at /mcp: agents use the API through tools, with the API's tokens. The
// first message loads the SDK and the tools, so that a gateway without agents uses less memory.
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import type { Config } from '../../../shared/settings/config.ts'
import type { Endpoint } from '../../server/http/endpoint.ts'
import { findOwner, identifyToken, refuseOverRateLimit } from '../../server/http/middleware/authenticate.ts'
import { createJsonBodyReader } from '../../server/http/middleware/body.ts'
import type { PlainRoute } from '../../server/http/router.ts'
import type { Context } from '../../server/services/context.ts'
import type { Services } from '../../server/services/services.ts'

type AnswerMessage = (ctx: Context) => Promise<void>

export function createMcpRoute(endpoints: readonly Endpoint[], services: Services): PlainRoute {
  const { admission, config } = services
  const readBody = createJsonBodyReader(services)
  const origins = listAllowedOrigins(config)
  let loading: Promise<AnswerMessage> | undefined
  return {
    method: 'POST',
    path: '/mcp',
    async handle(ctx) {
      requireAllowedOrigin(ctx, origins)
      admission.reads.requireCapacity(() => findOwner(ctx, services))
      await identifyToken(ctx, services)
      refuseOverRateLimit(ctx)
      await readBody(ctx)
      requireSingleMessage(ctx)
      loading ??= import('./answer-message.ts').then(({ createMessageHandler }) =>
        createMessageHandler(endpoints, services),
      )
      const answerMessage = await loading
      await answerMessage(ctx)
    },
  }
}

function listAllowedOrigins({ corsOrigins, publicUrl }: Config): ReadonlySet<string> {
  return new Set([...corsOrigins, ...(publicUrl === undefined ? [] : [new URL(publicUrl).origin])])
}

// Protects against DNS rebinding. In such an attack the attacker owns the host name, so the Host header does
// not show which origins are ours.
function requireAllowedOrigin(ctx: Context, origins: ReadonlySet<string>) {
  const { origin } = ctx.headers
  if (origin === undefined || origins.has(origin) || origins.has('*')) return
  throw new Refusal('origin_not_allowed', message`The origin ${origin} is not allowed here.`)
}

// Refuses a batch of messages: the rate limit counts requests, and each message may be expensive.
function requireSingleMessage({ request }: Context) {
  if (!Array.isArray(request.body)) return
  throw new Refusal('malformed_body', message`Batches are not supported: send one message at a time.`)
}
