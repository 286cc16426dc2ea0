// Serves MCP (Model Context Protocol) at /mcp: agents use the API through tools, with the same tokens. The SDK and the
// tools are loaded with the first message, so that a gateway that no agent uses stays small.
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import type { Config } from '../../../shared/settings/config.ts'
import type { Endpoint } from '../../server/http/endpoint.ts'
import { findOwner, identify, refuseExcess } from '../../server/http/middleware/authenticate.ts'
import { jsonBody } from '../../server/http/middleware/body.ts'
import type { PlainRoute } from '../../server/http/router.ts'
import type { Context } from '../../server/services/context.ts'
import type { Services } from '../../server/services/services.ts'

type AnswerMessage = (ctx: Context) => Promise<void>

export function mcpRoute(endpoints: readonly Endpoint[], services: Services): PlainRoute {
  const { admission, config } = services
  const readBody = jsonBody(services)
  const origins = allowedOrigins(config)
  let loading: Promise<AnswerMessage> | undefined
  return {
    method: 'POST',
    path: '/mcp',
    async handle(ctx) {
      requireAllowedOrigin(ctx, origins)
      admission.reads.requireCapacity(() => findOwner(ctx, services))
      await identify(ctx, services)
      refuseExcess(ctx)
      await readBody(ctx)
      requireOneMessage(ctx)
      loading ??= import('./answer-message.ts').then(({ messageAnswerer }) =>
        messageAnswerer(endpoints, services),
      )
      const answerMessage = await loading
      await answerMessage(ctx)
    },
  }
}

function allowedOrigins({ corsOrigins, publicUrl }: Config): ReadonlySet<string> {
  return new Set([...corsOrigins, ...(publicUrl === undefined ? [] : [new URL(publicUrl).origin])])
}

// Against DNS rebinding: the name of the host is the attacker's then, so it cannot tell which origins are ours.
function requireAllowedOrigin(ctx: Context, origins: ReadonlySet<string>) {
  const { origin } = ctx.headers
  if (origin === undefined || origins.has(origin) || origins.has('*')) return
  throw new Refusal('origin_not_allowed', message`The origin ${origin} is not allowed here.`)
}

// The rate limit counts requests, but one message may be expensive.
function requireOneMessage({ request }: Context) {
  if (!Array.isArray(request.body)) return
  throw new Refusal('malformed_body', message`Batches are not supported: send one message at a time.`)
}
