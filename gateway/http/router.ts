// Turns the declared endpoints into routes. The checks run in this order: path, method, admission, token,
// ability, rate, body, fields; what only the data can tell comes after them.
import type { Message } from '../../shared/messages/message.ts'
import { Refusal } from '../../shared/messages/refusal.ts'
import { OPEN } from '../overload/admission.ts'
import type { Context, Middleware } from '../services/context.ts'
import type { Services } from '../services/services.ts'
import { type Answer, RequestCall } from './call.ts'
import { abilitiesOf, type Endpoint } from './endpoint.ts'
import {
  authenticate,
  countRequest,
  findOwner,
  refuseExcess,
  requireAbilities,
} from './middleware/authenticate.ts'
import { jsonBody } from './middleware/body.ts'
import { fileBody } from './middleware/file-body.ts'
import { hasField, validate } from './middleware/validate.ts'
import { Routes } from './routes.ts'
import { send, sendWhenReady } from './send.ts'

/** A route outside the API, for documents, health checks and metrics: no token, no schema. */
export type PlainRoute = { path: string; handle(ctx: Context, services: Services): Promise<void> | void }

export const API = '/api/v1'

export function createRoutes(
  endpoints: Endpoint[],
  plainRoutes: PlainRoute[],
  services: Services,
): Middleware {
  const routes = new Routes()
  for (const { path, handle } of plainRoutes) routes.add('GET', path, (ctx) => handle(ctx, services))
  const readJson = jsonBody(services)
  for (const endpoint of endpoints) {
    const { method, path, isOpen, takesFile, body, withoutHead } = endpoint
    const abilities = abilitiesOf(endpoint)
    const answer = (ctx: Context) => answerCall(ctx, endpoint, services)
    const admission = services.admission[method === 'GET' ? 'reads' : 'writes']
    const readForm = fileBody(services, (name) => body !== undefined && hasField(body, name))
    const check = async (ctx: Context) => {
      admission.requireCapacity(() => (isOpen ? OPEN : findOwner(ctx, services)))
      if (isOpen) return answer(ctx)
      await authenticate(ctx, services)
      await countRequest(ctx, services)
      requireAbilities(ctx, abilities)
      refuseExcess(ctx)
      if (takesFile) return readForm(ctx, () => answer(ctx))
      if (body) await readJson(ctx)
      return answer(ctx)
    }
    routes.add(method, API + path, check, { withoutHead })
  }
  return routes.middleware()
}

async function answerCall(ctx: Context, endpoint: Endpoint, services: Services): Promise<void> {
  const call = new RequestCall(ctx, endpoint, validate(endpoint, ctx), services)
  const { isLong, missing } = endpoint
  if (!isLong) return send(ctx, requireAnswer(await endpoint.handle(call), missing))
  const answer = endpoint.handle(call).then((found) => requireAnswer(found, missing))
  await sendWhenReady(ctx, answer, () => call.progress, services.config.keepaliveAfterMs)
}

function requireAnswer(answer: Answer | undefined, missing: Message): Answer {
  if (answer) return answer
  throw new Refusal('not_found', missing)
}
