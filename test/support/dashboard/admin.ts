// Writes of an administrator, as the dashboard asks for them: checked against their contract, dispatched by a gateway's
// own services, and answered by real workers.
import { randomUUID } from 'node:crypto'
import * as yup from 'yup'
import { openServices } from '../../../gateway/server/services/services.ts'
import { type InputOf, type JobName, jobs } from '../../../shared/jobs/jobs.ts'
import { dotted } from '../../../shared/messages/strict.ts'
import { instantOf } from '../../../shared/utilities/date-times.ts'
import { createLog } from '../../../shared/utilities/log.ts'
import { eventually } from '../time.ts'
import { useWith } from '../use.ts'
import type { World } from '../world.ts'

// Tests look into answers of every form; a wrong look is a failed assertion.
// biome-ignore lint/suspicious/noExplicitAny: see above
type AdminAnswer = { status: number; json: any }

/** `receivedAt` is now, or before: then the write is late. */
type AskOptions = { requestId?: string; receivedAt?: string }

export type Admin = {
  /** What the contract itself refuses is answered 422, as the dashboard does it. */
  ask(name: JobName, input: unknown, options?: AskOptions): Promise<AdminAnswer>
  close(): Promise<void>
}

export const ADMIN = { type: 'admin', id: 7, name: 'admin@example.com' } as const

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
    async ask(name, given, { requestId = randomUUID(), receivedAt = instantOf(Date.now()) } = {}) {
      const checked = check(name, given)
      if ('errors' in checked) return { status: 422, json: { code: 'validation_failed', ...checked } }
      const origin = { actor: ADMIN, requestId, baseUrl: world.url, receivedAt, idempotency: null }
      const { status, body } = await services.dispatcher.dispatch(name, checked.input, origin)
      return { status, json: body === null ? null : JSON.parse(body) }
    },
    close: () => services.close(),
  }
}

function check(
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
      const field = dotted(path ?? '') || 'body'
      errors[field] = [...(errors[field] ?? []), ...sentences]
    }
    return { errors }
  }
}

/** The entries of the audit log that a request has left. */
export function auditOf(world: World, requestId: string) {
  return world.database('audit_log').where({ request_id: requestId }).orderBy('id')
}
