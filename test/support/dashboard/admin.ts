// Sends writes as the dashboard does for an administrator: validated by their contract, and executed by real workers.
import { randomUUID } from 'node:crypto'
import * as yup from 'yup'
import { openServices } from '../../../gateway/server/services/services.ts'
import { type Actor, type InputOf, type JobName, jobs } from '../../../shared/jobs/jobs.ts'
import { toDottedPath } from '../../../shared/messages/strict.ts'
import { formatInstant } from '../../../shared/utilities/date-times.ts'
import { createLog } from '../../../shared/utilities/log.ts'
import { eventually } from '../time.ts'
import { useWith } from '../use.ts'
import type { World } from '../world.ts'

// Tests read answers of every shape; reading a wrong field fails an assertion.
// biome-ignore lint/suspicious/noExplicitAny: see above
type AdminAnswer = { status: number; json: any }

/** `receivedAt` is now, or earlier for a late write. The actor is an administrator unless another one is given. */
type AskOptions = { requestId?: string; receivedAt?: string; actor?: Actor }

export type Admin = {
  /** Sends a write. Answers 422, like the dashboard, if the contract refuses the input. */
  ask(name: JobName, input: unknown, options?: AskOptions): Promise<AdminAnswer>
  close(): Promise<void>
}

export const ADMIN_ACTOR = { type: 'admin', id: 7, name: 'admin@example.com' } as const

export function useAdmin(world: World): Admin {
  return useWith(
    world,
    () => openAdmin(world),
    (admin) => admin.close(),
  )
}

export async function openAdmin(world: World): Promise<Admin> {
  const services = openServices(world.config, createLog('test', world.config.logLevel))
  await eventually(() => services.queues.requireOpen('writes', world.config.writeWaitMs))
  return {
    async ask(
      name,
      given,
      { requestId = randomUUID(), receivedAt = formatInstant(Date.now()), actor = ADMIN_ACTOR } = {},
    ) {
      const checked = checkAnswer(name, given)
      if ('errors' in checked) return { status: 422, json: { code: 'validation_failed', ...checked } }
      const origin = { actor, requestId, baseUrl: world.url, receivedAt, idempotency: null }
      const { status, body } = await services.dispatcher.dispatch(name, checked.input, origin)
      return { status, json: body === null ? null : JSON.parse(body) }
    },
    close: () => services.close(),
  }
}

function checkAnswer(
  name: JobName,
  given: unknown,
): { input: InputOf<JobName> } | { errors: Record<string, string[]> } {
  try {
    return { input: jobs[name].input.validateSync(given, { abortEarly: false, stripUnknown: true }) }
  } catch (error) {
    if (!(error instanceof yup.ValidationError)) throw error
    const problems = error.inner.length > 0 ? error.inner : [error]
    const errors: Record<string, string[]> = {}
    for (const { path, errors: sentences } of problems) {
      const field = toDottedPath(path ?? '') || 'body'
      errors[field] = [...(errors[field] ?? []), ...sentences]
    }
    return { errors }
  }
}

/** Returns the audit entries of a request. */
export function readAudit(world: World, requestId: string) {
  return world.database('audit_log').where({ request_id: requestId }).orderBy('id')
}
